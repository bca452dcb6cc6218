import Testing

@testable import DaybookChecklist

/// Nothing that asks for something may pass unjudged, whatever its form and place. What people write for people stays
/// prose.
@Suite struct UnjudgedTests {
    // What follows a box.

    /// Tags that no recording has.
    private static let absent = [
        "feed.absent", "show_absent", "loginEvent", "3ds_begin", "2fa.sent", "Straße.schließen", "größe_geändert",
        "página.vista", "événement.clic", "feed.öffnen", "событие.показ", "re\u{301}sume\u{301}.open",
    ]

    @Test("An event name in any script is judged", arguments: absent)
    func anyScriptIsJudged(tag: String) throws {
        for clause in ["", " exactly 2", " at most 3 where id = 1"] {
            let item = try Checklist(markdown: "- [ ] \(tag)\(clause)\n", file: "t.md").scenarios[0].items[0]
            guard case .expectation(let expectation) = item.content else {
                Issue.record("\(tag)\(clause) is a step")
                continue
            }
            #expect(expectation.pattern.text == tag)
        }
    }

    private static let dresses: [@Sendable (String) -> String] = [
        { "\($0)<br>\($0)" }, { "\($0)<sup>1</sup>" }, { "\($0)<sub>2</sub>" }, { "\($0)¹" }, { "\($0)₁" },
        { "\($0)①" }, { "never \($0)¹" }, { "~~\($0)~~" }, { "<del>\($0)</del>" }, { "<s>\($0)</s> exactly 1" },
        { "\($0) ~~exactly 9~~" }, { "\($0) ~~at most 9~~" }, { "\($0) <strike>at most 9</strike>" }, { "P0: \($0)" },
        { "P0: \"\($0)\"" }, { "[P0] \"\($0)\"" }, { "Event: `\($0)`" }, { "**P1** “\($0)”" }, { "no \"\($0)\"" },
        { "Without \($0)" }, { "Nie \($0)" }, { "Никогда \($0)" }, { "Jamais \($0)" }, { "`\($0)` fired" },
        { "`\($0)`: fired" }, { "\($0) once" }, { "\($0) x2" }, { "\($0): 1" }, { "\($0), \($0)" }, { "1. \($0)" },
        { ":rocket: \($0)" }, { "\"\($0)\"." }, { "\"\($0)\"," }, { "“\($0)”" }, { "＂\($0)＂" }, { "'\($0)'" },
        { "「\($0)」" }, { "«\($0)»;" }, { "{ } \($0)" }, { "[_] \($0)" },
    ]

    @Test("An event in decoration that changes it is an error with its place", arguments: absent)
    func dressedEventIsError(tag: String) {
        for dress in Self.dresses {
            let found = problems("# t\n\n- [ ] \(dress(tag))\n")
            #expect(found.count == 1 && found[0].hasPrefix("test.md:3:"), "\(dress(tag)): \(found)")
        }
    }

    @Test(
        "Text that only looks like a tag is an error",
        arguments: [
            "\"Product Refunded\".", "\"Product Refunded\",", "\"Product Refunded\":", "“Product Refunded”",
            "＂Product Refunded＂", "'Product Refunded'", "「Product Refunded」", "`Product Refunded`",
            "`Product Refunded`.",
            "$screen", "$identify", "`$pageview`", "$pageview exactly 1", "login¹", "login①", "\u{1B}[31mlogin",
            "login\u{7}",
            "never 𝐟𝐞𝐞𝐝.show", "never feeⅾ.show",
        ])
    func tagLookalikeIsError(text: String) {
        #expect(problems("- [ ] \(text)\n").count == 1, "\(text): \(problems("- [ ] \(text)\n"))")
    }

    @Test("The hint in an error can be used as it is") func hintsAreValid() throws {
        #expect(problems("- [ ] $pageview exactly 1\n")[0].contains("write `\"$pageview\"`"))
        #expect(problems("- [ ] “Product Refunded”.\n")[0].contains("write `\"Product Refunded\"`"))
        #expect(problems("- [ ] \u{1B}[31mlogin\n")[0].contains("test.md:1:7: error: a control character: U+1B"))
        #expect(problems("-\u{A0}[ ]\u{A0}feed.show\n")[0].contains("U+A0"))
        #expect(try statuses("- [ ] \"$pageview\"", recording(("$pageview", [:]))) == [.ok])
    }

    // Elsewhere.

