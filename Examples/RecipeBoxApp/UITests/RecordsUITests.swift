import DaybookTesting
import XCTest

/// For when test and app share no network: reads the records from the screen.
final class RecordsUITests: XCTestCase {
    @MainActor func testRecipeIsLoggedOnce() throws {
        let app = XCUIApplication()
        app.launchArguments += ["-DaybookRecords", "YES"]
        app.launch()
        app.search("egg")
        let result = app.buttons["Egg salad"]
        XCTAssertTrue(result.waitForExistence(timeout: 10))
        result.tap()
        XCTAssertTrue(app.buttons["Start cooking"].waitForExistence(timeout: 10))

        let text = try XCTUnwrap(app.otherElements["daybook.records"].value as? String)
        try RecordedRecords(ndjson: text).expect("recipe_detail.show exactly 1 per recipe_id")
    }
}
