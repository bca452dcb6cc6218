import Testing

@testable import DaybookCLI

@Suite struct ArgumentParserTests {
    private static let command = Command(
        name: "try", summary: "Try",
        options: [
            .value("store", "URL", "where", required: true), .value("tag", "TAG", "which", repeatable: true),
            .flag("json", "as JSON"),
        ], operands: ("SQL", 0...1)
    ) { _, _ in .done }

    private func parse(_ words: String...) throws -> Arguments {
        try ArgumentParser(command: Self.command).parse(words)
    }

    private func message(_ words: [String]) -> String {
        do throws(UsageError) {
            _ = try ArgumentParser(command: Self.command).parse(words)
            return "accepted"
        } catch {
            return error.description
        }
    }

    @Test("Reads options as `--name value` and `--name=value`") func readsBothOptionForms() throws {
        let arguments = try parse("--store", "a=b", "--tag=x", "--tag", "y", "--json", "SELECT 1")
        #expect(arguments["store"] == "a=b")
        #expect(arguments.all("tag") == ["x", "y"])
        #expect(arguments.has("json"))
        #expect(arguments.operands == ["SELECT 1"])
    }

    @Test("`--` ends the options") func doubleDashEndsOptions() throws {
        #expect(try parse("--store=x", "--", "--json").operands == ["--json"])
        #expect(try parse("--store=--json")["store"] == "--json")
        #expect(try parse("--store", "x", "-").operands == ["-"])
    }

    @Test("`--help` works even when required options are missing") func helpNeedsNoArguments() throws {
        #expect(try parse("--help").asksForHelp)
        #expect(try !parse("--store=x", "--", "--help").asksForHelp)
        #expect(try parse("-h").asksForHelp)
        #expect(try !parse("--store=x", "--", "-h").asksForHelp)
        var command = Self.command
        command.options.append(.flag("h", "something else"))
        #expect(throws: UsageError.self) { try ArgumentParser(command: command).parse(["-h"]) }
    }

    @Test(
        "Rejects an unusable command line with a helpful message",
        arguments: [
            ([], "--store is missing (--store URL)"),
            (["--stor", "x"], "unknown option --stor (did you mean --store?)"),
            (["--stor=x"], "unknown option --stor (did you mean --store?)"),
            (["--zzzzzz"], "unknown option --zzzzzz"),
            (["-json"], "unknown option -json (did you mean --json?)"),
            (["-j"], "unknown option -j"),
            (["--store"], "--store needs a value (--store URL)"),
            (["--store", "--json"], "--store needs a value (--store URL)"),
            (["--store="], "the value of --store is empty"),
            (["--store=x", "--store=y"], "--store is given twice"),
            (["--store=x", "--json=1"], "--json takes no value"),
            (["--store=x", "--json", "--json"], "--json is given twice"),
            (["--store=x", "one", "two"], "unexpected `two`"),
        ] as [([String], String)])
    func explainsBadArguments(words: [String], expected: String) {
        #expect(message(words) == expected)
    }

    @Test("The usage text shows every option") func usageShowsOptions() {
        #expect(
            UsageText.command(Self.command) == """
                Usage: daybook try --store URL [--tag TAG …] [--json] [SQL]

                Try.

                Options:
                  --store URL  where (required)
                  --tag TAG    which (repeatable)
                  --json       as JSON
                  -h, --help   show this help

                Exit codes: 0 success, 1 a negative result, 2 bad input or usage.

                """)
    }

    @Test("The help wraps within its width and loses no word") func helpWrapsWithoutLoss() {
        for command in Command.all {
            let text = UsageText.command(command)
            for line in text.split(separator: "\n") { #expect(line.count <= UsageText.width, "\(line)") }
            let words = Set(text.split { $0 == " " || $0 == "\n" })
            for option in command.options {
                #expect(words.isSuperset(of: option.help.split(separator: " ")), "--\(option.name)")
            }
            #expect(words.isSuperset(of: command.details.split { $0 == " " || $0 == "\n" }))
        }
        for line in UsageText.tool(CommandSection.all).split(separator: "\n") { #expect(line.count <= UsageText.width) }
    }

    @Test("Commands have distinct names and options") func commandsAreDistinct() {
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
        for command in Command.all {
            #expect(Set(command.options.map(\.name)).count == command.options.count)
            #expect(!command.summary.hasSuffix("."))
        }
    }

    @Test("The longest matching command name wins") func longestCommandNameWins() async {
        func command(_ name: String, _ status: ExitCode) -> Command {
            Command(name: name, summary: name) { _, _ in status }
        }
        let commands = [command("definitions", .no), command("definitions check", .done)]
        let tool = CommandLineTool(sections: [CommandSection(title: "Commands", commands: commands)])
        let quiet = Console(output: { _ in }, errors: { _ in })
        #expect(await tool.run(["definitions", "check"], console: quiet) == .done)
        #expect(await tool.run(["definitions"], console: quiet) == .no)
        #expect(await tool.run(["definitions", "--help"], console: quiet) == .done)
    }
}
