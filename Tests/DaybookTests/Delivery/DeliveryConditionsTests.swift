import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct DeliveryConditionsTests {
    private let directory = TemporaryDirectory.current

    /// Reports the conditions that the test sets.
    private final class Told: ConditionSource {
        private let changed = Mutex<(@Sendable (DeliveryConditions) -> Void)?>(nil)
        private let first: DeliveryConditions?

        /// - Parameter first: The conditions at start; `nil` for none yet.
        init(_ first: DeliveryConditions?) { self.first = first }

        func start(_ changed: @escaping @Sendable (DeliveryConditions) -> Void) {
            if let first { changed(first) }
            self.changed.withLock { $0 = changed }
        }
        func tell(_ conditions: DeliveryConditions) { changed.withLock { $0 }?(conditions) }
    }

    private struct Local: BatchOutput {
        let id = "local"
        let needsNetwork = false
        let collecting = CollectingOutput()
        func send(_ batch: Batch) async -> Delivery { await collecting.send(batch) }
    }

    @Test("Sends nothing to a remote output until there is a network") func offlineHoldsRemote() async throws {
        let device = Told(.offline)
        let remote = GatedOutput()
        let local = Local()
        let pipeline = try Pipeline(store: .memory(), options: quietOptions { $0.conditions = device }) {
            Route("**", to: remote)
            Route("**", to: local)
        }
        pipeline.log().number(0..<3)
        // It ends at once: the remote output is stuck and the local one is done.
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(3600)) }
        #expect(remote.begunCount == 0)
        #expect(local.collecting.records.numbers == [0, 1, 2])
        device.tell([])
        remote.open()
        try await pipeline.flush(deadline: .seconds(60))
        #expect(remote.records.numbers == [0, 1, 2])
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Only the waiting route is held back, and the flush error says why") func waitingRouteAlone() async throws {
        let device = Told([.expensive, .lowPower])
        let patient = CollectingOutput(id: "patient")
        let urgent = CollectingOutput(id: "urgent")
        let pipeline = try Pipeline(store: .memory(), options: quietOptions { $0.conditions = device }) {
            Route("**", to: patient, waits: .while([.expensive, .constrained]))
            Route("**", to: urgent)
        }
        pipeline.log().number(0..<3)
        let error = try await #require(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(3600)) }
        #expect(error.description.contains("patient: 3 (held back: expensive)"))
        #expect(patient.records.isEmpty)
        #expect(urgent.records.numbers == [0, 1, 2])
        #expect(await pipeline.ledgers()["patient"]?.heldBy == .expensive)
        #expect(await pipeline.ledgers()["urgent"]?.heldBy == [])
        device.tell(.lowPower)
        try await pipeline.flush(deadline: .seconds(60))
        #expect(patient.records.numbers == [0, 1, 2])
        #expect(await pipeline.ledgers()["patient"]?.heldBy == [])
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A flush can send at once despite the conditions that hold a route") func sendsOnRequest() async throws {
        let device = Told(.constrained)
        let output = CollectingOutput(id: "out")
        let pipeline = try Pipeline(store: .memory(), options: quietOptions { $0.conditions = device }) {
            Route("**", to: output, waits: .while(.constrained))
        }
        pipeline.log().number(0..<3)
        try await pipeline.flush(deadline: .seconds(30), ignoringWaits: true)
        #expect(output.records.numbers == [0, 1, 2])
        pipeline.log().number(3..<4)
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(3600)) }
        #expect(output.records.numbers == [0, 1, 2])
        await pipeline.shutdown(deadline: .zero)
    }

    /// Asks for an hour's pause once, then accepts everything.
    private final class Busy: BatchOutput {
        let id = "busy"
        private let asked = Mutex(0)

        var count: Int { asked.withLock { $0 } }

        func send(_ batch: Batch) async -> Delivery {
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            return count == 1 ? .retry(after: .seconds(3600), reason: "busy") : .delivered
        }
    }

    /// The flush is held up by the receiver's pause, a missing network or a suspension.
    @Test("A flush that has timed out does not make a held route send", arguments: 0..<3) func expiredFlushIsForgotten(
        reason: Int
    ) async throws {
        let device = Told([])
        let clock = ManualClock()
        let output = Busy()
        let options = quietOptions {
            $0.conditions = device
            $0.clock = clock.clock
        }
        let pipeline = try Pipeline(store: .memory(), options: options) {
            Route("**", to: output, waits: .while(.expensive, atMost: .seconds(86_400)))
        }
        pipeline.log().number(0..<3)
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(60)) }
        #expect(output.count == 1)
        device.tell(reason == 1 ? [.expensive, .offline] : .expensive)
        if reason == 2 { await pipeline.suspend() }
        await #expect(throws: FlushError.self) {
            try await pipeline.flush(deadline: .seconds(60), ignoringWaits: true)
        }
        device.tell(.expensive)
        if reason == 2 { pipeline.resume() }
        clock.advance(by: .seconds(3601))
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(60)) }
        #expect(output.count == 1)
        try await pipeline.flush(deadline: .seconds(60), ignoringWaits: true)
        #expect(output.count == 2)
        await pipeline.shutdown(deadline: .zero)
    }

    @Test("Records held past the limit by an earlier launch are sent") func sendsWhatWaitedTooLong() async throws {
        let clock = ManualClock()
        let options = quietOptions {
            $0.conditions = Told(.expensive)
            $0.clock = clock.clock
        }
        let output = CollectingOutput(id: "out")
        func launch() throws -> Pipeline<EmptyContext> {
            try Pipeline(directory: directory.url, options: options) {
                Route("**", to: output, waits: .while(.expensive, atMost: .seconds(3600)))
            }
        }
        let first = try launch()
        first.log().number(0..<2)
        await first.shutdown(deadline: .zero)
        clock.advance(by: .seconds(3599))
        let second = try launch()
        await #expect(throws: FlushError.self) { try await second.flush(deadline: .zero) }
        #expect(output.records.isEmpty)
        await second.shutdown(deadline: .zero)
        clock.advance(by: .seconds(1))
        let third = try launch()
        try await third.flush(deadline: .seconds(60))
        #expect(output.records.numbers == [0, 1])
        await third.shutdown(deadline: .seconds(60))
    }

    @Test("A launch sends nothing before the delivery conditions are known") func startWaitsForConditions() async throws
    {
        let device = Told(nil)
        let output = CollectingOutput(id: "out")
        let pipeline = try Pipeline(store: .memory(), options: quietOptions { $0.conditions = device }) {
            Route("**", to: output, batch: BatchLimits(count: 1), waits: .while(.expensive))
        }
        pipeline.log().number(0..<3)
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .zero) }
        #expect(output.records.isEmpty)
        // A flush right after the start waits until they are known.
        async let flushed: Void = pipeline.flush(deadline: .seconds(60))
        device.tell([])
        try await flushed
        #expect(output.records.numbers == [0, 1, 2])
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("An output that needs no network waits only for power") func localOutputIgnoresNetwork() async throws {
        let device = Told([.offline, .expensive])
        let local = Local()
        let pipeline = try Pipeline(store: .memory(), options: quietOptions { $0.conditions = device }) {
            Route("**", to: local, waits: .while([.expensive, .lowPower]))
        }
        pipeline.log().number(0..<1)
        try await pipeline.flush(deadline: .seconds(60))
        device.tell(.lowPower)
        pipeline.log().number(1..<2)
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(3600)) }
        #expect(local.collecting.records.numbers == [0])
        await pipeline.shutdown(deadline: .zero)
    }

    @Test("Without a source of conditions a route sends at once and reports it") func noConditionsNoWait() async throws
    {
        let said = Mutex<[String]>([])
        let output = CollectingOutput(id: "out")
        let pipeline = try Pipeline(
            store: .memory(), options: quietOptions { $0.report = { text in said.withLock { $0.append(text) } } }
        ) { Route("**", to: output, waits: .while(.expensive)) }
        pipeline.log().number(0..<1)
        try await pipeline.flush(deadline: .seconds(60))
        #expect(output.records.numbers == [0])
        #expect(said.withLock { $0.contains { $0.contains("PipelineOptions.conditions") } })
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Conditions have readable names, and `offline` is not a route's choice") func conditionsDescribe() {
        let all: DeliveryConditions = [.offline, .expensive, .constrained, .lowPower]
        #expect(all.description == "offline, expensive, constrained, low power")
        #expect(DeliveryConditions().description.isEmpty)
        // A route cannot choose to send while offline.
        #expect(RouteWait.while([.offline, .lowPower]).conditions == .lowPower)
    }
}
