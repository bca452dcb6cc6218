import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct MeasurementTests {
    private let directory = TemporaryDirectory.current

    private struct Spoilt: LocalizedError, CustomNSError {
        var errorDescription: String? { "the milk is sour" }
        var errorUserInfo: [String: Any] { ["litres": 2] }
    }

    private func records(
        _ clock: PipelineClock = .system, _ body: (Log) async throws -> Void
    ) async throws -> [Record] {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions { $0.clock = clock }) {
            Route("**", to: output)
        }
        try await body(pipeline.log("app"))
        await pipeline.shutdown(deadline: .seconds(60))
        return output.records
    }

    /// Starts in one method and ends in another, like the loading of a screen.
    private final class Screen: Sendable {
        let loading: LogMeasurement
        init(_ log: Log) { loading = log.start("load", level: .debug) }
        func appeared() async { await Task.detached { self.loading.end(["rows": 3]) }.value }
    }

    @Test("A measurement can start in one method and end in another task") func spansMethodsAndTasks() async throws {
        let held = HeldClock()
        let records = try await records(held.clock) { log in
            let screen = Screen(log)
            held.advance(by: .milliseconds(250))
            await screen.appeared()
            screen.loading.end(["rows": 4])  // the first end counts
            screen.loading.end(throwing: Spoilt())
        }
        let span = try #require(records.first)
        #expect(records.count == 1)
        #expect(span.kind == .span)
        #expect(span.level == .debug)
        #expect(span.message == "load")
        #expect(span.tag == "app")
        #expect(span.duration == 250_000_000)
        #expect(span.attributes == ["rows": 3])
        #expect(span.failure == nil)
        #expect(span.parentSpanID == nil)
        #expect(span.file == "DaybookTests/MeasurementTests.swift")
    }

    @Test("Durations follow the monotonic clock when the wall clock jumps") func durationIsMonotonic() async throws {
        let held = HeldClock()
        let yearsBack = PipelineClock(
            wall: { held.clock.monotonic() > 1_500_000_000 ? 5 : 1_900_000_000_000_000_000 },
            monotonic: held.clock.monotonic)
        let records = try await records(yearsBack) { log in
            let measurement = log.start("jump")
            held.advance(by: .seconds(1))
            measurement.end()
        }
        #expect(records.first?.time == 1_900_000_000_000_000_000)
        #expect(records.first?.duration == 1_000_000_000)
    }

    @Test("Measured closures nest and return their result") func closuresNest() async throws {
        let records = try await records { log in
            let sum = log.measure("outer") {
                log.info("between")
                return log.measure("inner") { 20 } + 22
            }
            #expect(sum == 42)
            log.info("outside")
        }
        #expect(records.map(\.message) == ["between", "inner", "outer", "outside"])
        let (between, inner, outer, outside) = (records[0], records[1], records[2], records[3])
        #expect(between.span == outer.span)
        #expect(inner.parentSpanID == outer.span?.span)
        #expect(inner.span?.traceID == outer.span?.traceID)
        #expect(inner.span != outer.span)
        #expect(outer.parentSpanID == nil)
        #expect(outside.span == nil)
    }

    @Test("Child tasks belong to the measurement; detached tasks do not") func childTasksInherit() async throws {
        let records = try await records { log in
            await log.measure("menu") {
                await withTaskGroup { group in
                    for number in 0..<4 { group.addTask { log.info("child \(number)") } }
                }
                await Task { log.info("task") }.value
                await Task.detached { log.info("detached") }.value
            }
        }
        let menu = try #require(records.last)
        #expect(menu.message == "menu")
        let inside = records.dropLast().filter { $0.span == menu.span }.compactMap(\.message)
        #expect(inside.sorted() == ["child 0", "child 1", "child 2", "child 3", "task"])
        #expect(records.first { $0.message == "detached" }?.span == nil)
    }

    @Test("A measurement can be given a parent explicitly") func parentCanBeNamed() async throws {
        let records = try await records { log in
            let upload = log.start("upload")
            let part = log.start("part", parent: upload)
            part.end()
            upload.end()
        }
        #expect(records[0].parentSpanID == records[1].span?.span)
        #expect(records[0].span?.traceID == records[1].span?.traceID)
    }

    @Test("A thrown error ends the measurement as failed and is rethrown") func throwEndsMeasurement() async throws {
        let records = try await records { log in
            #expect(throws: Spoilt.self) { try log.measure("pour") { throw Spoilt() } }
            await #expect(throws: Spoilt.self) {
                try await log.measure("pour later") {
                    await Task.yield()
                    throw Spoilt()
                }
            }
            log.start("by hand").end(throwing: Spoilt(), ["cup": 1])
        }
        #expect(records.map(\.message) == ["pour", "pour later", "by hand"])
        for record in records {
            #expect(record.failure == "the milk is sour")
            #expect(record.attributes["litres"] == 2)
            #expect(record.attributes["exception.type"] != nil)
            #expect(record.kind == .span)
        }
        #expect(records[2].attributes["cup"] == 1)
    }

    @Test("A measurement below the level still runs but is not recorded") func lowLevelRunsUnrecorded() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, level: .warning)
        }
        let log = pipeline.log("app")
        #expect(log.measure("quiet", level: .debug) { 1 } == 1)
        log.measure("loud", level: .error) {}
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.message) == ["loud"])
    }
}
