import Testing

@testable import Daybook

struct DeliveryMachineTests {
    private static let second: UInt64 = 1_000_000_000

    private func machine(count: Int = 10, delay: Duration = .seconds(10)) -> DeliveryMachine {
        DeliveryMachine(limits: BatchLimits(count: count, bytes: 1000, delay: delay), backoff: Backoff())
    }

    private func poll(
        _ machine: inout DeliveryMachine, count: Int, bytes: Int = 1, since: UInt64 = 0, isComplete: Bool = false,
        now: UInt64
    ) -> DeliveryMachine.Decision {
        machine.poll(count: count, bytes: bytes, since: since, isComplete: isComplete, now: now)
    }

    @Test("Never sends an empty batch, even on a flush") func emptyBatchNeverSent() {
        var machine = machine()
        #expect(poll(&machine, count: 0, now: 100 * Self.second) == .wait(until: nil))
        machine.flush(now: 0)
        #expect(poll(&machine, count: 0, now: 100 * Self.second) == .wait(until: nil))
    }

    @Test("Sends a batch at the first limit reached: count, bytes or delay") func sendsAtFirstLimit() {
        var byCount = machine()
        #expect(poll(&byCount, count: 9, now: 0) == .wait(until: 10 * Self.second))
        #expect(poll(&byCount, count: 10, now: 0) == .send)
        var byBytes = machine()
        #expect(poll(&byBytes, count: 1, bytes: 1000, now: 0) == .send)
        var byDelay = machine()
        #expect(poll(&byDelay, count: 1, now: 10 * Self.second) == .send)
    }

