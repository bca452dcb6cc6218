import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct CallTagTests {
    private let directory = TemporaryDirectory.current

    private struct Failure: Error {}

    @Test("A log call can name its own tag") func callNamesTag() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
        let log = pipeline.log("app")
        log.info("one", tag: "app.start")
        log.warning("two", ["n": 2], tag: "app.start")
        log.error(Failure(), tag: "app.failure")
        log.error("three", tag: "app.failure")
        log.message(.debug, "four", tag: nil)
        log.info("five")
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(
            output.records.map(\.tag) == ["app.start", "app.start", "app.failure", "app.failure", "app", "app"])
        #expect(output.records[1].attributes == ["n": 2])
        #expect(output.records[2].kind == .error)
    }
}
