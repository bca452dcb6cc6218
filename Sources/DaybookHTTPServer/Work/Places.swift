import DaybookTools

/// Places for ordinary work, one per request in progress, and the queue for them (pure).
///
/// A client gets at most as many places as it leaves free: one client can hold half of them for ever, and two clients
/// three quarters. Waiting requests get places in turn, by client.
struct Places<Waiting> {
    /// The result of entering.
    enum Entry: Equatable {
        /// It has a place.
        case now
        /// It waits.
        case later
        /// The queue is full, too.
        case full
    }

    private let count: Int
    private let queueLimit: Int
    private var used = 0
    private var held: [BodyGroup: Int] = [:]
    private var queue = FairQueue<BodyGroup, (waiting: Waiting, group: BodyGroup)>()

    /// - Parameters:
    ///   - count: places.
    ///   - queueLimit: the most waiting requests.
    init(count: Int, queueLimit: Int) { (self.count, self.queueLimit) = (count, queueLimit) }

    mutating func enter(_ waiting: Waiting, as group: BodyGroup) -> Entry {
        if mayHavePlace(group) {
            take(group)
            return .now
        }
        // No client fills the queue alone either.
        guard queue.count < queueLimit, queue.count(for: group) < queueLimit - queue.count else { return .full }
        queue.add((waiting, group), for: group)
        return .later
    }

    /// Releases a place.
    /// - Returns: the request that gets it.
    mutating func leave(_ group: BodyGroup) -> (waiting: Waiting, group: BodyGroup)? {
        used -= 1
        let rest = (held[group] ?? 0) - 1
        held[group] = rest > 0 ? rest : nil
        let next = queue.takeNext(where: mayHavePlace)
        if let next { take(next.group) }
        return next
    }

    private func mayHavePlace(_ group: BodyGroup) -> Bool { used < count && held[group] ?? 0 < count - used }

    private mutating func take(_ group: BodyGroup) {
        used += 1
        held[group, default: 0] += 1
    }
}
