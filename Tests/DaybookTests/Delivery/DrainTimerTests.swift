import Testing

@testable import Daybook

@Suite struct DrainTimerTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("The timer stays set while records come, so no call wakes the thread") func timerWhileRecordsCome() {
        var timer = DrainTimer(patience: Self.second)
        #expect(!timer.isSet)
        // No record came, so the next one wakes the thread.
        #expect(timer.set(due: .max, seen: 0, now: 5) == .max)
        #expect(!timer.isSet && timer.unseenSince == nil)
        // One came: those after it wake nobody, though nothing is due.
        #expect(timer.set(due: .max, seen: 1, now: 10) == 10 + Self.second)
        #expect(timer.isSet && timer.unseenSince == 10)
        #expect(timer.set(due: .max, seen: 900, now: 10 + Self.second) == 10 + 2 * Self.second)
        #expect(timer.isSet)
        // A whole interval without a record.
        #expect(timer.set(due: .max, seen: 900, now: 10 + 2 * Self.second) == .max)
        #expect(!timer.isSet)
    }

    @Test("Waits for what is due soon; a distant due time does not count") func distantTimerDoesNotCount() {
        var timer = DrainTimer(patience: Self.second)
        #expect(timer.set(due: 7, seen: 0, now: 5) == 7)
        #expect(timer.isSet && timer.unseenSince == 5)
        #expect(timer.set(due: 5 + 2 * Self.second, seen: 0, now: 5) == 5 + 2 * Self.second)
        #expect(!timer.isSet)
        #expect(timer.set(due: 20, seen: 3, now: 10) == 20)
        #expect(timer.set(due: 11 + 2 * Self.second, seen: 4, now: 11) == 11 + Self.second)
        #expect(timer.isSet)
    }
}
