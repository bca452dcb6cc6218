import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct SessionTests {
    private let directory = TemporaryDirectory.current

    @Test("A session ends only after the timeout in the background") func sessionEndsInBackground() {
        var session = Session(id: "first")
        let next = { "next" }
        // Without an absence there is nothing to measure.
        let withoutAbsence = session.resume(now: 1_000, timeout: 100, nextID: next)
        session.suspend(now: 1_000)
        let short = session.resume(now: 1_099, timeout: 100, nextID: next)
        #expect(!withoutAbsence && !short && session.id == "first")
        session.suspend(now: 2_000)
        session.suspend(now: 2_090)
        let long = session.resume(now: 2_100, timeout: 100, nextID: next)
        #expect(long && session.id == "next")
        // A clock set back ends no session.
        session.suspend(now: 3_000)
        let back = session.resume(now: 10, timeout: 100, nextID: { "other" })
        #expect(!back && session.id == "next")
    }

    @Test("A record carries the session it was logged in") func recordsKeepSession() async throws {
        let time = Mutex<UInt64>(0)
        let minute: UInt64 = 60_000_000_000
        var options = PipelineOptions()
        options.clock = PipelineClock(wall: { 0 }, monotonic: { time.withLock { $0 } })
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: options) { Route("**", to: output) }
        let log = pipeline.log()
        let first = pipeline.sessionID
        log.info("before")
        await pipeline.suspend()
        log.info("in the background")
        time.withLock { $0 += 29 * minute }
        pipeline.resume()
        #expect(pipeline.sessionID == first)
        log.info("soon back")
        await pipeline.suspend()
        time.withLock { $0 += 30 * minute }
        pipeline.resume()
        let second = pipeline.sessionID
        #expect(second != first)
        #expect(second.count == 16)
        log.info("late back")
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.message) == ["before", "in the background", "soon back", "late back"])
        #expect(
            output.records.map { $0.context["session.id"] }
                == [.string(first), .string(first), .string(first), .string(second)])
    }

    @Test("The session timeout is configurable") func timeoutIsConfigurable() async throws {
        var options = PipelineOptions()
        options.sessionTimeout = .zero
        let pipeline = try Pipeline(directory: directory.url, options: options) { Route("**", to: CollectingOutput()) }
        let first = pipeline.sessionID
        await pipeline.suspend()
        pipeline.resume()
        #expect(pipeline.sessionID != first)
        await pipeline.shutdown(deadline: .seconds(60))
    }
}
