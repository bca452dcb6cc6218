import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

/// At every moment, per output: accepted = delivered + dropped + quarantined + pending.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct LedgerTests {
    private let directory = TemporaryDirectory.current

    private static func small(_ cap: Int) -> PipelineOptions {
        quietOptions { options in
            options.journal.segmentBytes = 64 << 10
            options.journal.maximumFrameBytes = 8 << 10
            options.journal.capBytes = cap
            options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(2))
        }
    }

    /// Release builds have no reflection metadata.
    @Test("Ledgers, deliveries and errors describe themselves without reflection") func describesTypes() {
        var ledger = Ledger()
        ledger.accepted = 7
        ledger.delivered = 5
        ledger.dropped[.diskLimit] = 1
        #expect("\(ledger)" == "accepted: 7, delivered: 5, pending: 1, dropped.disk_limit: 1")
        #expect("\(Ledger.DropReason.notAnswering)" == "not answering")
        #expect("\(Delivery.retry(after: .seconds(2), reason: "busy"))" == "retry after 2.0 seconds: busy")
        #expect("\(Delivery.reject([0, 3], reason: "no tag"))" == "reject [0, 3]: no tag")
        #expect("\(PipelineError.noRoute.code)" == "noRoute")
    }

    @Test("A record in flight is not counted as dropped when its segment is") func inFlightNotDropped() async throws {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: Self.small(4 * 64 << 10)) {
            Route("**", to: output, batch: BatchLimits(count: 20, delay: .seconds(36_000)))
        }
        pipeline.log().number(0..<20, padding: 500)
        _ = await output.next()
        // Ten times the cap, so that the segments of the batch in flight go too.
        pipeline.log().number(20..<5000, padding: 500)
        let during = try #require(await pipeline.ledgers()["gated"])
        #expect(during.accepted == 5000)
        #expect(during.delivered == 0)
        output.open()
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["gated"])
        await pipeline.shutdown(deadline: .seconds(60))
        let arrived = output.records.numbers
        #expect(arrived.prefix(20) == Array(0..<20)[...])
        #expect(Set(arrived).count == arrived.count)
        #expect(ledger.accepted == 5000)
        #expect(ledger.delivered == UInt64(arrived.count))
        #expect(ledger.dropped.keys.elementsEqual([.diskLimit]))
        #expect(ledger.delivered + ledger.lost == 5000)
    }

    @Test("Each immediate output counts its own misses") func immediateCountsMisses() async throws {
        let first = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: RecordingOutput(id: "old"))
        }
        first.log().number(0..<10)
        try await first.flush(deadline: .seconds(60))
        await first.shutdown(deadline: .seconds(60))
        let second = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: RecordingOutput(id: "old"))
            Route("**", to: RecordingOutput(id: "new"))
        }
        second.log().number(0..<1)
        try await second.flush(deadline: .seconds(60))
        // Neither has missed a record: one had it, and the other was never to get it.
        for ledger in await second.ledgers().values {
            #expect((ledger.accepted, ledger.delivered, ledger.recovered) == (1, 1, 0))
        }
        await second.shutdown(deadline: .seconds(60))
    }

    @Test("A span that only began is not counted as a record") func openSpanIsNoRecord() async throws {
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: CollectingOutput())
        }
        await pipeline.shutdown(deadline: .seconds(60))
        let span = pipeline.log().start("late")
        #expect(await pipeline.ledgers()["collecting"]?.accepted == 0)
        span.end()
        #expect(await pipeline.ledgers()["collecting"]?.dropped == [.closed: 1])
    }

    @Test("Ledgers are recorded at every interval and at shutdown") func ledgersAreRecorded() async throws {
        let (output, clock) = (CollectingOutput(), HeldClock())
        let options = quietOptions { options in
            options.clock = clock.clock
            options.ledgerInterval = .seconds(600)
        }
        let pipeline = try Pipeline(directory: directory.url, options: options) { Route("**", to: output) }
        pipeline.log().number(0..<3)
        try await pipeline.flush(deadline: .seconds(60))
        clock.advance(by: .seconds(601))
        try await eventually("the ledger is recorded") { await pipeline.ledgers()["collecting"]?.accepted == 4 }
        await pipeline.shutdown(deadline: .seconds(60))
        let ledgers = output.records.filter { $0.tag == "daybook.ledger" }
        #expect(ledgers.count == 2)
        #expect(ledgers.allSatisfy { $0.kind == .message && $0.attributes["output"] == "collecting" })
        #expect(ledgers.first?.attributes["accepted"] == 3)
        #expect(ledgers.first?.attributes["delivered"] == 3)
        #expect(ledgers.last?.attributes["accepted"] == 4)
    }

    @Test("A batch reports the losses that preceded it") func batchReportsLosses() async throws {
        let output = GatedOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: BatchLimits(count: 1, delay: .zero))
        }
        pipeline.log().number(0..<1)
        #expect(await output.next().dropped.isEmpty)
        output.answer(.partly(rejected: 1))
        try await eventually("the loss is counted") { await pipeline.ledgers()["gated"]?.lost == 1 }
        pipeline.log().number(1..<2)
        #expect(await output.next().dropped == [.rejected: 1])
        output.open()
        await pipeline.shutdown(deadline: .seconds(60))
    }

    /// The data changes before the first read, between the reads, or after the last.
    @Test("Computes an answer again if its data changed meanwhile", arguments: 0..<3) func retriesUntilUnchanged(
        step: Int
    ) {
        var (given, rest, rounds) = (0, 10, 0)
        let sum = Unchanged.answer(of: given) {
            rounds += 1
            func give(at place: Int) {
                guard rounds == 1, place == step else { return }
                (given, rest) = (given + 1, rest - 1)
            }
            give(at: 0)
            let first = given
            give(at: 1)
            let second = rest
            give(at: 2)
            return first + second
        }
        #expect(sum == 10)
        #expect(rounds == 2)
    }

    // MARK: Any history

    /// Answers at random and tracks what the answers mean.
    private final class Moody: BatchOutput {
        let id = "moody"
        private let state: Mutex<State>
        struct State {
            var random: SeededGenerator
            var isUp = false
            var arrived: Set<Int> = []
            var refused: Set<Int> = []
        }

        init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

        func send(_ batch: Batch) async -> Delivery {
            let numbers = batch.records.numbers
            return state.withLock { state in
                switch state.isUp ? 0 : Int.random(in: 0..<10, using: &state.random) {
                case 0..<5:
                    // Some records are permanently bad, but so few that requests are not delayed.
                    let bad = numbers.filter { $0 % 397 == 13 }
                    guard bad.isEmpty else {
                        if numbers.count == 1 { state.refused.formUnion(numbers) }
                        return .refused(reason: "13")
                    }
                    state.arrived.formUnion(numbers)
                    return .delivered
                case 5..<8: return .retry(after: nil, reason: "down")
                case 8: return .retry(after: .zero, reason: "busy")
                default: return .pause(reason: "401")
                }
            }
        }

        func putUp() { state.withLock { $0.isUp = true } }
        var settled: (arrived: Set<Int>, refused: Set<Int>) { state.withLock { ($0.arrived, $0.refused) } }
    }

    private static func killed(_ directory: URL) async throws -> URL {
        let copy = directory.deletingLastPathComponent().appending(path: UUID().uuidString)
        try await snapshot(of: directory, to: copy)
        return copy
    }

    @Test("Accounting is exact through outages, refusals, caps, kills and launches", arguments: 0..<24)
    func accountingIsExact(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        // Half the histories overflow the disk, the others are killed. A kill loses what only memory held, and nobody
        // is left to count it.
        let isTight = seed % 2 == 0
        let options = Self.small(isTight ? 4 * 64 << 10 : 64 << 20)
        let output = Moody(seed: seed)
        var directory = directory.subdirectory("journal").url
        var logged = 0
        var lost: UInt64 = 0
        var pending: UInt64 = 0
        var last = Ledger()
        for launch in 0..<4 {
            let pipeline = try Pipeline(directory: directory, options: options) {
                Route("**", to: output, batch: BatchLimits(count: 50, bytes: 8000, delay: .zero))
            }
            let start = logged
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let count = Int.random(in: 1...300, using: &random)
                pipeline.log().number(logged..<logged + count, padding: Int.random(in: 0...900, using: &random))
                logged += count
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try? await pipeline.flush(deadline: .milliseconds(20))
                case 1: pipeline.resume()
                case 2: await pipeline.suspend()
                default: break
                }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: try await pipeline.resendQuarantined(output: "moody")
                case 1: try await pipeline.discardQuarantined(output: "moody")
                default: break
                }
                let now = try #require(await pipeline.ledgers()["moody"])
                #expect(now.accepted == pending + UInt64(logged - start), "launch \(launch): \(now); before: \(last)")
                #expect(now.accepted == now.delivered + now.lost + now.quarantined + now.pending)
            }
            pipeline.resume()
            if launch == 3 {
                output.putUp()
                while (try? await pipeline.flush(deadline: .seconds(60))) == nil { pipeline.resume() }
                await pipeline.shutdown(deadline: .seconds(60))
                last = try #require(await pipeline.ledgers()["moody"])
            } else {
                // A flush of a suspended pipeline ends when nothing is in flight. A batch that arrives after the last
                // count would be counted twice, as at-least-once allows.
                await pipeline.suspend()
                try? await pipeline.flush(deadline: .seconds(60))
                last = try #require(await pipeline.ledgers()["moody"])
                if !isTight && Bool.random(using: &random) { directory = try await Self.killed(directory) }
                await pipeline.shutdown(deadline: .zero)
                if isTight { last = try #require(await pipeline.ledgers()["moody"]) }
            }
            #expect(last.accepted == last.delivered + last.lost + last.quarantined + last.pending)
            #expect(last.recovered == pending, "what was pending or in quarantine is found, and nothing else")
            #expect(last.accepted == pending + UInt64(logged - start))
            lost += last.lost
            pending = last.pending + last.quarantined
        }
        #expect(last.pending == 0)
        let (arrived, refused) = output.settled
        #expect(arrived.isDisjoint(with: refused))
        #expect(UInt64(logged) == UInt64(arrived.count) + lost + last.quarantined)
        if !isTight { #expect(arrived.union(refused) == Set(0..<logged)) }
    }
}
