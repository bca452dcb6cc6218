import Testing

@testable import DaybookDefinitions

/// What a reader takes for a column, a value or a mark must not be lost silently.
@Suite struct LostLineTests {
    private func problems(_ body: String) -> [String] { diagnose(["cat.md": "# cat\n\n## show\n\n\(body)\n"]) }

    @Test(
        "A column directly below other prose is a column",
        arguments: ["> note", "> note\n> more", "1. first", "1. first\n2. second", "1) first\n   - nested"])
    func columnsFollowProse(prose: String) {
        let read = load(["cat.md": "# cat\n\n## show\n\n\(prose)\n- a_b: !bigint\n- c_d: !date\n"])
        #expect(read.definitions.categories[0].events[0].columns.map(\.name) == ["a_b", "c_d"])
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
    }

    @Test(
        "A column hidden in prose is reported",
        arguments: [
            "• a_b: !bigint", "・a_b: !bigint", "– a_b: !bigint", "-a_b: !bigint", "1. a_b: !bigint",
            "1. [obsolete] a_b: !bigint",
            "> - a_b: !bigint", "a_b: !bigint", "| a_b | !bigint |", "`a_b`: !bigint", "Text\n\n    - a_b: !bigint",
            "– a_b： ！bigint", "- c_d: !date\n    - a_b: !bigint", "- [ ] x\n\n• **a_b**: `!bigint`",
        ])
    func reportsColumnInProse(line: String) {
        let found = problems(line)
        #expect(found.contains { $0.contains("`a_b` is no column here (write `- a_b: !type`") }, "\(found)")
    }

    @Test(
        "Other prose is not reported",
        arguments: ["It is great: really!", "See `!bigint`", "Note: 5 != 6", "```\n- a_b: !bigint\n```", "Yes!"])
    func acceptsOtherProse(line: String) { #expect(problems(line).isEmpty, "\(problems(line))") }

    @Test("A deeper heading above columns is reported", arguments: ["### tap", "#### `tap`", "**tap**", "**`tap`**"])
    func reportsLesserHeading(heading: String) {
        for body in ["\(heading)\n\n- a_b: !date", "- c_d: !date\n\n\(heading)\n\n- a_b: !date"] {
            let found = problems(body)
            #expect(found.count == 1 && found[0].contains("those of the event `show` (write `## tap`)"), "\(found)")
        }
        #expect(problems("### Columns\n\n- a_b: !date\n").isEmpty)
    }

    @Test(
        "A value in marks other than backticks is reported",
        arguments: [
            "`latest` - newest first", "`latest` newest", "**`latest`**: newest", "‘latest’: newest",
            "\"latest\": newest",
            "'latest'", "“latest” – newest", "**latest**: newest",
        ])
    func reportsMarkedValue(note: String) {
        let found = problems("- order: SearchOrder\n    - \(note)")
        #expect(found.contains { $0.contains("`latest` is a note, not a value of `SearchOrder`") }, "\(found)")
    }

    /// Code in marks other than backticks, and boxes before it.
    @Test("A value in code other than backticks is reported", arguments: ["", "[ ] ", "[x] ", "[X] "])
    func reportsCodedValue(box: String) {
        let marks = [
            ("`", "`"), ("\\`", "\\`"), ("<code>", "</code>"), ("<CODE>", "</CODE>"), ("<kbd>", "</kbd>"),
            ("<tt>", "</tt>"), ("<samp>", "</samp>"), ("&#96;", "&#96;"), ("&#x60;", "&#X60;"), ("&grave;", "&grave;"),
            ("**`", "`**"), ("**<code>", "</code>**"), ("\"", "\""),
        ]
        for (opening, closing) in marks {
            for end in ["", ": newest", " – newest", " = newest"] where box + opening != "`" {
                let note = box + opening + "latest" + closing + end
                // Beside a prose note it must be certain.
                for other in ["", "\n    - Set by the user"] {
                    let found = problems("- order: SearchOrder\n    - \(note)\(other)")
                    #expect(
                        found.contains { $0.contains("`latest` is a note, not a value of `SearchOrder`") },
                        "\(note): \(found)")
                }
            }
        }
    }

    @Test(
        "A note on a custom type is not reported",
        arguments: ["Set by the user", "**Note:** never empty", "The `latest` one", "(\"x\")", "[ ] Set by the user"])
    func acceptsTypeNote(note: String) {
        #expect(!problems("- order: SearchOrder\n    - \(note)").contains { $0.contains("is a note") })
    }

    @Test(
        "A mark below a column is an error",
        arguments: [
            "- [private]", "* [sensitive]", "- **[Private]**", "- [privat]", "- [private] what was typed",
            "[private]", "- ［private］",
        ])
    func reportsMarkBelow(note: String) {
        let found = problems("- keyword: !string 256\n    \(note)")
        #expect(found.contains { $0.contains("error: a mark below a column marks nothing (write `[") }, "\(found)")
        #expect(problems("- keyword: !string 256\n    - [private](https://x.y) data").isEmpty)
    }
}
