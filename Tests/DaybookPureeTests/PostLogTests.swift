import Daybook
import DaybookPuree
import DaybookTesting
import Foundation
import Testing

/// Puree's calls as apps use them.
struct PostLogTests {
    private func records(_ body: (Pipeline<EmptyContext>) -> Void) async throws -> [Record] {
        let output = CollectingOutput()
        let logger = try Pipeline(store: .memory()) { Route("pv.**", to: output) }
        body(logger)
        await logger.shutdown(deadline: .seconds(60))
        return output.records
    }

    @Test("`postLog` records an event with its payload and tag") func postLogIsEvent() async throws {
        let records = try await records { logger in
            logger.postLog(["recipe_id": 42, "user_id": 100], tag: "pv.recipe.detail")
            logger.log("feed").postLog(["page_name": "top", "user_id": 100], tag: "pv.top")
        }
        #expect(records.map(\.tag) == ["pv.recipe.detail", "pv.top"])
        #expect(records.map(\.kind) == [.event, .event])
        #expect(
            records.map(\.attributes) == [["recipe_id": 42, "user_id": 100], ["page_name": "top", "user_id": 100]])
    }

    @Test("A payload of any type is accepted, and rejected values are named") func namesRejectedPayload() async throws {
        struct Screen {}
        let nobody: String? = nil
        let payload: [String: Any] = [
            "user": ["id": 7, "plan": nobody as Any, "roles": ["cook", 3]], "screen": Screen(),
            "at": Date(timeIntervalSince1970: 0),
        ]
        let records = try await records { $0.postLog(payload, tag: "pv.top") }
        let user: Attributes = ["id": 7, "plan": nil, "roles": ["cook", 3]]
        let expected: Attributes = [
            "at": "1970-01-01T00:00:00.000Z", "user": .object(user),
            "daybook.rejected.screen": "unknown_type: Screen",
        ]
        #expect(records.map(\.attributes) == [expected])
    }

    @Test("A missing payload makes an event without attributes") func nilPayloadIsEmpty() async throws {
        let records = try await records { $0.postLog(nil, tag: "pv.top") }
        #expect(records.map(\.attributes) == [[:]])
    }

    @Test("A tag that no output takes is counted") func countsUnroutedTag() async throws {
        let logger = try Pipeline(store: .memory()) { Route("pv.**", to: CollectingOutput()) }
        logger.postLog(["a": 1], tag: "event.special")
        #expect(logger.unroutedCount == 1)
        await logger.shutdown(deadline: .seconds(60))
    }
}
