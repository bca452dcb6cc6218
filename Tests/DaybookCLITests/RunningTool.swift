import DaybookTesting
import Foundation
import Synchronization

/// A `daybook` that goes on running.
final class RunningTool: Sendable {
    enum Failure: Error { case endedEarly(String) }

    private let process: Process
    private let output: FileHandle
    private let text = Mutex("")

    init(_ process: Process) throws {
        let pipe = Pipe()
        self.process = process
        output = pipe.fileHandleForReading
        process.standardOutput = pipe
        try process.run()
    }

    /// What follows `prefix` in the first line that begins with it.
    func line(beginning prefix: String) async throws -> String {
        try await offPool { [self] in
            while true {
                let seen = text.withLock { $0 }
                let lines = seen.split(separator: "\n", omittingEmptySubsequences: false)
                if let line = lines.dropLast().first(where: { $0.hasPrefix(prefix) }) {
                    return String(line.dropFirst(prefix.count))
                }
                let chunk = output.availableData
                guard !chunk.isEmpty else { throw Failure.endedEarly(seen) }
                text.withLock { $0 += String(decoding: chunk, as: UTF8.self) }
            }
        }
    }

    /// Asks it to end, and waits until it has.
    func end() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}

extension Tool {
    /// Starts the tool in the directory.
    func start(_ arguments: String...) throws -> RunningTool { try start(arguments) }

    /// Starts the tool in the directory.
    func start(_ arguments: [String]) throws -> RunningTool {
        let process = Process()
        process.executableURL = BuiltProduct.url("daybook")
        process.arguments = arguments
        process.currentDirectoryURL = directory
        return try RunningTool(process)
    }
}
