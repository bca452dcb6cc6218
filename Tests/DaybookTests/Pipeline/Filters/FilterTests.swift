import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct FilterTests {
    private let directory = TemporaryDirectory.current

    private func arriving(
        @PipelineBuilder _ filters: () -> [PipelineBuilder.Part], logging body: (Pipeline<EmptyContext>) -> Void
    ) async throws -> (records: [Record], filtered: UInt64) {
        let output = CollectingOutput()
        let parts = filters() + [.route(Route("**", to: output))]
        let pipeline = try Pipeline(directory: directory.url) { for part in parts { part } }
        body(pipeline)
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        return (output.records, pipeline.filteredCount)
    }

    @Test("Credentials never reach the journal") func credentialsSkipJournal() async throws {
        let down = CollectingOutput(answers: Array(repeating: .retry(after: .seconds(3600), reason: "down"), count: 9))
        var options = PipelineOptions()
        options.report = { _ in }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Redact.credentials
            Route("**", to: down)
        }
        pipeline.log().info("signed in with password=hunter2", ["token": "t0ps3cret", "note": "fine"])
        await pipeline.shutdown(deadline: .milliseconds(10))
        var stored = Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            stored += (try? Data(contentsOf: directory.url.appending(path: name))) ?? Data()
        }
        #expect(stored.range(of: Data("fine".utf8)) != nil)
        #expect(stored.range(of: Data("hunter2".utf8)) == nil)
        #expect(stored.range(of: Data("t0ps3cret".utf8)) == nil)
    }

    @Test("Sampling keeps a share and records the weight of each record") func samplingWeighsRecords() async throws {
        let draws = Mutex((0..<1001).map { Double($0 % 10) / 10 })
        let result = try await arriving {
            Sample("scroll.**", rate: 0.2) { draws.withLock { $0.removeFirst() } }
        } logging: { pipeline in
            for _ in 0..<1000 { pipeline.log("scroll.list").info("moved") }
            pipeline.log("other").info("kept")
        }
        #expect(result.records.count == 201)
        #expect(result.filtered == 800)
        #expect(result.records[0].attributes["daybook.sample.weight"] == 5.0)
        #expect(result.records.last?.attributes["daybook.sample.weight"] == nil)
    }

    @Test("Sampling per launch keeps all records or none") func samplesWholeLaunch() {
        let kept = Sample("**", rate: 0.5, per: .launch) { 0.4 }
        let lost = Sample("**", rate: 0.5, per: .launch) { 0.6 }
        #expect(kept.decide(tag: "a", level: .info) == .pass(weight: 2))
        #expect(lost.decide(tag: "a", level: .info) == .drop)
    }

    @Test("A rate limit allows a burst and refills evenly") func rateLimitRefills() {
        let time = Mutex<UInt64>(0)
        let clock = PipelineClock(wall: { 0 }, monotonic: { time.withLock { $0 } })
        let limit = RateLimit("**", 3, per: .seconds(3), clock: clock)
        let burst = (0..<5).map { _ in limit.decide(tag: "a", level: .info) }
        #expect(burst == [.pass, .pass, .pass, .drop, .drop])
        #expect(limit.decide(tag: "b", level: .info) == .pass)
        time.withLock { $0 += 1_000_000_000 }
        #expect(limit.decide(tag: "a", level: .info) == .pass)
        #expect(limit.decide(tag: "a", level: .info) == .drop)
    }

    @Test("A wildcard that matches nothing captures an empty text") func wildcardCapturesEmpty() async throws {
        let note: @Sendable (inout Record, Substring?) -> Void = { record, tail in
            record.attributes["tail"] = tail.map { .string(String($0)) } ?? .null
        }
        let result = try await arriving {
            Map("a.**", note)
            Map("b", note)
        } logging: { pipeline in
            for tag in ["a", "a.b.c", "b"] { pipeline.log(tag).info("x") }
        }
        #expect(result.records.map { $0.attributes["tail"] } == ["", "b.c", .null])
    }

    @Test("Filters apply in order, to matching tags only") func filtersApplyInOrder() async throws {
        let result = try await arriving {
            Drop("debug.**")
            Drop("noisy.*", below: .warning)
            Append("app.*", ["experiment": "b"])
            Map("old.*") { record, tail in record.tag = "app.\(tail ?? "")" }
            Append("app.*", ["late": true])
        } logging: { pipeline in
            pipeline.log("debug.a").error("never")
            pipeline.log("noisy.a").info("never")
            pipeline.log("noisy.a").warning("noisy")
            pipeline.log("old.a").info("renamed")
            pipeline.log("app.a").info("plain")
        }
        #expect(result.records.map(\.tag) == ["noisy.a", "app.a", "app.a"])
        #expect(result.records[1].attributes == ["late": true])
        #expect(result.records[2].attributes == ["experiment": "b", "late": true])
        #expect(result.filtered == 2)
    }
}
