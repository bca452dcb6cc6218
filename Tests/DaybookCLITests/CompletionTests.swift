import DaybookTestTraits
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct CompletionTests {
    private let tool = Tool()

    /// The shell's completions for the last word.
    private func offered(_ words: [String], by shell: CompletionScript.Shell = .bash) async throws -> Set<String> {
        try tool.write(CompletionScript.text(for: shell, Command.all), to: "script")
        let list = (["daybook"] + words).map { "'\($0)'" }.joined(separator: " ")
        // zsh calls bash functions with arrays that begin at 0.
        let start = shell == .zsh ? "autoload -U compinit && compinit -D; . ./script; setopt ksharrays" : ". ./script"
        let answer = try await tool.runOther(
            (shell == .zsh ? ["zsh", "-f", "-c"] : ["bash", "-c"]) + [
                "\(start); COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _daybook; printf '%s\\n' \"${COMPREPLY[@]}\""
            ])
        #expect(answer.errors.isEmpty, "\(answer.errors)")
        return Set(answer.output.split(separator: "\n").map(String.init))
    }

    @Test(
        "Bash completes commands, subcommands and options",
        .enabled(if: Tool.find("bash") != nil, "bash is not installed"))
    func bashCompletes() async throws {
        let first = try await offered([""])
        #expect(first == Set(Command.all.compactMap { $0.name.split(separator: " ").first.map(String.init) }))
        #expect(try await offered(["alerts", ""]).isSuperset(of: ["check", "run"]))
        #expect(try await offered(["definitions", "ch"]) == ["check"])
        #expect(try await offered(["query", "--coll"]) == ["--collector"])
        #expect(try await offered(["keys", "add", "--"]).isSuperset(of: ["--keys", "--for", "--help"]))
        #expect(try await offered(["export", "--store", "a.sqlite", "--form"]) == ["--format"])
        #expect(try await offered(["completion", ""]) == ["bash", "zsh", "fish", "--help"])
    }

    @Test("Zsh completes the same words as Bash", .enabled(if: Tool.find("zsh") != nil, "zsh is not installed"))
    func zshMatchesBash() async throws {
        for words in [[""], ["alerts", ""], ["keys", "add", "--"], ["completion", ""]] {
            let (zsh, bash) = (try await offered(words, by: .zsh), try await offered(words))
            #expect(zsh == bash && !zsh.isEmpty, "\(words)")
        }
    }

    /// zsh reads a name after a colon as a modifier and stops with an error.
    @Test("The zsh script uses `$((…))` where zsh would read a modifier") func zshExpandsArithmetic() {
        #expect(CompletionScript.text(for: .zsh, Command.all).contains("${COMP_WORDS[*]:1:$((COMP_CWORD-1))}"))
    }

    @Test("The fish and zsh scripts cover every command") func scriptsCoverCommands() {
        let fish = CompletionScript.text(for: .fish, Command.all)
        let zsh = CompletionScript.text(for: .zsh, Command.all)
        for command in Command.all {
            #expect(fish.contains("-a \(command.name.split(separator: " ").last ?? "")"), "\(command.name)")
            #expect(zsh.contains("\"\(command.name) \"*)"), "\(command.name)")
            for option in command.options { #expect(fish.contains("-l \(option.name)"), "\(option.name)") }
        }
    }
}
