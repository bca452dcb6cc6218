import Testing

@Suite struct ToolTests {
    @Test func helpListsEveryCommand() throws {
        let tool = try Tool()
        defer { tool.remove() }
        let result = try tool.run("--help")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("Usage: daybook COMMAND [OPTION …]\n"))
        #expect(result.output.contains("\n  verify   Judge a recording against a checklist\n"))
        #expect(result.output.contains("\n  version  Print the version\n"))
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
