import Daybook
import DaybookInspector
import DaybookTesting
import RecipeBoxDictionary
import Testing

/// What the screens log, without a screen. Each test has its own recorder, so that they can run in parallel.
@Suite struct SearchModelTests {
    private let recorder: Recorder<EmptyContext>

    init() throws { recorder = try Recorder() }

    @Test func searchLogsTheKeywordAndWhatItFound() throws {
        var model = SearchModel(log: recorder.log())
        model.keyword = "egg"
        model.search()
        try recorder.records.expect(
            "recipe_search.search", [["keyword": "egg", "order": "latest", "trigger": "keyboard"]])
        try recorder.records.expect(
            "recipe_search.show_result", [["keyword": "egg", "result_count": 1, "response_ms": "@int"]])
        try recorder.records.expect("never recipe_search.no_results")
    }

    @Test func searchInVainLogsThatInPlaceOfAResult() throws {
        var model = SearchModel(log: recorder.log())
        model.keyword = "zzz"
        model.search()
        try recorder.records.expect("recipe_search.no_results exactly 1")
        try recorder.records.expect("never recipe_search.show_result")
    }

    @Test func openedResultTellsItsPositionFromZero() throws {
        var model = SearchModel(log: recorder.log())
        model.keyword = "o"
        let second = try #require(model.found.dropFirst().first)
        model.open(second)
        #expect(model.path == [second])
        try recorder.records.expect("recipe_search.tap_result", [["recipe_id": "@int", "position": 1]])
    }

    @Test func recipeLogsWhatItsButtonsDo() throws {
        let model = RecipeModel(Recipe(id: 7, title: "Egg salad"), log: recorder.log())
        model.save()
        model.cook()
        try recorder.records.expect("recipe_detail.save", [["recipe_id": 7]])
        try recorder.records.expect("recipe_detail.start_cooking", [["recipe_id": 7, "servings": 2]])
    }

    /// The team's checklist, from the dictionary of the app's debug builds.
    @Test func searchFulfilsTheTeamsChecklist() throws {
        let log = recorder.log()
        log.post("app_lifecycle.launch")
        var model = SearchModel(log: log)
        model.keyword = "zzz"
        model.search()
        model.keyword = "egg"
        model.search()
        model.open(try #require(model.found.first))
        let checklist = try #require(
            LogDictionary.project.checklists.first { $0.file == "LogChecklists/first_release.md" })
        try recorder.records.expect(checklist, scenarios: ["search"])
    }
}
