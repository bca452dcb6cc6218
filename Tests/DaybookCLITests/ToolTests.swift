import Testing

@testable import DaybookCLI

@Suite struct ToolTests {
    @Test func helpListsEveryCommand() throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try tool.run("--help")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("Usage: daybook COMMAND [OPTION …]\n"))
        let listed = result.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
        #expect(listed.count == Command.all.count)
        for (line, command) in zip(listed, Command.all) {
            let words = line.dropFirst(2)
            #expect(words.hasPrefix(command.name + "  "))
            #expect(words.drop { $0 != " " }.hasSuffix("  " + command.summary))
        }
    }

    @Test func nothingToDoIsAUsageErrorWithTheHelpOnStandardError() throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try tool.run()
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("Usage: daybook COMMAND"))
    }

    @Test func unknownCommandIsRefusedWithTheNearestName() throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try tool.run("verfy")
        #expect(result.status == 2)
        #expect(result.errors == "error: unknown command `verfy` (did you mean `verify`?)\n")
    }

    @Test func versionGoesToStandardOutput() throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try tool.run("version")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("daybook "))
        #expect(result.errors.isEmpty)
    }
}
