import DaybookTools
import Foundation

/// What a command prints and how it exits.
public struct CommandOutcome: Sendable, Hashable {
    /// The text for standard output.
    public var output: String
    /// The text for standard error.
    public var errors: String
    /// 0: done, 1: the answer is no, 2: bad input or usage.
    public var exitCode: Int32

    /// Creates an outcome.
    public init(output: String = "", errors: String = "", exitCode: Int32) {
        self.output = output
        self.errors = errors
        self.exitCode = exitCode
    }
}

extension [Diagnostic] {
    /// Like a compiler's.
    var lines: String { map { $0.description + "\n" }.joined() }

    /// The errors alone if there are any, else the outcome of `make`.
    ///
    /// - Parameter exitCode: with errors.
    func unlessErrors(
        exitCode: Int32 = 1, _ make: () throws -> CommandOutcome
    ) rethrows -> CommandOutcome {
        guard !hasErrors else { return CommandOutcome(errors: lines, exitCode: exitCode) }
        return try make()
    }

    /// As above, for a command that prints a text; warnings go to standard error.
    func unlessErrors(printing text: () throws -> String) rethrows -> CommandOutcome {
        try unlessErrors { CommandOutcome(output: try text(), errors: lines, exitCode: 0) }
    }
}

extension CommandOutcome {
    /// The outcome of writing the output to a file instead of printing it. If the command failed, nothing is written.
    ///
    /// - Parameters:
    ///   - folder: Created if it does not exist.
    ///   - name: The file's name.
    ///   - isCheck: Writes nothing; exit code 1 says that the file is missing or differs.
    public func writing(into folder: String, as name: String, isCheck: Bool) -> CommandOutcome {
        writing(to: "\(folder)/\(name)", isCheck: isCheck)
    }

    func writing(to path: String, isCheck: Bool) -> CommandOutcome {
        guard exitCode == 0 else { return self }
        let file = GeneratedFile(path: path, text: output)
        return isCheck ? file.check(warnings: errors) : file.write(warnings: errors)
    }
}

/// A generated file that is kept under version control.
public struct GeneratedFile: Sendable {
    public var path: String
    /// The file's expected text.
    public var text: String

    /// Creates a generated file.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Compares the file with the expected text: exit code 0, or 1 with the first line that differs.
    public func check(warnings: String = "") -> CommandOutcome {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            return CommandOutcome(errors: warnings + "\(path): error: the file is missing; generate it\n", exitCode: 1)
        }
        let present = String(decoding: data, as: UTF8.self)
        guard present != text else { return CommandOutcome(errors: warnings, exitCode: 0) }
        let wanted = TextLines.split(text)
        let found = TextLines.split(present)
        let line = zip(wanted, found).prefix { $0 == $1 }.count + 1
        return CommandOutcome(
            errors: warnings + "\(path):\(line):1: error: the file differs from the definitions; generate it again\n",
            exitCode: 1)
    }

    /// Writes the file atomically, unless it already has the text.
    ///
    /// - Returns: Exit code 0, or 2 if it is not writable.
    public func write(warnings: String = "") -> CommandOutcome {
        do {
            try OwnedFile.replace(path, with: text, makesFolder: true)
            return CommandOutcome(errors: warnings, exitCode: 0)
        } catch {
            return CommandOutcome(
                errors: warnings + "error: \(path): the file cannot be written: \(error)\n", exitCode: 2)
        }
    }
}
