import Testing

@testable import DaybookChecklist

/// What stands behind a box is judged, is a step for a person, or is an error with its place: nothing that a person meant
/// as an event passes as a step.
@Suite struct ItemReaderTests {
    private func content(_ text: String) throws -> ChecklistItem.Content {
        try Checklist(markdown: "- [ ] \(text)\n", file: "t.md").scenarios[0].items[0].content
    }

    private func pattern(_ text: String) throws -> String? {
        guard case .expectation(let expectation) = try content(text) else { return nil }
        return expectation.pattern.text
    }

    private typealias Change = @Sendable (String) -> String

    /// What editors and people put around a word without another meaning.
    private static let decorations: [Change] = [
        { "`\($0)`" }, { "**\($0)**" }, { "*\($0)*" }, { "***\($0)***" }, { "_\($0)_" }, { "__\($0)__" },
        { "[\($0)](../defs/feed.md)" }, { "[\($0)][feed]" }, { "<b>\($0)</b>" }, { "<code>\($0)</code>" },
        { "<!--old-->\($0)" }, { "\u{200B}\($0)\u{FEFF}" },
    ]

    /// Other spellings of its signs.
    private static let spellings: [Change] = [
        { $0.replacing("_", with: #"\_"#) }, { $0.replacing(".", with: #"\."#) },
        { $0.replacing("_", with: "&lowbar;") },
        { $0.replacing(".", with: "&#46;") }, { $0.replacing("show", with: "sh\u{AD}ow") },
    ]

    @Test(arguments: ["", " exactly 2", "\u{A0}exactly 2", "&nbsp;exactly 2", " at least 1 where tab = \"a_b*c*\""])
    func decoratedEventIsTheEvent(clause: String) throws {
        for event in ["feed.show_article", "show_article"] {
            for inner in Self.decorations + Self.spellings {
                #expect(try pattern(inner(event) + clause) == event, "\(inner(event) + clause)")
                for outer in Self.decorations {
                    let both = outer(inner(event))
                    #expect(try pattern(both + clause) == event, "\(both + clause)")
                }
            }
        }
        #expect(try pattern(#"feed.\*\* exactly 1"#) == "feed.**")
        #expect(try pattern("<feed.show>") == "feed.show")
        #expect(try pattern("**feed.*** exactly 1") == "feed.*")
    }

    @Test(arguments: [
        "feed.show:", "feed.show,", "feed.show;", "feed.show.", "feed.show!", "feed.show、", "feed.show。",
        "feed.show：表示",
        "feed.show（1回）", "feed.show: exactly once", "(feed.show)", "「feed.show」", "“feed.show”", "'feed.show'",
        "\"feed.show\" appears", "👉 feed.show", "✅ feed.show", "1. feed.show", "→ feed.show", "– feed.show",
        "ｆｅｅｄ．ｓｈｏｗ", "feed．show", "ｓｈｏｗ＿ａｒｔｉｃｌｅ", "~~feed.show~~", "~~feed.show~~ exactly 1", "feed.show is seen",
        "show_article:", "show_article is seen", "login:", "login!", "login: exactly 1", "login Exactly 1",
        "login exactley 1",
        "login exactly once", "login at least", "login = 1", "show_articleを確認する", "login where tab = home",
        "Never feed.show",
        "NEVER login", "never: feed.show", "exactly 1 feed.show", "at least 1 login", "feed.show(tab = \"home\")",
        "<b></b>", "\u{200B}",
    ])
    func nearlyAnEventIsAnErrorWithItsPlace(text: String) {
        let found = problems("# t\n\n- [ ] \(text)\n")
        #expect(!found.isEmpty, "\(text)")
        #expect(found.allSatisfy { $0.hasPrefix("test.md:3:") }, "\(found)")
    }

    @Test(arguments: [
        "login", "OK", "screenView", "show-article", "no_such_event", "login exactly 1", "login after app_open",
        "never login", "`確認`", "событие_показ", "\"Product Viewed\"", "\"Product Viewed\" exactly 1 per id",
        "\"確認\" at least 2", "feed.show after \"Product Viewed\" within 5s", "*", "**",
    ])
    func tagWithoutADotIsJudged(text: String) throws {
        #expect(try content(text) != .manual)
    }

    @Test(arguments: [
        "Open the app", "Log in with Apple", "Look at the screen", "Wait until the feed is shown",
        "一度だけ`show_article`が出る",
        "Restart after the update is installed", "Never show the dialog twice", "目で確認する", "確認", "feedを開く",
        "iPhone で確認", "3 回タップする", "2 devices", "Откройте ленту", "Проверка", "A/B test", "Note: look at the title",
        "\"Saved\" appears", "「保存」を押す", "**Check** it", "https://example.com/a.b is open", "![shot](a.png) looks right",
        "After login, look", "When it rains", "~~old step~~ is gone",
    ])
    func proseIsAStepForAPerson(text: String) throws {
        #expect(try content(text) == .manual)
    }

    private static let marks = [
        "\\[ \\]", "\\[x\\]", "\\[ ]", "［　］", "［ ］", "［x］", "[]", "[-]", "[✓]", "[~]", "[済]", "[  ]", "☐", "☑", "☒",
        "□", "✅",
        "⬜", "✔", "🔲",
    ]

    @Test(arguments: marks)
    func otherBoxIsAnError(box: String) {
        for line in ["- \(box) feed.show", "* \(box) feed.show", "1. \(box) feed.show", "1) \(box) 目で確認"] {
            #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1, "\(line)")
        }
        guard box != "[済]" else { return }
        for line in ["\(box) feed.show", "• \(box) feed.show", "> - \(box) feed.show", "| \(box) | feed.show |"] {
            #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1, "\(line)")
        }
    }

    @Test(arguments: [
        "-[ ] feed.show", "・[ ] feed.show", "[ ] feed.show", "- [ ]feed.show", "## [ ] a.b",
    ])
    func boxWithoutAListIsAnError(line: String) {
        #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1)
    }

    @Test func everyListMarkerAndTickIsAnItem() throws {
        for marker in ["-", "*", "+", "1.", "1)", "-\u{A0}"] {
            for box in ["[ ]", "[x]", "[X]"] {
                let list = try Checklist(markdown: "\(marker) \(box) feed.show\n", file: "t.md")
                #expect(list.scenarios[0].items[0].content != .manual)
                #expect(list.scenarios[0].items[0].isTicked == (box != "[ ]"))
            }
        }
    }

    @Test func listItemWithoutABoxIsAnErrorAmongItems() {
        let error = "error: a list item without a box is not judged"
        #expect(problems("- [ ] a.b\n- feed.show\n").map { $0.hasPrefix("test.md:2:3: \(error)") } == [true])
        #expect(problems("- [ ] a.b\n- look\n").map { $0.hasPrefix("test.md:2:3: \(error)") } == [true])
        #expect(problems("- look\n- [ ] a.b\n").map { $0.hasPrefix("test.md:1:3: \(error)") } == [true])
        #expect(
            problems("## s\n- feed.show\n\n## t\n- [ ] a.b\n").map { $0.hasPrefix("test.md:2:3: \(error)") } == [true])
        #expect(problems("- metric: a funnel\n\n- [ ] a.b\n\nprose\n\n- more prose\n") == [])
        #expect(problems("- [ ] a.b\n\n```\n☐ feed.show\n- [] feed.show\n```\n") == [])
    }

    @Test func decoratedTestIsATest() throws {
        for test in [#"position \>= 0"#, "`position` >= 0", "position &gt;= 0", "**position** >= 0", "_level >= 9"] {
            let item = try Checklist(markdown: "- [ ] a.b\n    - \(test)\n", file: "t.md").scenarios[0].items[0]
            #expect(item.tests.count == 1, "\(test)")
        }
        for test in ["position ≥ 0", "position ＝ 0"] {
            #expect(problems("- [ ] a.b\n    - \(test)\n").count == 1, "\(test)")
        }
    }

    @Test func placesOfErrorsAreThoseOfTheFile() {
        #expect(
            problems(#"- [ ] **feed.show\_article** exactly x"#) == [
                "test.md:1:38: error: expected a whole number; found `x` (a step for a person begins with a word that is no event)"
            ])
    }

    @Test func longLinesAreReadInTimeLinearInTheirLength() throws {
        for piece in ["[", "*a ", "**a", "`", "<a", "&#", "_a", "~~a ", "never ", "\\", "\"", "("] {
            let text = String(repeating: piece, count: 20_000)
            _ = ReadableText(text)
            _ = try? Checklist(markdown: "- [ ] \(text)\n", file: "t.md")
        }
    }
}
