import Synchronization

/// How much the collector has in work: the bodies that are being decoded or wait for a commit, as they are in memory.
///
/// What one record costs decoded is a small multiple of its bytes, so a bound on these bytes bounds the memory. Safe to
/// share between threads.
package final class IngestLoad: Sendable {
    private let limit: Int
    private let bytes = Atomic<Int>(0)

    /// A bound.
    /// - Parameter limit: bytes; at least one body is always taken. Default 64 MiB.
    package init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    /// Bytes in work now.
    package var current: Int { bytes.load(ordering: .relaxed) }

    /// Whether one more request should be read.
    var hasRoom: Bool { current < limit }

    /// Takes a body into work, where there is room for it, and lets go of it when `body` is done.
    /// - Returns: `nil` where there was no room.
    func hold<Answer: Sendable>(_ count: Int, _ body: () async -> Answer) async -> Answer? {
        let before = bytes.wrappingAdd(count, ordering: .relaxed).oldValue
        defer { bytes.wrappingSubtract(count, ordering: .relaxed) }
        guard before == 0 || before + count <= limit else { return nil }
        return await body()
    }
}
