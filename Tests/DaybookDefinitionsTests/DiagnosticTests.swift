import Testing

@testable import DaybookDefinitions

struct DiagnosticTests {
    @Test(
        "A mistake in a column is located",
        arguments: [
            ("- a: !bignit", "cat.md:5:6: error: unknown type `!bignit` (did you mean `!bigint`?)"),
            (
                "- キー: !date",
                "cat.md:5:3: error: `キー` cannot be a column's name (a name has only ASCII letters, digits and `_`)"
            ),
            ("- a: !int?", "cat.md:5:6: error: unknown type `!int` (did you mean `!integer`?)"),
            ("- a:", "cat.md:5:5: error: the column has no type (write a type such as `!bigint` after the colon)"),
            ("- a: ！date", "cat.md:5:6: error: the mark before the type is a full-width `！` (write `!`)"),
            (
                "- a：!date",
                "cat.md:5:4: error: the colon after a column's name is a full-width `：` (write `name: !type` with `:` right after the name)"
            ),
            (
                "- a : !date",
                "cat.md:5:5: error: there is a space before the colon (write `name: !type` with `:` right after the name)"
            ),
            ("- only words", "cat.md:5:3: error: this item is not a column (write `- name: !type`)"),
            (
                "- a: Array<Int>",
                "cat.md:5:6: error: `Array<Int>` is not a type (write `!bigint`, `!string 256` or a name)"
            ),
            ("- a: !bigint 12", "cat.md:5:14: error: `!bigint` has no limit (only `!string` may have one)"),
            ("- a: !string 0", "cat.md:5:14: error: a limit is a number of bytes from 1 to 2147483647"),
            (
                "- a: !string 99999999999999999999",
                "cat.md:5:14: error: a limit is a number of bytes from 1 to 2147483647"
            ),
            ("- a: Foo 3", "cat.md:5:10: error: `Foo` has no limit (only `!string` may have one)"),
            ("- a: 3D", "cat.md:5:6: error: the type `3D` begins with a digit"),
            ("- a: !string [sensitiv]", "cat.md:5:14: error: unknown mark `[sensitiv]` (did you mean `[sensitive]`?)"),
            (
                "- a: !string [private] [sensitive]",
                "cat.md:5:24: error: a column is either `[private]` or `[sensitive]`"
            ),
            (
                "- a: !string 3?",
                "cat.md:5:14: warning: `?` after the limit is ignored (to make the column optional, write `!string? 3`)"
            ),
            (
                "- a: !date いつか",
                "cat.md:5:12: warning: `いつか` after the type is ignored (put notes into an item below the column)"
            ),
            (
                "- a: !date [obsolete]",
                "cat.md:5:12: warning: `[obsolete]` after the type is ignored (write it before the name: `- [obsolete] name: !type`)"
            ),
            (
                "- a: string",
                "cat.md:5:6: warning: `string` without `!` is a type of your own (did you mean `!string`?)"
            ),
            (
                "- a: !date\n  more",
                "cat.md:6:3: warning: this text belongs to no item and is ignored (begin it with `- ` and indent it below the column to make it a note)"
            ),
            ("- a: Foo\n  - `x`\n  - `x`: y", "cat.md:7:5: error: the value `x` is declared twice"),
            ("- a: Foo\n  - ` `", "cat.md:6:5: error: the declared value is empty"),
            (
                "- a: Foo\n  - `x`: y\n  - latest: newest first",
                "cat.md:7:5: warning: `latest` is a note, not a value of `Foo` (to list it as a value, put it in backticks: ``- `latest` ``)"
            ),
            (
                "- a: Foo\n  - latest",
                "cat.md:6:5: warning: `latest` is a note, not a value of `Foo` (to list it as a value, put it in backticks: ``- `latest` ``)"
            ),
            (
                "- a: Foo\n  - `x`, `y`",
                "cat.md:6:5: warning: these values are not declared: an item declares one (give each value its own item: ``- `value`: note``)"
            ),
        ])
    func locatesColumnMistake(lines: String, expected: String) { #expect(diagnose(event: lines) == [expected]) }

    @Test(
        "A mistake in a file is located",
        arguments: [
            ("", "cat.md:1:1: warning: the heading with the category's name is missing (begin the file with `# cat`)"),
            (
                "# dog",
                "cat.md:1:3: warning: the heading `dog` differs from the file's name `cat` (write `# cat` or rename the file to `dog.md`)"
            ),
            (
                "# cat\n\n# cat",
                "cat.md:3:3: warning: a file has one category, and this is its second `#` heading (an event is `##`)"
            ),
            ("# cat\n\n##", "cat.md:3:3: error: the event has no name (write `## name`)"),
            (
                "# cat\n\n## show it",
                "cat.md:3:8: error: `show it` cannot be an event's name (a name has only ASCII letters, digits and `_`)"
            ),
            (
                "# cat\n\n## show [obsolete]",
                "cat.md:3:8: error: `show [obsolete]` cannot be an event's name (`[obsolete]` goes before the name: `## [obsolete] name`)"
            ),
            (
                "# cat\n\n<!-- x\n## y",
                "cat.md:3:1: error: the comment that begins here has no end (close it with `-->`)"
            ),
            (
                "# cat\n\n```\n## y",
                "cat.md:3:1: error: the code block that begins here has no end (close it with ``` on a line of its own)"
            ),
        ])
    func locatesFileMistake(text: String, expected: String) { #expect(diagnose(["cat.md": text]) == [expected]) }

    @Test("Events in the common file are ignored with a warning") func warnsOfCommonEvents() {
        let (definitions, diagnostics) = load(["common.md": "# common\n\n- a: !date\n\n## show\n\n- b: !date\n"])
        #expect(definitions.common.map(\.name) == ["a"])
        #expect(
            diagnostics.map(\.description) == [
                "common.md:5:4: warning: events in `common.md` are ignored (move the event to its own category)"
            ])
    }

    @Test("Bytes that are not UTF-8 are located") func locatesBadBytes() {
        let bytes = Array("# cat\n\n日本".utf8) + [0xFF, 0xFE] + Array("語\n".utf8)
        let (definitions, diagnostics) = Definitions.load([(path: "cat.md", bytes: bytes)])
        #expect(
            diagnostics.map(\.description) == [
                "cat.md:3:3: error: this is not UTF-8 text (save the file in the encoding UTF-8)"
            ])
        #expect(definitions.categories[0].description == "日本\u{FFFD}\u{FFFD}語")
    }

    @Test("All mistakes are reported at once and in order") func reportsMistakesTogether() {
        let found = diagnose([
            "b.md": "# b\n\n## x\n\n- a: !nope\n- id: !date\n- ok: !date\n- : !date\n", "a.md": "# wrong\n",
        ])
        #expect(found.map { $0.prefix { $0 != " " } } == ["a.md:1:3:", "b.md:5:6:", "b.md:6:3:", "b.md:8:3:"])
    }
}
