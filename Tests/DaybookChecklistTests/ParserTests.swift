import Testing

@testable import DaybookChecklist

@Suite struct ParserTests {
    static let release = """
        # feed_release

        フィード刷新のリリース確認

        | persona   | plan | registered |
        |-----------|------|------------|
        | new free  | free | false      |
        | returning | paid | true       |

        ## register
        - metric: 定期便初回登録時のファネル

        1. [ ] subscription.show_product
        2. [ ] subscription.tap_register after subscription.show_product joining product_id

        キャンペーンごとの効果
        - [ ] subscription.show_banner each campaign in ("summer", "line")
        - [ ] never subscription.first_time_banner when registered = true
        - [ ] never ad.** before consent.accept

        ## feed
        - [ ] feed.show_article exactly 1 per article_id until feed.refresh(tab = "home")
            - position >= 0
            - 画面に表示されたとき、更新するまで一度だけ
        - [x] feed.tap_article after feed.show_article within 10s joining article_id
        - [ ] article.show exactly 1 per article_id
        - [ ] screen.show at least 2 per article_id where name = "article"
        - [ ] 通知の許可ダイアログを目で確認する
        """

    private func expectation(_ item: ChecklistItem) throws -> ChecklistExpectation {
        guard case .expectation(let expectation) = item.content else {
            throw Failure(description: "`\(item.text)` is manual")
        }
        return expectation
    }

    private struct Failure: Error, CustomStringConvertible { var description: String }

