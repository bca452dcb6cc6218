import DaybookBase
import DaybookProcesses
import DaybookTrials
import Foundation
import Testing

/// A running `daybook`.
final class RunningTool: Sendable {
    enum Failure: Error { case endedEarly(String), saidNothing(String) }

    private let arguments: [String]
    private let process: ChildProcess
    private let output: FileHandle
    private let text = Mutex("")

    /// - Parameter mergesErrors: Whether standard error is read with the output.
    init(
        _ program: URL = BuiltProduct.daybook, _ arguments: [String], environment: [String: String]? = nil,
        in folder: URL? = nil, input: ChildProcess.Stream = .null, mergesErrors: Bool = false
    ) throws {
        let pipe = Pipe()
        self.arguments = arguments
        output = pipe.fileHandleForReading
        process = try ChildProcess(
            program, arguments, environment: environment, in: folder, input: input, output: .pipe(pipe),
            errors: mergesErrors ? .pipe(pipe) : .inherited)
    }

    var identifier: Int32 { process.identifier }

    /// The rest of the first line that begins with `prefix`.
    /// - Throws: ``Failure`` if it ends without such a line, or prints nothing for two minutes.
    func line(beginning prefix: String) async throws -> String {
        String(try await line { $0.hasPrefix(prefix) }.dropFirst(prefix.count))
    }

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

    /// The complete lines read so far.
    var lines: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }

    /// Kills it, as a crash would, and waits for the exit.
    func kill() {
        process.send(SIGKILL)
        process.wait()
    }

    /// Stops it and waits for the exit. If it does not exit, records an issue and kills it.
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
    func start(_ arguments: String..., mergingErrors mergesErrors: Bool = false) throws -> RunningTool {
        try start(arguments, mergingErrors: mergesErrors)
    }

    func start(
        _ arguments: [String], of program: URL = BuiltProduct.daybook, mergingErrors mergesErrors: Bool = false,
        environment: [String: String] = [:]
    ) throws -> RunningTool {
        try RunningTool(
            program, arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, own in own }, in: directory,
            mergesErrors: mergesErrors)
    }
}
