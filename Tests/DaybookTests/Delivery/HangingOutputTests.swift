import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Dispatch
import Foundation
import Testing

@testable import Daybook

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct HangingOutputTests {
    private let directory = TemporaryDirectory.current

    /// Blocks in its first record until released.
    private final class Blocked: Output {
        let id: String
        let began = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let records = Mutex<[Record]>([])
        init(id: String = "blocked") { self.id = id }
        func write(_ record: Record) {
            let isFirst = records.withLock { records in
                records.append(record)
                return records.count == 1
            }
            guard isFirst else { return }
            began.continuation.yield()
            gate.wait()
        }
        func hangs() async {
            var iterator = began.stream.makeAsyncIterator()
            _ = await iterator.next()
        }
    }

    private final class Told: Output {
        let id = "told"
        let stream = AsyncStream<Record>.makeStream()
        func write(_ record: Record) { stream.continuation.yield(record) }
    }

    private struct BlockingSend: BatchOutput {
        let id: String
        let gate: DispatchSemaphore
        func send(_ batch: Batch) async -> Delivery {
            wait(gate)
            return .delivered
        }
        private func wait(_ gate: DispatchSemaphore) { gate.wait() }
    }

    @Test("A blocked immediate output delays no batches, other outputs or flushes") func blockedOutputIsolated()
        async throws
    {
        let (blocked, told, batches) = (Blocked(), Told(), CollectingOutput())
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: blocked)
            Route("**", to: told)
            Route("**", to: batches, batch: BatchLimits(delay: .zero))
        }
        pipeline.log().number(0..<1)
        await blocked.hangs()
        pipeline.log().number(1..<100)
        var seen: [Record] = []
        for await record in told.stream.stream {
            seen.append(record)
            if seen.count == 100 { break }
        }
        #expect(seen.numbers == Array(0..<100))
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .milliseconds(100)) }
        #expect(batches.records.numbers == Array(0..<100))
        let ledger = try #require(await pipeline.ledgers()["blocked"])
        #expect((ledger.accepted, ledger.delivered, ledger.pending) == (100, 0, 100))

        blocked.gate.signal()
        try await pipeline.flush(deadline: .seconds(60))
        #expect(blocked.records.withLock { $0.numbers } == Array(0..<100))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Shutdown does not wait for a blocked output and counts its records") func shutdownSkipsBlocked() async throws
    {
        let blocked = Blocked(id: "console")
        let first = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: blocked) }
        first.log().number(0..<1)
        await blocked.hangs()
        first.log().number(1..<10)
        await first.shutdown(deadline: .milliseconds(20))
        let end = try #require(await first.ledgers()["console"])
        #expect((end.accepted, end.delivered, end.pending) == (10, 0, 10))
        blocked.gate.signal()

        let second = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: Blocked(id: "console"))
        }
        await second.shutdown(deadline: .seconds(60))
        let ledger = try #require(await second.ledgers()["console"])
        #expect((ledger.accepted, ledger.recovered) == (10, 10))
        #expect(ledger.dropped == [.processEnded: 10])
    }

    @Test("A hung output is reported and gives up before it fills the journal") func hungOutputGivesUp() async throws {
        let clock = HeldClock()
        let said = Mutex<[String]>([])
        let options = quietOptions { options in
            options.clock = clock.clock
            options.report = { text in said.withLock { $0.append(text) } }
            options.journal.segmentBytes = 64 << 10
            options.journal.maximumFrameBytes = 8 << 10
            options.journal.capBytes = 1 << 20
            options.journal.policy = .dropNewest
        }
        let (blocked, batches) = (Blocked(), CollectingOutput())
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("**", to: blocked)
            Route("**", to: batches, batch: BatchLimits(delay: .zero))
        }
        pipeline.log().number(0..<1)
        await blocked.hangs()
        // Five times the cap, in steps: if the hung output filled the journal, new records would be refused.
        for step in 0..<50 {
            pipeline.log().number(1 + step * 50..<51 + step * 50, padding: 2000)
            clock.advance(by: .seconds(11))
            try await eventually("nothing is pending") { await pipeline.ledgers()["collecting"]?.pending == 0 }
        }
        let ledgers = await pipeline.ledgers()
        #expect(ledgers["collecting"]?.delivered == 2501)
        let ledger = try #require(ledgers["blocked"])
        #expect(ledger.accepted == 2501)
        #expect((ledger.dropped[.notAnswering] ?? 0) > 0)
        #expect(ledger.dropped.keys.allSatisfy { $0 == .notAnswering })
        #expect(said.withLock { $0.filter { $0.contains("has not returned") }.count } == 1)

        blocked.gate.signal()
        try await pipeline.flush(deadline: .seconds(60))
        let end = try #require(await pipeline.ledgers()["blocked"])
        #expect(end.pending == 0)
        #expect(end.delivered == UInt64(blocked.records.withLock { $0.count }))
        #expect(end.delivered + end.lost == 2501)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Sends that block their threads delay no other output or deadline") func blockedSendsIsolated() async throws {
        let gate = DispatchSemaphore(value: 0)
        let well = CollectingOutput(id: "well")
        // More outputs than the machine has threads for asynchronous work.
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            for number in 0..<20 {
                Route("**", to: BlockingSend(id: "stuck-\(number)", gate: gate), batch: BatchLimits(delay: .zero))
            }
            Route("**", to: well, batch: BatchLimits(delay: .zero))
        }
        pipeline.log().number(0..<10)
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .milliseconds(200)) }
        try await eventually("all ten are delivered") { await pipeline.ledgers()["well"]?.delivered == 10 }
        await pipeline.shutdown(deadline: .milliseconds(50))
        let ledgers = await pipeline.ledgers()
        #expect(ledgers["well"]?.pending == 0)
        #expect(ledgers["stuck-7"]?.pending == 10)
        for _ in 0..<20 { gate.signal() }
    }
}
