struct Command: Sendable {
    /// One or more words: `definitions check`.
    var name: String
    /// One line without a full stop.
    var summary: String
    var options: [Option] = []
    /// The operands' name in the usage text, and their count; none by default.
    var operands: (name: String, count: ClosedRange<Int>) = ("", 0...0)
    /// Completions of the operands; empty if unrestricted.
    var choices: [String] = []
    /// Paragraphs below the options; may be empty.
    var details = ""
    /// Runs the command. Errors are printed, with exit status ``ExitCode/badInput``.
    var run: @Sendable (Arguments, Console) async throws -> ExitCode
}

struct Option: Sendable {
    enum Argument: Sendable, Hashable {
        case none
        case value(String)
    }

    /// Without dashes: `checklist`.
    var name: String
    var argument: Argument
    /// One line without a full stop.
    var help: String
    var isRequired: Bool
    var isRepeatable: Bool

    /// `--name`.
    static func flag(_ name: String, _ help: String) -> Option {
        Option(name: name, argument: .none, help: help, isRequired: false, isRepeatable: false)
    }

    /// `--name VALUE` or `--name=VALUE`.
    static func value(
        _ name: String, _ placeholder: String, _ help: String, required: Bool = false, repeatable: Bool = false
    ) -> Option {
        Option(
            name: name, argument: .value(placeholder), help: help, isRequired: required, isRepeatable: repeatable)
    }
}

/// A command's arguments, checked against its options.
struct Arguments: Sendable {
    var values: [String: [String]] = [:]
    var flags: Set<String> = []
    var operands: [String] = []
    /// With `--help`, nothing else was checked.
    var asksForHelp = false

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of a non-repeatable option.
    subscript(option: String) -> String? { values[option]?.first }

    func all(_ option: String) -> [String] { values[option] ?? [] }

    /// The value of a required option.
    ///
    /// - Throws: if the option is missing, although the command does not declare it as required.
    func required(_ option: String) throws(UsageError) -> String {
        guard let value = self[option] else { throw UsageError(message: "--\(option) is missing") }
        return value
    }
}

struct UsageError: Error, CustomStringConvertible {
    var message: String
    /// What to write instead, if known.
    var hint: String?

    var description: String { (message + (hint.map { " (\($0))" } ?? "")).printable }
}
