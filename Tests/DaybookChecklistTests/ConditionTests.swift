import DaybookChecklist
import DaybookTools
import Testing

@Suite struct ConditionTests {
    private static let markdown = """
        # release
        | persona  | plan | registered |
        |----------|------|------------|
        | new free | free | false      |
        | paid     | paid |            |
        ## feed
        - [ ] feed.show
        - [ ] feed.banner when plan = "free"
        - [ ] never feed.paywall when registered absent
        """

    private static func persona(_ name: String) throws -> PersonaTable.Persona {
        let checklist = try Checklist(markdown: markdown, file: "test.md")
        return try #require(checklist.personas?[name])
    }

    private static let catalog = EventCatalog(
        events: [
            "feed.show": ["position": [], "tab": [.text("home"), .text("new")]], "feed.refresh": ["tab": []],
        ], common: ["plan": []])

    @Test("An item for another persona is not applicable and never missing") func personaItemNotApplicable() throws {
        let records = recording(("feed.show", [:]))
        let free = try judge(Self.markdown, records, persona: Self.persona("new free"))
        #expect(free[0].items.map(\.status) == [.ok, .failed, .notApplicable])
        #expect(free[0].items[2].reason == "not applicable: registered is false")
        let paid = try judge(Self.markdown, records, persona: Self.persona("paid"))
        #expect(paid[0].items.map(\.status) == [.ok, .notApplicable, .ok])
        #expect(paid.passed)
    }

    @Test("A `when` item without a persona is refused with the choices") func whenNeedsPersona() {
        #expect(
            problems(Self.markdown) == [
                "test.md:8:24: error: `when` needs a persona (choose one of: new free, paid)",
                "test.md:9:31: error: `when` needs a persona (choose one of: new free, paid)",
            ])
        let half = PersonaTable.Persona(name: "plan=free", values: ["plan": .text("free")])
        #expect(
            problems(Self.markdown, persona: half) == [
                "test.md:9:31: error: `when` asks for `registered`, for which persona `plan=free` has no value "
                    + "(give it a value: registered=VALUE)"
            ])
    }

    @Test("Records of another persona fail the scenario") func otherPersonaFails() throws {
        var records = recording(("feed.show", [:]), ("feed.banner", ["plan": .text("event's own")]))
        records[1].common = ["plan": .text("paid")]
        let verdicts = try judge(Self.markdown, records, persona: Self.persona("new free"))
        #expect(!verdicts.passed)
        #expect(
            verdicts[0].problem?.reason
                == "the records are not of persona \"new free\": plan is \"paid\" in #2, not \"free\"")
        records[1].common = ["plan": .text("free")]
        #expect(try judge(Self.markdown, records, persona: Self.persona("new free")).passed)
    }

    @Test("An `each` item without a list uses the declared values") func eachUsesDeclaredValues() throws {
        let records = recording(("feed.show", ["tab": .text("home")]))
        let verdict = try judge("- [ ] feed.show each tab", records, catalog: Self.catalog)[0].items[0]
        #expect(verdict.reason == "none for tab = \"new\"")
        #expect(
            problems("- [ ] feed.show each tab") == [
                "test.md:1:17: error: the values of `tab` are not known without the definitions "
                    + "(list them: each tab in (…))"
            ])
        #expect(
            problems("- [ ] feed.show each position", catalog: Self.catalog) == [
                "test.md:1:17: error: no values are declared for `position` of feed.show "
                    + "(list them: each position in (…))"
            ])
    }

    @Test(
        "A name that the definitions lack is an error",
        arguments: [
            ("- [ ] feed.shwo", "1:7: error: no event `feed.shwo` is defined (did you mean `feed.show`?)"),
            ("- [ ] never ad.**", "1:7: error: no defined event matches `ad.**`"),
            (
                "- [ ] feed.show until feed.refesh",
                "1:17: error: no event `feed.refesh` is defined (did you mean `feed.refresh`?)"
            ),
            (
                "- [ ] feed.show where positon = 1",
                "1:23: error: `feed.show` has no column `positon` (did you mean `position`?)"
            ),
            (
                "- [ ] feed.show\n    - positon >= 0",
                "2:7: error: `feed.show` has no column `positon` (did you mean `position`?)"
            ),
            ("- [ ] feed.show per tabb", "1:17: error: `feed.show` has no column `tabb` (did you mean `tab`?)"),
            (
                "- [ ] feed.show until feed.refresh(tap = 1)",
                "1:36: error: `feed.refresh` has no column `tap` (did you mean `tab`?)"
            ),
            (
                "- [ ] feed.show\n    - position is not negative",
                "2:7: error: `position is not negative` begins with a column of feed.show, but is not a test "
                    + "(write a test such as `position exists`, or begin the note with another word)"
            ),
        ])
    func undefinedNameIsError(markdown: String, problem: String) {
        #expect(problems(markdown, catalog: Self.catalog) == ["test.md:" + problem])
    }

    @Test("Known events and common columns cause no error") func knownNamesAreFine() {
        let markdown = """
            - [ ] feed.* per tab, plan where _level >= 9 and _session exists until feed.refresh(plan = "x")
                - A note about the position
            """
        #expect(problems(markdown, catalog: Self.catalog) == [])
    }

    @Test("A near miss that is not defined is called undefined") func nearMissIsUndefined() throws {
        let verdict = try judge("- [ ] feed.show", recording(("feed.shwo", [:])), catalog: Self.catalog)[0].items[0]
        #expect(verdict.reason == "got none; near miss #1 feed.shwo (undefined)")
    }

    @Test("An event with another verb is not a near miss") func otherVerbIsNoNearMiss() throws {
        let verdict = try judge("- [ ] feed.tap_article", recording(("feed.show_article", [:])))[0].items[0]
        #expect(verdict.reason == "got none")
        let defined = ["feed.show_article", "feed.tap_articles"]
        #expect(NearestName.of("feed.tap_article", among: defined) == "feed.tap_articles")
        #expect(NearestName.of("feed.taparticle", among: ["feed.tap_article"]) == "feed.tap_article")
    }

    @Test("An unknown scenario is refused with the nearest name") func unknownScenarioIsNamed() throws {
        let checklist = try Checklist(markdown: "## register\n- [ ] a.b", file: "test.md")
        do throws(ChecklistError) {
            _ = try ChecklistRun(checklist, scenarios: ["regster"])
            Issue.record("an unknown scenario was accepted")
        } catch {
            #expect(
                error.description
                    == "test.md:1:1: error: no scenario is called `regster` (did you mean `register`?)")
        }
    }

    @Test("`per` and `each` of the same column contradict each other") func perContradictsEach() {
        #expect(
            problems("- [ ] a.b each c in (1) per c") == [
                "test.md:1:25: error: `per` and `each` of one column, `c` (leave one of them out)"
            ])
    }

    @Test("Items of unselected scenarios may need an unknown persona") func ignoresOtherScenarios() throws {
        let markdown = "## one\n- [ ] a.b\n## two\n- [ ] a.b when plan = 1\n"
        #expect(throws: ChecklistError.self) { try judge(markdown, []) }
        #expect(try judge(markdown, [], scenarios: ["one"]).map(\.scenario.name) == ["one"])
    }
}
