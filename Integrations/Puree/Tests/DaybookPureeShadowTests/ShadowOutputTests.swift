import Daybook
import DaybookPureeShadow
import DaybookTesting
import Foundation
import Puree
import Testing

struct ShadowOutputTests {
    /// Makes entries with the payload as JSON, like an app's filter.
    private struct PassingFilter: Puree.Filter {
        let tagPattern = Puree.TagPattern(string: "**")!
        let date: Date

        func convertToLogs(
            _ payload: [String: Any]?, tag: String, captured: String?, logger: Puree.Logger
        ) -> Set<LogEntry> {
            [
                LogEntry(
                    tag: tag, date: date, userData: payload.flatMap { try? JSONSerialization.data(withJSONObject: $0) })
            ]
        }
    }

    /// Posts through a Puree logger with the shadow output; returns what Daybook delivers.
    private func delivered(
        tagPattern: Puree.TagPattern? = nil, date: Date = Date(timeIntervalSince1970: 1_700_000_000.25),
        _ post: (Puree.Logger) -> Void
    ) async throws -> [Record] {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
        let logger = try Puree.Logger(
            configuration: .init(
                logStore: FileLogStore.default, filterSettings: [FilterSetting { PassingFilter(date: date) }],
                outputSettings: [ShadowOutput.setting(log: pipeline.log("puree"), tagPattern: tagPattern)]))
        post(logger)
        logger.shutdown()
        await pipeline.shutdown(deadline: .seconds(5))
        return output.records
    }

    @Test("An entry becomes an event with its tag, time and typed values") func entryBecomesEvent() async throws {
        let records = try await delivered {
            $0.postLog(
                ["recipe_id": 42, "cold": true, "share": 0.5, "keyword": "卵", "tags": ["a", "b"], "none": NSNull()],
                tag: "pv.recipe.detail")
        }
        let record = try #require(records.first)
        #expect(records.count == 1)
        #expect(record.kind == .event)
        #expect(record.tag == "pv.recipe.detail")
        #expect(record.time == 1_700_000_000_250_000_000)
        let expected: Attributes = [
            "cold": true, "keyword": "卵", "none": nil, "recipe_id": 42, "share": 0.5, "tags": ["a", "b"],
        ]
        #expect(record.attributes == expected)
    }

    @Test("An entry without user data becomes an event without attributes") func bareEntryBecomesEvent() async throws {
        let records = try await delivered { $0.postLog(nil, tag: "app.start") }
        #expect(records.map(\.tag) == ["app.start"])
        #expect(records.first?.attributes.isEmpty == true)
    }

    @Test("Only entries that match the pattern are forwarded") func forwardsMatchingEntries() async throws {
        let records = try await delivered(tagPattern: Puree.TagPattern(string: "pv.*")) {
            $0.postLog(nil, tag: "pv.top")
            $0.postLog(nil, tag: "app.start")
        }
        #expect(records.map(\.tag) == ["pv.top"])
    }

    @Test("User data that is not an object is kept as it is") func keepsRawUserData() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
        let shadow = ShadowOutput(log: pipeline.log("puree"))
        shadow.emit(log: LogEntry(tag: "raw", userData: Data([0xFF, 0x00])))
        await pipeline.shutdown(deadline: .seconds(5))
        #expect(output.records.first?.attributes == ["user_data": .bytes([0xFF, 0x00])])
    }
}
