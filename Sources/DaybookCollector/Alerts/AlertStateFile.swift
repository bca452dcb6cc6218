import DaybookStore
import Foundation

/// Where alerts keep what they remember.
package struct AlertStateFile: Sendable {
    private let path: String?

    /// Whether something was remembered.
    package var exists: Bool { path.map(FileManager.default.fileExists) ?? false }

    /// A file; `nil` remembers nothing across restarts.
    package init(path: String?) {
        self.path = path
    }

    /// What was remembered; a file that is missing is an empty state.
    /// - Throws: ``Problem`` for a file that is something else: it is not overwritten.
    func read() throws(Problem) -> AlertState {
        guard let path, FileManager.default.fileExists(atPath: path) else { return AlertState() }
        let bytes: Data
        do {
            bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data()
        } catch {
            throw Problem(
                description: "\(path): the state of alerts cannot be read: \(error.fileReason); choose another file "
                    + "with --alerts-state")
        }
        // What a loss of power can leave of a file that was just made.
        if bytes.isEmpty { return AlertState() }
        guard let text = String(validating: bytes, as: UTF8.self), let state = try? AlertState(text: text) else {
            throw Problem(
                description: "\(path): holds no state of alerts; choose another file with --alerts-state, or delete "
                    + "this one")
        }
        return state
    }

    /// Writes the state in one step.
    /// - Throws: ``Problem`` with what the file system says.
    func write(_ state: AlertState) throws(Problem) {
        guard let path else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw Problem(
                description: "\(path): the folder \(folder) does not exist; make it, or choose another file with "
                    + "--alerts-state")
        }
        do {
            try Data(state.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Problem(
                description: "\(path): the state of alerts cannot be written: \(error.fileReason)")
        }
    }

    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }
}
