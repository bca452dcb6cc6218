import DaybookBase
import DaybookProcesses
import DaybookTrials
import Foundation
import Testing

/// A `daybook` that goes on running.
final class RunningTool: Sendable {
    enum Failure: Error { case endedEarly(String), saidNothing(String) }

    private let arguments: [String]
    private let process: ChildProcess
    private let output: FileHandle
    private let text = Mutex("")

    /// - Parameter mergesErrors: Whether what it says of errors is read with its output.
    init(
        _ program: URL = BuiltProduct.url("daybook"), _ arguments: [String], environment: [String: String]? = nil,
        in folder: URL? = nil, input: ChildProcess.Stream = .null, mergesErrors: Bool = false
    ) throws {
        let pipe = Pipe()
        self.arguments = arguments
        output = pipe.fileHandleForReading
        process = try ChildProcess(
            program, arguments, environment: environment, in: folder, input: input, output: .pipe(pipe),
            errors: mergesErrors ? .pipe(pipe) : .inherited)
    }

    /// The system's number of the process.
    var identifier: Int32 { process.identifier }

    /// What follows `prefix` in the first line that begins with it.
    /// - Throws: ``Failure`` where it ends without one, or says nothing for two minutes.
    func line(beginning prefix: String) async throws -> String {
        String(try await line { $0.hasPrefix(prefix) }.dropFirst(prefix.count))
    }

    /// The first line that has `part` in it.
    func line(containing part: String) async throws -> String { try await line { $0.contains(part) } }

    private func line(where isWanted: @escaping @Sendable (Substring) -> Bool) async throws -> String {
        try await offPool { [self] in
            while true {
                let seen = text.withLock { $0 }
                let lines = seen.split(separator: "\n", omittingEmptySubsequences: false)
                if let line = lines.dropLast().first(where: isWanted) { return String(line) }
                var descriptor = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&descriptor, 1, 120_000) != 0 else { throw Failure.saidNothing(seen) }
                let chunk = output.availableData
                guard !chunk.isEmpty else { throw Failure.endedEarly(seen) }
                text.withLock { $0 += String(decoding: chunk, as: UTF8.self) }
            }
        }
    }

    /// The whole lines that were read so far.
    var lines: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }

    /// Ends it at once, as a crash does, and waits until it has.
    func kill() {
        process.send(SIGKILL)
        process.wait()
    }

    /// Asks it to end, and waits until it has. One that does not is an issue of the test, and killed.
    /// - Returns: Its exit status.
    @discardableResult
    func end() -> Int32 {
        process.send(SIGTERM)
        if let end = process.wait(seconds: 120) { return end.status }
        Issue.record("\(arguments) did not end when it was asked to")
        process.send(SIGKILL)
        return process.wait().status
    }
}

extension Tool {
    /// Starts the tool in the directory.
    func start(_ arguments: String..., mergingErrors mergesErrors: Bool = false) throws -> RunningTool {
        try start(arguments, mergingErrors: mergesErrors)
    }

    /// Starts the tool, or another program, in the directory.
    func start(
        _ arguments: [String], of program: URL = BuiltProduct.url("daybook"), mergingErrors mergesErrors: Bool = false,
        environment: [String: String] = [:]
    ) throws -> RunningTool {
        try RunningTool(
            program, arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, own in own }, in: directory,
            mergesErrors: mergesErrors)
    }
}
