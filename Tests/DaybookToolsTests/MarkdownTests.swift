import DaybookTools
import Testing

@Suite struct MarkdownTests {
    @Test(
        "Any text becomes one code span",
        arguments: [
            ("plain", "`plain`"), ("", "`  `"), ("`", "`` ` ``"), ("a``b`", "``` a``b` ```"), (" a ", "`  a  `"),
            (" a", "` a`"),
            ("@me #7 <b> www.a.b", "`@me #7 <b> www.a.b`"), ("a\nb", "`a\\u{a}b`"), ("`\u{301}", "`` `\u{301} ``"),
            ("a|b", "`a|b`"),
        ])
    func textIsCodeSpan(text: String, expected: String) { #expect(Markdown.text(text) == expected) }

    @Test(
        "A bar in a cell is escaped",
        arguments: [("a|b", "`a\\|b`"), ("a\\|b", "`a\\\\u{7c}b`"), ("||", "`\\|\\|`"), ("|\u{301}", "`\\|\u{301}`")])
    func escapesCellBars(text: String, expected: String) { #expect(Markdown.cell(text) == expected) }

    @Test("Only web addresses become links") func linksOnlyWebAddresses() {
        #expect(Markdown.link("https://logs.example:8080/#run=7&a=b") == "<https://logs.example:8080/#run=7&a=b>")
        for other in ["javascript:alert(1)", "https://a b", "https://a><img>", "https://a\n", "https://é", "@me"] {
            #expect(Markdown.link(other) == nil)
        }
    }
}