    private static let requirements = [
        "feed.absent exactly 1", "never feed.show", "login exactly 3", "\"Product Viewed\" at least 2",
        "`feed.absent` exactly 1", "**feed.absent** at most 2 per id", "iOS: feed.absent exactly 1",
    ]
    private static let places = [
        "\n%\n", "    - %\n", "    %\n", "\n    %\n", "\n> %\n", "\n> - %\n", "\n| % |\n", "\n| event | % |\n",
        "\n### %\n",
        "    - a note\n      %\n", "    - a note\n\n      %\n", "\nSome prose.\n%\n", "- %\n", "\n- %\n", "\n1. %\n",
    ]

    @Test("A requirement outside the items is an error anywhere", arguments: requirements)
    func strayRequirementIsError(text: String) {
        for place in Self.places {
            let found = problems("# t\n\n## s\n- [ ] a.b\n" + place.replacing("%", with: text))
            #expect(found.count == 1, "\(place) \(text): \(found)")
        }
        for place in ["%\n", "- %\n", "> %\n", "| % |\n", "Prose.\n%\n"] {
            let found = problems("# t\n\n\(place.replacing("%", with: text))\n## s\n- [ ] a.b\n")
            #expect(found.count == 1, "\(place) \(text): \(found)")
        }
    }

    @Test(
        "An event after another bullet is an error",
        arguments: [
            "•", "・", "■", "○", "◯", "—", "–", "①", "[_]", "{ }", ":ballot_box_with_check:", "●", "◆", "▪", "(1)", "□",
            "☐",
        ])
    func otherBulletIsError(bullet: String) {
        for tag in ["feed.absent", "show_absent", "loginEvent"] {
            let found = problems("## s\n- [ ] a.b\n\n\(bullet) \(tag)\n")
            #expect(found.count == 1, "\(bullet) \(tag): \(found)")
        }
    }

    @Test("The cells of a table row are read together") func readsRowTogether() {
        #expect(problems("## s\n- [ ] a.b\n\n| feed.absent | exactly 1 |\n").count == 1)
        #expect(problems("## s\n- [ ] a.b\n\n| event | means |\n|---|---|\n| feed.show | the feed came |\n") == [])
    }

    @Test(
        "A clause below an item is an error",
        arguments: [
            "exactly 5", "at least 5 per id", "at most 2", "where tab exists", "**exactly 5**", "Exactly 5.",
            "At least 2",
            "per id", "until a.c", "after a.c within 5s", "before a.c", "each tab in (1, 2)", "joining id after a.c",
            "exactly once", "Where tab = \"home\"", "when plan = \"free\"", "exactly 1 until a.c",
        ])
    func clauseBelowIsError(clause: String) {
        for place in ["    - %\n", "\n    %\n", "    - a note\n      %\n"] {
            for item in ["a.b", "never a.b", "Look at it"] {
                let found = problems("- [ ] \(item)\n" + place.replacing("%", with: clause))
                #expect(found.count == 1, "\(item) \(place) \(clause): \(found)")
            }
        }
    }

    @Test(
        "A clause or test in prose is an error",
        arguments: [
            "exactly 5", "At least 2 per id", "**at most 2**", "where tab = \"home\"", "id = 7", "id in (1, 2)",
        ])
    func clauseInProseIsError(text: String) {
        for place in ["\n%\n", "\n> %\n", "\nSome prose.\n%\n"] {
            #expect(problems("## s\n- [ ] a.b\n" + place.replacing("%", with: text)).count == 1, "\(place) \(text)")
            #expect(problems(place.replacing("%", with: text) + "\n## s\n- [ ] a.b\n").count == 1, "\(place) \(text)")
        }
    }

    @Test(
        "A column test without a list marker is an error",
        arguments: [
            "id = 7", "nope exists", "nope absent and id exists", "id in (1, 2)", "tab matches /x/", "`id` >= 7",
        ])
    func unmarkedTestIsError(test: String) {
        for place in ["\n  %\n", "\n    %\n", "    - note\n      %\n", "    - note\n\n      %\n"] {
            let found = problems("- [ ] a.b\n" + place.replacing("%", with: test))
            #expect(found.count == 1, "\(place) \(test): \(found)")
        }
        #expect(problems("- [ ] a.b\n    - \(test)\n") == [])
    }

    @Test(
        "Text that is nearly a column test is an error",
        arguments: [
            "id not in (1, 2)", "tab matches \"x\"", "tab match /x/", "tab in [\"x\"]", "nope exists.", "id absent!",
            "Nope Exists", "nope exists, id exists", "nope exists (iOS)", "id exist", "~~nope exists~~", "id in [1, 2]",
            "tab matches “x”", "id not exists", "tab matches 'x'", "**nope** Exists",
        ])
    func nearTestIsError(test: String) {
        for place in ["    - %\n", "\n    %\n", "    - note\n      %\n"] {
            let found = problems("- [ ] a.b\n" + place.replacing("%", with: test))
            #expect(found.count == 1 && found[0].hasPrefix("test.md:"), "\(place) \(test): \(found)")
        }
    }

