import DaybookTools

/// The places at ordinary work, of which each request in work holds one, and who waits for one, as decisions (pure).
///
/// A client has no more than are left free for others: one that holds its places for ever leaves half of all, and two of them
/// a quarter. Who waits gets a place in turn, by client.
struct Places<Waiting> {
    /// What becomes of a request.
    enum Entry: Equatable {
        /// It has a place.
        case now
        /// It waits.
        case later
        /// There is no room to wait either.
        case full
    }

    private let count: Int
    private let queueLimit: Int
    private var used = 0
    private var held: [BodyGroup: Int] = [:]
    private var queue = FairQueue<BodyGroup, (waiting: Waiting, group: BodyGroup)>()

    /// - Parameters:
    ///   - count: places.
    ///   - queueLimit: how many wait at most.
    init(count: Int, queueLimit: Int) { (self.count, self.queueLimit) = (count, queueLimit) }

    mutating func enter(_ waiting: Waiting, as group: BodyGroup) -> Entry {
        if mayHavePlace(group) {
            take(group)
            return .now
        }
        // Nor does one client fill the queue.
        guard queue.count < queueLimit, queue.count(for: group) < queueLimit - queue.count else { return .full }
        queue.add((waiting, group), for: group)
        return .later
    }

    /// A request is done.
    /// - Returns: who has its place now.
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
