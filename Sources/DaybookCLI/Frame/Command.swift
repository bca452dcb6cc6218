/// A subcommand: what it is called, what it takes, and what it does.
struct Command: Sendable {
    /// One word, or several as in `definitions check`.
    var name: String
    /// One line, without a full stop.
    var summary: String
    var options: [Option] = []
    /// What stands behind the options, as the usage text calls it, and how many of it; none by default.
    var operands: (name: String, count: ClosedRange<Int>) = ("", 0...0)
    /// Every value that the operand may have, for shells to offer; empty where it may be anything.
    var choices: [String] = []
    /// Paragraphs below the options; empty for none.
    var details = ""
    /// Does the work. What it throws is printed, and ends the command with ``ExitCode/badInput``.
    var run: @Sendable (Arguments, Console) async throws -> ExitCode
}

/// An option that a command takes.
struct Option: Sendable {
    /// What follows the name.
    enum Argument: Sendable, Hashable {
        /// Nothing.
        case none
        /// A value, called this in the usage text.
        case value(String)
    }

    /// Without the dashes: `checklist`.
    var name: String
    var argument: Argument
    /// One line, without a full stop.
    var help: String
    var isRequired: Bool
    /// Whether it may be given more than once.
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

/// What the user gave a command, checked against its options.
struct Arguments: Sendable {
    var values: [String: [String]] = [:]
    var flags: Set<String> = []
    /// What is no option, in order.
    var operands: [String] = []
    /// Whether `--help` was given; nothing else was checked then.
    var asksForHelp = false

    /// Whether a flag was given.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of an option that may be given once, or `nil`.
    subscript(option: String) -> String? { values[option]?.first }

    /// The values of an option that may be repeated, in order.
    func all(_ option: String) -> [String] { values[option] ?? [] }

    /// The value of an option that the command requires.
    ///
    /// - Throws: if the command's options do not say that it is required and it was left out.
    func required(_ option: String) throws(UsageError) -> String {
        guard let value = self[option] else { throw UsageError(message: "--\(option) is missing") }
        return value
    }
}

/// A command line that cannot be used.
struct UsageError: Error, CustomStringConvertible {
    var message: String
    /// What to write instead, if that is known.
    var hint: String?

    var description: String { (message + (hint.map { " (\($0))" } ?? "")).printable }
}
