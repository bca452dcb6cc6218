/// What a key may still send now (pure): a bucket of requests and one of bytes, each filled evenly over a minute.
struct KeyAllowance {
    private var requests: TokenBucket?
    private var bytes: TokenBucket?

    init(_ quota: KeyQuota, at now: UInt64) {
        requests = quota.requestsPerMinute.map { TokenBucket(perMinute: $0, at: now) }
        bytes = quota.bytesPerMinute.map { TokenBucket(perMinute: $0, at: now) }
    }

    /// Takes a request where both buckets allow one; else says how long to wait.
    mutating func takeRequest(at now: UInt64) -> Duration? {
        // The size of a body is not known before it was read, so a request needs no more than that there is no debt.
        let waits = [requests?.wait(for: 1, at: now), bytes?.wait(for: 1, at: now)].compactMap { $0 }
        if let wait = waits.max() { return wait }
        requests?.take(1, at: now)
        return nil
    }

    mutating func take(bytes count: Int, at now: UInt64) { bytes?.take(Double(count), at: now) }
}

/// A bucket that fills evenly, up to a minute's worth.
struct TokenBucket {
    private let capacity: Double
    private var level: Double
    private var time: UInt64

    /// A full bucket.
    init(perMinute capacity: Int, at now: UInt64) {
        self.capacity = Double(capacity)
        level = Double(capacity)
        time = now
    }

    /// How long until `amount` can be taken; `nil` where it can be now.
    mutating func wait(for amount: Double, at now: UInt64) -> Duration? {
        fill(to: now)
        let missing = amount - level
        return missing <= 0 ? nil : .seconds(missing / capacity * 60)
    }

    /// Takes an amount, even where that makes a debt.
    mutating func take(_ amount: Double, at now: UInt64) {
        fill(to: now)
        level -= amount
    }

    private mutating func fill(to now: UInt64) {
        guard now > time else { return }
        level = min(capacity, level + Double(now - time) / 60e9 * capacity)
        time = now
    }
}
