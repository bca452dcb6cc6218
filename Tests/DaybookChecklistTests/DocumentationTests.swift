import DaybookChecklist
import Foundation
import Testing

@Suite struct DocumentationTests {
    /// The persona for the `when` of the documentation.
    private static let persona = PersonaTable.Persona(
        name: "new free", values: ["plan": .text("free"), "registered": .boolean(false)])

    /// A catalog for an item that uses declared values.
    private static func catalog(_ item: String) -> EventCatalog? {
        item.hasSuffix("each campaign") ? EventCatalog(events: ["feed.item": ["campaign": [.text("summer")]]]) : nil
    }

    private func document() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/formats/checklists.md"), encoding: .utf8)
    }

    private func blocks(_ language: String) throws -> [String] {
        try document().components(separatedBy: "\n```\(language)\n").dropFirst()
            .map { $0.components(separatedBy: "\n```\n")[0] }
    }

    @Test("Every checklist in the documentation can be judged") func documentedListsJudge() throws {
        let blocks = try blocks("markdown")
        #expect(blocks.count >= 4)
        for block in blocks { #expect(problems(block, persona: Self.persona) == []) }
    }

    @Test("Every clause in the documented table can be judged") func documentedClausesJudge() throws {
        let rows = try document().split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count >= 15)
        for row in rows {
            let cell = row.components(separatedBy: " | ")[0]
            for item in cell.components(separatedBy: "`").enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
                #expect(
                    problems(
                        "- [ ] " + item.replacing("…", with: "feed.item"), persona: Self.persona,
                        catalog: Self.catalog(item)) == [], "\(item)")
            }
        }
    }
}