    @Test("Keeps one batch in flight at a time") func oneBatchInFlight() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(poll(&machine, count: 100, now: 0) == .wait(until: nil))
        #expect(machine.finish(.delivered, count: 10, now: 0, jitter: 0) == .advance(rejected: 0))
        #expect(poll(&machine, count: 90, now: 0) == .send)
    }

    @Test("Retries back off up to five minutes and never give up") func retriesBackOff() {
        var machine = machine()
        var now: UInt64 = 0
        var waits: [UInt64] = []
        for _ in 0..<12 {
            #expect(poll(&machine, count: 10, isComplete: true, now: now) == .send)
            #expect(machine.finish(.retry(after: nil, reason: "down"), count: 10, now: now, jitter: 0.999) == .keep)
            guard case .wait(let until?) = poll(&machine, count: 10, isComplete: true, now: now) else {
                Issue.record("it must wait")
                return
            }
            waits.append((until - now) / Self.second)
            now = until
        }
        #expect(waits.prefix(4) == [0, 1, 3, 7])
        #expect(waits.suffix(2) == [299, 299])
        #expect(machine.trouble == "down")
    }

    @Test("Honours the receiver's retry delay up to an hour") func honoursRetryAfter() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        _ = machine.finish(.retry(after: .seconds(7200), reason: "busy"), count: 10, now: 0, jitter: 0)
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .wait(until: 3600 * Self.second))
    }

    @Test("Cuts a refused batch down to the offending record") func bisectsRefusedBatch() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 10, now: 0, jitter: 0) == .cut)
        #expect(machine.size.count == 5)
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .setAside)
    }

    @Test("Pauses the output after eight refused records in a row") func pausesAfterEightRefusals() {
        var machine = machine()
        for _ in 0..<7 {
            #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
            #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .setAside)
        }
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .keep)
        #expect(poll(&machine, count: 1, isComplete: true, now: .max / 4) == .wait(until: nil))
    }

    @Test("A paused output keeps its records and retries on a flush") func pauseEndsOnFlush() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.pause(reason: "401"), count: 10, now: 0, jitter: 0) == .keep)
        #expect(poll(&machine, count: 10, isComplete: true, now: .max / 4) == .wait(until: nil))
        machine.flush(now: 0)
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .send)
    }

    @Test("Sends nothing while suspended") func suspendedSendsNothing() {
        var machine = machine()
        machine.suspend()
        #expect(poll(&machine, count: 10, now: 100 * Self.second) == .wait(until: nil))
        machine.resume(now: 0)
        #expect(poll(&machine, count: 10, now: 100 * Self.second) == .send)
    }

    @Test("Never retries a partial success") func partialIsFinal() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.partly(rejected: 3), count: 10, now: 0, jitter: 0) == .advance(rejected: 3))
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.partly(rejected: 99), count: 10, now: 0, jitter: 0) == .advance(rejected: 10))
    }

    @Test("Resuming an output paused by refusals starts a new count") func resumeClearsRefusals() {
        var machine = machine()
        for _ in 0..<8 {
            #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
            _ = machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0)
        }
        // A flush tries once and drops nothing more. A resume means that someone has fixed the cause.
        machine.flush(now: 0)
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .keep)
        machine.resume(now: 0)
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .setAside)
    }

    @Test("Predicts whether anything can be sent before a deadline") func predictsBeingStuck() {
        var machine = machine()
        #expect(!machine.isStuck(until: .max))
        #expect(poll(&machine, count: 10, now: 0) == .send)
        machine.suspend()
        #expect(!machine.isStuck(until: .max), "a batch under way may still arrive")
        _ = machine.finish(.retry(after: nil, reason: "down"), count: 10, now: 0, jitter: 0.5)
        #expect(machine.isStuck(until: .max))
        machine.resume(now: 0)
        #expect(poll(&machine, count: 10, now: 0) == .send)
        _ = machine.finish(.retry(after: .seconds(5), reason: "busy"), count: 10, now: 0, jitter: 0)
        #expect(machine.isStuck(until: 4 * Self.second))
        #expect(!machine.isStuck(until: 6 * Self.second))
    }

    // MARK: Circuit and network

    private func failed(_ machine: inout DeliveryMachine, times: Int, requested: Duration? = nil) {
        for _ in 0..<times {
            machine.flush(now: 1_000_000 * Self.second)
            guard poll(&machine, count: 10, isComplete: true, now: 1_000_000 * Self.second) == .send else { return }
            _ = machine.finish(
                .retry(after: requested, reason: "down"), count: 10, now: 1_000_000 * Self.second, jitter: 0.999)
        }
    }

    @Test("The circuit breaker keeps repeated flushes off a dead server") func breakerLimitsFlushes() {
        var machine = machine()
        let now = 1_000_000 * Self.second
        // The fifth failure opens the circuit. One requested attempt is still granted, and fails too.
        failed(&machine, times: 6)
        for _ in 0..<1000 {
            machine.flush(now: now)
            machine.resume(now: now)
            #expect(poll(&machine, count: 10, isComplete: true, now: now) != .send)
        }
        #expect(machine.isStuck(until: now + 5 * Self.second))
        machine.flush(now: now + 30 * Self.second)
        #expect(poll(&machine, count: 10, isComplete: true, now: now + 30 * Self.second) == .send)
        #expect(machine.finish(.delivered, count: 10, now: now, jitter: 0) == .advance(rejected: 0))
        failed(&machine, times: 1)
        machine.flush(now: now)
        #expect(poll(&machine, count: 10, isComplete: true, now: now) == .send)
    }

    @Test("Flushes and resumes do not shorten the receiver's retry delay") func retryAfterBeatsRequests() {
        var machine = machine()
        let now = 1_000_000 * Self.second
        failed(&machine, times: 1, requested: .seconds(60))
        machine.flush(now: now)
        machine.resume(now: now)
        machine.setConditions(.offline)
        machine.setConditions([])
        #expect(poll(&machine, count: 10, isComplete: true, now: now) == .wait(until: now + 60 * Self.second))
        #expect(poll(&machine, count: 10, isComplete: true, now: now + 60 * Self.second) == .send)
    }

    @Test("Time without a network costs no attempt") func offlineCostsNoAttempt() {
        var machine = machine()
        machine.setConditions(.offline)
        for hour in 0..<100 {
            machine.flush(now: UInt64(hour) * 3600 * Self.second)
            #expect(
                poll(&machine, count: 10, isComplete: true, now: UInt64(hour) * 3600 * Self.second)
                    == .wait(until: nil))
        }
        #expect(machine.isStuck(until: .max))
        #expect(!machine.isFree(at: 0))
        machine.setConditions([])
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .send)
        // The network goes away mid-batch: the attempt does not count, and no failure is reported.
        machine.setConditions(.offline)
        #expect(machine.finish(.retry(after: nil, reason: "lost"), count: 10, now: 0, jitter: 0.999) == .keep)
        #expect(machine.trouble == nil)
        machine.setConditions([])
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .send)
    }

    @Test("Retries at once when the network returns") func reconnectRetriesAtOnce() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        _ = machine.finish(.retry(after: nil, reason: "down"), count: 10, now: 0, jitter: 0.999)
        machine.setConditions([])
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) != .send)
        machine.setConditions(.offline)
        machine.setConditions([])
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .send)
    }

    @Test("A backlog batch that fails twice falls back to the route's limits") func failedBacklogShrinks() {
        var machine = DeliveryMachine(limits: BatchLimits(), backoff: Backoff())
        #expect(machine.finish(.delivered, count: 512, now: 0, jitter: 0) == .advance(rejected: 0))
        for bytes in [1 << 20, 1 << 20, 256_000, 256_000] {
            #expect(machine.size.bytes == bytes && machine.size.count == (bytes == 1 << 20 ? .max : 512))
            #expect(machine.finish(.retry(after: nil, reason: "slow"), count: 512, now: 0, jitter: 0) == .keep)
        }
        #expect(machine.finish(.delivered, count: 512, now: 0, jitter: 0) == .advance(rejected: 0))
        #expect(machine.size.bytes == 1 << 20)
    }

    @Test("Halves a batch after two broken connections unless it sent one record") func halvesAfterTwoBreaks() {
        func size(_ deliveries: [Delivery], count: Int = 10, sent: Int? = nil) -> Int {
            var machine = machine()
            for delivery in deliveries {
                #expect(machine.finish(delivery, count: count, sent: sent, now: 0, jitter: 0) == .keep)
            }
            return machine.size.count
        }
        let broken = Delivery.noAnswer(reason: "reset")
        #expect(size([broken]) == 10)
        #expect(size([broken, broken]) == 5)
        #expect(size([.retry(after: nil, reason: "503"), .retry(after: nil, reason: "503")]) == 10)
        #expect(size([broken, broken], sent: 2) == 5)
        #expect(size([broken, broken], sent: 1) == 10, "its parts are the same again")
        var offline = machine()
        offline.setConditions(.offline)
        for _ in 0..<9 { #expect(offline.finish(broken, count: 10, now: 0, jitter: 0) == .keep) }
        #expect(offline.size.count == 10)
    }

    // MARK: A route that waits

    private func waiting(_ conditions: DeliveryConditions = [.expensive, .lowPower]) -> DeliveryMachine {
        DeliveryMachine(
            limits: BatchLimits(count: 10, bytes: 1000), backoff: Backoff(),
            wait: .while(conditions, atMost: .seconds(100)))
    }

    private func poll(_ machine: inout DeliveryMachine, age: UInt64, now: UInt64) -> DeliveryMachine.Decision {
        machine.poll(count: 10, bytes: 1, since: now, isComplete: true, age: age, now: now)
    }

    @Test("A route is held back while one of its conditions applies") func routeHeldByCondition() {
        var machine = waiting()
        machine.setConditions([.constrained])
        #expect(machine.heldBy.isEmpty && machine.isFree(at: 0))
        machine.setConditions([.constrained, .lowPower])
        #expect(machine.heldBy == .lowPower)
        #expect(poll(&machine, age: 0, now: 0) == .wait(until: 100 * Self.second))
        #expect(!machine.isFree(at: 0))
        #expect(machine.isStuck(until: 100 * Self.second) && !machine.isStuck(until: 101 * Self.second))
        machine.setConditions([])
        #expect(poll(&machine, age: 0, now: 0) == .send)
    }

    @Test("A flush does not give up before the conditions are known") func unknownIsNotStuck() {
        var machine = waiting()
        #expect(poll(&machine, age: 0, now: 0) == .wait(until: 100 * Self.second))
        #expect(!machine.isStuck(until: 50 * Self.second))
        machine.setConditions(.expensive)
        #expect(poll(&machine, age: 0, now: 0) == .wait(until: 100 * Self.second))
        #expect(machine.isStuck(until: 50 * Self.second))
    }

    @Test("A held route sends records that have waited long enough") func sendsOldEnough() {
        var machine = waiting()
        machine.setConditions(.expensive)
        #expect(poll(&machine, age: 60 * Self.second, now: 7 * Self.second) == .wait(until: 47 * Self.second))
        #expect(poll(&machine, age: 100 * Self.second, now: 47 * Self.second) == .send)
        #expect(machine.finish(.delivered, count: 10, now: 0, jitter: 0) == .advance(rejected: 0))
        // The next record is younger.
        #expect(poll(&machine, age: 99 * Self.second, now: 47 * Self.second) == .wait(until: 48 * Self.second))
    }

    @Test("Only a flush that overrides conditions sends on a held route") func onlyForcedFlushSends() {
        var machine = waiting()
        machine.setConditions(.expensive)
        machine.flush(now: 0)
        #expect(poll(&machine, age: 0, now: 0) == .wait(until: 100 * Self.second))
        machine.flush(now: 0, ignoringWaits: true)
        #expect(poll(&machine, age: 0, now: 0) == .send)
        #expect(machine.finish(.delivered, count: 10, now: 0, jitter: 0) == .advance(rejected: 0))
        machine.endFlush()
        #expect(poll(&machine, age: 0, now: 0) == .wait(until: 100 * Self.second))
        // A failed flush is over: records after the backoff wait again.
        machine.flush(now: 0, ignoringWaits: true)
        #expect(poll(&machine, age: 0, now: 0) == .send)
        _ = machine.finish(.retry(after: nil, reason: "down"), count: 10, now: 0, jitter: 0.5)
        #expect(poll(&machine, age: Self.second, now: Self.second) == .wait(until: 100 * Self.second))
    }

    @Test("A batch in flight finishes when its route becomes held back") func inFlightFinishes() {
        var machine = waiting()
        machine.setConditions([])
        #expect(poll(&machine, age: 0, now: 0) == .send)
        machine.setConditions(.lowPower)
        #expect(!machine.isStuck(until: .max))
        #expect(machine.finish(.delivered, count: 10, now: 0, jitter: 0) == .advance(rejected: 0))
        #expect(poll(&machine, age: 0, now: 0) == .wait(until: 100 * Self.second))
    }

    @Test("The receiver's retry delay outlasts the conditions that held a route") func retryAfterBeatsConditions() {
        var machine = waiting()
        machine.setConditions([])
        failed(&machine, times: 1, requested: .seconds(60))
        machine.setConditions(.expensive)
        machine.setConditions([])
        let now = 1_000_000 * Self.second
        #expect(poll(&machine, age: 0, now: now) == .wait(until: now + 60 * Self.second))
    }
}
