import Testing

@testable import DaybookChecklist

/// What follows a box is judged, is a manual step, or is an error with its place. Nothing meant as an event may pass as
/// a step.
@Suite struct ItemReaderTests {
    private func content(_ text: String) throws -> ChecklistItem.Content {
        try Checklist(markdown: "- [ ] \(text)\n", file: "t.md").scenarios[0].items[0].content
    }

    private func pattern(_ text: String) throws -> String? {
        guard case .expectation(let expectation) = try content(text) else { return nil }
        return expectation.pattern.text
    }

    private typealias Change = @Sendable (String) -> String

    /// What editors and people put around a word without changing its meaning.
    private static let decorations: [Change] = [
        { "`\($0)`" }, { "**\($0)**" }, { "*\($0)*" }, { "***\($0)***" }, { "_\($0)_" }, { "__\($0)__" },
        { "[\($0)](../defs/feed.md)" }, { "[\($0)][feed]" }, { "<b>\($0)</b>" }, { "<code>\($0)</code>" },
        { "<!--old-->\($0)" }, { "\u{200B}\($0)\u{FEFF}" },
    ]

    /// Other spellings of its characters.
    private static let spellings: [Change] = [
        { $0.replacing("_", with: #"\_"#) }, { $0.replacing(".", with: #"\."#) },
        { $0.replacing("_", with: "&lowbar;") },
        { $0.replacing(".", with: "&#46;") }, { $0.replacing("show", with: "sh\u{AD}ow") },
    ]

    @Test(
        "A decorated event name is read as the event",
        arguments: ["", " exactly 2", "\u{A0}exactly 2", "&nbsp;exactly 2", " at least 1 where tab = \"a_b*c*\""])
    func decorationIsIgnored(clause: String) throws {
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

    @Test(
        "Text that is nearly an event is an error with its place",
        arguments: [
            "feed.show:", "feed.show,", "feed.show;", "feed.show.", "feed.show!", "feed.show、", "feed.show。",
            "feed.show：表示",
            "feed.show（1回）", "feed.show: exactly once", "(feed.show)", "「feed.show」", "“feed.show”", "'feed.show'",
            "\"feed.show\" appears", "👉 feed.show", "✅ feed.show", "1. feed.show", "→ feed.show", "– feed.show",
            "ｆｅｅｄ．ｓｈｏｗ", "feed．show", "ｓｈｏｗ＿ａｒｔｉｃｌｅ", "~~feed.show~~", "~~feed.show~~ exactly 1", "feed.show is seen",
            "show_article:", "show_article is seen", "login:", "login!", "login: exactly 1", "login Exactly 1",
            "login exactley 1",
            "login exactly once", "login at least", "show_articleを確認する", "login where tab = home",
            "Never feed.show",
            "NEVER login", "never: feed.show", "exactly 1 feed.show", "at least 1 login", "feed.show(tab = \"home\")",
            "<b></b>", "\u{200B}",
        ])
    func nearEventIsError(text: String) {
        let found = problems("# t\n\n- [ ] \(text)\n")
        #expect(!found.isEmpty, "\(text)")
        #expect(found.allSatisfy { $0.hasPrefix("test.md:3:") }, "\(found)")
    }

    @Test(
        "A tag without a dot is judged",
        arguments: [
            "login", "OK", "screenView", "show-article", "no_such_event", "login exactly 1", "login after app_open",
            "never login after app_open", "never \"crashes\"", "`確認`", "событие_показ", "\"Product Viewed\"",
            "\"Product Viewed\" exactly 1 per id",
            "\"確認\" at least 2", "feed.show after \"Product Viewed\" within 5s", "*", "**",
        ])
    func tagNeedsNoDot(text: String) throws {
        #expect(try content(text) != .manual)
    }

    @Test(
        "Prose is a manual step",
        arguments: [
            "Open the app", "Log in with Apple", "Look at the screen", "Wait until the feed is shown",
            "一度だけ`show_article`が出る",
            "Restart after the update is installed", "Never show the dialog twice", "目で確認する", "確認", "feedを開く",
            "iPhone で確認", "3 回タップする", "2 devices", "Откройте ленту", "Проверка", "A/B test", "Note: look at the title",
            "\"Saved\" appears", "「保存」を押す", "**Check** it", "https://example.com/a.b is open",
            "![shot](a.png) looks right",
            "After login, look", "When it rains", "~~old step~~ is gone",
        ])
    func proseIsManual(text: String) throws {
        #expect(try content(text) == .manual)
    }

    private static let labels = [
        "[P0] ", "**P0**: ", "**P0** ", "iOS: ", "(iOS) ", "必須 ", "TODO: ", "TODO ", "Event: ", "2x ", "no ",
        "никогда ",
        "[P0] never ", "iOS: never ", "【必須】", "P1 – ", "[[x]] ", "@", "feed.tap/",
    ]

    @Test("An event after a label is an error", arguments: labels)
    func labelledEventIsError(label: String) {
        for event in ["feed.show", "`feed.show`", "feed.show!", "feed.show exactly 1", "show_article per id exactly 2"]
        {
            #expect(problems("- [ ] \(label)\(event)\n").count == 1, "\(label)\(event)")
        }
    }

    @Test(
        "An event named within a sentence is a manual step",
        arguments: [
            "Check that feed.show came", "Open README.md", "Note: see feed.show below", "Open the file README.md first",
            "@john.doe checks it", "docs/readme.md is right", "Press [x] to close",
        ])
    func sentenceIsManual(text: String) throws {
        #expect(try content(text) == .manual)
    }

    @Test(
        "A count after text that is not an event is an error",
        arguments: [
            "exactly 1", "at least 2", "at most 3", "exactly 1 per id", "Exactly 1 until feed.show", "at least 2.",
        ])
    func trailingCountIsError(count: String) {
        for tag in [
            "“Product Viewed” ", "'Product Viewed' ", "`Product Viewed` ", "Product Viewed ", "\"Product Viewed\": ",
            "「Product Viewed」 ", "\"Product Viewed\" is sent ", "login - ", "login → ", "«Product Viewed» ",
        ] {
            #expect(problems("- [ ] \(tag)\(count)\n").count == 1, "\(tag)\(count)")
        }
    }

    @Test(
        "Text that may be an event is an error",
        arguments: [
            "login joining id", "login plan=\"free\"", "login plan = \"free\"", "“Product Viewed” after feed.show",
            "Product Viewed where plan = \"free\"", "never: login", "never, login", "Never: login", "Never (login)",
            "NEVER 'login'", "never crashes", "never login", "аd.show", "ad.shоw exactly 1", "never \"аd show\"",
            "画面feed.show", "feed.showを確認", "example.comを開く",
        ])
    func possibleEventIsError(text: String) {
        #expect(problems("- [ ] \(text)\n").count == 1, "\(text)")
    }

    @Test(
        "Prose that only looks like an event is a manual step",
        arguments: [
            "1.ログイン", "1.アプリを起動", "2.1.ログイン", "0.5秒以内に表示される", "1.5倍速で再生", "4.12.0をタグ付け", "v4.12.0をリリース",
            "iOS17.5で確認", "バージョン4.12.0を確認", "README.mdを更新する", "1.Открыть приложение", "т.е. открыть", "т.к. нет сети",
            "e.g. open the feed", "i.e. look", "i.e.", "a.m.", "U.S. App Store page is right", "etc.", "Done.",
            "Close...",
            "4.x users can update", "1.5x speed works", "v4.12.0 is shown in Settings", "Open each tab in the menu",
            "Tap each row in the list", "Wait at least 5 seconds", "Repeat at least 3 times", "Show at most 3 banners",
            "Looks exactly like the mock", "Relaunch within 10s", "Retry when token in keychain", "Price > 0",
            "iOS >= 16",
            "件数 = 3", "Open <feed>", "Wait…", "C++", "#release", "🚀 Deploy", "At least 5 articles are shown",
        ])
    func eventLikeProse(text: String) throws {
        #expect(try content(text) == .manual)
    }

    @Test(
        "A list item that asks for an event needs a box",
        arguments: [
            "login exactly 1", "\"Product Viewed\" exactly 1", "never feed.show", "[done] feed.show", "[yes] feed.show",
            "[OK] feed.show", "[xx] feed.show", "[X]: feed.show", "[[x]] feed.show", "(x) feed.show", "( ) look",
            "TODO feed.show", "[ ]: feed.show", "TODO [ ] look",
        ])
    func eventNeedsBox(text: String) {
        for marker in ["-", "*", "1.", "2)"] {
            #expect(problems("## s\n\(marker) \(text)\n\n## t\n- [ ] a.b\n").count == 1, "\(marker) \(text)")
        }
    }

    @Test(
        "A box within a line is an error",
        arguments: [
            "a. [ ] feed.show", "a) [ ] feed.show", "iv. [x] feed.show", "[ ]: feed.show", "#### - [ ] feed.show",
            "feed.show | [ ]", "<li>[ ] feed.show</li>", "<input type=\"checkbox\"> feed.show",
            "- [ ] Open the feed - [ ] feed.show", "- [ ] Open the feed<br>- [x] feed.show", "- [ ] Open ☐ feed.show",
        ])
    func boxInLineIsError(line: String) {
        #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1, "\(line)")
    }

    @Test("A box in quoted text, code or a link is ignored") func quotedBoxIsIgnored() {
        #expect(problems("- [ ] a.b where c = \"[ ] d\"\n- [ ] Write `- [ ] x`, see [x](y)\n") == [])
    }

    @Test(
        "A requirement below a manual step is an error",
        arguments: [
            "    - feed.show exactly 1", "    - never feed.show", "    - feed.show", "    - tab = \"home\"",
            "  feed.show exactly 1", "    - [P0] feed.show exactly 1",
        ])
    func testBelowStepIsError(line: String) {
        #expect(problems("- [ ] Look at it\n\(line)\n").count == 1, "\(line)")
        #expect(line.contains("=") || problems("- [ ] a.b\n\(line)\n").count == 1, "\(line)")
        #expect(problems("- [ ] Look at it\n    - feed.show resets it\n    - a note\n") == [])
    }

    @Test("A persona table is read as a reader sees it") func readsPersonaTable() throws {
        let table =
            "# t\n\n| **Persona** | `plan` | new |\n|---|---|---|\n| *a* | \"paid\" | TRUE |\n| b | `free` | False |\n\n"
        let personas = try Checklist(markdown: table + "- [ ] a.b when plan = \"paid\"\n", file: "t.md").personas
        #expect(personas?.columns == ["plan", "new"])
        #expect(personas?.personas.map(\.name) == ["a", "b"])
        #expect(personas?.personas[0].values == ["plan": .text("paid"), "new": .boolean(true)])
        for test in ["plan = \"Paid\"", "plan in (\"paid\", \"fre\")", "new = \"true\""] {
            let found = problems(table + "- [ ] a.b when \(test)\n")
            #expect(found.count == 1 && found[0].contains("no persona has"), "\(found)")
        }
        for row in ["| Persona | plan |", "persona | plan"] {
            #expect(problems("## s\n- [ ] a.b\n\n\(row)\n").count == 1, "\(row)")
        }
    }

    private static let marks = [
        "\\[ \\]", "\\[x\\]", "\\[ ]", "［　］", "［ ］", "［x］", "[]", "[-]", "[✓]", "[~]", "[済]", "[  ]", "☐", "☑", "☒",
        "□", "✅",
        "⬜", "✔", "🔲",
    ]

    @Test("A box of another form is an error", arguments: marks)
    func otherBoxIsError(box: String) {
        for line in ["- \(box) feed.show", "* \(box) feed.show", "1. \(box) feed.show", "1) \(box) 目で確認"] {
            #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1, "\(line)")
        }
        guard box != "[済]" else { return }
        for line in ["\(box) feed.show", "• \(box) feed.show", "> - \(box) feed.show", "| \(box) | feed.show |"] {
            #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1, "\(line)")
        }
    }

    @Test(
        "A box without a list marker is an error",
        arguments: [
            "-[ ] feed.show", "・[ ] feed.show", "[ ] feed.show", "- [ ]feed.show", "## [ ] a.b",
        ])
    func boxNeedsList(line: String) {
        #expect(problems("- [ ] a.b\n\n\(line)\n").count == 1)
    }

    @Test("Every list marker and tick makes an item") func anyMarkerMakesItem() throws {
        for marker in ["-", "*", "+", "1.", "1)", "-\u{A0}"] {
            for box in ["[ ]", "[x]", "[X]"] {
                let list = try Checklist(markdown: "\(marker) \(box) feed.show\n", file: "t.md")
                #expect(list.scenarios[0].items[0].content != .manual)
                #expect(list.scenarios[0].items[0].isTicked == (box != "[ ]"))
            }
        }
    }

    @Test("A list item without a box among items is an error") func missingBoxIsError() {
        let error = "error: a list item without a box is not judged"
        #expect(problems("- [ ] a.b\n- feed.show\n").map { $0.hasPrefix("test.md:2:3: \(error)") } == [true])
        #expect(problems("- [ ] a.b\n- look\n").map { $0.hasPrefix("test.md:2:3: \(error)") } == [true])
        #expect(problems("- look\n- [ ] a.b\n").map { $0.hasPrefix("test.md:1:3: \(error)") } == [true])
        #expect(
            problems("## s\n- feed.show\n\n## t\n- [ ] a.b\n").map { $0.hasPrefix("test.md:2:3: \(error)") } == [true])
        #expect(problems("- metric: a funnel\n\n- [ ] a.b\n\nprose\n\n- more prose\n") == [])
        #expect(problems("- [ ] a.b\n\n```\n☐ feed.show\n- [] feed.show\n```\n") == [])
    }

    @Test("A decorated column test is read as a test") func decoratedTestIsRead() throws {
        for test in [#"position \>= 0"#, "`position` >= 0", "position &gt;= 0", "**position** >= 0", "_level >= 9"] {
            let item = try Checklist(markdown: "- [ ] a.b\n    - \(test)\n", file: "t.md").scenarios[0].items[0]
            #expect(item.tests.count == 1, "\(test)")
        }
        for test in ["position ≥ 0", "position ＝ 0"] {
            #expect(problems("- [ ] a.b\n    - \(test)\n").count == 1, "\(test)")
        }
    }

    @Test("Error positions refer to the file, not to the decoded text") func errorsLocateSource() {
        #expect(
            problems(#"- [ ] **feed.show\_article** exactly x"#) == [
                "test.md:1:38: error: expected a whole number; found `x` (a step for a person begins with a word that is no event)"
            ])
    }

    @Test("Long lines are read in linear time") func longLinesAreLinear() throws {
        for piece in [
            "[", "*a ", "**a", "`", "<a", "&#", "_a", "~~a ", "never ", "*", "~", "/", "a.b ", "at least ", "[ ", "\\",
            "\"", "(",
        ] {
            let text = String(repeating: piece, count: 10_000)
            _ = ReadableText(text)
            _ = try? Checklist(markdown: "- [ ] \(text)\n", file: "t.md")
        }
    }
}
