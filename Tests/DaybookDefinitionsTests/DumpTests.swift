import DaybookBase
import DaybookTrials
import Foundation
import Testing

@testable import DaybookDefinitions

struct DumpTests {
    private static let original = fixtures.appending(path: "Original")

    /// `expected.json` was printed by the original's own parser (version 0.9.0) for the files beside it. Every member
    /// that it has must be equal in ours.
    @Test("The dump agrees with that of the original parser") func dumpMatchesOriginal() throws {
        let (definitions, diagnostics) = try DefinitionsFolder.load(DumpTests.original.path)
        #expect(diagnostics.isEmpty)
        let ours = try Value(json: DumpGenerator.generate(definitions))
        let theirs = try Value(json: DumpTests.original.text(of: "expected.json"))
        #expect(differences(theirs, ours, at: "").isEmpty)
    }

    @Test("The dump contains events without a body and private columns") func dumpHasBareAndPrivate() throws {
        let text = DumpGenerator.generate(
            load(["a.md": "# a\n\n## bare\n\n## x\n\n- n: K [private]\n  - `v`\n"]).definitions)
        let events = try Value(json: text)["a"]["events"]
        #expect(events.members?.keys.sorted() == ["bare", "x"])
        let column = try #require(events["x"]["columns"][0])
        #expect(column["classification"] == "private")
        #expect(column["is_obsolete"] == false)
        #expect(column["values"] == ["v"])
    }

    @Test(
        "Markdown syntax is removed from plain text",
        arguments: [
            ("plain", "plain"), ("a `code` b", "a code b"), ("a ``co`de`` b", "a co`de b"),
            ("**b** __c__ *d* _e_", "b c *d* _e_"),
            ("[text](http://a.example) ![alt](b.png)", "text "),
            ("<b>bold</b> <http://a.example>", "bold http://a.example"),
            ("A &amp; B &lt; C & D", "A & B < C & D"), (#"2 \* 3 \z"#, #"2 * 3 \z"#), ("a  \nb", "a\nb"),
            ("open ` tick ** star [bracket", "open ` tick ** star [bracket"), ("a < b", "a < b"),
            ("[x] [y](z)", "[x] y"),
        ])
    func stripsMarkdown(markdown: String, plain: String) { #expect(PlainText.of(markdown) == plain) }

    private func differences(_ theirs: Value, _ ours: Value?, at path: String) -> [String] {
        switch (theirs, ours) {
        case (.object(let theirs), .object?):
            theirs.elements.flatMap { differences($0.value, ours[$0.key], at: "\(path)/\($0.key)") }
        case (.array(let theirs), .array(let ours)?) where theirs.count == ours.count:
            zip(theirs, ours).enumerated().flatMap {
                differences($0.element.0, $0.element.1, at: "\(path)/\($0.offset)")
            }
        default: theirs == ours ? [] : ["\(path): \(theirs) became \(ours ?? .null)"]
        }
    }
}
