import DaybookBase
import DaybookHTTP

/// The valid keys and their remaining quotas. Thread-safe; never waits for disk.
package final class KeyRing: Sendable {
    package enum Decision: Sendable {
        case accepted(StoredKey)
        /// No `Authorization: Bearer` header.
        case missing
        /// Unknown or revoked.
        case unknown
        /// A valid key for another purpose.
        case otherPurpose
    }

    private struct State {
        var keys: [String: StoredKey] = [:]
        var allowances: [String: KeyAllowance] = [:]
        /// Temporary keys, which are in no file, with their expiry by the monotonic clock.
        var lent: [String: (key: StoredKey, until: UInt64)] = [:]

        func key(_ id: String, at now: UInt64) -> StoredKey? {
            keys[id] ?? lent[id].flatMap { $0.until > now ? $0.key : nil }
        }
    }

    /// The most temporary keys; one more replaces the one that expires first.
    private static let mostLent = 100

    private let state: Mutex<State>
    private let quota: KeyQuota
    private let clock: PipelineClock

    /// - Parameters:
    ///   - quota: for keys without their own. Default: unlimited.
    ///   - clock: for temporary keys. Default: the system's.
    package init(_ keys: [StoredKey], quota: KeyQuota = KeyQuota(), clock: PipelineClock = .system) {
        state = Mutex(State())
        self.quota = quota
        self.clock = clock
        replace(with: keys)
    }

    package var isEmpty: Bool { state.withLock { $0.keys.isEmpty } }

    /// Replaces the file's keys; revoked keys stop working at once. Unchanged quotas keep their levels.
    package func replace(with keys: [StoredKey]) {
        state.withLock { state in
            let old = state.keys
            state.keys = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            state.allowances = state.allowances.filter { id, _ in state.keys[id]?.quota == old[id]?.quota }
        }
    }

    /// Issues a temporary ingest key. It lives in memory only, so it also ends with the process.
    /// - Parameters:
    ///   - name: whom it is for.
    ///   - lifetime: in whole seconds.
    /// - Returns: the key and its expiry in nanoseconds since 1970.
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

    package func judge(_ headers: HTTPHeaders, for purpose: StoredKey.Purpose) -> Decision {
        let fields = headers.all("authorization")
        guard fields.count == 1, let text = Self.bearer(fields[0]) else { return .missing }
        guard let id = APIKey.id(of: text), let key = state.withLock({ $0.key(id, at: clock.monotonic()) }),
            key.matches(text)
        else {
            return .unknown
        }
        return key.purpose == purpose ? .accepted(key) : .otherPurpose
    }

    /// The token of a bearer header (RFC 6750 §2.1); the scheme is case-insensitive.
    private static func bearer(_ field: String) -> Substring? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    /// Charges one request to the key's quota.
    /// - Parameter now: a monotonic clock, in nanoseconds.
    /// - Returns: `nil`, or how long to wait; then nothing was charged.
    func takeRequest(_ key: StoredKey, at now: UInt64) -> Duration? {
        change(key, at: now) { $0.takeRequest(at: now) }
    }

    /// Charges a request's content to the key's quota. The level may become negative; the next request then waits.
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

/// What a key may still send (pure): token buckets for requests, bytes and records, each refilled evenly over a minute.
struct KeyAllowance {
    private var requests: TokenBucket?
    private var bytes: TokenBucket?
    private var records: TokenBucket?

    init(_ quota: KeyQuota, at now: UInt64) {
        requests = quota.requestsPerMinute.map { TokenBucket(perMinute: $0, at: now) }
        bytes = quota.bytesPerMinute.map { TokenBucket(perMinute: $0, at: now) }
        records = quota.recordsPerMinute.map { TokenBucket(perMinute: $0, at: now) }
    }

    /// Takes a request if all buckets allow it; otherwise returns how long to wait.
    mutating func takeRequest(at now: UInt64) -> Duration? {
        // A body's content is unknown until it is read, so a request only needs levels of at least 1.
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

/// A token bucket that refills evenly and holds a minute's worth.
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

    /// How long until `amount` is available; `nil` if it is now.
    mutating func wait(for amount: Double, at now: UInt64) -> Duration? {
        fill(to: now)
        let missing = amount - level
        return missing <= 0 ? nil : .seconds(missing / capacity * 60)
    }

    /// Takes an amount, even into debt.
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
