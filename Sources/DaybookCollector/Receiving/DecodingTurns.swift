import DaybookBase
import DaybookTools

/// Turns at inflating and decoding: as many at once as the machine has processors. Where more wait, keys take turns, so that
/// many bodies of one sender keep another waiting for one of them, and not for all. Safe to share between threads.
package final class DecodingTurns: Sendable {
    private struct State {
        var free: Int
        var waiting = FairQueue<String, CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    /// - Parameter count: turns at once.
    package init(count: Int) { state = Mutex(State(free: max(1, count))) }

    /// Works when it is this key's turn.
    /// - Parameters:
    ///   - key: the key's name; senders without one share a turn.
    ///   - work: does not wait for anything.
    func run<Value, Failure: Error>(
        for key: String?, _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(key ?? "")
        defer { leave() }
        return try work()
    }

    private func enter(_ key: String) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.add(continuation, for: key)
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.takeNext()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
