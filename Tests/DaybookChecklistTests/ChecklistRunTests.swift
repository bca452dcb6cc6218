import DaybookChecklist
import Testing

@Suite struct ChecklistRunTests {
    @Test("One matching event meets its item") func oneEventMeetsItem() throws {
        #expect(try statuses("- [ ] feed.show\n- [ ] feed.tap", recording(("feed.show", [:]))) == [.ok, .failed])
    }

    @Test("A missing event waits until the run has finished") func missingEventWaits() throws {
        #expect(try statuses("- [ ] feed.show", [], finished: false) == [.waiting])
        #expect(try statuses("- [ ] feed.show", [], finished: true) == [.failed])
    }

    @Test("A manual step never fails") func manualStepNeverFails() throws {
        let verdicts = try judge("- [ ] Look at it\n- [ ] feed.show", recording(("feed.show", [:])))
        #expect(verdicts.flatMap(\.items).map(\.status) == [.manual, .ok])
        #expect(verdicts.passed)
    }

    @Test("A tick in the file is ignored") func ignoresTickInFile() throws {
        #expect(try statuses("- [x] feed.show", []) == [.failed])
    }

    @Test("An upper bound fails at once and is provisional until then") func upperBoundFailsAtOnce() throws {
        let markdown = "- [ ] feed.show exactly 1 per id until feed.refresh"
        let once = recording(("feed.show", ["id": .integer(1)]))
        let verdict = try judge(markdown, once, finished: false)[0].items[0]
        #expect(verdict.status == .ok)
        #expect(verdict.isProvisional)
        let twice = recording(("feed.show", ["id": .integer(1)]), ("feed.show", ["id": .number(1)]))
        let failed = try judge(markdown, twice, finished: false)[0].items[0]
        #expect(failed.status == .failed)
        #expect(failed.reason == "got 2 (id = 1)")
        #expect(failed.evidence.map(\.number) == [1, 2])
        #expect(failed.evidence.last?.note == "one too many, +1.000 s after the first, no feed.refresh between")
        let refreshed = recording(
            ("feed.show", ["id": .integer(1)]), ("feed.refresh", [:]), ("feed.show", ["id": .integer(1)]))
        #expect(try statuses(markdown, refreshed) == [.ok])
    }

    @Test("A lower bound that is met is not provisional") func lowerBoundIsFinal() throws {
        let verdict = try judge("- [ ] feed.show", recording(("feed.show", [:])), finished: false)[0].items[0]
        #expect(verdict.status == .ok)
        #expect(!verdict.isProvisional)
    }

    @Test("A filtered event starts a new window only where the filter holds") func filterLimitsWindow() throws {
        let markdown = "- [ ] feed.show exactly 1 until feed.refresh(tab = \"home\")"
        let other = recording(("feed.show", [:]), ("feed.refresh", ["tab": .text("top")]), ("feed.show", [:]))
        #expect(try statuses(markdown, other) == [.failed])
        let home = recording(("feed.show", [:]), ("feed.refresh", ["tab": .text("home")]), ("feed.show", [:]))
        #expect(try statuses(markdown, home) == [.ok])
    }

    @Test("Numbered items must come in order") func numberedItemsInOrder() throws {
        let markdown = "1. [ ] a.one\n2. [ ] Look at it\n3. [ ] a.two"
        #expect(try statuses(markdown, recording(("a.one", [:]), ("a.two", [:]))) == [.ok, .manual, .ok])
        let verdicts = try judge(markdown, recording(("a.two", [:]), ("a.one", [:])))
        #expect(verdicts[0].items.map(\.status) == [.ok, .manual, .failed])
        #expect(verdicts[0].items[2].reason == "got none; #1 came too early: a.one was still to come")
    }

    @Test("One record meets only one numbered item") func recordMeetsOneNumber() throws {
        let markdown = "1. [ ] a.one\n2. [ ] a.one"
        #expect(try statuses(markdown, recording(("a.one", [:]))) == [.ok, .failed])
        #expect(try statuses(markdown, recording(("a.one", [:]), ("a.one", [:]))) == [.ok, .ok])
    }

    @Test("Prose between numbers keeps the order, and restarting at one ends it") func proseKeepsOrder() throws {
        let records = recording(("a.two", [:]), ("a.one", [:]))
        #expect(try statuses("1. [ ] a.one\n\nprose\n\n2. [ ] a.two", records) == [.ok, .failed])
        #expect(try statuses("1. [ ] a.one\n\nprose\n\n1. [ ] a.two", records) == [.ok, .ok])
    }

    @Test("A nested test fails at the first record that breaks it") func nestedTestFailsFirst() throws {
        let markdown = "- [ ] feed.show\n    - position >= 0"
        let records = recording(("feed.show", ["position": .integer(0)]), ("feed.show", ["position": .integer(-1)]))
        let verdict = try judge(markdown, records)[0].items[0]
        #expect(verdict.status == .failed)
        #expect(verdict.reason == "#2: `position >= 0` does not hold: position is -1")
    }

