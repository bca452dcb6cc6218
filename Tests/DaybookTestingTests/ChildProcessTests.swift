import DaybookProcesses
import DaybookTrials
import Foundation
import Testing

/// Programs get exactly what they are given, and their end is reported only once they have ended.
@Suite(.timeLimit(.minutes(5))) struct ChildProcessTests {
    private func shell(_ script: String) -> (URL, [String]) { (URL(filePath: "/bin/sh"), ["-c", script]) }

    private func output(
        of script: String, environment: [String: String]? = nil, in folder: URL? = nil,
        input: ChildProcess.Stream = .null
    ) async throws -> String {
        let (program, arguments) = shell(script)
        let pipe = Pipe()
        let process = try ChildProcess(
            program, arguments, environment: environment, in: folder, input: input, output: .pipe(pipe),
            errors: .pipe(pipe))
        return try await offPool {
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.wait()
            return text
        }
    }

    @Test("A process ends with a status or a signal") func endIsStatusOrSignal() async throws {
        let (program, arguments) = shell("exit 7")
        let process = try ChildProcess(program, arguments)
        #expect(try await offPool { process.wait() } == .exited(status: 7))
        let killed = try ChildProcess(URL(filePath: "/bin/sleep"), ["1000"])
        #expect(killed.end == nil && killed.wait(seconds: 0.01) == nil)
        killed.send(SIGKILL)
        #expect(try await offPool { killed.wait() } == .killed(signal: SIGKILL))
        killed.send(SIGKILL)
    }

    @Test("A program that does not exist is an error") func missingProgramThrows() {
        let error = #expect(throws: ChildProcess.NotStarted.self) {
            _ = try ChildProcess(URL(filePath: "/no/such/program"))
        }
        #expect(error?.description == "/no/such/program could not be started: No such file or directory")
    }

    @Test("A child gets its directory, environment, input and outputs") func passesChildSettings() async throws {
        let input = Pipe()
        try input.fileHandleForWriting.write(contentsOf: Data("from outside".utf8))
        try input.fileHandleForWriting.close()
        let text = try await output(
            of: "pwd; echo \"$A$HOME\"; cat; echo; echo told >&2", environment: ["A": "b"], in: URL(filePath: "/usr"),
            input: .pipe(input))
        #expect(text == "/usr\nb\nfrom outside\ntold\n")
    }

    #if os(Linux)
        @Test("A child inherits only the standard streams") func inheritsOnlyStandardIO() async throws {
            let (reading, writing) = (Pipe(), Pipe())
            // Like descriptors of C libraries, without close-on-exec.
            for file in [reading.fileHandleForReading, writing.fileHandleForWriting] {
                _ = fcntl(file.fileDescriptor, F_SETFD, 0)
            }
            // The fourth is `ls`'s own.
            #expect(try await output(of: "ls /proc/self/fd") == "0\n1\n2\n3\n")
        }
    #endif

    /// Foundation's `Process` fails this within a second.
    @Test("An end is reported while programs started at the same moment run on") func endsAreIndependent() async throws
    {
        let long = try await withThrowingTaskGroup(of: [ChildProcess].self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<150 {
                        let process = try ChildProcess(URL(filePath: "/usr/bin/true"))
                        #expect(try await offPool { process.wait(seconds: 60) } == .exited(status: 0))
                    }
                    return []
                }
            }
            group.addTask {
                try (0..<60).map { _ in try ChildProcess(URL(filePath: "/bin/sleep"), ["1000"]) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for process in long {
            #expect(process.end == nil)
            process.send(SIGKILL)
        }
        for process in long { _ = try await offPool { process.wait() } }
    }
}
