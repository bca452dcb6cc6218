import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct AttributeBuilderTests {
    private let directory = TemporaryDirectory.current

    private enum Order: String, LogValue { case latest, popular }

    private func records(
        _ change: (Log) -> Void, @PipelineBuilder filters: () -> [PipelineBuilder.Part] = { [] }
    ) async throws -> [Record] {
        let output = CollectingOutput()
        let parts = filters()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            for part in parts { part }
            Route("**", to: output, level: .info)
        }
        change(pipeline.log("app"))
        await pipeline.shutdown(deadline: .seconds(60))
        return output.records
    }

    @Test("The builder sets every type as a literal would") func typesMatchLiteral() async throws {
        let number = 7
        let unknown: Int? = nil
        let records = try await records { log in
            log.post("feed.tap") {
                $0["integer"] = 1
                $0["variable"] = number
                $0["long"] = Int64.max
                $0["nothing"] = unknown
                $0["number"] = 1.5
                $0["infinite"] = -Double.infinity
                $0["flag"] = true
                $0["text"] = "検索"
                $0["date"] = Date(timeIntervalSince1970: 1)
                $0["order"] = Order.popular
                $0["list"] = [1, "x", [true]]
                $0["object"] = ["a": 1, "b": ["c": 2.5]]
                $0["null"] = Value.null
                $0.add(["dynamic \(number)": 3])
            }
        }
        #expect(
            records.map(\.attributes) == [
                [
                    "integer": 1, "variable": 7, "long": .int(.max), "number": 1.5, "infinite": "-Infinity",
                    "flag": true, "text": "検索", "date": "1970-01-01T00:00:01.000Z", "order": "popular",
                    "list": [1, "x", [true]], "object": ["a": 1, "b": ["c": 2.5]], "null": nil, "dynamic 7": 3,
                ]
            ])
        #expect(records.first?.kind == .event)
        #expect(records.first?.tag == "feed.tap")
        #expect(records.first?.file == nil, "events carry no source")
    }

    @Test("Attributes of any size arrive whole", arguments: [0, 1000, 1010, 1024, 5000, 40_000])
    func anySizeArrivesWhole(size: Int) async throws {
        let text = String(repeating: "x", count: size)
        let records = try await records { log in
            log.post("feed.tap") {
                $0["before"] = 1
                $0["text"] = text
                $0["after"] = 2
            }
        }
        #expect(records.map(\.attributes) == [["before": 1, "text": .string(text), "after": 2]])
    }

    @Test("Calls the closure once, and only for a record some output takes") func closureRunsOnDemand() async throws {
        var calls = 0
        let long = String(repeating: "x", count: 100_000)
        let records = try await records { log in
            log.post("feed.tap", level: .debug) { _ in calls += 1 }
            log.post("dropped.tap") { _ in calls += 1 }
            #expect(calls == 0)
            log.post("feed.tap") {
                calls += 1
                $0["text"] = long
            }
        } filters: {
            Drop("dropped.**")
        }
        #expect(calls == 1)
        // Longer than the journal's limit: cut like any other record.
        #expect(records.count == 1)
    }

    @Test("The closure may log while it builds attributes") func closureMayLog() async throws {
        let records = try await records { log in
            log.post("outer.event") {
                $0["n"] = 1
                log.post("inner.event") { $0["n"] = 2 }
                log.info("inside")
            }
        }
        #expect(records.map(\.tag) == ["inner.event", "app", "outer.event"])
        #expect(records.last?.attributes == ["n": 1])
    }

    @Test("Filters see the attributes the closure set") func filtersSeeBuilt() async throws {
        let records = try await records { log in
            log.post("feed.tap") {
                $0["password"] = "hunter2"
                $0["n"] = 1
            }
        } filters: {
            Append("feed.**", ["experiment": "b"])
            Redact.credentials
        }
        #expect(records.map(\.attributes) == [["password": "[redacted]", "n": 1, "experiment": "b"]])
    }
}
