/// Which targets take no notices, and when that is worth a line (pure): at first, then each hour, and when it is over.
struct AlertSilence: Sendable {
    private static let pause: Int64 = 3_600_000_000_000

    /// When it was last said, by target, in nanoseconds since 1970.
    private var said: [String: Int64] = [:]

    /// Notes that a target did not take a notice.
    mutating func isWorthSaying(_ target: String, at now: Int64) -> Bool {
        // A clock that was set back must not keep it quiet.
        if let last = said[target], (0..<Self.pause).contains(now - last) { return false }
        said[target] = now
        return true
    }

    /// Notes that a target took a notice; whether it had not before.
    mutating func ends(_ target: String) -> Bool { said.removeValue(forKey: target) != nil }
}
