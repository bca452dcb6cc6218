import Foundation

/// Ends servers that run on their own, and removes what they have: when it is told to, and also when the process that
/// started them has died without a word. Safe to share between threads.
final class ServerWatch: Sendable {
    private let process: Process
    /// Its end closes with this process, which wakes the one that watches.
    private let pipe = Pipe()

    /// - Parameters:
    ///   - files: Where the servers keep their process numbers, in the first line.
    ///   - signal: What ends them.
    ///   - folder: What is removed behind them.
    /// - Throws: What the system says.
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
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, "\(signal)", folder] + files
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.currentDirectoryURL = URL(filePath: "/tmp")
        try process.run()
    }

    /// Ends the servers; returns when they are gone.
    func end() {
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
