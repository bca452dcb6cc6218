import DaybookBase

/// A store's messages for the operator, each reported once. Safe to share between threads.
final class StoreNotices: Sendable {
    /// Bounds messages whose text keeps changing.
    private static let most = 100

    private let state = Mutex((told: Set<String>(), waiting: [String]()))

    func tell(_ notice: String) {
        state.withLock { state in
            guard state.told.count < Self.most, state.told.insert(notice).inserted else { return }
            state.waiting.append(notice)
        }
    }

    func take() -> [String] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