    @Test("A note that begins with a defined column is an error") func columnNoteIsError() {
        let catalog = EventCatalog(events: ["a.b": ["article_id": [], "title": []]])
        for note in [
            "article_id is 7", "`article_id`: 7", "**article_id** is 7", "[article_id](x) is 7", "article_id: 7",
            "Article_id is 7", "title: short", "Title: short", "title is short",
        ] {
            #expect(problems("- [ ] a.b\n    - \(note)\n", catalog: catalog).count == 1, "\(note)")
        }
        #expect(problems("- [ ] a.b\n    - Title is short, the article_id is 7\n", catalog: catalog) == [])
    }

    @Test("A requirement below an item is an error after a symbol too", arguments: ["• ", "— ", "→ ", "※ ", "[P0] "])
    func prefixedTestIsError(sign: String) {
        for text in ["feed.absent exactly 1", "never feed.show", "exactly 5", "id = 7", "nope exists."] {
            for place in ["    - \(sign)\(text)\n", "\n    \(sign)\(text)\n"] {
                if sign == "[P0] ", ["exactly 5", "nope exists."].contains(text) { continue }
                #expect(problems("- [ ] a.b\n" + place).count == 1, "\(place)")
            }
        }
        #expect(problems("- [ ] a.b\n    - \(sign)feed.show resets it\n") == [])
    }

    // What only the records reveal.

    private static let tags = [
        "login", "Log In", "購入", "ログイン", "Вход", "feed.show", "$pageview", "[Amplitude] Page Viewed", "🛒 added",
        "Product Viewed",
    ]

    @Test(
        "A step about a recorded tag is not judged",
        arguments: [
            ("no login", "login"), ("not login", "login"), ("Not: login", "login"), ("no \"login\"", "login"),
            ("No Log In", "Log In"), ("Никогда login", "login"), ("Без Вход", "Вход"), ("[P0] login", "login"),
            ("iOS: login", "login"), ("**P0** login", "login"), ("TODO login", "login"), ("a) login", "login"),
            ("Event: `login`", "login"), ("P1 – \"login\" works", "login"), ("【必須】購入", "購入"),
            ("Must not send feed.show", "feed.show"), ("Do not log feed.show", "feed.show"),
            ("Check that feed.show is not sent", "feed.show"), ("feed.showは送らないこと、画面も見る", "feed.show"),
            ("Убедиться, что нет события feed.show сразу", "feed.show"), ("$pageview", "$pageview"),
            ("`$pageview`", "$pageview"), ("$pageview fires", "$pageview"), ("iOS: $pageview", "$pageview"),
            ("[Amplitude] Page Viewed", "[Amplitude] Page Viewed"), ("🛒 added", "🛒 added"),
            ("🛒 added twice", "🛒 added"),
            ("Product&nbsp;Viewed", "Product Viewed"), ("Product  Viewed", "Product Viewed"), ("lоgin", "login"),
            ("logın", "login"), ("𝐥𝐨𝐠𝐢𝐧 works", "login"), ("購入が送られる", "購入"), ("購入を送らない", "購入"),
            ("ログインなし", "ログイン"), ("ⓛⓞⓖⓘⓝ", "login"), ("login^1", "login"), ("login<br>works", "login"),
        ])
    func stepOnSeenTagNotJudged(step: String, tag: String) throws {
        let markdown = "- [ ] \(step)\n- [ ] a.b\n"
        if let refused = problems(markdown).first {
            // Its form alone makes it an error.
            #expect(refused.hasPrefix("test.md:1:"), "\(refused)")
            return
        }
        let verdicts = try judge(markdown, recording(("a.b", [:]), (tag, [:])))
        #expect(verdicts[0].items.map(\.status) == [.notJudged, .ok], "\(step)")
        #expect(verdicts[0].items[0].reason?.hasPrefix("it names the event `\(tag)`") == true)
        #expect(try statuses(markdown, recording(("a.b", [:]), ("other", [:]))) == [.manual, .ok])
    }

