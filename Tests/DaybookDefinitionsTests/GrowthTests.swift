import DaybookTrials
import Testing

@testable import DaybookDefinitions

@Suite(.serialized, .timeLimit(.minutes(5))) struct GrowthTests {
    private static let head = "# feed\n\n## show\n\n"

    /// Texts of about `size` bytes, by what they repeat.
    private static let shapes: [(name: String, text: @Sendable (_ size: Int) -> String)] = [
        ("values", { size in head + "- order: Order\n" + lines(size) { "    - `value_\($0)`: text\n" } }),
        (
            "one value again and again",
            { size in head + "- order: Order\n" + lines(size) { _ in "    - `value`: text\n" } }
        ),
        ("words without marks", { size in head + "- order: Order\n" + lines(size) { "    - value_\($0)\n" } }),
        ("columns of one type with values", { size in head + lines(size) { "- order_\($0): Order\n    - `a`\n" } }),
        ("columns", { size in head + lines(size) { "- column_\($0): !bigint [private]\n" } }),
        ("one column again and again", { size in head + lines(size) { _ in "- column: !bigint\n" } }),
        ("misspelt marks", { size in head + lines(size) { "- column_\($0): !bigint [privat]\n" } }),
        ("events", { size in "# feed\n\n" + lines(size) { "## event_\($0)\n\nText.\n\n" } }),
        ("events like one another", { size in "# feed\n\n" + lines(size) { _ in "## event\n" } }),
        ("headings", { size in head + lines(size) { "### heading_\($0)\n" } }),
        ("lost columns", { size in head + lines(size) { "• name_\($0): !bigint\n" } }),
        ("open fences", { size in head + lines(size) { _ in "```\n~~~\n" } }),
        ("open comments", { size in head + lines(size) { _ in "<!-- \n-->\n" } }),
        ("comments in a line", { size in head + lines(size) { _ in "<!-- a --> " } }),
        (
            "nested items",
            { size in head + "- a: !bigint\n" + lines(size) { String(repeating: " ", count: $0 % 40 + 2) + "- b\n" } }
        ),
        ("text below an item", { size in head + "- a: !bigint\n" + lines(size) { _ in "  text\n" } }),
        ("runs of backticks", { size in head + runs(size) }),
        ("escapes", { size in head + String(repeating: "\\*", count: size / 2) }),
        ("marks", { size in head + "- a: !bigint " + String(repeating: "[a]", count: size / 3) }),
        ("quotation marks", { size in head + String(repeating: "\" ' ", count: size / 4) }),
        ("combining marks", { size in head + "a" + String(repeating: "\u{301}", count: size / 2) }),
        ("empty lines", { size in head + String(repeating: "\n", count: size) }),
        ("table", { size in head + lines(size) { "| a_\($0) | !bigint |\n" } }),
    ]

    /// Runs of one, two, three … backticks, none of which closes another.
    private static func runs(_ size: Int) -> String {
        var (text, length) = ("", 1)
        while text.utf8.count < size {
            text += String(repeating: "`", count: length) + "a"
            length += 1
        }
        return text
    }

    @Test("Reading time grows in proportion to the text", arguments: shapes.indices) func readTimeIsLinear(shape: Int) {
        let (name, text) = Self.shapes[shape]
        let factor = growth(from: 16_384) { size in
            let (definitions, _) = Definitions.load([(path: "feed.md", bytes: Array(text(size).utf8))])
            _ = definitions.withListedValues
        }
        #expect(factor < 9, "\(name)")
    }
}
