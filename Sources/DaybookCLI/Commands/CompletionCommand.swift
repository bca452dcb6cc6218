extension Command {
    static let completion = Command(
        name: "completion", summary: "Print a shell's completion script for commands and options",
        operands: ("SHELL", 1...1), choices: CompletionScript.Shell.allCases.map(\.rawValue),
        details: """
            SHELL is bash, zsh or fish. bash: eval "$(daybook completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc after \
            compinit; fish: daybook completion fish > ~/.config/fish/completions/daybook.fish
            """
    ) { arguments, console in
        guard let shell = CompletionScript.Shell(rawValue: arguments.operands[0]) else {
            throw UsageError(message: "SHELL is bash, zsh or fish, not `\(arguments.operands[0])`")
        }
        console.output(CompletionScript.text(for: shell, Command.all))
        return .done
    }
}

/// Shell completion, generated from the command table (pure).
enum CompletionScript {
    enum Shell: String, CaseIterable { case bash, zsh, fish }

    static func text(for shell: Shell, _ commands: [Command]) -> String {
        switch shell {
        case .bash: bash(commands)
        // zsh can run bash completions.
        case .zsh: "autoload -U +X bashcompinit && bashcompinit\n" + bash(commands)
        case .fish: fish(commands)
        }
    }

    /// Each prefix with the words that may follow it.
    private static func words(_ commands: [Command]) -> [(after: String, words: [String])] {
        var found: [(after: String, words: [String])] = commands.map { command in
            (command.name, command.choices + (command.options.map(\.name) + ["help"]).map { "--" + $0 })
        }
        for command in commands {
            let parts = command.name.split(separator: " ").map(String.init)
            for (index, part) in parts.enumerated() {
                let after = parts[..<index].joined(separator: " ")
                if let place = found.firstIndex(where: { $0.after == after }) {
                    if !found[place].words.contains(part) { found[place].words.append(part) }
                } else {
                    found.append((after, [part]))
                }
            }
        }
        // Longest prefix first.
        return found.sorted { ($0.after.count, $1.after) > ($1.after.count, $0.after) }
    }

    private static func bash(_ commands: [Command]) -> String {
        let cases = words(commands).map { after, words in
            "        \"\(after)\(after.isEmpty ? "" : " ")\"*) known=\"\(words.joined(separator: " "))\" ;;\n"
        }
        // zsh computes lengths only in `$((…))`, and reserves the variable `words`.
        return """
            _daybook() {
                local before="${COMP_WORDS[*]:1:$((COMP_CWORD-1))} " known=""
                case "$before" in
            \(cases.joined())    esac
                COMPREPLY=($(compgen -W "$known" -- "${COMP_WORDS[COMP_CWORD]}"))
            }
            complete -o default -F _daybook daybook

            """
    }

    private static func fish(_ commands: [Command]) -> String {
        var lines: [String] = []
        for (after, words) in words(commands) {
            let parts = after.split(separator: " ")
            let seen = parts.map { "__fish_seen_subcommand_from \($0)" }
            let condition = seen.isEmpty ? "__fish_use_subcommand" : seen.joined(separator: "; and ")
            for word in words {
                let command = commands.first { $0.name == after }
                let help = command?.options.first { "--" + $0.name == word }?.help
                let summary =
                    help ?? commands.first { $0.name == (parts + [word[...]]).joined(separator: " ") }?.summary
                let name = word.hasPrefix("--") ? "-l \(word.dropFirst(2))" : "-a \(word)"
                lines.append(
                    "complete -c daybook -n '\(condition)' \(name)" + (summary.map { " -d '\(quoted($0))'" } ?? ""))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String { text.replacing("'", with: "’") }
}
