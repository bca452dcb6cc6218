import DaybookBase
import DaybookHTTP

/// What every connection of a server shares.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: HTTPServerLimits
    let clock: MonotonicClock
    let onExchange: (@Sendable (ServedRequest) -> Void)?
    let table: ConnectionTable
    let active = ActiveExchanges()
    let bodies: BodyBudget
    /// Whether bytes on a socket are TLS's, and nobody else may write there.
    let isSecure: Bool

    /// How much of an unwanted body is read before the reply. Behind TLS no reply can be sent ahead of the body's end, so
    /// there the largest body that an honest client sends is read.
    var discardBytes: Int { isSecure ? max(limits.discardBytes, 16 << 20) : limits.discardBytes }

    init(
        handler: any HTTPHandler, limits: HTTPServerLimits, clock: MonotonicClock,
        isSecure: Bool, onExchange: (@Sendable (ServedRequest) -> Void)?
    ) {
        self.handler = handler
        self.limits = limits
        self.clock = clock
        self.onExchange = onExchange
        self.isSecure = isSecure
        bodies = BodyBudget(limit: limits.bodyBytes)
        table = ConnectionTable(limit: limits.connections)
    }
}

/// Counts the requests that are not finished, so that a shutdown can wait for them.
final class ActiveExchanges: Sendable {
    private struct State {
        var count = 0
        var total = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// How many there have been.
    var total: Int { state.withLock { $0.total } }

    func begin() {
        state.withLock { state in
            state.count += 1
            state.total += 1
        }
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

/// The bytes that all clients' bodies take together, so that many clients cannot fill the memory where one cannot.
final class BodyBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    var current: Int { used.load(ordering: .relaxed) }

    /// Whether a body of this length would have room now. It is not kept for it: a promise takes no memory.
    func hasRoom(for count: Int) -> Bool { current + count <= limit }

    /// Takes room for bytes that came; `false` where there is none, and then none is taken.
    func take(_ count: Int) -> Bool {
        if used.add(count, ordering: .relaxed) <= limit { return true }
        used.subtract(count, ordering: .relaxed)
        return false
    }

    func giveBack(_ count: Int) {
        if count > 0 { used.subtract(count, ordering: .relaxed) }
    }
}
