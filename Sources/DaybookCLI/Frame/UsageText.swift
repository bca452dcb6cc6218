import DaybookTools

/// Help texts, wrapped to ``width`` characters.
enum UsageText {
    static let width = 100
    private static let exitCodes = "Exit codes: 0 success, 1 a negative result, 2 bad input or usage."

    /// `daybook --help`.
    static func tool(_ sections: [CommandSection]) -> String {
        let column = sections.flatMap(\.commands).map(\.name.count).max() ?? 0
        let tables = sections.map { "\($0.title):\n\(table(rows($0.commands), column: column))" }
        return """
            Usage: daybook COMMAND [OPTION …]

            \(tables.joined(separator: "\n\n"))

            `daybook COMMAND --help` explains a command.
            \(exitCodes)

            """
    }

    /// `daybook definitions --help`: the commands that begin with a word.
    static func group(_ name: String, _ commands: [Command]) -> String {
        """
        Usage: daybook \(name) COMMAND [OPTION …]

        Commands:
        \(table(rows(commands)))

        `daybook \(name) COMMAND --help` explains a command.
        \(exitCodes)

        """
    }

    /// `daybook COMMAND --help`.
    static func command(_ command: Command) -> String {
        var text = "\(synopsis(command))\n\n\(command.summary).\n"
        let rows = command.options.map { ("--" + spelled($0), help($0)) } + [(helpNames(command), "show this help")]
        text += "\nOptions:\n\(table(rows))\n"
        if !command.details.isEmpty {
            for line in TextLines.split("\n\(command.details)") {
                text += filled(line.split(separator: " ", omittingEmptySubsequences: false)) + "\n"
            }
        }
        return text + "\n\(exitCodes)\n"
    }

    /// The `Usage:` lines.
    static func synopsis(_ command: Command) -> String {
        let beginning = "Usage: daybook \(command.name)"
        var words: [String] = []
        for option in command.options {
            let word = "--" + spelled(option)
            let repeated = option.isRepeatable ? word + " …" : word
            words.append(option.isRequired ? word : "[\(repeated)]")
        }
        let (name, count) = command.operands
        if count.upperBound > 0 {
            let word = count.upperBound > 1 ? name + " …" : name
            words.append(count.lowerBound == 0 ? "[\(word)]" : word)
        }
        return filled([beginning] + words, indent: beginning.count + 1)
    }

    private static func rows(_ commands: [Command]) -> [(String, String)] { commands.map { ($0.name, $0.summary) } }

    private static func helpNames(_ command: Command) -> String {
        command.options.contains { $0.name == "h" } ? "--help" : "-h, --help"
    }

    private static func spelled(_ option: Option) -> String {
        guard case .value(let placeholder) = option.argument else { return option.name }
        return "\(option.name) \(placeholder)"
    }

    private static func help(_ option: Option) -> String {
        option.help + (option.isRequired ? " (required)" : "") + (option.isRepeatable ? " (repeatable)" : "")
    }

    /// Two columns; `column` is the least width of the left one.
    private static func table(_ rows: [(String, String)], column: Int = 0) -> String {
        let width = max(rows.map(\.0.count).max() ?? 0, column)
        return rows.map { left, right in
            let beginning = "  " + left + String(repeating: " ", count: width - left.count + 1)
            return filled([beginning] + right.split(separator: " ").map(String.init), indent: beginning.count + 1)
        }.joined(separator: "\n")
    }

    /// Wraps words to ``width``, with a hanging indent. A longer word gets its own line.
    private static func filled(_ words: [some StringProtocol], indent: Int = 0) -> String {
        var lines = [String(words.first ?? "")]
        for word in words.dropFirst() {
            if lines[lines.count - 1].count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(repeating: " ", count: indent) + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
