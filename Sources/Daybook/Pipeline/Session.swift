/// A user's visit: from the start of the launch, or from coming back after a long time in the background. Pure.
struct Session: Sendable {
    /// 16 hexadecimal digits.
    private(set) var id: String
    /// When the app went to the background, on the monotonic clock.
    private var suspendedAt: UInt64?

    init(id: String) { self.id = id }

    /// The app goes to the background; only the first time counts until it comes back.
    mutating func suspend(now: UInt64) {
        if suspendedAt == nil { suspendedAt = now }
    }

    /// The app comes back: after `timeout` nanoseconds or more, to a new session. Whether there is one.
    mutating func resume(now: UInt64, timeout: UInt64, nextID: () -> String) -> Bool {
        guard let since = suspendedAt else { return false }
        suspendedAt = nil
        guard now >= since, now - since >= timeout else { return false }
        id = nextID()
        return true
    }
}
