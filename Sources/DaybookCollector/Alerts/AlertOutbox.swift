/// Undelivered notices, one queue per target, in order (pure).
///
/// A healthy target receives every change. While a target rejects messages, only the latest change of each alert and
/// label is kept, at most ``most``; the rest are counted.
struct AlertOutbox: Sendable, Equatable {
    /// The most notices in one message after a backlog. Twice as many may queue between attempts.
    static let most = 1_000

    /// One message to a target.
    struct Message: Sendable, Equatable {
        /// At least one.
        var notices: [AlertNotice]
        /// Merged changes not reported to the target yet.
        var merged: Int
    }

    private struct Key: Sendable, Hashable {
        var alert: String
        var label: String
    }

    private struct Entry: Sendable, Equatable {
        var notice: AlertNotice
        /// Sequence number.
        var number: Int

        var key: Key { Key(alert: notice.alert, label: notice.label) }
    }

    private struct Queue: Sendable, Equatable {
        var waiting: [Entry] = []
        var merged = 0
        /// The message in flight; undelivered until accepted.
        var sending: [Entry] = []
        var sendingMerged = 0
        /// Consecutive failed attempts.
        var attempts = 0
        /// Time of the next attempt, in nanoseconds since 1970.
        var nextTry: Int64 = 0

        var isEmpty: Bool { waiting.isEmpty && sending.isEmpty }
        var entries: [Entry] { sending + waiting }

        /// Drops changes that a later one of the same label supersedes, and the oldest beyond the limit.
        /// - Returns: the number dropped.
        mutating func merge() -> Int {
            var seen: Set<Key> = []
            let latest = waiting.reversed().filter { seen.insert($0.key).inserted }.prefix(AlertOutbox.most)
            let left = waiting.count - latest.count
            waiting = latest.reversed()
            merged += left
            return left
        }
    }

    /// By target as in the file: `${WEBHOOK_URL}`.
    private var queues: [String: Queue] = [:]
    private var last = 0

    var isEmpty: Bool { queues.isEmpty }
    var count: Int { queues.values.reduce(0) { $0 + $1.waiting.count + $1.sending.count } }
    /// Alerts with undelivered notices.
    var alerts: Set<String> { Set(queues.values.flatMap { $0.entries.map(\.notice.alert) }) }

    /// - Returns: how many changes were merged to make room.
    mutating func add(_ notice: AlertNotice, to target: String) -> Int {
        last += 1
        queues[target, default: Queue()].waiting.append(Entry(notice: notice, number: last))
        return (queues[target]?.waiting.count ?? 0) > 2 * Self.most ? merge(target) : 0
    }

    private mutating func merge(_ target: String) -> Int { queues[target]?.merge() ?? 0 }

    /// Longest wait first.
    func due(at now: Int64) -> [String] {
        queues.filter { $0.value.sending.isEmpty && !$0.value.waiting.isEmpty && Self.isDue($0.value, now) }
            .sorted { ($0.value.nextTry, $0.key) < ($1.value.nextTry, $1.key) }.map(\.key)
    }

    /// A far-future time stems from before the clock was set back.
    private static func isDue(_ queue: Queue, _ now: Int64) -> Bool {
        queue.nextTry <= now || queue.nextTry - now > 3_600_000_000_000
    }

    /// Dequeues a target's next message: one evaluation's notices, or the whole backlog after a refusal. `ofOneAlert`
    /// limits it to the first alert.
    /// - Returns: `nil` if nothing is due or a message is in flight; `leftOut` counts merged changes.
    mutating func take(for target: String, ofOneAlert: Bool, at now: Int64) -> (message: Message, leftOut: Int)? {
        guard var queue = queues[target], queue.sending.isEmpty, Self.isDue(queue, now) else { return nil }
        let isBacklog = queue.attempts > 0
        let left = isBacklog ? queue.merge() : 0
        guard let first = queue.waiting.first?.notice else { return nil }
        let isNext = { (notice: AlertNotice) in
            (isBacklog || notice.time == first.time) && (!ofOneAlert || notice.alert == first.alert)
        }
        queue.sending = queue.waiting.filter { isNext($0.notice) }
        queue.waiting.removeAll { isNext($0.notice) }
        (queue.sendingMerged, queue.merged) = (queue.merged, 0)
        queues[target] = queue
        return (Message(notices: queue.sending.map(\.notice), merged: queue.sendingMerged), left)
    }

