import Synchronization

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
        if used.wrappingAdd(count, ordering: .relaxed).newValue <= limit { return true }
        used.wrappingSubtract(count, ordering: .relaxed)
        return false
    }

    func giveBack(_ count: Int) {
        if count > 0 { used.wrappingSubtract(count, ordering: .relaxed) }
    }
}