    @Test("A missing event's reason names what came instead") func missNamesNearEvent() throws {
        let near = try judge("- [ ] feed.tap_article", recording(("feed.tap_artcle", [:])))[0].items[0]
        #expect(near.reason == "got none; near miss #1 feed.tap_artcle")
        let left = try judge("- [ ] feed.show where tab = 1", recording(("feed.show", ["tab": .integer(2)])))
        #expect(left[0].items[0].reason == "got none; 1 of the event left out by `where`, first #1: tab is 2")
    }

    @Test("The collector's own records are judged only where an item names them") func ownRecordsOnRequest() throws {
        let records = recording(("a.b", [:]), ("daybook.alert", [:]), ("daybook.ingest.refused", [:]))
        #expect(
            try statuses(
                """
                - [ ] ** exactly 1
                - [ ] daybook.** exactly 2
                - [ ] daybook.alert exactly 1
                - [ ] never daybook.alert
                - [ ] never ** after a.b
                - [ ] never daybook.alert after **
                """, records) == [.ok, .ok, .ok, .failed, .ok, .failed])
        let near = problems("- [ ] never daybook.alrt")
        #expect(near.count == 1 && near[0].hasSuffix("(did you mean `daybook.alert`?)"), "\(near)")
        #expect(problems("- [ ] never daybook.ingest.*\n- [ ] daybook.nope.* at most 1").count == 1)
        let catalog = EventCatalog(events: ["a.b": [:]])
        #expect(
            problems("- [ ] a.b until daybook.alert\n- [ ] never daybook.alert where rule = \"a\"", catalog: catalog)
                == [])
    }

    @Test("The collector's own records belong to no persona") func ownRecordsNoPersona() throws {
        var own = recording(("daybook.alert", [:]))[0]
        own.common["plan"] = .text("free")
        let paid = PersonaTable.Persona(name: "paid", values: ["plan": .text("paid")])
        #expect(try judge("- [ ] daybook.alert", [own], persona: paid)[0].passed)
        var stranger = own
        stranger.tag = "a.b"
        #expect(try judge("- [ ] daybook.alert", [own, stranger], persona: paid)[0].problem != nil)
    }

    @Test("An `each` item names the values that are missing") func eachNamesMissingValues() throws {
        let markdown = "- [ ] a.b each c in (\"x\", \"y\", 3)"
        let verdict = try judge(markdown, recording(("a.b", ["c": .text("x")]), ("a.b", ["c": .text("z")])))
        #expect(verdict[0].items[0].reason == "none for c = \"y\", 3; not listed: \"z\" (#2)")
    }

    @Test("The limit of `within` is measured to the nearest event") func withinMeasuresNearest() throws {
        let markdown = "- [ ] a.tap after a.show within 2s joining id"
        let id: [String: ChecklistValue] = ["id": .integer(7)]
        #expect(try statuses(markdown, recording(("a.show", id), ("a.x", [:]), ("a.tap", id))) == [.ok])
        let late = recording(("a.show", id), ("a.show", ["id": .integer(8)]), ("a.x", [:]), ("a.tap", id))
        let verdict = try judge(markdown, late)[0].items[0]
        #expect(verdict.status == .failed)
        #expect(verdict.reason == "#4: no a.show before it within 2s with equal id, the last is #1, 3.000 s earlier")
    }

    @Test("A failed item lists every reason") func listsEveryReason() throws {
        let markdown = """
            - [ ] a.b exactly 1 per id
                - size > 0
                - name exists
            """
        let verdicts = try judge(
            markdown,
            recording(
                ("a.b", ["id": .integer(1), "size": .integer(0)]),
                ("a.b", ["id": .integer(1), "size": .integer(0), "name": .text("x")])))
        let item = try #require(verdicts.first?.items.first)
        #expect(
            item.reason
                == "#1: `size > 0` does not hold: size is 0; #1: `name exists` does not hold: name is absent; got 2 (id = 1)"
        )
        #expect(item.matches == 2)
    }

    @Test("An item that cannot be judged is set aside and nothing passes") func setsAsideUnjudgeable() throws {
        let checklist = try Checklist(markdown: "- [ ] a.b when plan = \"paid\"\n- [ ] a.b", file: "test.md")
        var run = ChecklistRun(settingAsideIn: checklist)
        for record in recording(("a.b", [:])) { run.observe(record) }
        let verdicts = run.verdicts(finished: true)
        #expect(verdicts[0].items.map(\.status) == [.notJudged, .ok])
        #expect(verdicts[0].items[0].reason == "`when` needs a persona (say plan=VALUE)")
        #expect(!verdicts.passed)
    }

    @Test(
        "A value that the definitions do not declare is found",
        arguments: [
            (#"a.b where payment = "cash""#, #"`payment` of `a.b` is never "cash" (it is one of: card, points)"#),
            (#"a.b where payment != "crd""#, #"`payment` of `a.b` is never "crd" (did you mean `card`?)"#),
            (
                #"a.b each payment in ("card", "cash")"#,
                #"`payment` of `a.b` is never "cash" (it is one of: card, points)"#
            ),
        ])
    func findsUndeclaredValue(item: String, problem: String) {
        let catalog = EventCatalog(events: ["a.b": ["payment": [.text("card"), .text("points")], "free": []]])
        #expect(problems("- [ ] " + item, catalog: catalog).contains { $0.hasSuffix(problem) })
        #expect(problems(#"- [ ] a.b where payment = "card" and free = "any""#, catalog: catalog) == [])
    }
}
