import DaybookBase
import DaybookHTTP
import Dispatch

/// State that a server's connections share.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: HTTPServerLimits
    let clock: MonotonicClock
    let onExchange: (@Sendable (ServedRequest) -> Void)?
    let table: ConnectionTable
    /// Requests in progress: the head was read, the reply is unfinished.
    let active = ActiveCount()
    let bodies: BodyBudget
    let replies: ReplyBudget
    let workshop: Workshop
    /// Whether sockets carry TLS, so that nobody else may write to them.
    let isSecure: Bool

    /// How much of an unwanted body is read before the reply. With TLS no reply can be sent before the body ends, so
    /// the limit covers the largest honest body.
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
        replies = ReplyBudget(limit: limits.replyBytes)
        workshop = Workshop(limits)
        table = ConnectionTable(limit: limits.connections)
    }
}

extension ServerCore {
    /// Runs at each interval: deadlines, disconnected clients, and revoked keys.
    func sweep() {
        table.sweep(at: clock.now())
        // Outside the locks, because it calls the handler.
        for exchange in table.exchangesUnderWay where !handler.allows(exchange.head) {
            table.revoke(exchange.connection, number: exchange.number)
        }
    }
}

extension ServerCore {
    /// Takes room for received bytes of a body. If there is none, displaces unfinished bodies: slow ones, and those of
    /// clients above their share, see ``BodyBudget``. `false` if that is not enough.
    ///
    /// Not under a connection's lock, because it visits all connections.
    func takeRoom(for count: Int, of client: BodyClient) -> Bool {
        // Each round ends a body, and there are at most as many as connections.
        for _ in 0...limits.connections {
            if bodies.take(count, of: client) { return true }
            guard displaceOne(for: count, of: client) else { return false }
        }
        return false
    }

    /// Whether a body of this length would fit, displacing others if necessary. Reserves nothing: an announced body
    /// takes no memory.
    func hasRoom(for count: Int, of client: BodyClient) -> Bool {
        if bodies.hasRoom(for: count) { return true }
        let victim = bodies.victim(of: client, wanting: count)
        return table.unfinishedBodies(at: clock.now()).contains { body in
            body.isSlow || (victim.map { $0.covers(body.client) } ?? false)
        }
    }

    /// Displaces one body; `false` if none qualifies.
    private func displaceOne(for count: Int, of client: BodyClient) -> Bool {
        let victim = bodies.victim(of: client, wanting: count)
        let candidates = table.unfinishedBodies(at: clock.now()).filter { body in
            body.isSlow || (victim.map { $0.covers(body.client) } ?? false)
        }
        // Slow ones first, then the oldest.
        let sorted = candidates.sorted { ($0.isSlow ? 0 : 1, $0.began) < ($1.isSlow ? 0 : 1, $1.began) }
        guard sorted.contains(where: { $0.connection.giveWay() }) else { return false }
        table.noteDisplaced()
        return true
    }
}

/// Memory for unsent large replies of all clients: a client that requests and does not read keeps its reply in memory
/// until the timeout.
final class ReplyBudget: Sendable {
    /// Replies up to this many bytes are always sent: health, metrics, and ingest responses.
    static let small = 64 * 1024

    private let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    var current: Int { used.load(ordering: .relaxed) }

    /// Takes room for a reply; `false` if there is none. A reply alone always fits.
    func take(_ count: Int) -> Bool {
        let before = used.add(count, ordering: .relaxed) - count
        if before == 0 || before + count <= limit { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// Counts work in progress, so that a shutdown can wait for it.
final class ActiveCount: Sendable {
    private struct State {
        var count = 0
        var total = 0
        var waiter: CheckedContinuation<Void, Never>?
        /// The number of waits, so that the timeout of one does not end a later one.
        var waits = 0
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// The total since the start.
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

    /// Returns when none is left, or after the timeout. One caller at a time.
    func waitUntilNone(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            let wait = state.withLock { state -> Int? in
                guard state.count > 0 else { return nil }
                state.waiter = continuation
                state.waits += 1
                return state.waits
            }
            guard let wait else { return continuation.resume() }
            let nanoseconds = Int(clamping: limit.nanoseconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
                state.withLock { $0.waits == wait ? $0.waiter.take() : nil }?.resume()
            }
        }
    }
}