    @Test("The documentation's release checklist parses completely") func parsesReleaseExample() throws {
        let checklist = try Checklist(markdown: Self.release, file: "feed.md")
        #expect(checklist.title == "feed_release")
        #expect(checklist.prose == ["フィード刷新のリリース確認"])
        #expect(checklist.personas?.columns == ["plan", "registered"])
        #expect(checklist.personas?.personas.map(\.name) == ["new free", "returning"])
        #expect(checklist.personas?.personas[1].values == ["plan": .text("paid"), "registered": .boolean(true)])
        #expect(checklist.scenarios.map(\.name) == ["register", "feed"])
        #expect(checklist.scenarios[0].prose == ["metric: 定期便初回登録時のファネル", "キャンペーンごとの効果"])
        let register = checklist.scenarios[0].items
        #expect(register.map(\.numberedList) == [0, 0, nil, nil, nil])
        #expect(try register.map { try expectation($0).isNever } == [false, false, false, true, true])
        #expect(try expectation(register[4]).pattern.description == "ad.**")
        let feed = checklist.scenarios[1].items
        #expect(feed.map(\.isTicked) == [false, true, false, false, false])
        #expect(feed[0].tests.map(\.text) == ["position >= 0"])
        #expect(feed[0].tests.map(\.condition) == [.greaterOrEqual(.integer(0))])
        #expect(feed[0].notes == ["画面に表示されたとき、更新するまで一度だけ"])
        #expect(feed[0].location == SourceLocation(file: "feed.md", line: 22, column: 7))
        #expect(try expectation(feed[0]).count == .exactly(1))
        #expect(try expectation(feed[3]).selection.map(\.text) == ["name = \"article\""])
        #expect(feed[4].content == .manual)
        let meanings = try expectation(feed[1]).clauses.map(\.meaning)
        #expect(
            meanings == [
                .after(.init(pattern: try TagPattern("feed.show_article"), filter: [])), .within(10_000_000_000),
                .joining(["article_id"]),
            ])
        guard case .until(let refresh) = try expectation(feed[0]).clauses[2].meaning else {
            throw Failure(description: "no until clause")
        }
        #expect(refresh.filter.map(\.condition) == [.equal(.text("home"))])
    }

    @Test(
        "A mistake in an item is located in characters",
        arguments: [
            (
                "- [ ] feed.show where id = 123456789012345678901234567890",
                "7:28: error: expected a number whose digits are all compared; found `123456789012345678901234567890` "
                    + "(or a text: \"123456789012345678901234567890\")"
            ),
            (
                "- [ ] feed.show where id in (1, -18446744073709551615)",
                "7:33: error: expected a number whose digits are all compared; found `-18446744073709551615` "
                    + "(or a text: \"-18446744073709551615\")"
            ),
            (
                "- [ ] feed.show where id > 0.12345678901234567890",
                "7:28: error: expected a number whose digits are all compared; found `0.12345678901234567890` "
                    + "(or a text: \"0.12345678901234567890\")"
            ),
            ("- [ ] feed.show exactly", "7:24: error: expected a whole number; the item ends here"),
            ("- [ ] feed.show exactly 0", "7:25: error: a count of 0 (write `never EVENT` if none may occur)"),
            ("- [ ] feed.show untill feed.x", "7:17: error: expected a clause; found `untill` (did you mean `until`?)"),
            (
                "- [ ] never feed.show until a.b",
                "7:23: error: `never` with `until` (write `before`: none before the first such event; or `after`: none after it)"
            ),
            (
                "- [ ] never feed.show exactly 2",
                "7:23: error: `never` with `exactly` (`never` means none: leave the clause out)"
            ),
            (
                "- [ ] feed.show exactly 1 at least 2",
                "7:27: error: a second `count` clause (each clause may occur once)"
            ),
            (
                "- [ ] feed.show within 10s",
                "7:17: error: `within` without `after` or `before` (say to which event it relates)"
            ),
            (
                "- [ ] feed.show after a.b within 10x",
                "7:34: error: expected a duration; found `10x` (such as 10s, 250ms, 5m or 1h)"
            ),
            (
                "- [ ] feed.*.show",
                "7:7: error: the wildcard of `feed.*.show` is not the last term (`a.*` is one more term, `a.**` any number of further terms)"
            ),
            (
                "- [ ] feed.show where tab = home",
                "7:29: error: expected a value; found `home` (a number, true, false, or a text in \"quotes\")"
            ),
            ("- [ ] feed.show where tab => 1", "7:27: error: `=>` is not an operator (write `>=`)"),
            ("- [ ] feed.show where tab = \"home", "7:29: error: the text has no end (add `\"`)"),
            ("- [ ] feed.show\n    - position => 0", "8:16: error: `=>` is not an operator (write `>=`)"),
            (
                "- [ ] feed.show\n  exactly 2",
                "8:3: error: this line continues the item above, but an item is one line (move it up, or leave an empty line before prose)"
            ),
            (
                "- [ ] never feed.show\n    - position = 0",
                "8:7: error: a `never` item has no records to test (write `where` in the item to say which records must not occur)"
            ),
            (
                "- [] feed.show",
                "7:3: error: this is not a box, so the line would not be judged (write `- [ ] ` or `- [x] `, followed by a space)"
            ),
            (
                "- [ ] a.b\n    - [ ] c.d",
                "8:7: error: an item inside an item (move it to the left, or leave the box out if it is a note or a test of the item above)"
            ),
            (
                "- [ ] never exactly 1",
                "7:13: error: expected an event; found `exactly` (a tag such as `category.event`; one of several words stands in \"quotes\")"
            ),
            ("- [ ] a.b\n## one", "8:4: error: a second scenario `one` (give each its own name)"),
            (
                "```\n- [ ] a.b",
                "7:1: error: the code block that begins here has no end (close it with ``` on a line of its own)"
            ),
        ])
    func locatesItemMistake(line: String, problem: String) {
        // Columns count scalars, not bytes: the file's earlier lines are Japanese.
        let file = "# 確認\n\nフィード\n\n## one\n\n" + line
        #expect(problems(file) == ["test.md:" + problem])
    }

    @Test("All mistakes are reported, in order") func reportsAllMistakes() {
        #expect(
            problems("- [ ] a.b exactly\n- [ ] c.d at\n- [ ] a..b").map { $0.prefix(11) } == [
                "test.md:1:1", "test.md:2:1", "test.md:3:7",
            ])
    }

    @Test("A checklist without items is refused") func emptyChecklistRefused() {
        #expect(
            problems("# title\n\nprose\n- no box") == [
                "test.md:1:1: error: the checklist has no items (an item is a line such as `- [ ] category.event`)"
            ])
    }

    @Test("Prose, links and code blocks are not items") func ignoresProseAndCode() throws {
        let checklist = try Checklist(
            markdown: """
                # t
                - [spec](https://example.com/a.b)
                ```
                - [ ] in.code
                ```
                - [ ] `feed.show` exactly 2
                    - a note
                      over two lines
                """, file: "t.md")
        #expect(checklist.scenarios.flatMap(\.items).map(\.text) == ["`feed.show` exactly 2"])
        let item = checklist.scenarios[0].items[0]
        #expect(try expectation(item).count == .exactly(2))
        #expect(item.notes == ["a note", "over two lines"])
        #expect(checklist.scenarios[0].name == "t")
    }

    @Test("Windows line endings and a byte order mark are accepted") func readsWindowsText() throws {
        let checklist = try Checklist(
            markdown: "\u{FEFF}# t\r\n\r\n## s\r\n- [ ] a.b\r\n", file: "folder/name.md")
        #expect(checklist.title == "t")
        #expect(checklist.scenarios[0].items[0].text == "a.b")
        #expect(checklist.scenarios[0].items[0].location.line == 4)
    }

    @Test(
        "An item whose first word is not a tag is manual",
        arguments: ["目で確認", "Open the app.", "**Check** it", "https://example.com/a.b is open"])
    func plainTextIsManual(text: String) throws {
        let checklist = try Checklist(markdown: "- [ ] \(text)", file: "t.md")
        #expect(checklist.scenarios[0].items[0].content == .manual)
    }

    @Test("Any text gives a checklist or located problems") func anyTextIsHandled() {
        // Every prefix and every single-scalar deletion of a text with the whole grammar.
        let scalars = Array(Self.release.unicodeScalars)
        for cut in scalars.indices {
            for variant in [scalars[..<cut], scalars[..<cut] + scalars[(cut + 1)...]] {
                var view = String.UnicodeScalarView()
                view.append(contentsOf: variant)
                do throws(ChecklistError) {
                    let checklist = try Checklist(markdown: String(view), file: "t.md")
                    #expect(checklist.scenarios.contains { !$0.items.isEmpty })
                } catch {
                    #expect(!error.problems.isEmpty)
                    #expect(
                        error.problems.allSatisfy {
                            $0.diagnostic.location.line >= 1 && $0.diagnostic.location.column >= 1
                        })
                }
            }
        }
    }
}
