import DaybookBase
import DaybookProcesses
import DaybookTrials
import Dispatch
import Foundation
import Testing

/// A `daybook` that goes on running.
final class RunningTool: Sendable {
    enum Failure: Error { case endedEarly(String) }

    private let process: Process
    private let output: FileHandle
    private let text = Mutex("")

    /// - Parameter mergesErrors: Whether what it says of errors is read with its output.
    init(_ process: Process, mergesErrors: Bool = false) throws {
        let pipe = Pipe()
        if mergesErrors { process.standardError = pipe }
        self.process = process
        output = pipe.fileHandleForReading
        process.standardOutput = pipe
        try process.run()
    }

    /// The system's number of the process.
    var identifier: Int32 { process.processIdentifier }

    /// What follows `prefix` in the first line that begins with it.
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
        sendKill(to: process.processIdentifier)
        process.waitUntilExit()
    }

    /// Asks it to end, and waits until it has. One that does not is an issue of the test, and killed.
    /// - Returns: Its exit status.
    @discardableResult
    func end() -> Int32 {
        if process.isRunning {
            process.terminate()
            let force = DispatchWorkItem { [self] in
                Issue.record("\(process.arguments ?? []) did not end when it was asked to")
                sendKill(to: process.processIdentifier)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: force)
            process.waitUntilExit()
            force.cancel()
        }
        return process.terminationStatus
    }
}

/// Beside the type, whose own `kill` hides the system's.
private func sendKill(to process: Int32) { kill(process, SIGKILL) }

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
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = directory
        if !environment.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
        }
        return try RunningTool(process, mergesErrors: mergesErrors)
    }
}
