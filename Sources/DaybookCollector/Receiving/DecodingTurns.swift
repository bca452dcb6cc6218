import DaybookBase
import DaybookTools

/// Shares of something of which there is so much in all: processors to decode on, memory for what is decoded. Safe to share
/// between threads.
package final class DecodingTurns: Sendable {
    private let order: Mutex<TurnOrder<CheckedContinuation<Void, Never>>>

    /// - Parameter room: how much there is.
    package init(room: Int) { order = Mutex(TurnOrder(room: room)) }

    /// Works when it is this key's turn.
    /// - Parameters:
    ///   - amount: how much the work takes while it runs. Default: 1.
    ///   - key: the key's name; senders without one share a turn.
    ///   - address: where the sender is.
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

/// Who has a share, and who waits for one, as decisions (pure).
///
/// Where there is not enough, keys take turns, so that many bodies of one sender keep another waiting for one of them, and not
/// for all; a key's turns are shared by its addresses, for all phones of an app have the same key. Nobody overtakes whoever's
/// turn it is: who needs much gets it when so much is free, and waits for no more than those who were before.
struct TurnOrder<Waiting> {
    private typealias Share = (waiting: Waiting, amount: Int)

    private let room: Int
    private(set) var free: Int
    /// Whose turn it is; `nil` where nobody waits.
    private var first: Share?
    /// The keys for which somebody waits, each as often as somebody does.
    private var keys = FairQueue<String, String>()
    private var waiting: [String: FairQueue<String, Share>] = [:]

    /// - Parameter room: how much there is, at least 1; who wants more gets all.
    init(room: Int) {
        self.room = max(1, room)
        free = self.room
    }

    /// - Returns: whether there was enough; otherwise ``leave(_:)`` says when there is.
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

    /// A share is free again.
    /// - Parameter amount: as it was wanted.
    /// - Returns: who has theirs now.
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
