import DaybookStore
import DaybookTestTraits
import Testing

@testable import DaybookCLI

@Suite(.temporaryDirectory) struct BreakdownCommandTests {
    private let tool = Tool()

    @Test("Counts records by the values of a field or parameter") func countsByFieldValues() async throws {
        let store = try SQLiteStore(path: tool.directory.appending(path: "daybook.sqlite").path)
        let levels = [9, 9, 9, 9, 9, 9, 17, 18]
        let rows = (0..<8).map { (number: Int) -> RecordRow in
            let isShown = number < 6
            let attributes = isShown ? "{\"screen\":\"s\(number % 3)\",\"mail\":\"m\(number % 2)\"}" : "{}"
            return RecordRow(
                uid: "0123456789abcdef0123456789abcdef0123456789abcdef-\(number + 1)", time: Int64(number),
                kind: .event, level: levels[number], tag: isShown ? "recipe.show" : "cart.add", attributes: attributes)
        }
        try await store.append(RecordBatch(rows: rows))
        try tool.write(
            "# recipe\n\n## show\n\nA recipe.\n\n- mail: !string 64 [private]\n", to: "definitions/recipe.md")
        let screens = try await tool.run("breakdown", "attributes.screen", "--top", "2", "--format", "csv")
        #expect(screens.output == "value,records,share\ns0,2,0.25\ns1,2,0.25\n,4,0.5\n", "\(screens)")
        let tags = try await tool.run("breakdown", "tag", "--filter", "screen=s0 OR tag=cart.*", "--format", "csv")
        #expect(tags.output == "value,records,share\ncart.add,2,0.5\nrecipe.show,2,0.5\n", "\(tags)")
        let named = try await tool.run("breakdown", "level", "--format", "csv")
        #expect(named.output == "value,records,share\ninfo,6,0.75\nerror,2,0.25\n", "\(named)")
        let kinds = try await tool.run("breakdown", "kind", "--format", "csv")
        #expect(kinds.output == "value,records,share\nevent,8,1.0\n", "\(kinds)")
        #expect(try await tool.run("breakdown", "attributes.screen", "--top", "1").output.contains("(others)"))
        // Private values are told apart but not revealed.
        let mails = try await tool.run(
            "breakdown", "attributes.mail", "--definitions", "definitions", "--format", "csv")
        let lines = mails.output.split(separator: "\n")
        #expect(lines.count == 4 && lines.dropFirst().prefix(2).allSatisfy { $0.hasPrefix("[private ") }, "\(mails)")
        #expect(try await tool.run("breakdown", "attributes.mail", "--show-private").output.contains("m0"))
        let bare = try await tool.run("breakdown", "screen", "--top", "2", "--format", "csv")
        #expect(bare.output == screens.output && bare.errors.isEmpty && bare.status == 0, "\(bare)")
        let nobody = try await tool.run("breakdown", "scren", "--format", "csv")
        #expect(nobody.status == 0 && nobody.errors.contains("has a parameter `scren`"), "\(nobody)")
    }
}
