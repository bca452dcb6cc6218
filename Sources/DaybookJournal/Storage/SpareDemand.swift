/// How many segments the writer has used lately.
struct SpareDemand: Sendable {
    private static let window: UInt64 = 1_000_000_000
    /// Windows without a rotation before what is too much goes.
    private static let quiet: UInt64 = 10

    private var windowStart: UInt64 = 0
    private var rotationsAtStart: UInt64 = 0
    private var previous = 0
    private var lastRotation: UInt64 = 0
    private var rotations: UInt64 = 0
    private var now: UInt64 = 0

    /// Rotations within a second: of the last whole one or, if that is more, the present one.
    mutating func note(rotations: UInt64, at now: UInt64) -> Int {
        if rotations != self.rotations { lastRotation = now }
        self.rotations = rotations
        self.now = now
        let present = Int(clamping: rotations &- rotationsAtStart)
        guard now &- windowStart >= Self.window else { return max(previous, present) }
        // After a long pause the count is of a time longer than a second.
        previous = present
        windowStart = now
        rotationsAtStart = rotations
        return previous
    }

    /// Whether nothing was used for some seconds.
    var isQuiet: Bool { now &- lastRotation >= Self.quiet * Self.window }
}
