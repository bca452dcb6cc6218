import DaybookTrials
import Testing

@testable import DaybookChecklist

@Suite(.serialized, .timeLimit(.minutes(5))) struct GrowthTests {
    private static let head = "# release\n\n## first\n\n"

    private static let shapes: [(name: String, text: @Sendable (_ size: Int) -> String)] = [
        ("unknown events", { size in head + lines(size) { "- [ ] feed.shwo_\($0)\n" } }),
        ("known events", { size in head + lines(size) { "- [ ] feed.show_\($0 % 60) exactly 2\n" } }),
        ("unknown columns", { size in head + lines(size) { "- [ ] feed.show_1\n    - colum_\($0) = 1\n" } }),
        ("wide patterns", { size in head + lines(size) { "- [ ] feed.* where column_\($0 % 20) = \($0)\n" } }),
        ("steps", { size in head + lines(size) { "- [ ] Look at page \($0)\n" } }),
        ("negative steps", { size in head + lines(size) { "- [ ] There is no crash on page \($0)\n" } }),
        ("notes", { size in head + "- [ ] Look\n" + lines(size) { "    - note \($0)\n" } }),
        ("scenarios", { size in "# release\n\n" + lines(size) { "## scenario \($0)\n- [ ] feed.show_1\n" } }),
        (
            "one scenario again and again",
            { size in "# release\n\n" + lines(size) { _ in "## scenario\n- [ ] feed.show_1\n" } }
        ),
        (
            "personas",
            { size in
                "# release\n\n| persona | plan |\n|---|---|\n" + lines(size) { "| p\($0) | plan\($0) |\n" } + "\n"
                    + head + "- [ ] feed.show_1 when plan = free\n"
            }
        ),
        (
            "conditions",
            { size in
                "# release\n\n| persona | plan |\n|---|---|\n| p | a |\n\n## first\n\n"
                    + lines(size) { "- [ ] feed.show_1 when plan = b\($0)\n" }
            }
        ),
        ("prose", { size in head + lines(size) { "Prose of line \($0).\n" } }),
        ("a numbered list", { size in head + lines(size) { "\($0 + 1). [ ] feed.show_1\n" } }),
        ("table", { size in head + lines(size) { "| a\($0) | b |\n" } }),
    ]

    private static let catalog = EventCatalog(
        events: Dictionary(
            uniqueKeysWithValues: (0..<60).map { number in
                ("feed.show_\(number)", ["column_\(number % 20)": [ChecklistValue.text("a"), .text("b")]])
            }), common: ["plan": [.text("free"), .text("paid")]])

    @Test("Checking time grows in proportion to the text", arguments: shapes.indices) func checkTimeIsLinear(shape: Int)
    {
        let (name, text) = Self.shapes[shape]
        let factor = growth(from: 4_096) { size in
            _ = try? Checklist(markdown: text(size), file: "release.md").problems(with: Self.catalog)
        }
        #expect(factor < 9, "\(name)")
    }
}
