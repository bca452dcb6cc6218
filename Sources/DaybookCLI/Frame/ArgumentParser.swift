import DaybookBase
import DaybookChecklist
import DaybookTools

/// Reads a command line strictly: no abbreviations, nothing ignored.
struct ArgumentParser {
    let command: Command

    /// Reads what follows the command's name.
    ///
    /// `--` ends the options. `-` alone is an operand, and so is what begins with `-- `, as a statement may with a comment.
    func parse(_ words: [String]) throws(UsageError) -> Arguments {
        var arguments = Arguments()
        if words.prefix(while: { $0 != "--" }).contains("--help") {
            arguments.asksForHelp = true
            return arguments
        }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                arguments.operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-", !Self.isComment(word) else {
                arguments.operands.append(word)
                continue
            }
            try read(word, &rest, into: &arguments)
        }
        try check(arguments)
        return arguments
    }

    private static func isComment(_ word: String) -> Bool {
        word.hasPrefix("--") && word.dropFirst(2).first?.isWhitespace == true
    }

    private func read(
        _ word: String, _ rest: inout ArraySlice<String>, into arguments: inout Arguments
    ) throws(UsageError) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard word.hasPrefix("--"), let option = command.options.first(where: { $0.name == name }) else {
            throw unknown(word, name)
        }
        switch option.argument {
        case .none:
            guard parts.count == 1 else { throw UsageError(message: "--\(name) takes no value") }
            guard arguments.flags.insert(name).inserted else { throw twice(name) }
        case .value(let placeholder):
            let value = parts.count == 2 ? String(parts[1]) : rest.first
            // A value that looks like an option is more likely a forgotten value; `--name=--value` says that it is meant.
            guard let value, parts.count == 2 || !value.hasPrefix("--") else {
                throw UsageError(message: "--\(name) needs a value", hint: "--\(name) \(placeholder)")
            }
            if parts.count == 1 { rest.removeFirst() }
            guard !value.isEmpty else { throw UsageError(message: "the value of --\(name) is empty") }
            guard option.isRepeatable || arguments.values[name] == nil else { throw twice(name) }
            arguments.values[name, default: []].append(value)
        }
    }

    private func check(_ arguments: Arguments) throws(UsageError) {
        for option in command.options where option.isRequired && arguments.values[option.name] == nil {
            guard case .value(let placeholder) = option.argument else { continue }
            throw UsageError(message: "--\(option.name) is missing", hint: "--\(option.name) \(placeholder)")
        }
        let (name, count) = command.operands
        if arguments.operands.count > count.upperBound {
            throw UsageError(message: "unexpected `\(arguments.operands[count.upperBound])`")
        }
        if arguments.operands.count < count.lowerBound { throw UsageError(message: "\(name) is missing") }
        if arguments.operands.contains("") { throw UsageError(message: "\(name) is empty") }
    }

    private func unknown(_ word: String, _ name: String) -> UsageError {
        let names = command.options.map(\.name) + ["help"]
        let near = word.hasPrefix("--") ? NearestName.of(name, among: names) : names.first { $0 == word.dropFirst() }
        let shown = word.hasPrefix("--") ? "--\(name)" : word
        return UsageError(message: "unknown option \(shown)", hint: near.map { "did you mean --\($0)?" })
    }

    private func twice(_ name: String) -> UsageError { UsageError(message: "--\(name) is given twice") }
}

/// The help of the tool and of its commands.
enum UsageText {
    private static let exitCodes = "Exit codes: 0 success, 1 a negative result, 2 bad input or usage."

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

    /// What `daybook definitions --help` prints of the commands that begin with a word.
    static func group(_ name: String, _ commands: [Command]) -> String {
        """
        Usage: daybook \(name) COMMAND [OPTION …]

        Commands:
        \(table(commands.map { ($0.name, $0.summary) }))

        `daybook \(name) COMMAND --help` explains a command.
        \(exitCodes)

        """
    }

    /// What `daybook COMMAND --help` prints.
    static func command(_ command: Command) -> String {
        var text = "Usage: \(synopsis(command))\n\n\(command.summary).\n"
        let rows = command.options.map { ("--" + spelled($0), help($0)) } + [("--help", "show this help")]
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
