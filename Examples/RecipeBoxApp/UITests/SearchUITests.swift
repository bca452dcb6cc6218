import DaybookInspector
import DaybookTesting
import RecipeBoxDictionary
import XCTest

/// The app in its own process, whose records reach the test over a probe.
final class SearchUITests: XCTestCase {
    @MainActor func testSearchFulfilsTheTeamsChecklist() async throws {
        let app = XCUIApplication()
        let probe = try LogProbe(launchEnvironment: &app.launchEnvironment)
        defer { probe.stop() }
        app.launch()
        try await probe.wait { try $0.expect("app_lifecycle.launch exactly 1") }
        defer { attach(probe.records, named: "search") }

        app.search("zzz")
        try await probe.wait { try $0.expect("recipe_search.no_results exactly 1") }
        app.search("egg", replacing: "zzz")
        let result = app.buttons["Egg salad"]
        XCTAssertTrue(result.waitForExistence(timeout: 10))
        result.tap()
        try await probe.wait { try $0.expect("recipe_detail.show exactly 1 per recipe_id") }

        let checklist = try XCTUnwrap(
            LogDictionary.project.checklists.first { $0.file == "LogChecklists/first_release.md" })
        try probe.records.expect(checklist, scenarios: ["search"])
    }
}

extension XCTestCase {
    /// Leaves what the probe received in the test's result, for the report of CI.
    func attach(_ records: RecordedRecords, named name: String) {
        let attachment = XCTAttachment(data: Data(records.ndjson.utf8), uniformTypeIdentifier: "public.json")
        attachment.name = name + ".ndjson"
        attachment.lifetime = .keepAlways
        add(attachment)
    }
}

extension XCUIApplication {
    /// Types into the search field like a user, and submits.
    func search(_ keyword: String, replacing old: String = "") {
        let field = searchFields.firstMatch
        XCTAssertTrue(field.waitForExistence(timeout: 10))
        field.tap()
        field.typeText(String(repeating: XCUIKeyboardKey.delete.rawValue, count: old.count) + keyword + "\n")
    }
}
