import Daybook
import DaybookTesting
import Foundation
import PublishedFirebase
import Testing

@testable import DaybookFirebase

struct AnalyticsOutputTests {
    private func event(_ tag: String, _ attributes: Attributes, private names: [String] = []) throws -> AnalyticsEvent {
        var record = Record(time: 0, kind: .event, level: .info, tag: tag, attributes: attributes)
        record.privateNames = names
        return try #require(AnalyticsEvent(record))
    }

    @Test("An event is sent with typed parameters and without private ones") func eventHasTypedParameters() throws {
        let event = try event(
            "recipe_search.search",
            ["keyword": "egg", "page": 1, "score": 0.5, "new": true, "ids": [1, 2], "none": nil, "user": "Anna"],
            private: ["user"])
        #expect(event.name == "recipe_search_search")
        #expect(event.parameters.keys.sorted() == ["ids", "keyword", "new", "page", "score"])
        #expect(event.parameters["keyword"] as? String == "egg")
        #expect(event.parameters["page"] as? Int64 == 1)
        #expect(event.parameters["score"] as? Double == 0.5)
        #expect(event.parameters["new"] as? Int64 == 1)
        #expect(event.parameters["ids"] as? String == "[1,2]")
        #expect(event.faults.isEmpty)
    }

    @Test("What Firebase refuses is changed and reported") func changesRefusedNames() throws {
        let long = String(repeating: "v", count: 101)
        let event = try event("session.start", ["ga_id": 1, "shop.id": 2, "shop_id": 3, "text": .string(long)])
        #expect(event.name == "app_event_session_start")
        #expect(event.parameters.keys.sorted() == ["app_ga_id", "shop_id", "text"])
        #expect(event.parameters["shop_id"] as? Int64 == 2)
        #expect((event.parameters["text"] as? String)?.count == 100)
        #expect(
            event.faults == [
                .name("app_event_session_start"), .parameterName("ga_id", to: "app_ga_id"),
                .parameterName("shop.id", to: "shop_id"), .sameName("shop_id"), .longValue("text"),
            ])
    }

    @Test(
        "Every event name is one that Firebase accepts",
        arguments: [
            "firebase_sale", "Google_sale", "ga_sale", "1st.tap", "料理.見る", "error", "a.b", "first_open",
            String(repeating: "long.", count: 20),
        ])
    func eventNamesAreAccepted(_ tag: String) throws {
        let name = try event(tag, [:]).name
        #expect(name.count <= 40)
        #expect(name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil)
        #expect(!["firebase_", "google_", "ga_"].contains { name.lowercased().hasPrefix($0) })
        #expect(name != "error" && name != "first_open")
    }

    @Test("The 26th parameter is left out") func dropsParameterTwentySix() throws {
        let event = try event("a.b", Attributes((1...26).map { ("p\($0)", .int(Int64($0))) }))
        #expect(event.parameters.count == 25)
        #expect(event.faults == [.tooMany("p26")])
    }

    @Test("Only events are sent, and a fault is reported once") func sendsEventsOnly() async throws {
        let sent = Calls()
        let reports = Calls()
        let output = AnalyticsOutput(report: { reports.note($0) }) { name, parameters in
            // Checks that it fits the published method.
            Analytics.logEvent(name, parameters: parameters)
            sent.note(name)
        }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
        let log = pipeline.log("kitchen")
        log.info("no event")
        log.post("menu.show", ["ga_id": 1])
        log.post("menu.show", ["ga_id": 2])
        try await pipeline.flush(deadline: .seconds(10))
        await pipeline.shutdown(deadline: .seconds(5))
        #expect(sent.lines == ["menu_show", "menu_show"])
        #expect(reports.lines == ["menu.show: ga_id is no parameter name for Firebase; it is sent as app_ga_id"])
    }
}
