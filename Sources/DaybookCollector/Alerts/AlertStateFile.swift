import Foundation

/// Where alerts keep what they remember.
package struct AlertStateFile: Sendable {
    private let path: String?

    /// A file; `nil` remembers nothing across restarts.
    package init(path: String?) {
        self.path = path
    }

    /// What was remembered; a file that is missing is an empty state.
    /// - Throws: ``Problem`` for a file that is something else: it is not overwritten.
    func read() throws(Problem) -> AlertState {
        guard let path, FileManager.default.fileExists(atPath: path) else { return AlertState() }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let state = try? AlertState(text: text)
        else {
            throw Problem(
                description: "\(path): holds no state of alerts; delete it, or choose another with --alerts-state")
        }
        return state
    }

    /// Writes the state in one step.
    /// - Throws: what the file system says.
    func write(_ state: AlertState) throws {
        guard let path else { return }
        try Data(state.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }
}
