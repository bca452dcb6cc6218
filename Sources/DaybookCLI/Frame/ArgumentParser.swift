import DaybookBase
import DaybookChecklist
import DaybookTools

/// Strict: no abbreviations, nothing ignored.
struct ArgumentParser {
    let command: Command

    /// Parses what follows the command's name.
    ///
    /// `--` ends the options. `-` alone is an operand, and so is a word that begins with `-- `, as SQL with a comment
    /// does.
    func parse(_ words: [String]) throws(UsageError) -> Arguments {
        var arguments = Arguments()
        if words.prefix(while: { $0 != "--" }).contains(where: isHelp) {
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

    /// `--help`, and `-h` unless it is an option.
    private func isHelp(_ word: String) -> Bool {
        word == "--help" || (word == "-h" && !command.options.contains { $0.name == "h" })
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
            // Probably a missing value; `--name=--value` makes it explicit.
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