    @Test(
        "An item that spells a recorded tag differently is not judged",
        arguments: [
            ("never \"`login`\"", "login"), ("never \"show&#95;article\"", "show_article"),
            ("never \"Product  Viewed\"", "Product Viewed"), ("never \"𝐟𝐞𝐞𝐝.show\"", "feed.show"),
            ("never \"**login**\"", "login"), ("never \"<b>login</b>\" after a.b", "login"),
            ("\"Login \u{200B}Event\" at most 2", "login event"), ("never \"lοgin\"", "login"),
        ])
    func otherSpellingNotJudged(item: String, tag: String) throws {
        if let refused = problems("- [ ] \(item)\n").first {
            #expect(refused.hasPrefix("test.md:1:"))
            return
        }
        let verdict = try judge("- [ ] \(item)", recording(("a.b", [:]), (tag, [:])))[0].items[0]
        #expect(verdict.status == .notJudged && verdict.reason?.contains("`\(tag)`") == true, "\(item) \(verdict)")
        #expect(try statuses("- [ ] \(item)", recording(("a.b", [:]))) == [.ok])
    }

    // Prose.

    /// Steps from other teams' files; none names a tag of `tags` by itself.
    private static let prose = [
        "Open the app and wait for the first screen", "Look at the toolbar again", "No crash",
        "No errors in the console",
        "Tap Share", "Complete the purchase", "Open search and type a word", "Go back to the feed", "Tap \"Log out\"",
        "Check that feed.show came", "Title: look at the whole width", "Do not close the dialog",
        "The list is empty (no spinner)", "Sign-up works offline", "iPhone and iPad", "iOS 17: rotate the screen",
        "macOS only", "Check `Settings` → Notifications", "Press **Continue**", "See https://example.com/a_b?c=d",
        "Don't allow notifications", "Turn on “Airplane mode”, then off", "A/B test is off", "2 devices, 1 account",
        "Restart after the update", "Exactly as in the mock", "At least it does not flicker", "Open Settings > Privacy",
        "v4.12.0 is shown in About", "Nothing jumps when the keyboard comes", "Works without network", "Email arrives",
        "Ask QA: is the copy final?", "1st launch shows the tour", "3 taps open the menu", "Rotate; nothing is cut off",
        "購入ボタンを押す", "アプリを再起動する", "画面が崩れていないこと", "「保存」を押す", "通知が届くこと(10秒以内)", "ログを確認",
        "設定 > 通知をオフにする", "手順1.アプリを起動する", "①画面を開く", "クラッシュしない", "※初回のみ", "ネットワークなしで開く",
        "Wi-Fiを切る", "iPadでも見る", "文字が切れていない", "エラーが出ないこと",
        "Проверить, что нет ошибки", "Открыть ленту и подождать", "Нажать «Купить»", "Без сети открыть приложение",
        "Не закрывать окно", "т.е. экран пустой", "Экран не мигает", "Перезапустить приложение (iOS)",
        "Öffne die Übersicht", "Kein Absturz", "Größe prüfen", "Ouvrir l'écran", "Pas d'erreur", "Sin errores",
    ]

    @Test("Prose stays a manual step whatever was recorded", arguments: prose)
    func proseStaysManual(text: String) throws {
        let markdown = "- [ ] \(text)\n- [ ] a.b\n"
        #expect(problems(markdown) == [])
        let seen = recording(("a.b", [:])) + Self.tags.flatMap { recording(($0, [:])) }
        #expect(try statuses(markdown, seen) == [.manual, .ok], "\(text)")
    }

    @Test("Prose outside the items causes no error", arguments: prose.filter { !$0.contains { "=<>".contains($0) } })
    func proseElsewhereIsFine(text: String) {
        for place in [
            "    - %\n", "    - a note\n      %\n", "\n%\n", "\n> %\n", "\n| % | % |\n", "\n### %\n",
        ] {
            #expect(problems("## s\n- [ ] a.b\n" + place.replacing("%", with: text)) == [], "\(place)")
            #expect(problems("## s\n- [ ] Look\n" + place.replacing("%", with: text)) == [], "\(place)")
        }
        for place in ["%\n", "- %\n", "> %\n", "| % |\n"] {
            #expect(problems("# t\n\n" + place.replacing("%", with: text) + "\n## s\n- [ ] a.b\n") == [], "\(place)")
        }
    }

    @Test(
        "Paragraphs about events are prose",
        arguments: [
            "feed.show comes once for every visit.", "The event `feed.show exactly 1` would ask for is rare.",
            "Restart after login.", "Purchase after login", "Wait until the list is full",
            "After feed.show the list scrolls",
            "→ feed.show is below", "※ feed.show は初回のみ", "Events: feed.show, feed.tap", "Dialog exists", "件数 = 3 のとき",
            "[1] A footnote about feed.show", "(feed.show is for readers)", "never say never", "検索結果が0件のとき",
        ])
    func eventsInProseAreFine(text: String) {
        #expect(problems("# t\n\n\(text)\n\n## s\n\n\(text)\n\n- [ ] a.b\n") == [])
    }
}
