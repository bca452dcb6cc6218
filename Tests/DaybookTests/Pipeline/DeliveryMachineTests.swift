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

    @Test func anEmptyBatchIsNeverSent() {
        var machine = machine()
        #expect(poll(&machine, count: 0, now: 100 * Self.second) == .wait(until: nil))
        machine.flush()
        #expect(poll(&machine, count: 0, now: 100 * Self.second) == .wait(until: nil))
    }

    @Test func aBatchIsSentAtTheFirstLimitThatIsMet() {
        var byCount = machine()
        #expect(poll(&byCount, count: 9, now: 0) == .wait(until: 10 * Self.second))
        #expect(poll(&byCount, count: 10, now: 0) == .send)
        var byBytes = machine()
        #expect(poll(&byBytes, count: 1, bytes: 1000, now: 0) == .send)
        var byDelay = machine()
        #expect(poll(&byDelay, count: 1, now: 10 * Self.second) == .send)
    }

    @Test func oneBatchIsUnderWayAtATime() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(poll(&machine, count: 100, now: 0) == .wait(until: nil))
        #expect(machine.finish(.delivered, count: 10, now: 0, jitter: 0) == .advance(rejected: 0))
        #expect(poll(&machine, count: 90, now: 0) == .send)
    }

    @Test func retriesWaitLongerAndLongerAndNeverGiveUp() {
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

    @Test func theReceiversWishIsHonouredUpToAnHour() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        _ = machine.finish(.retry(after: .seconds(7200), reason: "busy"), count: 10, now: 0, jitter: 0)
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .wait(until: 3600 * Self.second))
    }

    @Test func aRefusedBatchIsHalvedDownToTheRecordAtFault() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 10, now: 0, jitter: 0) == .halve)
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .setAside)
    }

    @Test func eightRefusedRecordsInARowPauseTheOutput() {
        var machine = machine()
        for _ in 0..<7 {
            #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
            #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .setAside)
        }
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .keep)
        #expect(poll(&machine, count: 1, isComplete: true, now: .max / 4) == .wait(until: nil))
    }

    @Test func aPausedOutputKeepsItsRecordsAndTriesAgainOnFlush() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.pause(reason: "401"), count: 10, now: 0, jitter: 0) == .keep)
        #expect(poll(&machine, count: 10, isComplete: true, now: .max / 4) == .wait(until: nil))
        machine.flush()
        #expect(poll(&machine, count: 10, isComplete: true, now: 0) == .send)
    }

    @Test func nothingIsSentWhileSuspended() {
        var machine = machine()
        machine.suspend()
        #expect(poll(&machine, count: 10, now: 100 * Self.second) == .wait(until: nil))
        machine.resume()
        #expect(poll(&machine, count: 10, now: 100 * Self.second) == .send)
    }

    @Test func partialSuccessIsNeverRetried() {
        var machine = machine()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.partly(rejected: 3), count: 10, now: 0, jitter: 0) == .advance(rejected: 3))
        #expect(poll(&machine, count: 10, now: 0) == .send)
        #expect(machine.finish(.partly(rejected: 99), count: 10, now: 0, jitter: 0) == .advance(rejected: 10))
    }

    @Test func anOutputThatPausedOverRefusedRecordsGoesOnWhenItIsResumed() {
        var machine = machine()
        for _ in 0..<8 {
            #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
            _ = machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0)
        }
        // A flush tries once and drops nothing more; a resume is the word of someone who has seen to it.
        machine.flush()
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .keep)
        machine.resume()
        #expect(poll(&machine, count: 1, isComplete: true, now: 0) == .send)
        #expect(machine.finish(.refused(reason: "bad"), count: 1, now: 0, jitter: 0) == .setAside)
    }

    @Test func itIsKnownWhetherAnythingWillBeSentBeforeATime() {
        var machine = machine()
        #expect(!machine.isStuck(until: .max))
        #expect(poll(&machine, count: 10, now: 0) == .send)
        machine.suspend()
        #expect(!machine.isStuck(until: .max), "a batch under way may still arrive")
        _ = machine.finish(.retry(after: .seconds(5), reason: "busy"), count: 10, now: 0, jitter: 0)
        #expect(machine.isStuck(until: .max))
        machine.resume()
        #expect(poll(&machine, count: 10, now: 0) == .send)
        _ = machine.finish(.retry(after: .seconds(5), reason: "busy"), count: 10, now: 0, jitter: 0)
        #expect(machine.isStuck(until: 4 * Self.second))
        #expect(!machine.isStuck(until: 6 * Self.second))
    }
}
