import DaybookHTTP
import Synchronization

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
    }

    private let state: Mutex<State>

    /// A ring of keys.
    package init(_ keys: [StoredKey]) {
        state = Mutex(State())
        replace(with: keys)
    }

    /// Takes the keys of a file that changed: from now on a revoked key opens nothing. Quotas that did not change go on.
    package func replace(with keys: [StoredKey]) {
        state.withLock { state in
            let old = state.keys
            state.keys = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            state.allowances = state.allowances.filter { id, _ in state.keys[id]?.quota == old[id]?.quota }
        }
    }

    /// Whether a request's key opens something.
    package func judge(_ headers: HTTPHeaders, for purpose: StoredKey.Purpose) -> Verdict {
        let fields = headers.all("authorization")
        guard fields.count == 1, let text = Self.bearer(fields[0]) else { return .missing }
        guard let id = APIKey.id(of: text), let key = state.withLock({ $0.keys[id] }), key.matches(text) else {
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
        state.withLock { state in
            state.allowances[key.id, default: KeyAllowance(key.quota, at: now)].takeRequest(at: now)
        }
    }

    /// Takes a body that was read from a key's quota; it may go below zero, and then the next request waits.
    func take(bytes: Int, _ key: StoredKey, at now: UInt64) {
        state.withLock { state in
            state.allowances[key.id, default: KeyAllowance(key.quota, at: now)].take(bytes: bytes, at: now)
        }
    }
}
