import DaybookChecklist
import DaybookTesting
import Foundation
import Testing

/// What QA would check by hand before a release, judged by the team's checklist.
@Suite struct ReleaseTests {
    private let checklist: Checklist

    init() throws {
        let file = RecipeBoxRun.folder.appending(path: "../../LogChecklists/first_release.md").standardizedFileURL
        checklist = try Checklist(markdown: String(contentsOf: file, encoding: .utf8), file: "first_release.md")
    }

    @Test("The app fulfils the checklist, even if it is killed in between")
    func appFulfilsChecklist() async throws {
        let app = try RecipeBoxRun()
        try await app.firstSession()
        #expect(try await app.secondSession() == 0)
        try app.probe.records.expect(checklist)
        #expect(app.probe.unexpectedRequests == [])
    }

    @Test("The second session logs what the fixture lists")
    func secondSessionMatchesFixture() async throws {
        let app = try RecipeBoxRun()
        #expect(try await app.secondSession() == 0)
        let fixture = RecipeBoxRun.folder.appending(path: "Fixtures/second_session.json")
        try app.probe.records.expect(Fixture(text: String(contentsOf: fixture, encoding: .utf8)))
    }

    /// Tests the tests: each mistake is noticed and explained.
    @Test(
        "The checklist notices a mistake and explains it",
        arguments: [
            (
                "show-twice",
                ["✗ recipe / recipe_detail.show exactly 1 per recipe_id", "; got 2 (recipe_id = 1)", "one too many"]
            ),
            ("no-search", ["✗ search / recipe_search.search; got none"]),
            (
                "position-from-one",
                ["✗ search / recipe_search.tap_result", "`position = 0` does not hold: position is 1"]
            ),
        ])
    func mistakeIsNoticedAndExplained(name: String, explanation: [String]) async throws {
        let app = try RecipeBoxRun()
        #expect(try await app.secondSession("--mistake", name) == 0)
        let failure = try #require(throws: ExpectationFailure.self) { try app.probe.records.expect(checklist) }
        for text in explanation { #expect(failure.description.contains(text), "\(failure)") }
    }
}
