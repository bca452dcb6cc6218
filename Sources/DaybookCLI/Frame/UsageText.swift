/// The help of the tool and of its commands.
enum UsageText {
    private static let exitCodes = "Exit codes: 0 done, 1 the answer is no, 2 bad input or usage."

    /// What `daybook --help` prints.
    static func tool(_ commands: [Command]) -> String {
        let rows = commands.map { ($0.name, $0.summary) }
        return """
            Usage: daybook COMMAND [OPTION …]

            Commands:
            \(table(rows))

            `daybook COMMAND --help` explains a command.
            \(exitCodes)

            """
    }

    /// What `daybook COMMAND --help` prints.
    static func command(_ command: Command) -> String {
        var text = "Usage: \(synopsis(command))\n\n\(command.summary).\n"
        let rows = command.options.map { ("--" + spelled($0), help($0)) } + [("--help", "show this")]
        text += "\nOptions:\n\(table(rows))\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        return text + "\n\(exitCodes)\n"
    }

    /// The command with all it takes, in one line.
    static func synopsis(_ command: Command) -> String {
        var words = ["daybook", command.name]
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
        return words.joined(separator: " ")
    }

    private static func spelled(_ option: Option) -> String {
        guard case .value(let placeholder) = option.argument else { return option.name }
        return "\(option.name) \(placeholder)"
    }

    private static func help(_ option: Option) -> String {
        option.help + (option.isRequired ? " (required)" : "") + (option.isRepeatable ? " (repeatable)" : "")
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count + 2) + right
        }.joined(separator: "\n")
    }
}
