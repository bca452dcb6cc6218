import DaybookChecklist
import Foundation
import Testing

/// What the documentation shows is read and judged as it says.
@Suite struct DocumentationTests {
    private func document() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/formats/checklists.md"), encoding: .utf8)
    }

    private func blocks(_ language: String) throws -> [String] {
        try document().components(separatedBy: "\n```\(language)\n").dropFirst()
            .map { $0.components(separatedBy: "\n```\n")[0] }
    }

    @Test func everyChecklistOfTheDocumentationCanBeJudged() throws {
        let blocks = try blocks("markdown")
        #expect(blocks.count >= 4)
        for block in blocks { #expect(problems(block) == []) }
    }

    @Test func everyClauseOfTheTableCanBeJudged() throws {
        let rows = try document().split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count >= 15)
        for row in rows {
            let cell = row.components(separatedBy: " | ")[0]
            for item in cell.components(separatedBy: "`").enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
                #expect(problems("- [ ] " + item.replacing("…", with: "feed.item")) == [], "\(item)")
            }
        }
    }

    @Test func everythingThatIsNamedAsNotJudgedIsRefused() throws {
        for item in [
            "a.b when c = 1", "a.b each c", "a.b each c in (1) per d", "a.b each c in (1) until d.e",
            "a.b where c matches /x/", "never a.b after c.d within 1s", "never a.b after c.d joining e",
            "never a.b after c.d before e.f",
        ] {
            #expect(problems("- [ ] " + item).contains { $0.contains("is not judged by this version") }, "\(item)")
        }
        for clause in ["exactly 1", "at most 1", "per c", "each c in (1)", "until c.d"] {
            #expect(!problems("1. [ ] a.b\n2. [ ] a.c \(clause)").isEmpty, "\(clause)")
        }
    }
}
