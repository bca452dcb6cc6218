import Synchronization

/// What is fixed about an event: its tag and its level. One static object per event; safe to share.
public final class EventDescriptor: Sendable {
    /// The tag, `category.event`.
    public let tag: String
    /// The level its records have.
    public let level: Level

    /// The generation of the routing table that was asked last (upper half) and its answer (lower half), so that the
    /// routes of an event are looked up once per generation. One word, so that the two halves always belong together.
    private let cachedRoutes = Atomic<UInt64>(0)

    /// What the records of this event begin with, behind the time: level and name, encoded once.
    ///
    /// Sound to share: written before the descriptor is, and freed with it.
    nonisolated(unsafe) let encoded: UnsafeRawBufferPointer

    /// A descriptor.
    public init(_ tag: StaticString, level: Level = .info) {
        self.tag = tag.description
        self.level = level
        encoded = UnsafeRawBufferPointer(LogRecordEncoder.constantPart(tag: self.tag, level: level))
    }

    deinit { encoded.deallocate() }

    @inline(__always)
    func routes(in table: RoutingTable) -> RouteMask {
        let cached = cachedRoutes.load(ordering: .relaxed)
        if UInt32(truncatingIfNeeded: cached >> 32) == table.generation {
            return RouteMask(rawValue: UInt32(truncatingIfNeeded: cached))
        }
        let mask = table.routes(tag: tag, level: level)
        cachedRoutes.store(UInt64(table.generation) << 32 | UInt64(mask.rawValue), ordering: .relaxed)
        return mask
    }
}
