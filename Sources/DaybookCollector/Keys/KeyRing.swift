import DaybookBase
import DaybookHTTP

/// The keys that open the collector, and what each has left of its quota. Safe to share between threads; nothing here
/// waits for a disk.
package final class KeyRing: Sendable {
    /// What became of a request's key.
    package enum Verdict: Sendable {
        case accepted(StoredKey)
        /// There is no `Authorization: Bearer` field.
        case missing
        /// There is no such key, or it was revoked.
        case unknown
        /// The key is right, and for something else.
        case otherPurpose
    }

    private struct State {
        var keys: [String: StoredKey] = [:]
        var allowances: [String: KeyAllowance] = [:]
        /// Keys that no file has, and until when they open anything, by the monotonic clock.
        var lent: [String: (key: StoredKey, until: UInt64)] = [:]

        func key(_ id: String, at now: UInt64) -> StoredKey? {
            keys[id] ?? lent[id].flatMap { $0.until > now ? $0.key : nil }
        }
    }

    /// How many keys are lent at once; a further one ends the one that would have ended first.
    private static let mostLent = 100

    private let state: Mutex<State>
    private let quota: KeyQuota
    private let clock: PipelineClock

    /// A ring of keys.
    /// - Parameters:
    ///   - quota: of keys that have none of their own. Default: no bound.
    ///   - clock: for keys that are lent. Default: the system's.
    package init(_ keys: [StoredKey], quota: KeyQuota = KeyQuota(), clock: PipelineClock = .system) {
        state = Mutex(State())
        self.quota = quota
        self.clock = clock
        replace(with: keys)
    }

    /// Whether the file had no key.
    package var isEmpty: Bool { state.withLock { $0.keys.isEmpty } }

    /// Takes the keys of a file that changed: from now on a revoked key opens nothing. Quotas that did not change go on.
    package func replace(with keys: [StoredKey]) {
        state.withLock { state in
            let old = state.keys
            state.keys = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            state.allowances = state.allowances.filter { id, _ in state.keys[id]?.quota == old[id]?.quota }
        }
    }

    /// A new key for sending records that ends by itself. It is kept in memory alone: it ends with the process too.
    /// - Parameters:
    ///   - name: whose it is.
    ///   - lifetime: how long it opens anything, in whole seconds.
    /// - Returns: the key, and when it ends, in nanoseconds since 1970.
    package func lend(name: String, for lifetime: Duration) -> (key: APIKey, expires: Int64) {
        let key = APIKey()
        let (now, length) = (clock.monotonic(), UInt64(clamping: lifetime.components.seconds) &* 1_000_000_000)
        let stored = StoredKey(key, name: name, purpose: .ingest, created: clock.wall(), quota: KeyQuota())
        state.withLock { state in
            state.lent = state.lent.filter { $0.value.until > now }
            if state.lent.count >= Self.mostLent, let first = state.lent.min(by: { $0.value.until < $1.value.until }) {
                state.lent[first.key] = nil
            }
            state.lent[key.id] = (stored, now &+ length)
        }
        return (key, clock.wall() &+ Int64(clamping: length))
    }

    /// Whether a request's key opens something.
    package func judge(_ headers: HTTPHeaders, for purpose: StoredKey.Purpose) -> Verdict {
        let fields = headers.all("authorization")
        guard fields.count == 1, let text = Self.bearer(fields[0]) else { return .missing }
        guard let id = APIKey.id(of: text), let key = state.withLock({ $0.key(id, at: clock.monotonic()) }),
            key.matches(text)
        else {
            return .unknown
        }
        return key.purpose == purpose ? .accepted(key) : .otherPurpose
    }

    /// The token of a bearer field (RFC 6750 §2.1); the scheme's case does not matter.
    private static func bearer(_ field: String) -> Substring? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    /// Takes one request from a key's quota.
    /// - Parameter now: a monotonic clock, in nanoseconds.
    /// - Returns: `nil`, or how long the key has to wait; then nothing was taken.
    func takeRequest(_ key: StoredKey, at now: UInt64) -> Duration? {
        change(key, at: now) { $0.takeRequest(at: now) }
    }

    /// Takes from a key's quota what was read of a request; it may go below zero, and then the next request waits.
    func take(bytes: Int = 0, records: Int = 0, _ key: StoredKey, at now: UInt64) {
        change(key, at: now) { $0.take(bytes: bytes, records: records, at: now) }
    }

    private func change<Answer>(
        _ key: StoredKey, at now: UInt64, _ body: (inout KeyAllowance) -> Answer
    ) -> Answer {
        state.withLock { state in
            body(&state.allowances[key.id, default: KeyAllowance(key.quota.completed(by: quota), at: now)])
        }
    }
}

/// What a key may still send now (pure): a bucket of requests, one of bytes and one of records, each filled evenly over a
/// minute.
struct KeyAllowance {
    private var requests: TokenBucket?
    private var bytes: TokenBucket?
    private var records: TokenBucket?

    init(_ quota: KeyQuota, at now: UInt64) {
        requests = quota.requestsPerMinute.map { TokenBucket(perMinute: $0, at: now) }
        bytes = quota.bytesPerMinute.map { TokenBucket(perMinute: $0, at: now) }
        records = quota.recordsPerMinute.map { TokenBucket(perMinute: $0, at: now) }
    }

    /// Takes a request where all buckets allow one; else says how long to wait.
    mutating func takeRequest(at now: UInt64) -> Duration? {
        // What a body holds is not known before it was read, so a request needs no more than that there is no debt.
        let waits = [requests?.wait(for: 1, at: now), bytes?.wait(for: 1, at: now), records?.wait(for: 1, at: now)]
        if let wait = waits.compactMap({ $0 }).max() { return wait }
        requests?.take(1, at: now)
        return nil
    }

    mutating func take(bytes count: Int, records number: Int, at now: UInt64) {
        bytes?.take(Double(count), at: now)
        records?.take(Double(number), at: now)
    }
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
