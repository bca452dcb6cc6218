import Testing

@testable import DaybookDefinitions

struct ParserTests {
    @Test(
        "Every column type is read",
        arguments: [
            ("- a: !smallint", ColumnType.smallint, false), ("- a: !integer?", .integer, true),
            ("- a: !bigint", .bigint, false), ("- a: !real", .real, false), ("- a: !double?", .double, true),
            ("- a: !boolean", .boolean, false), ("- a: !string", .string(limit: nil), false),
            ("- a: !string 256", .string(limit: 256), false), ("- a: !string? 256", .string(limit: 256), true),
            ("- a: !date", .date, false), ("- a: !timestamp", .timestamp, false),
            ("- a: !timestamptz?", .timestamptz, true), ("- a: SearchOrder", .custom("SearchOrder"), false),
            ("- a: SearchOrder?", .custom("SearchOrder"), true), ("* a:!bigint", .bigint, false),
            ("+ `a`: !bigint", .bigint, false), ("- **a**: !bigint", .bigint, false),
            ("-\ta:  !bigint  ", .bigint, false),
        ])
    func readsColumnTypes(line: String, type: ColumnType, isOptional: Bool) throws {
        #expect(diagnose(event: line).isEmpty)
        let column = try #require(columns(event: line).first)
        #expect(column.name == "a")
        #expect(column.type == type)
        #expect(column.isOptional == isOptional)
    }

    @Test(
        "Obsolete and privacy marks are read",
        arguments: [
            ("- [obsolete] a: !date", true, Column.Classification.plain), ("- [obsolete]a: !date", true, .plain),
            ("- a: !string 3 [private]", false, .private), ("- a: !string [sensitive]", false, .sensitive),
            ("- [obsolete] a: !string? 3[private]", true, .private),
        ])
    func readsColumnMarks(line: String, isObsolete: Bool, classification: Column.Classification) throws {
        #expect(diagnose(event: line).isEmpty)
        let column = try #require(columns(event: line).first)
        #expect(column.isObsolete == isObsolete)
        #expect(column.classification == classification)
    }

    @Test("Nested items are notes or declared values") func readsNestedItems() {
        let column = columns(
            event: """
                - order: SearchOrder
                  - How results are sorted
                    over two lines
                  - `latest`: 新着順
                  - `popularity`
                      - premium only
                  - `position` is not a value
                """)[0]
        #expect(column.values.map(\.value) == ["latest", "popularity"])
        #expect(column.values.map(\.description) == ["新着順", ""])
        #expect(
            column.notes == [
                "How results are sorted\nover two lines", "premium only", "`position` is not a value",
            ])
        #expect(column.details.map(\.depth) == [1, 1, 1, 2, 1])
    }

    @Test("All parts of a definition file are read with their positions") func readsFileParts() throws {
        let text = """
            # cat

            First
            paragraph.

            Second.

            - shared: !bigint

            ## [obsolete] old

            Gone.

            ## show ##
            Shown.
            - a: !date

            More.

            - b: !date
            ### A remark
            > quoted
            """
        let (definitions, diagnostics) = load(["folder/cat.md": text])
        #expect(diagnostics.isEmpty)
        let category = try #require(definitions.categories.first)
        #expect(category.name == "cat")
        #expect(category.description == "First\nparagraph.\n\nSecond.")
        #expect(category.columns.map(\.name) == ["shared"])
        #expect(category.events.map(\.name) == ["old", "show"])
        #expect(category.events.map(\.isObsolete) == [true, false])
        #expect(category.events[1].description == "Shown.\n\nMore.\n\n### A remark\n\n> quoted")
        #expect(category.events[1].columns.map(\.name) == ["a", "b"])
        #expect(category.events[1].location == SourceLocation(file: "folder/cat.md", line: 14, column: 4))
        #expect(category.events[1].columns[0].location.description == "folder/cat.md:16:3")
    }

    @Test("Comments, code and underlined headings are understood") func readsMarkdownForms() {
        let text = """
            cat
            ===

            <!-- ## hidden
            - x: !unknown -->

            ```
            ## no event
            ```

            show
            ----
            - a: !date
            """
        let (definitions, diagnostics) = load(["cat.md": text])
        #expect(diagnostics.isEmpty)
        #expect(definitions.categories[0].events.map(\.name) == ["show"])
    }

    @Test("Bullets after a paragraph that are not columns are prose") func bulletsAfterParagraph() {
        let text = "# cat\n\n## show\n\nSent when\n- the screen is open\n- the list is full\n\n- a: !date\n"
        let (definitions, diagnostics) = load(["cat.md": text])
        #expect(diagnostics.isEmpty)
        #expect(definitions.categories[0].events[0].columns.map(\.name) == ["a"])
        #expect(definitions.categories[0].events[0].description.hasSuffix("- the screen is open\n- the list is full"))
    }

    @Test("The common file defines the common columns") func readsCommonColumns() {
        let (definitions, diagnostics) = load(["common.md": "# common\n\nProse.\n\n- user_id: !bigint?\n"])
        #expect(diagnostics.isEmpty)
        #expect(definitions.categories.isEmpty)
        #expect(definitions.common.map(\.name) == ["user_id"])
        #expect(definitions.commonDescription == "Prose.")
    }

    @Test("Line endings and a byte order mark do not matter") func readsAnyLineEnding() {
        let text = "# cat\n\nProse.\n\n## show\n\n- a: !date\n    - note\n"
        let expected = load(["cat.md": text]).definitions
        for ending in ["\r\n", "\r"] {
            #expect(load(["cat.md": text.replacing("\n", with: ending)]).definitions == expected)
        }
        #expect(load(["cat.md": "\u{FEFF}" + text]).definitions == expected)
    }
}