    mutating func accepted(by target: String) {
        guard var queue = queues[target] else { return }
        (queue.sending, queue.sendingMerged, queue.attempts, queue.nextTry) = ([], 0, 0, 0)
        set(queue, of: target)
    }

    /// The target rejected the message in flight: requeues it, less what has changed since.
    /// - Parameter nextTry: time of the next attempt; `nil` if nothing was really sent.
    /// - Returns: how many changes were merged.
    mutating func refused(by target: String, nextTry: Int64?) -> Int {
        guard var queue = queues[target] else { return 0 }
        queue.waiting = queue.entries
        queue.merged += queue.sendingMerged
        (queue.sending, queue.sendingMerged) = ([], 0)
        if let nextTry { (queue.attempts, queue.nextTry) = (queue.attempts + 1, nextTry) }
        let left = nextTry == nil ? 0 : queue.merge()
        queues[target] = queue
        return left
    }

    /// Gives up notices from before a time.
    /// - Returns: those given up, by target.
    mutating func expire(before time: Int64) -> [(target: String, notices: [AlertNotice])] {
        queues.keys.sorted().compactMap { target in
            let notices = remove(from: target) { $0.time <= time }
            return notices.isEmpty ? nil : (target, notices)
        }
    }

    mutating func giveUp(_ target: String) -> [AlertNotice] { remove(from: target) { _ in true } }

    private mutating func remove(from target: String, where isGone: (AlertNotice) -> Bool) -> [AlertNotice] {
        guard var queue = queues[target] else { return [] }
        let notices = queue.waiting.map(\.notice).filter(isGone)
        queue.waiting.removeAll { isGone($0.notice) }
        set(queue, of: target)
        return notices
    }

    private mutating func set(_ queue: Queue, of target: String) {
        queues[target] = queue.isEmpty ? nil : queue
        if queues.isEmpty { last = 0 }
    }

    func standing(of alert: String, for target: String) -> (waiting: Int, nextTry: Int64?) {
        guard let queue = queues[target] else { return (0, nil) }
        let count = queue.entries.count { $0.notice.alert == alert }
        return (count, count > 0 ? queue.nextTry : nil)
    }

    func targets(of alert: String) -> Set<String> {
        Set(queues.filter { $0.value.entries.contains { $0.notice.alert == alert } }.keys)
    }

    func attempts(of target: String) -> Int { queues[target]?.attempts ?? 0 }

    // MARK: - Persistence

    /// Undelivered notices in order, with target and attempts so far.
    var all: [(notice: AlertNotice, target: String, attempts: Int)] {
        queues.flatMap { target, queue in queue.entries.map { ($0, target, queue.attempts) } }
            .sorted { $0.0.number < $1.0.number }.map { ($0.0.notice, $0.1, $0.2) }
    }

    /// Merged changes not reported yet, by target.
    var merged: [String: Int] { queues.mapValues { $0.merged + $0.sendingMerged }.filter { $0.value > 0 } }

    init() {}

    /// - Parameter all: in order.
    init(_ all: [(notice: AlertNotice, target: String, attempts: Int)], merged: [String: Int]) {
        for (notice, target, attempts) in all {
            _ = add(notice, to: target)
            let before = queues[target]?.attempts ?? 0
            queues[target]?.attempts = max(attempts, before)
        }
        for (target, count) in merged { queues[target]?.merged += count }
    }
}
