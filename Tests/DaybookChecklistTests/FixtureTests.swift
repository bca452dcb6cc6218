import DaybookBase
import DaybookChecklist
import Testing

@Suite struct FixtureTests {
    private func record(_ number: Int64, _ tag: String, _ columns: [String: ChecklistValue]) -> FixtureRecord {
        FixtureRecord(tag: tag, number: number, columns: columns)
    }

    private func difference(
        _ expected: [[String: ChecklistValue]], _ found: [[String: ChecklistValue]], event: String = "feed.show",
        listedOnly: Bool = false
    ) -> FixtureDifference {
        Fixture(events: [Fixture.Expected(event: event, records: expected)]).difference(
            to: found.enumerated().map { record(Int64($0.offset + 1), "feed.show", $0.element) }, listedOnly: listedOnly
        )
    }

    @Test(
        "A fixture's values and placeholders match what they describe",
        arguments: [
            (ChecklistValue.text("@any"), ChecklistValue.structure("[1]"), true),
            (.text("@int"), .integer(-3), true), (.text("@int"), .text("12"), true),
            (.text("@int"), .number(1.5), false),
            (.text("@uuid"), .text("0f8fad5b-d9cb-469f-a165-70867728950e"), true),
            (.text("@uuid"), .text("0f8f"), false),
            (.text("@timestamp"), .text("2026-11-20T10:02:11.204Z"), true),
            (.text("@timestamp"), .text("yesterday"), false), (.text("12"), .integer(12), true),
            (.integer(12), .text("12"), false), (.text("true"), .boolean(true), true), (.integer(1), .number(1), true),
            (.structure("[1]"), .structure("[1]"), true),
        ])
    func placeholdersMatch(expected: ChecklistValue, found: ChecklistValue, isEqual: Bool) {
        #expect(difference([["c": expected]], [["c": found]]).isEmpty == isEqual)
    }

    /// A line ends where JSON's does, whatever else Unicode counts as a line break.
    @Test("A fixture of JSON lines is read as editors write it") func readsNDJSONFixture() throws {
        let lines = [
            "\u{FEFF}" + #"{"tag":"a.b","attributes":{"t":"x\#u{2028}y\#u{85}z"}}"#, "", #"{"tag":"a.b"}"#, "\u{FEFF}",
        ]
        let fixture = try Fixture(text: lines.joined(separator: "\r\n"))
        #expect(fixture.events.map(\.event) == ["a.b"])
        #expect(fixture.events.first?.records == [["t": .text("x\u{2028}y\u{85}z")], [:]])
        #expect(throws: FixtureError.self) { try Fixture(text: #"{"tag":"a.b","attributes":[]}"#) }
    }

    /// Under another name, columns would be expectations that are never compared.
    @Test(
        "A fixture member that no record has is refused",
        arguments: ["properties", "attribute", "params", "Attributes", "data", "num", "レベル"])
    func rejectsUnknownMember(name: String) {
        let error = #expect(throws: FixtureError.self) {
            try Fixture(text: #"{"tag":"a.b","attributes":{}}"# + "\n" + #"{"tag":"a.b","\#(name)":{"n":1}}"#)
        }
        let words = error?.description ?? ""
        #expect(words.hasPrefix("line 2: `\(name)` is no member of a record"))
        #expect(words.contains("attributes"))
    }

    @Test("Members that are not compared are counted") func countsIgnoredMembers() throws {
        let line = #"{"tag":"a.b","level":"error","time":0,"message":null,"session":"s","attributes":{}}"#
        let fixture = try LocatedFixture(text: line + "\n" + line)
        #expect(fixture.passedOver.counts == ["level": 2, "time": 2, "session": 2])
    }

