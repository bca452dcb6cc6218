import DaybookBase
import DaybookTools

/// A fair semaphore over a limited resource: processors or memory. Thread-safe.
package final class DecodingTurns: Sendable {
    private let order: Mutex<TurnOrder<CheckedContinuation<Void, Never>>>

    /// - Parameter room: the total amount.
    package init(room: Int) { order = Mutex(TurnOrder(room: room)) }

    /// Runs the work on this key's turn.
    /// - Parameters:
    ///   - amount: held while the work runs. Default: 1.
    ///   - key: the key's name; senders without a key share a turn.
    ///   - address: the sender's.
    func run<Value: Sendable, Failure: Error>(
        _ amount: Int = 1, for key: String?, at address: String, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(amount, key ?? "", address)
        defer { leave(amount) }
        return try await work()
    }

    private func enter(_ amount: Int, _ key: String, _ address: String) async {
        await withCheckedContinuation { continuation in
            let isNow = order.withLock { $0.enter(continuation, amount, key: key, address: address) }
            if isNow { continuation.resume() }
        }
    }

    private func leave(_ amount: Int) {
        let ready = order.withLock { $0.leave(amount) }
        for continuation in ready { continuation.resume() }
    }
}

/// Decides who holds a share and who waits (pure).
///
/// When the resource is scarce, keys take turns: another sender's queue delays a body by at most one turn. A key's
/// turns rotate among its addresses, since all phones of an app share a key. The first in line is never overtaken, so a
/// large request gets its amount once earlier holders release enough.
struct TurnOrder<Waiting> {
    private typealias Share = (waiting: Waiting, amount: Int)

    private let room: Int
    private(set) var free: Int
    /// First in line; `nil` if nobody waits.
    private var first: Share?
    /// Keys with waiters, one entry per waiter.
    private var keys = FairQueue<String, String>()
    private var waiting: [String: FairQueue<String, Share>] = [:]

    /// - Parameter room: the total, at least 1; larger requests get all of it.
    init(room: Int) {
        self.room = max(1, room)
        free = self.room
    }

    /// - Returns: whether the share was granted; otherwise ``leave(_:)`` will return the waiter.
    mutating func enter(_ who: Waiting, _ amount: Int, key: String, address: String) -> Bool {
        let share = (who, min(amount, room))
        guard first == nil else {
            keys.add(key, for: key)
            waiting[key, default: FairQueue()].add(share, for: address)
            return false
        }
        guard take(share.1) else {
            first = share
            return false
        }
        return true
    }

    /// Releases a share.
    /// - Parameter amount: as requested.
    /// - Returns: waiters whose shares are now granted.
    mutating func leave(_ amount: Int) -> [Waiting] {
        free += min(amount, room)
        var ready: [Waiting] = []
        while let share = first, take(share.amount) {
            ready.append(share.waiting)
            first = takeNext()
        }
        return ready
    }

    private mutating func take(_ amount: Int) -> Bool {
        guard amount <= free else { return false }
        free -= amount
        return true
    }

    private mutating func takeNext() -> Share? {
        guard let key = keys.takeNext() else { return nil }
        let next = waiting[key]?.takeNext()
        if waiting[key]?.count == 0 { waiting[key] = nil }
        return next
    }
}
