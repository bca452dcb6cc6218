/// What was refused in a minute, so that a flood of refusals is a line a minute and not a line a request (pure).
struct RefusalReport {
    private var last: [String: Int] = [:]
    private var lastTime: ContinuousClock.Instant?

    /// What was refused since the last report, by reason; `nil` where nothing was, or the minute is not over.
    mutating func next(_ counts: [String: Int], at now: ContinuousClock.Instant) -> [String: Int]? {
        guard let lastTime else {
            lastTime = now
            return nil
        }
        guard now - lastTime >= .seconds(60) else { return nil }
        self.lastTime = now
        let growth = counts.reduce(into: [String: Int]()) { growth, count in
            let more = count.value - last[count.key, default: 0]
            if more > 0 { growth[count.key] = more }
        }
        last = counts
        return growth.isEmpty ? nil : growth
    }
}
