import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct ForwardedRecordTests {
    private let directory = TemporaryDirectory.current

    private struct Failure: LocalizedError {
        var errorDescription: String? { "no eggs" }
    }

    /// What arrives of `records`, forwarded with the tag `bridge` through `filter`.
    private func delivered(
        _ records: [Record], level: Level = .trace, filter: some FilterStage = Append("**", [:])
    ) async throws -> [Record] {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) {
            filter
            Route("**", to: output, level: level)
        }
        for record in records { pipeline.log("bridge").forward(record) }
        await pipeline.shutdown(deadline: .seconds(60))
        return output.records
    }

    @Test("A forwarded record keeps its time, source, span and attributes") func forwardKeepsOrigin() async throws {
        var record = Record(
            time: 1_700_000_000_123_456_789, kind: .message, level: .warning, tag: "old.library", message: "slow",
            attributes: ["n": 2])
        record.file = "Kitchen/Oven.swift"
        record.function = "bake()"
        record.line = 7
        record.column = 9
        record.span = SpanContext.make(parent: nil)
        let arrived = try #require(try await delivered([record]).first)
        #expect(arrived.time == record.time)
        #expect(arrived.tag == "old.library")
        #expect(arrived.message == "slow")
        #expect(arrived.attributes == ["n": 2])
        #expect(arrived.file == "Kitchen/Oven.swift")
        #expect(arrived.function == "bake()")
        #expect(arrived.line == 7)
        #expect(arrived.column == 9)
        #expect(arrived.span == record.span)
        #expect(arrived.module == "Kitchen")
    }

    @Test("A forwarded measurement remains a measurement") func forwardedSpanStays() async throws {
        var record = Record(time: 1_000, kind: .span, level: .info, tag: "old", message: "bake")
        record.span = SpanContext.make(parent: nil)
        record.duration = 5_000
        record.failure = "burnt"
        let arrived = try #require(try await delivered([record]).first)
        #expect(arrived.kind == .span)
        #expect(arrived.duration == 5_000)
        #expect(arrived.failure == "burnt")
        #expect(arrived.message == "bake")
    }

    @Test("Fills in a missing tag and time") func fillsTagAndTime() async throws {
        let before = PipelineClock.system.wall()
        let arrived = try #require(
            try await delivered([Record(time: 0, kind: .message, level: .info, tag: "", message: "x")]).first)
        #expect(arrived.tag == "bridge")
        #expect(arrived.time >= before)
    }

    @Test("A forwarded error is described like a logged one") func forwardedErrorDescribed() async throws {
        let arrived = try #require(try await delivered([Record(error: Failure(), tag: "old")]).first)
        #expect(arrived.kind == .error)
        #expect(arrived.level == .error)
        #expect(arrived.message == "no eggs")
        #expect(arrived.attributes["exception.message"] == "no eggs")
    }

    @Test("Levels and filters apply to forwarded records") func levelsAndFiltersApply() async throws {
        let records = [Level.info, .error].map {
            Record(time: 1, kind: .message, level: $0, tag: "old", message: $0.name, attributes: ["password": "x"])
        }
        let arrived = try await delivered(records, level: .error, filter: Redact.credentials)
        #expect(arrived.map(\.message) == ["error"])
        #expect(arrived.first?.attributes["password"] != "x")
        #expect(arrived.first?.attributes["password"] != nil)
    }

    @Test("Filters append attributes to forwarded records") func forwardedIsEnriched() async throws {
        let arrived = try await delivered(
            [Record(time: 1, kind: .message, level: .info, tag: "old", attributes: ["a": 1])],
            filter: Append("**", ["b": 2]))
        #expect(arrived.first?.attributes == ["a": 1, "b": 2])
    }
}
