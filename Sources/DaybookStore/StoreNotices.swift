import DaybookBase

/// What a store has to say to whoever runs it though nobody asked, each thing once. Safe to share between threads.
final class StoreNotices: Sendable {
    /// Something that keeps changing is not told for ever.
    private static let most = 100

    private let state = Mutex((told: Set<String>(), waiting: [String]()))

    func tell(_ notice: String) {
        state.withLock { state in
            guard state.told.count < Self.most, state.told.insert(notice).inserted else { return }
            state.waiting.append(notice)
        }
    }

    /// What was told since the last time.
    func take() -> [String] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
