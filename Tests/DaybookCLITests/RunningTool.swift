import DaybookTesting
import Foundation

/// A `daybook` that goes on running.
final class RunningTool {
    enum Failure: Error { case endedEarly(String) }

    private let process: Process
    private let output: Pipe
    private var text = ""

    init(_ process: Process) throws {
        self.process = process
        output = Pipe()
        process.standardOutput = output
        try process.run()
    }

    /// What follows `prefix` in the first line that begins with it.
    func line(beginning prefix: String) throws -> String {
        while true {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.dropLast().first(where: { $0.hasPrefix(prefix) }) {
                return String(line.dropFirst(prefix.count))
            }
            let chunk = output.fileHandleForReading.availableData
            guard !chunk.isEmpty else { throw Failure.endedEarly(text) }
            text += String(decoding: chunk, as: UTF8.self)
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
    func start(_ arguments: String...) throws -> RunningTool {
        let process = Process()
        process.executableURL = BuiltProduct.url("daybook")
        process.arguments = arguments
        process.currentDirectoryURL = directory
        return try RunningTool(process)
    }
}
