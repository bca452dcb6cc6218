import Testing

@testable import DaybookChecklist

@Suite struct AddingTests {
    private static let text = """
        # release

        Prose.

        ## feed
        1. [ ] feed.open
        2. [ ] feed.show
            - position >= 0

        A paragraph.

        ## empty

        Only prose here.

        ## last
        - [ ] feed.tap
            - a note
        """

    private func adding(_ item: String, to scenario: String, in text: String = text) throws -> Checklist {
        try Checklist(markdown: text, file: "release.md").adding(item, to: scenario)
    }

    @Test(
        "An item with a control character or line break is not written",
        arguments: ["\r", "\0", "\u{2028}", "\u{2029}", "\u{85}", "\u{B}", "\t", "\u{1B}"])
    func rejectsControlInItem(character: String) {
        #expect(throws: ChecklistError.self) { try adding("look at\(character)it", to: "feed") }
    }

    @Test("An added item follows the last of its scenario", arguments: ["feed", "empty", "last"])
    func addsAfterLastItem(scenario: String) throws {
        let before = try Checklist(markdown: Self.text, file: "release.md")
        let after = try adding("feed.close after feed.open", to: scenario)
        for (old, new) in zip(before.scenarios, after.scenarios) {
            let added = new.name == scenario ? ["feed.close after feed.open"] : []
            #expect(new.items.map(\.text) == old.items.map(\.text) + added)
            #expect(new.items.prefix(old.items.count).map(\.tests) == old.items.map(\.tests))
            #expect(new.prose == old.prose)
        }
        // All other lines are unchanged.
        let lines = after.source.split(separator: "\n", omittingEmptySubsequences: true)
        #expect(
            lines.filter { $0 != "- [ ] feed.close after feed.open" }
                == Self.text.split(separator: "\n", omittingEmptySubsequences: true))
    }

    @Test("Adding an item changes no other byte of the file") func addedTextIsExact() throws {
        #expect(try adding("a.b", to: "t", in: "# t\n- [ ] a.a\n").source == "# t\n- [ ] a.a\n- [ ] a.b\n")
        #expect(try adding("a.b", to: "t", in: "# t\n1. [ ] a.a").source == "# t\n1. [ ] a.a\n\n- [ ] a.b\n")
        #expect(try adding("a.b", to: "t", in: "# t\r\n- [ ] a.a\r\n").source == "# t\r\n- [ ] a.a\r\n- [ ] a.b\r\n")
        // Other lines keep their bytes, whatever they end with and whatever precedes them.
        let mixed = "\u{FEFF}# t\r\n\n- [ ] a.a\n    - note\r\n\r\n## u\n- [ ] a.c"
        #expect(
            try adding("a.b", to: "t", in: mixed).source
                == "\u{FEFF}# t\r\n\n- [ ] a.a\n    - note\r\n- [ ] a.b\r\n\r\n## u\n- [ ] a.c")
        #expect(try adding("目で見る", to: "t", in: "# t\n- [ ] a.a\n").scenarios[0].items[1].content == .manual)
    }

    @Test(
        "Text that is not a valid item of a known scenario is refused",
        arguments: [
            ("a.b", "other"), ("a.b exactly", "feed"), ("a.b\n- [ ] a.c", "feed"), ("a.b\n# other", "feed"),
            ("", "feed"),
            (" a.b", "feed"), ("a.b\r\n## more", "last"),
        ])
    func rejectsBadAddition(item: String, scenario: String) {
        #expect(throws: ChecklistError.self) { try adding(item, to: scenario) }
    }
}