    @Test(
        "A name given twice in a fixture is refused",
        arguments: [
            (#"{"tag":"a.b","attributes":{"n":1},"attributes":{}}"#, 1), (#"{"tag":"a.b","tag":"a.c"}"#, 1),
            ("\n" + #"{"tag":"a.b","attributes":{"n":1,"n":2}}"#, 2),
            ("\n" + #"{"tag":"a.b","attributes":{"o":[{"n":1,"n":1}]}}"#, 2),
            ("{\"a.b\": [{}],\n\"a.b\": [{}]}", 2), ("{\"a.b\": [\n{},\n{\"n\": 1, \"n\": 2}]}", 3),
        ])
    func rejectsRepeatedName(text: String, line: Int) {
        let error = #expect(throws: FixtureError.self) { try Fixture(text: text) }
        #expect(
            error?.line == line && error?.message.contains("is given twice") == true, "\(String(describing: error))")
    }

    /// A double keeps sixteen digits: two identifiers of thirty would be equal.
    @Test("Integers of any length are compared digit by digit") func comparesLongIntegers() throws {
        let number = "12345678901234567890123456789"
        let fixture = try Fixture(text: #"{"feed.show": [{"id": \#(number)0}]}"#)
        for (digit, isEqual) in [("0", true), ("1", false)] {
            let found = try JSONReader.value(of: Array(#"{"id":\#(number)\#(digit)}"#.utf8))
            guard case .object(let attributes) = found else { return }
            let record = JudgedRecord(
                tag: "feed.show", number: 1, time: 0, level: 9, session: nil, installation: nil,
                attributes: attributes, context: [:])
            #expect(fixture.difference(to: [record.fixtureRecord], listedOnly: false).isEmpty == isEqual)
        }
    }

    /// Stores keep JSON text, tests have values; both must be judged alike.
    @Test("Both readers of a record give the same values", arguments: [0, 1, 9, 24]) func readersAgree(level: Int)
        throws
    {
        let attributes: Attributes = [
            "n": nil, "b": true, "i": 1, "large": .int(.max), "beyond": "18446744073709551615", "d": 1.0, "e": 1e300,
            "t": "", "a": [1, nil], "o": ["x": 1.0],
        ]
        let context: Attributes = ["i": 2, "c": "d"]
        let stored = JSONChecklistRecord(
            tag: "a.b", number: 1, time: 2, level: level, session: "s", installation: nil,
            attributes: JSONWriter.text(attributes), context: JSONWriter.text(context))
        let judged = JudgedRecord(
            tag: "a.b", number: 1, time: 2, level: Int64(level), session: "s", installation: nil,
            attributes: attributes, context: context)
        for column in attributes.elements.map(\.key) + ["c", "_level", "_session", "_installation", "none"] {
            #expect(stored.value(of: column) == judged.value(of: column), "\(column)")
            #expect(stored.commonValue(of: column) == judged.commonValue(of: column), "\(column)")
        }
        #expect(judged.value(of: "_level") == (level == 0 ? nil : .integer(Int64(level))))
    }

    @Test("Records are paired so that most are equal") func pairsMostEqual() {
        let result = difference(
            [["id": .integer(1)], ["id": .integer(2)], ["id": .integer(3)]], [["id": .integer(2)], ["id": .integer(4)]])
        #expect(
            result.description == """
                ✗ feed.show: expected 3, got 2
                  - 1. missing: {id: 1}
                  ~ 3. #2
                      id: expected 3, got 4

                """)
    }

    @Test("A column that is not expected is a difference") func extraColumnDiffers() {
        let result = difference([["id": .integer(1)]], [["id": .integer(1), "extra": .text("x")]])
        #expect(result.description.contains("extra: expected nothing, got \"x\""))
    }

    @Test("A bare event name matches any category") func bareNameAnyCategory() {
        #expect(difference([[:]], [[:]], event: "show").isEmpty)
        #expect(!difference([[:]], [[:]], event: "how").isEmpty)
    }

    @Test("Events that are not listed can be allowed") func otherEventsAllowed() {
        #expect(difference([], [[:]], event: "feed.tap", listedOnly: true).isEmpty)
        let all = difference([], [[:]], event: "feed.tap")
        #expect(all.description == "✗ feed.show: expected 0, got 1\n  + #1 not expected: {}\n")
    }

    @Test("A missing event is reported with a near miss") func missingNamesNearMiss() {
        #expect(difference([[:]], [[:]], event: "feed.shwo").description.contains("got 0; near miss feed.show"))
    }
}

@Suite struct RecordingComparisonTests {
    @Test("Differences are reported per event") func differencesPerEvent() {
        var comparison = RecordingComparison()
        func add(_ tag: String, _ columns: [String: ChecklistValue], _ side: RecordingComparison.Side) {
            comparison.add(FixtureRecord(tag: tag, number: 0, columns: columns), side)
        }
        for side in [RecordingComparison.Side.old, .new] { add("a.same", ["id": .integer(1)], side) }
        add("a.typed", ["id": .text("1")], .old)
        add("a.typed", ["id": .integer(1)], .new)
        add("a.gone", [:], .old)
        add("a.gonee", [:], .new)
        add("a.value", ["id": .integer(1), "old": .boolean(true)], .old)
        add("a.value", ["id": .integer(2)], .new)
        #expect(!comparison.isEmpty)
        #expect(
            comparison.report() == """
                ✗ a.gone: 1 old, 0 new
                ✗ a.gonee: 0 old, 1 new; perhaps a.gone before
                ✗ a.typed: 1 old, 1 new
                  id: a text became a number
                ✗ a.value: 1 old, 1 new
                  id = 1: 1 old, 0 new
                  id = 2: 0 old, 1 new
                  old: in 1 old, 0 new records
                1 of 5 events are the same

                """)
    }

    @Test("A value that came more often is not called new") func repeatsAreNotNew() {
        var comparison = RecordingComparison()
        for (side, ids) in [(RecordingComparison.Side.old, [1, 1, 2, 3, 4, 5]), (.new, [2, 3, 4, 5, 123, 123])] {
            for id in ids {
                comparison.add(FixtureRecord(tag: "a.b", number: 0, columns: ["id": .integer(Int64(id))]), side)
            }
        }
        for id in [6, 6, 7] {
            comparison.add(FixtureRecord(tag: "a.b", number: 0, columns: ["id": .integer(Int64(id))]), .old)
        }
        for id in [6, 8, 9] {
            comparison.add(FixtureRecord(tag: "a.b", number: 0, columns: ["id": .integer(Int64(id))]), .new)
        }
        #expect(
            comparison.report() == """
                ✗ a.b: 9 old, 9 new
                  id = 1: 2 old, 0 new
                  id = 123: 0 old, 2 new
                  id = 6: 2 old, 1 new
                  id: 3 more values differ
                0 of 1 events are the same

                """)
    }

    @Test("The collector's own records are compared only if expected") func ownRecordsNotCompared() {
        let own = FixtureRecord(tag: "daybook.alert", number: 2, columns: [:])
        let records = [FixtureRecord(tag: "a.b", number: 1, columns: [:]), own]
        let named = Fixture(events: [.init(event: "a.b", records: [[:]])])
        #expect(named.difference(to: records).isEmpty)
        #expect(!Fixture(events: [.init(event: "alert", records: [[:]])]).difference(to: [own]).isEmpty)
        #expect(Fixture(events: [.init(event: "daybook.alert", records: [[:]])]).difference(to: [own]).isEmpty)
        var comparison = RecordingComparison()
        comparison.add(own, .new)
        #expect(comparison.isEmpty)
    }

    @Test("The same recordings in another order are equal") func orderDoesNotDiffer() {
        var comparison = RecordingComparison()
        for id in 0..<2_000 {
            comparison.add(FixtureRecord(tag: "a.b", number: 0, columns: ["id": .integer(Int64(id))]), .old)
            comparison.add(FixtureRecord(tag: "a.b", number: 0, columns: ["id": .integer(Int64(1_999 - id))]), .new)
        }
        #expect(comparison.isEmpty)
    }
}
