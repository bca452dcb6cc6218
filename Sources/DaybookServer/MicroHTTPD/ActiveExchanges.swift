import Synchronization

/// Counts the requests that are not finished, so that a shutdown can wait for them.
final class ActiveExchanges: Sendable {
    private struct State {
        var count = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func begin() {
        state.withLock { $0.count += 1 }
    }

    func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            return state.count == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Returns when no request is left, or when `giveUp` is called. One caller at a time.
    func waitUntilNone() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count == 0 { return true }
                state.waiter = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func giveUp() {
        state.withLock { $0.waiter.take() }?.resume()
    }
}
