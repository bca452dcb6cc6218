import Foundation

/// Wakes one sleeping thread; wakings that come while it is awake are coalesced.
final class Signal: Sendable {
    private final class State {
        var isRaised = false
    }

    private let condition = NSCondition()
    /// Sound: read and written only while `condition` is locked.
    nonisolated(unsafe) private let state = State()

    /// Wakes the waiter, or makes its next wait return at once.
    func raise() {
        condition.lock()
        state.isRaised = true
        condition.signal()
        condition.unlock()
    }

    /// Waits until raised, at most `nanoseconds`.
    func wait(atMost nanoseconds: UInt64) {
        condition.lock()
        let deadline = Date(timeIntervalSinceNow: Double(nanoseconds) / 1e9)
        while !state.isRaised, condition.wait(until: deadline) {}
        state.isRaised = false
        condition.unlock()
    }
}
