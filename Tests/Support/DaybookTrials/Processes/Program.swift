import DaybookProcesses
import Foundation

/// External programs for tests.
public enum Program {
    /// The output of a program that failed.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The path of a new folder for a server's files, not yet created. A socket's path has at most 107 bytes, so a long
    /// temporary path is not used.
    public static func serverFolder(named name: String) -> String {
        let temporary = FileManager.default.temporaryDirectory.path
        return "\(temporary.utf8.count < 48 ? temporary : "/tmp")/\(name)-\(UUID().uuidString.prefix(8))"
    }

    /// Prefix of a command that must not run as root: runs it as another user.
    public static func unprivileged(as user: String) -> [String] {
        getuid() == 0 ? ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] : []
    }

    /// Runs a program to its end.
    /// - Throws: ``Failure`` with its output if its status is not 0.
    public static func run(_ words: [String]) throws {
        let log = FileManager.default.temporaryDirectory.appending(path: "daybook-program-\(UUID().uuidString)")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let output = try FileHandle(forWritingTo: log)
        let process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), words, in: URL(filePath: "/tmp"), output: .file(output),
            errors: .file(output))
        let end = process.wait()
        try output.close()
        guard end == .exited(status: 0) else {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw Failure(description: "\(words.joined(separator: " ")): \(text)")
        }
    }
}

extension Program {
    /// Kills an independent server; returns once it and the file with its process ID are gone.
    /// - Throws: ``Failure`` if it does not end.
    static func kill(ofFile file: String) throws {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        sendKill(to: number)
        // Only a parent can wait for a process.
        try eventuallyOnThread("process \(number) is gone") {
            !FileManager.default.fileExists(atPath: "/proc/\(number)/exe")
        }
        try? FileManager.default.removeItem(atPath: file)
    }
}

/// Outside the types whose own `kill` hides the system's.
func sendKill(to process: Int32) { kill(process, SIGKILL) }

/// Ends independent servers and removes their files: on request, and also if the process that started them dies. Safe
/// to share between threads.
final class ServerWatch: Sendable {
    private let process: ChildProcess
    /// Closes with this process, which wakes the watcher.
    private let pipe = Pipe()

    /// - Parameters:
    ///   - files: Files with the servers' process IDs in the first line.
    ///   - signal: What ends them.
    ///   - folder: What is removed afterwards.
    /// - Throws: An error of the system.
    init(files: [String], signal: Int32, folder: String) throws {
        let script = """
            import os, shutil, signal, sys, time
            number, folder, *files = sys.argv[1:]
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            sys.stdin.read()
            for file in files:
                try:
                    server = int(open(file).readline())
                    os.kill(server, int(number))
                except (OSError, ValueError):
                    continue
                # A process that somebody else started cannot be waited for.
                for _ in range(1000):
                    if not os.path.exists(f"/proc/{server}/exe"): break
                    time.sleep(0.01)
            shutil.rmtree(folder, ignore_errors=True)
            """
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", script, "\(signal)", folder] + files,
            in: URL(filePath: "/tmp"), input: .pipe(pipe), output: .null, errors: .null)
    }

    func end() {
        try? pipe.fileHandleForWriting.close()
        process.wait()
    }
}

/// Runs blocking work (a child process, a pipe) on its own thread, to spare the few threads of all asynchronous tests
/// and servers in the process. It stays the caller's task, so that failed expectations are reported with the test's
/// name.
/// - Throws: What `body` throws.
public func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await OwnThread().run(body)
}

private actor OwnThread {
    private final class Executor: SerialExecutor {
        /// The default came with macOS 14.
        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

        func enqueue(_ job: UnownedJob) {
            Thread.detachNewThread { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}

/// `write(2)`, for types whose own `write` hides it.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
