import Daybook
import DaybookProcesses
import DaybookTestTraits
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.temporaryDirectory) struct ToolTests {
    private let tool = Tool()

    @Test("The help lists every command") func helpListsEveryCommand() async throws {
        let result = try await tool.run("--help")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("Usage: daybook COMMAND [OPTION …]\n"))
        let listed = result.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
        #expect(listed.count == Command.all.count)
        for (line, command) in zip(listed, Command.all) {
            #expect(line.dropFirst(2).hasPrefix(command.name + "  ") && line.hasSuffix("  " + command.summary))
        }
    }

    @Test("Without a command, the help goes to standard error") func noCommandPrintsHelp() async throws {
        let result = try await tool.run()
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("Usage: daybook COMMAND"))
    }

    @Test("An unknown command is rejected with the nearest name") func suggestsCommand() async throws {
        let result = try await tool.run("verfy")
        #expect(result.status == 2)
        #expect(result.errors == "error: unknown command `verfy` (did you mean `verify`?)\n")
        for words in [["definitons", "check"], ["definitions", "chek", "Folder"]] {
            #expect(try await tool.run(words).errors.hasSuffix("(did you mean `definitions check`?)\n"))
        }
    }

    @Test("Help for an unknown command suggests the nearest name") func helpSuggestsCommand() async throws {
        for words in [["help", "verfy"], ["--help", "verfy"], ["help", "journal", "chek"]] {
            let result = try await tool.run(words)
            let near = words.count == 2 ? "verify" : "journal check"
            #expect(result.status == 2 && result.output.isEmpty, "\(words): \(result)")
            #expect(result.errors.hasSuffix("(did you mean `\(near)`?)\n"), "\(words): \(result)")
        }
        for words in [["help"], ["--help"], ["help", "verify"], ["--help", "--version"]] {
            #expect(try await tool.run(words).status == 0, "\(words)")
        }
    }

    @Test("An incomplete command lists its subcommands") func listsSubcommands() async throws {
        let help = try await tool.run("journal", "--help")
        #expect(help.status == 0)
        #expect(help.output.contains("journal check") && help.output.contains("journal dump"))
        #expect(!help.output.contains("daybook serve"))
        #expect(try await tool.run("help", "journal").output == help.output)
        let result = try await tool.run("journal", "peek")
        #expect(result.status == 2)
        #expect(result.errors == "error: `journal` has no command `peek` (journal check, journal dump)\n")
        let alone = try await tool.run("journal")
        #expect(alone.errors == "error: `journal` needs a command after it (journal check, journal dump)\n")
        // It is no typo for a subcommand, however close the names are.
        let near = try await tool.run("definitions")
        #expect(near.errors.contains("needs a command after it (definitions check, definitions diff,"), "\(near)")
    }

    @Test("`-h` prints the same help as `--help`") func acceptsShortHelp() async throws {
        for words in [[], ["serve"], ["alerts", "check"], ["keys"]] {
            let help = try await tool.run(words + ["-h"])
            #expect(help.status == 0 && help.errors.isEmpty, "\(help)")
            #expect(help.output == (try await tool.run(words + ["--help"]).output), "\(words)")
        }
    }

    @Test("An empty operand is reported by name") func namesEmptyOperand() async throws {
        let result = try await tool.run("import", "--store", "s.sqlite", "")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: FILE.ndjson is empty\n"))
    }

    @Test("`--store` overrides the store named by the environment") func storeOptionWins() async throws {
        let program = BuiltProduct.daybook.path
        let script = """
            export DAYBOOK_STORE=sqlite:named.sqlite
            echo '{"tag":"a.b"}' | '\(program)' import - && '\(program)' export && '\(program)' export --store c.sqlite
            """
        let result = try await tool.runOther("sh", "-c", script)
        #expect(result.output.hasPrefix("stored 1") && result.output.contains(#""tag": "a.b""#))
        #expect(result.errors.contains("There is no store c.sqlite"))
        #expect(FileManager.default.fileExists(atPath: tool.directory.appending(path: "named.sqlite").path))
    }

    @Test("Reports a folder given in place of a file") func namesFolderAsFile() async throws {
        let result = try await tool.run("import", "--store", "s.sqlite", ".")
        #expect(result.errors == "error: .: cannot be read: Is a directory\n")
        let keys = try await tool.run("keys", "list", "--keys", ".")
        #expect(keys.errors == "error: . cannot be read: Is a directory\n")
        let alerts = try await tool.run("alerts", "check", "nowhere")
        #expect(alerts.errors == "error: nowhere: cannot be read: No such file or directory\n")
    }

    @Test("`help COMMAND` prints the help of that command") func helpShowsCommand() async throws {
        let result = try await tool.run("help", "alerts", "check")
        #expect(result.output == (try await tool.run("alerts", "check", "--help").output))
        #expect(result.output.hasPrefix("Usage: daybook alerts check"))
    }

    /// `/dev/full` refuses every byte, like a full disk.
    @Test(
        "A failure to write the output is an error and not a crash",
        .enabled(if: Tool.find("sh") != nil && FileManager.default.fileExists(atPath: "/dev/full")))
    func reportsOutputFailure() async throws {
        let program = BuiltProduct.daybook.path
        let full = try await tool.runOther("sh", "-c", "'\(program)' --help > /dev/full")
        #expect(full.status == 2)
        #expect(full.errors == "error: standard output cannot be written: No space left on device\n")
        let closed = try await tool.runOther("sh", "-c", "'\(program)' version >&-")
        #expect(closed.status == 2)
        #expect(closed.errors == "error: standard output cannot be written: Bad file descriptor\n")
        let gone = try await tool.runOther("sh", "-c", "{ '\(program)' --help; echo $? >&2; } | true")
        #expect(["0\n", "141\n"].contains(gone.errors))
    }

    @Test("The version goes to standard output", arguments: ["version", "--version"]) func printsVersion(word: String)
        async throws
    {
        let result = try await tool.run(word)
        #expect(result.status == 0)
        #expect(result.output == "daybook \(Release.version)\n")
        #expect(result.errors.isEmpty)
    }
}
