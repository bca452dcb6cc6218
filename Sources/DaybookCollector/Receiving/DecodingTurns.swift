import DaybookBase
import DaybookTools

/// Turns at inflating and decoding: as many at once as the machine has processors. Where more wait, keys take turns, so that
/// many bodies of one sender keep another waiting for one of them, and not for all; a key's turns are shared by its addresses,
/// for all phones of an app have the same key. Safe to share between threads.
package final class DecodingTurns: Sendable {
    private struct State {
        var free: Int
        /// The keys for which somebody waits, each as often as somebody does.
        var keys = FairQueue<String, String>()
        var waiting: [String: FairQueue<String, CheckedContinuation<Void, Never>>] = [:]

        mutating func takeNext() -> CheckedContinuation<Void, Never>? {
            guard let key = keys.takeNext() else { return nil }
            let next = waiting[key]?.takeNext()
            if waiting[key]?.count == 0 { waiting[key] = nil }
            return next
        }
    }

    private let state: Mutex<State>

    /// - Parameter count: turns at once.
    package init(count: Int) { state = Mutex(State(free: max(1, count))) }

    /// Works when it is this key's turn.
    /// - Parameters:
    ///   - key: the key's name; senders without one share a turn.
    ///   - address: where the sender is.
    ///   - work: does not wait for anything.
    func run<Value, Failure: Error>(
        for key: String?, at address: String, _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(key ?? "", address)
        defer { leave() }
        return try work()
    }

    private func enter(_ key: String, _ address: String) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.keys.add(key, for: key)
                state.waiting[key, default: FairQueue()].add(continuation, for: address)
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.takeNext()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
