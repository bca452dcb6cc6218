import DaybookBase
import DaybookChecklist
import DaybookTools
import Foundation
import Testing

@Suite struct ReasonTests {
    private static var catalog: EventCatalog {
        var catalog = EventCatalog(
            events: [
                "a.x": ["c": [.text("one"), .text("two")], "n": [], "open": []], "a.y": ["c": [], "n": []],
                "a.z": ["n": []],
                "a.open_it": [:],
            ], common: ["plan": [.text("free"), .text("paid")]])
        catalog.types = ["a.x": ["n": .init(name: "!integer", kind: .number)]]
        return catalog
    }

    private func reasons(_ verdicts: [ScenarioVerdict]) -> [Reason] {
        var reasons: [Reason?] = []
        for verdict in verdicts {
            if let problem = verdict.problem { reasons += [problem.why] + problem.evidence.map(\.remark) }
            for item in verdict.items { reasons += [item.why] + item.evidence.map(\.remark) }
        }
        return reasons.compactMap(\.self)
    }

    /// DefinedEvents that together give every reason of the engine except its limits.
    private func verdicts() throws -> [ScenarioVerdict] {
        let text: [String: ChecklistValue] = ["c": .text("one"), "n": .text("1")]
        let records = recording(
            ("a.z", ["n": .integer(1)]), ("a.x", text), ("a.y", ["n": .integer(2)]), ("a.x", text),
            ("a.x", ["c": .text("odd"), "n": .boolean(true)]), ("a.x", ["c": .text("other"), "n": .structure("[]")]),
            ("a.x", ["n": .integer(3)]), ("a.z", ["n": .integer(3)]), ("a.yy", [:]))
        let own = """
            - [ ] b.none
            - [ ] a.y exactly 2
            - [ ] a.x exactly 1 per c
            - [ ] a.x exactly 1 until a.z
            - [ ] a.x exactly 1 per c until a.z
            - [ ] a.y exactly 2 until a.z
            - [ ] a.x at least 9 each c in ("one", "two")
            - [ ] a.x each c in ("two", "three")
            - [ ] never a.y
            - [ ] a.x
                - n > 0
                - c = true
                - c exists
            - [ ] a.x where c = "odd"
                - n > 0
            - [ ] a.x where c = "other"
                - n > 0
            - [ ] a.x where c absent
                - n = "1"
            - [ ] a.y where n > 9
            - [ ] a.x after a.y joining n
            - [ ] a.x where c = "odd" after a.y within 1s joining n
            - [ ] a.z after a.z
            - [ ] a.x where c = "other" after a.y within 1s
            - [ ] a.x before a.z within 1s
            - [ ] a.z before a.x
            - [ ] never a.x before a.b
            - [ ] never a.x before a.z within 9s
            - [ ] never a.x after a.z
            - [ ] never a.x after a.z before a.y
            - [ ] a.yyy where n exists

            1. [ ] b.last
            2. [ ] a.z exactly 1
            3. [ ] a.z

            - [ ] Step between

            1. [ ] a.x at most 9
            2. [ ] a.y
            """
        let set = """
            - [ ] a.x when plan = "paid"
            - [ ] a.x when device = "x"
            - [ ] a.x when plam = "x"
            - [ ] a.x each n
            - [ ] a.w
            - [ ] b.*
            - [ ] a.x where d = 1
            - [ ] a.x where c = "too"
            - [ ] a.x when plan = "fre"
            - [ ] a.x where c = "something else"
            - [ ] a.x
                - open it
            - [ ] never a.x where n = "1"
            """
        let free = PersonaTable.Persona(name: "new", values: ["plan": .text("free")])
        let table = "| persona | plan |\n|---|---|\n| new | free |\n| old | paid |\n| odd | fre |\n"
        func setAside(
            _ text: String, _ persona: PersonaTable.Persona? = nil, _ catalog: EventCatalog? = nil,
            _ records: [TestRecord] = []
        ) throws -> [ScenarioVerdict] {
            var run = ChecklistRun(
                settingAsideIn: try Checklist(markdown: text, file: "t.md"), persona: persona, catalog: catalog)
            for record in records { run.observe(record) }
            return run.verdicts(finished: true)
        }
        var stranger = records
        stranger[0].common = ["plan": .text("paid")]
        var timeless = recording(("a.x", [:]), ("a.y", [:]))
        timeless[1].hasTime = false
        var undefined = UndefinedEvents(Self.catalog)
        for index in 0..<30 {
            let tag = index == 0 ? "a.xx" : "q.q\(index)"
            undefined.observe(TestRecord(tag: tag, number: Int64(index), time: 0, columns: [:]))
        }
        return try judge(own, records, catalog: nil)
            + judge("- [ ] a.yyy\n", records) + judge("- [ ] a.yyy\n", records, finished: false)
            + setAside("- [ ] a.open_it\n", nil, Self.catalog, recording(("a.opn_it", [:])))
            + setAside(set, free, Self.catalog) + setAside(table + set, free, Self.catalog, stranger)
            + setAside(set) + setAside(table + set)
            + setAside("- [ ] q opens\n- [ ] never A.X\n- [ ] See a.x\n", nil, nil, recording(("q", [:]), ("a.x", [:])))
            + setAside("- [ ] See a.x\n", nil, Self.catalog).sayingWhatIsNotJudged
            + ChecklistRun(Checklist(markdown: "- [ ] a.x\n", file: "t.md")).verdictsUnlessSilent(finished: true)
            + judge("- [ ] never a.z where m = 1\n- [ ] never a.z where n = \"1\"\n", records)
            + judge("- [ ] a.x before a.y within 1s\n", timeless)
            + judge("- [ ] a.x where c = 1\n", recording(("a.x", ["c": .text("[private]")]))).map(\.ofWhatIsShown)
            + [undefined.verdict(file: "t.md")].compactMap { $0 }
            + [ScenarioVerdict]().withMissing(of: Checklist(markdown: own, file: "t.md"), scenarios: [])
    }

