import Foundation

extension CommandOutcome {
    /// The same with what was to be printed written into a file instead: in one step, so that no partial file can be
    /// seen. Of a command that failed nothing is written.
    ///
    /// - Parameters:
    ///   - folder: Created where it does not exist.
    ///   - name: The file's name.
    public func writing(into folder: String, as name: String) -> CommandOutcome {
        guard exitCode == 0 else { return self }
        let file = URL(fileURLWithPath: folder, isDirectory: true).appending(path: name)
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(output.utf8).write(to: file, options: .atomic)
        } catch {
            return CommandOutcome(
                errors: errors + "error: \(file.path) cannot be written: \(error.localizedDescription)\n", exitCode: 2)
        }
        return CommandOutcome(errors: errors + "wrote \(file.path)\n", exitCode: 0)
    }
}
