import DaybookChecklist
import Testing

@Suite struct RefusalTests {
    @Test(arguments: [
        ("- [ ] a.b when plan = \"free\"", "1:11: error: `when` is not judged by this version"),
        ("- [ ] a.b where c matches /x+/", "1:17: error: `matches` is not judged by this version"),
        ("- [ ] a.b\n    - c matches /x/", "2:7: error: `matches` is not judged by this version"),
        ("- [ ] a.b until c.d(e matches /x/)", "1:21: error: `matches` is not judged by this version"),
        (
            "- [ ] a.b each c",
            "1:11: error: `each` without a list of values is not judged by this version (list them: each c in (…))"
        ),
        ("- [ ] a.b each c in (1) per d", "1:11: error: `each` with `per` or `until` is not judged by this version"),
        (
            "- [ ] never a.b after c.d within 5s",
            "1:27: error: `within` of a `never` item is not judged by this version"
        ),
        (
            "1. [ ] a.b\n2. [ ] c.d exactly 1",
            "2:12: error: `exactly` in a numbered list is not judged by this version (begin the item with `-`)"
        ),
        (
            "1. [ ] a.b\n2. [ ] never c.d",
            "2:8: error: `never` in a numbered list is not judged by this version (begin the item with `-`)"
        ),
    ])
    func clauseThatIsNotJudgedIsRefused(markdown: String, problem: String) {
        #expect(problems(markdown) == ["test.md:" + problem])
    }

    @Test func scenarioThatIsNotChosenMayHoldWhatIsNotJudged() throws {
        let markdown = "## one\n- [ ] a.b\n## two\n- [ ] a.b when plan = 1\n"
        #expect(throws: ChecklistError.self) { try judge(markdown, []) }
        #expect(try judge(markdown, [], scenarios: ["one"]).map(\.scenario.name) == ["one"])
    }

    @Test func unknownScenarioIsRefusedWithTheNearestName() throws {
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
}
