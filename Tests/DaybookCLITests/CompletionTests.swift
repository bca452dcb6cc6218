import Foundation
import Testing

@testable import DaybookCLI

@Suite(.timeLimit(.minutes(1))) struct CompletionTests {
    /// What bash offers for the last of some words.
    private func offered(_ words: [String]) async throws -> Set<String> {
        let tool = try Tool()
        defer { tool.remove() }
        try tool.write(CompletionScript.text(for: .bash, Command.all), to: "c.bash")
        let list = (["daybook"] + words).map { "'\($0)'" }.joined(separator: " ")
        let answer = try await tool.runOther(
            "bash", "-c",
            "source c.bash; COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _daybook; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        #expect(answer.errors.isEmpty, "\(answer.errors)")
        return Set(answer.output.split(separator: "\n").map(String.init))
    }

    @Test(.enabled(if: Tool.find("bash") != nil, "bash is not installed"))
    func bashOffersCommandsThenTheirPartsThenTheirOptions() async throws {
        let first = try await offered([""])
        #expect(first == Set(Command.all.compactMap { $0.name.split(separator: " ").first.map(String.init) }))
        #expect(try await offered(["alerts", ""]).isSuperset(of: ["check", "run"]))
        #expect(try await offered(["definitions", "ch"]) == ["check"])
        #expect(try await offered(["query", "--coll"]) == ["--collector"])
        #expect(try await offered(["keys", "add", "--"]).isSuperset(of: ["--keys", "--for", "--help"]))
        #expect(try await offered(["export", "--store", "a.sqlite", "--form"]) == ["--format"])
    }

    @Test func everyCommandAndOptionIsInEachShellsScript() {
        let fish = CompletionScript.text(for: .fish, Command.all)
        let zsh = CompletionScript.text(for: .zsh, Command.all)
        for command in Command.all {
            #expect(fish.contains("-a \(command.name.split(separator: " ").last ?? "")"), "\(command.name)")
            #expect(zsh.contains("\"\(command.name) \"*)"), "\(command.name)")
            for option in command.options { #expect(fish.contains("-l \(option.name)"), "\(option.name)") }
        }
    }
}