    @Test("Every reason of the engine consists of documented phrases") func reasonsHavePhrases() throws {
        let reasons = reasons(try verdicts())
        for reason in reasons {
            #expect(!reason.phrases.isEmpty, "\(reason.text)")
            #expect(reason.phrases.map(\.text).joined() == reason.text)
            #expect(!reason.text.contains("{") || reason.text.contains("[]"), "\(reason.text)")
        }
        // Reasons that need 100,000 combinations, come from the inspector, or that no checklist can ask for.
        let others: Set<Reason.Code> = [
            .combinations, .tooManyWait, .tooManyValues, .noScenario, .noPersona, .notStructure,
        ]
        let given = Set(reasons.flatMap(\.phrases).map(\.code))
        #expect(Set(Reason.Code.allCases).subtracting(given) == others)
    }

    @Test("Phrases that disagree with their text are dropped") func dropsMismatchedPhrases() {
        let phrases = [Reason.Phrase(.count, ["count": Reason.Argument("2")])]
        #expect(Reason(text: "got 2", phrases: phrases) == Reason(phrases))
        #expect(Reason(text: "got 3", phrases: phrases).phrases.isEmpty)
        #expect(Reason(text: "got 3", phrases: phrases).text == "got 3")
        #expect(Reason.Phrase(code: "count", arguments: ["count": "2"]) == phrases[0])
        #expect(Reason.Phrase(code: "count", arguments: ["number": "2"]) == nil)
        #expect(Reason.Phrase(code: "of another version", arguments: [:]) == nil)
    }

    @Test("No phrase reveals more than the masked sentence") func phrasesStayMasked() throws {
        let secret = "aya \"7\" of home"
        let own: [String: ChecklistValue] = ["mail": .text(secret), "token": .text(secret), "id": .integer(1)]
        let records = recording(
            ("a.y", own), ("a.x", own), ("a.x", own), ("a.y", ["mail": .text("b"), "token": .text("b")]))
        let verdicts = try judge(
            """
            - [ ] a.x exactly 1 per mail, id
            - [ ] a.x exactly 1 per token
            - [ ] a.x each mail in ("c")
            - [ ] a.x each token in ("c")
            - [ ] a.x
                - mail = "c"
                - token > 4
            - [ ] b.none where mail = "c"
            - [ ] a.x where mail = "c"
            - [ ] a.y after a.x joining mail, token
            """, records)
        let policy = MaskingPolicy(private: ["mail"])
        let masked = reasons(verdicts.map { $0.masked(by: policy) })
        #expect(masked.count == reasons(verdicts).count)
        for reason in masked {
            #expect(!reason.phrases.isEmpty, "\(reason.text)")
            let arguments = reason.phrases.flatMap(\.arguments.values).map(\.text)
            for text in [reason.text] + arguments {
                #expect(!text.contains("aya") && !text.contains("home"), "\(text)")
            }
        }
        let texts = verdicts.map { $0.masked(by: policy) }.flatMap(\.items).compactMap(\.reason)
        #expect(texts.first == "got 2 (mail = \(Record.mask), id = 1)")
        #expect(texts.contains("none for mail = \(Record.mask); not listed: \(Record.mask)"))
    }

    @Test("Every reason code is documented with its English text") func codesAreDocumented() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appending(path: "docs/formats/checklists.md"), encoding: .utf8)
        let section = try #require(document.components(separatedBy: "\n## The reasons\n").last)
        let block = try #require(section.components(separatedBy: "\n```json\n").dropFirst().first)
        let codes = try JSONDecoder().decode(
            [String: String].self, from: Data(block.components(separatedBy: "\n```\n")[0].utf8))
        #expect(codes == Dictionary(uniqueKeysWithValues: Reason.Code.allCases.map { ($0.rawValue, $0.english) }))
    }
}
