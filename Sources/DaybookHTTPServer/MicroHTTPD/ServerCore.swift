import DaybookBase
import DaybookHTTP
import Dispatch

/// What every connection of a server shares.
final class ServerCore: Sendable {
    let handler: any HTTPHandler
    let limits: HTTPServerLimits
    let clock: MonotonicClock
    let onExchange: (@Sendable (ServedRequest) -> Void)?
    let table: ConnectionTable
    /// Requests whose head was read and whose answer is not finished.
    let active = ActiveCount()
    let bodies: BodyBudget
    let replies: ReplyBudget
    let workshop: Workshop
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
        replies = ReplyBudget(limit: limits.replyBytes)
        workshop = Workshop(limits)
        table = ConnectionTable(limit: limits.connections)
    }
}

extension ServerCore {
    /// What is done at each interval: deadlines, clients that left, and keys that open nothing any more.
    func sweep() {
        table.sweep(at: clock.now())
        // Outside of the locks: it is the handler's code.
        for exchange in table.exchangesUnderWay where !handler.allows(exchange.head) {
            table.revoke(exchange.connection, number: exchange.number)
        }
    }
}

extension ServerCore {
    /// Takes room for bytes of a body that came. Where there is none, unfinished bodies of others make it: the slow ones,
    /// and those of who holds more than a fair share, see ``BodyBudget``. `false` where there is none all the same.
    ///
    /// Not under a connection's lock: it looks at all of them.
    func takeRoom(for count: Int, of client: BodyClient) -> Bool {
        // Each round ends a body, of which there are no more than connections.
        for _ in 0...limits.connections {
            if bodies.take(count, of: client) { return true }
            guard displaceOne(for: count, of: client) else { return false }
        }
        return false
    }

    /// Whether a body of this length can have room, if need be in place of others. It is not kept for it: a promise takes
    /// no memory.
    func hasRoom(for count: Int, of client: BodyClient) -> Bool {
        if bodies.hasRoom(for: count) { return true }
        let victim = bodies.victim(of: client, wanting: count)
        return table.unfinishedBodies(at: clock.now()).contains { body in
            body.isSlow || (victim.map { $0.covers(body.client) } ?? false)
        }
    }

    /// Ends one body that has to give way; `false` where there is none.
    private func displaceOne(for count: Int, of client: BodyClient) -> Bool {
        let victim = bodies.victim(of: client, wanting: count)
        let candidates = table.unfinishedBodies(at: clock.now()).filter { body in
            body.isSlow || (victim.map { $0.covers(body.client) } ?? false)
        }
        // The slow ones first, and of these the one that began first.
        let sorted = candidates.sorted { ($0.isSlow ? 0 : 1, $0.began) < ($1.isSlow ? 0 : 1, $1.began) }
        guard sorted.contains(where: { $0.connection.giveWay() }) else { return false }
        table.noteDisplaced()
        return true
    }
}

/// The bytes of large replies that clients have not taken yet, of all clients together: a client that asks and does not read
/// keeps its reply in memory until its time is over.
final class ReplyBudget: Sendable {
    /// Replies of so many bytes or fewer are always sent: health, metrics, and what the ingest says.
    static let small = 64 * 1024

    private let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    var current: Int { used.load(ordering: .relaxed) }

    /// Takes room for a reply; `false` where there is none. The only one is always taken.
    func take(_ count: Int) -> Bool {
        let before = used.add(count, ordering: .relaxed) - count
        if before == 0 || before + count <= limit { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// Counts what is under way, so that a shutdown can wait for it.
final class ActiveCount: Sendable {
    private struct State {
        var count = 0
        var total = 0
        var waiter: CheckedContinuation<Void, Never>?
        /// How often it was waited for, so that the end of one wait's time ends no later wait.
        var waits = 0
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

    /// Returns when none is left, or when the time is over. One caller at a time.
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
