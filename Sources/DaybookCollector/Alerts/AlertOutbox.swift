/// What is still to be told, for each target on its own and in the order in which it happened (pure).
///
/// While a target takes its messages, it is told all that happens. Of what waits for one that does not, the latest of each
/// alert and label is told, at most ``most`` of them; what is left out is counted.
struct AlertOutbox: Sendable, Equatable {
    /// Notices that one target is told at once at most, of those that waited. Twice as many may wait between two attempts.
    static let most = 1_000

    /// What a target is told at once.
    struct Message: Sendable, Equatable {
        /// At least one.
        var notices: [AlertNotice]
        /// Changes before that are left out, and that it has not been told of yet.
        var merged: Int
    }

    private struct Key: Sendable, Hashable {
        var alert: String
        var label: String
    }

    private struct Entry: Sendable, Equatable {
        var notice: AlertNotice
        /// Larger for later ones.
        var number: Int

        var key: Key { Key(alert: notice.alert, label: notice.label) }
    }

    /// One target's.
    private struct Queue: Sendable, Equatable {
        var waiting: [Entry] = []
        var merged = 0
        /// The message under way: it counts as not told until it is taken.
        var sending: [Entry] = []
        var sendingMerged = 0
        /// Times in a row that no message was taken.
        var attempts = 0
        /// When the next may be tried, in nanoseconds since 1970.
        var nextTry: Int64 = 0

        var isEmpty: Bool { waiting.isEmpty && sending.isEmpty }
        var entries: [Entry] { sending + waiting }

        /// Leaves out what a later change of the same label follows, and the oldest of too many.
        /// - Returns: how many changes.
        mutating func merge() -> Int {
            var seen: Set<Key> = []
            let latest = waiting.reversed().filter { seen.insert($0.key).inserted }.prefix(AlertOutbox.most)
            let left = waiting.count - latest.count
            waiting = latest.reversed()
            merged += left
            return left
        }
    }

    /// By target as it is written: `${WEBHOOK_URL}`.
    private var queues: [String: Queue] = [:]
    private var last = 0

    var isEmpty: Bool { queues.isEmpty }
    /// Notices that are not told yet.
    var count: Int { queues.values.reduce(0) { $0 + $1.waiting.count + $1.sending.count } }
    /// The alerts that they are of.
    var alerts: Set<String> { Set(queues.values.flatMap { $0.entries.map(\.notice.alert) }) }

    /// Adds what is to be told next.
    /// - Returns: how many changes are left out, for there is no room.
    mutating func add(_ notice: AlertNotice, to target: String) -> Int {
        last += 1
        queues[target, default: Queue()].waiting.append(Entry(notice: notice, number: last))
        return (queues[target]?.waiting.count ?? 0) > 2 * Self.most ? merge(target) : 0
    }

    private mutating func merge(_ target: String) -> Int { queues[target]?.merge() ?? 0 }

    /// The targets that can be told something now, the one that waits longest first.
    func due(at now: Int64) -> [String] {
        queues.filter { $0.value.sending.isEmpty && !$0.value.waiting.isEmpty && Self.isDue($0.value, now) }
            .sorted { ($0.value.nextTry, $0.key) < ($1.value.nextTry, $1.key) }.map(\.key)
    }

    /// A time in the far future is one from before the clock was set back.
    private static func isDue(_ queue: Queue, _ now: Int64) -> Bool {
        queue.nextTry <= now || queue.nextTry - now > 3_600_000_000_000
    }

    /// Takes the next message of a target: what one evaluation found, or after a refusal all that waits; of the first alert
    /// alone where it is told of one at a time.
    /// - Returns: `nil` where nothing is due, or a message is under way; with it how many changes are left out.
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

    /// The target took the message under way.
    mutating func accepted(by target: String) {
        guard var queue = queues[target] else { return }
        (queue.sending, queue.sendingMerged, queue.attempts, queue.nextTry) = ([], 0, 0, 0)
        set(queue, of: target)
    }

    /// The target did not take the message under way: it waits again, but for what has changed meanwhile.
    /// - Parameter nextTry: when it may be tried next; `nil` where it was not really tried.
    /// - Returns: how many changes are left out.
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

    /// Gives up what happened before a time.
    /// - Returns: what is given up, by target.
    mutating func expire(before time: Int64) -> [(target: String, notices: [AlertNotice])] {
        queues.keys.sorted().compactMap { target in
            let notices = remove(from: target) { $0.time <= time }
            return notices.isEmpty ? nil : (target, notices)
        }
    }

    /// Gives up all that waits for a target.
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

    /// How it stands with an alert's notices for a target: how many wait, and when the next is tried.
    func standing(of alert: String, for target: String) -> (waiting: Int, nextTry: Int64?) {
        guard let queue = queues[target] else { return (0, nil) }
        let count = queue.entries.count { $0.notice.alert == alert }
        return (count, count > 0 ? queue.nextTry : nil)
    }

    /// The targets that an alert's notices wait for.
    func targets(of alert: String) -> Set<String> {
        Set(queues.filter { $0.value.entries.contains { $0.notice.alert == alert } }.keys)
    }

    /// How many times in a row a target took no message.
    func attempts(of target: String) -> Int { queues[target]?.attempts ?? 0 }

    // MARK: - As it is kept

    /// What is not told, in the order in which it happened, with its target and the attempts so far.
    var all: [(notice: AlertNotice, target: String, attempts: Int)] {
        queues.flatMap { target, queue in queue.entries.map { ($0, target, queue.attempts) } }
            .sorted { $0.0.number < $1.0.number }.map { ($0.0.notice, $0.1, $0.2) }
    }

    /// Changes that are left out and nobody has been told, by target.
    var merged: [String: Int] { queues.mapValues { $0.merged + $0.sendingMerged }.filter { $0.value > 0 } }

    init() {}

    /// - Parameter all: in the order in which it happened.
    init(_ all: [(notice: AlertNotice, target: String, attempts: Int)], merged: [String: Int]) {
        for (notice, target, attempts) in all {
            _ = add(notice, to: target)
            let before = queues[target]?.attempts ?? 0
            queues[target]?.attempts = max(attempts, before)
        }
        for (target, count) in merged { queues[target]?.merged += count }
    }
}
