import DaybookBase

/// The bodies of the latest exchanges, in memory only, for a screen of the app. Lost when the process ends. Safe to
/// share between threads.
public final class RecentBodies: Sendable {
    /// The bodies of an exchange, as text without credentials.
    public struct Exchange: Sendable, Hashable {
        /// The span id of the request's record: 16 hexadecimal digits.
        public let spanID: String
        /// `nil` if there was none or it was not text.
        public let request: String?
        /// `nil` if there was none or it was not text.
        public let response: String?

        var bytes: Int { (request?.utf8.count ?? 0) + (response?.utf8.count ?? 0) }
    }

    private struct Kept {
        var exchanges: [Exchange] = []
        var bytes = 0
    }

    /// Most bytes kept of one body.
    public let maximumBodyBytes: Int
    private let maximumBytes: Int
    private let maximumCount: Int
    private let kept = Mutex(Kept())

    /// Creates an empty collection. The oldest exchanges are dropped first.
    ///
    /// ```swift
    /// var recording = RequestRecording()
    /// recording.bodies = .inMemory(RecentBodies(count: 100))
    /// ```
    /// - Parameters:
    ///   - count: Most exchanges. Default 200; at least 1.
    ///   - bytes: Most bytes of all bodies. Default 4 MiB; at least 1 KiB.
    ///   - bodyBytes: Most bytes of one body. Default 64 KiB; at most half of `bytes`.
    public init(count: Int = 200, bytes: Int = 4 << 20, bodyBytes: Int = 64 << 10) {
        maximumCount = max(1, count)
        maximumBytes = max(1 << 10, bytes)
        maximumBodyBytes = min(max(1, bodyBytes), maximumBytes / 2)
    }

    /// Oldest first.
    public var exchanges: [Exchange] { kept.withLock { $0.exchanges } }

    /// The bodies of an exchange; `nil` if not kept.
    public func exchange(spanID: String) -> Exchange? {
        kept.withLock { $0.exchanges.last { $0.spanID == spanID } }
    }

    public func removeAll() { kept.withLock { $0 = Kept() } }

    func keep(_ exchange: Exchange) {
        kept.withLock { kept in
            kept.exchanges.append(exchange)
            kept.bytes += exchange.bytes
            var count = 0
            while kept.exchanges.count - count > maximumCount || kept.bytes > maximumBytes {
                kept.bytes -= kept.exchanges[count].bytes
                count += 1
            }
            kept.exchanges.removeFirst(count)
        }
    }
}
