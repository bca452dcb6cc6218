import Testing

@testable import DaybookChecklist

/// An item must not pass because it asks for a column that no record has, or for a value that it never has.
@Suite struct AskedColumnsTests {
    private static let seen = recording(
        ("feed.show", ["tab": .text("home"), "id": .integer(1), "_level": .integer(17), "_session": .text("s")]),
        ("feed.tap", ["id": .integer(1)]))

    @Test(
        "An item is not judged if no record has its column",
        arguments: [
            "never feed.show where tabb = \"home\"", "feed.show where tabb != \"x\" at most 3",
            "feed.show exactly 1 per nope",
            "never feed.show where tab = \"x\" and nope exists", "never feed.show after feed.tap joining nope",
            "never feed.tap after feed.show(nope = 1)", "feed.show exactly 1 until feed.tap(nope exists)",
            "never feed.show where nope in (1, 2)", "never feed.* where nope matches /x/",
            "feed.show exactly 1 per id, nope",
        ])
    func unseenColumnNotJudged(item: String) throws {
        let verdict = try judge("- [ ] \(item)", Self.seen)[0].items[0]
        #expect(verdict.status == .notJudged, "\(item) \(verdict)")
        #expect(verdict.reason?.contains("has a column `\(item.contains("tabb") ? "tabb" : "nope")`") == true)
        // Without the event there is nothing to check; with definitions, they decide.
        #expect(try statuses("- [ ] never x.y where nope = 1", Self.seen) == [.ok])
        let columns: EventCatalog.Columns = ["tab": [], "tabb": [], "nope": [], "id": []]
        let catalog = EventCatalog(events: ["feed.show": columns, "feed.tap": columns])
        #expect(try judge("- [ ] \(item)", Self.seen, catalog: catalog)[0].items[0].status != .notJudged)
    }

    @Test(
        "A misspelled column is not judged, and the right one is named",
        arguments: [
            ("Tab = \"home\"", "tab"), ("TAB exists", "tab"), ("_Session exists", "_session"),
            ("session exists", "_session"),
            ("level >= 17", "_level"), ("severity = 17", "_level"), ("Id = 1", "id"),
        ])
    func namesMisspelledColumn(test: String, column: String) throws {
        let item = "- [ ] never feed.show where \(test)"
        let verdict = try judge(item, Self.seen)[0].items[0]
        #expect(verdict.status == .notJudged)
        #expect(verdict.reason?.hasSuffix("(did you mean `\(column)`?)") == true, "\(verdict)")
        // A watch says so too, but allows a column to be rare.
        for (record, status) in [(Self.seen[0], ItemVerdict.Status.notJudged), (Self.seen[1], .ok)] {
            var watch = ChecklistWatch(
                try ChecklistRun(Checklist(markdown: item, file: "t.md")), from: 0, window: 10, step: 10)
            _ = watch.observe(record, at: 5)
            #expect(watch.advance(to: 10).last?.verdicts[0].items.map(\.status) == [status])
        }
    }

    @Test(
        "A member of a record is not a column",
        arguments: ["message matches /fail/", "time > 5", "kind = \"event\"", "name exists"])
    func recordMemberNoColumn(test: String) throws {
        let verdict = try judge("- [ ] never feed.show where \(test)", Self.seen)[0].items[0]
        #expect(verdict.status == .notJudged)
        #expect(verdict.reason?.contains("a column is an attribute, one of the context") == true, "\(verdict)")
    }

    @Test(
        "A comparison with a value of another type is not judged",
        arguments: [
            "tab = 3", "id = \"1\"", "id = true", "id > \"0\"", "tab >= 1", "tab in (1, 2)", "id in (\"1\")",
            "tab = false",
        ])
    func typeMismatchNotJudged(test: String) throws {
        for item in [
            "never feed.show where \(test)", "feed.show where \(test) at most 1",
            "never feed.tap after feed.show(\(test))",
        ] {
            let verdict = try judge("- [ ] \(item)", Self.seen)[0].items[0]
            #expect(verdict.status == .notJudged, "\(item)")
            #expect(verdict.reason?.hasPrefix("`\(test)` holds for no record: ") == true, "\(verdict)")
            let both =
                Self.seen
                + recording(
                    ("feed.show", ["tab": .integer(9), "id": .text("9")]),
                    ("feed.show", ["id": .boolean(false), "tab": .boolean(true)]))
            #expect(try judge("- [ ] \(item)", both)[0].items[0].status != .notJudged)
        }
        #expect(try statuses("- [ ] never feed.show where tab = \"x\" and id in (7, \"x\")", Self.seen) == [.ok])
    }

    @Test("With definitions, a comparison of the wrong type is an error") func definedTypesMakeErrors() {
        var catalog = EventCatalog(events: ["feed.show": ["id": [], "tab": [], "own": []]], common: ["plan": []])
        catalog.types = [
            "feed.show": [
                "id": .init(name: "!bigint", kind: .number), "tab": .init(name: "!string", kind: .text),
                "plan": .init(name: "!boolean", kind: .boolean),
            ]
        ]
        for test in ["id = \"1\"", "id = true", "id > \"0\"", "tab = 3", "plan = \"x\"", "id in (\"1\", \"2\")"] {
            for item in [
                "never feed.show where \(test)", "feed.show at most 1 where \(test)", "feed.show\n    - \(test)",
            ] {
                let found = problems("- [ ] \(item)\n", catalog: catalog)
                #expect(found.count == 1 && found[0].contains("`\(test)` never holds: `"), "\(item) \(found)")
            }
        }
        for test in ["id = 1", "id in (1, \"x\")", "tab = \"3\"", "own = 1", "own = \"1\"", "plan = true", "id exists"]
        {
            #expect(problems("- [ ] never feed.show where \(test)\n", catalog: catalog) == [], "\(test)")
        }
    }

    @Test(
        "A comparison that can never hold is an error with a hint",
        arguments: [
            ("_level >= \"error\"", "_level >= 17"), ("_level = \"warning\"", "_level >= 13"), ("_level = true", "17"),
            ("_level in (\"info\")", "_level >= 9"), ("_level matches /error/", "17"),
            ("_session = 5", "in \"quotes\""),
            ("_installation > 1", "in \"quotes\""), ("tab > true", "write `=`"),
        ])
    func impossibleComparison(test: String, hint: String) {
        for item in ["never a.b where \(test)", "a.b\n    - \(test)", "a.b until a.c(\(test))"] {
            let found = problems("- [ ] \(item)\n")
            #expect(found.count == 1 && found[0].contains(hint), "\(item): \(found)")
        }
    }

    @Test(
        "An item with `within` is not judged for records without times",
        arguments: [
            "feed.show before feed.tap within 1s", "never feed.tap after feed.show within 1s",
            "feed.tap after feed.show within 1s", "never feed.show before feed.tap within 1s",
        ])
    func withinNeedsTimes(item: String) throws {
        for times in [(false, false), (false, true), (true, false), (true, true)] {
            var records = Self.seen
            (records[0].hasTime, records[1].hasTime) = times
            let verdict = try judge("- [ ] \(item)", records)[0].items[0]
            let lacks = times != (true, true)
            #expect((verdict.status == .notJudged) == lacks, "\(times) \(verdict)")
            if lacks { #expect(verdict.reason == "#\(times.0 ? 2 : 1) has no time, which `within` needs") }
        }
    }
}
