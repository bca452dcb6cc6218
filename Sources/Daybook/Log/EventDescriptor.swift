import Synchronization

/// What is fixed about an event: its tag and its level. One static object per event; safe to share.
public final class EventDescriptor: Sendable {
    /// The tag, `category.event`.
    public let tag: String
    /// The level its records have.
    public let level: Level

    /// The generation of the routing table that was asked last and its answer, so that the routes and filters of an
    /// event are looked up once per generation. One word, so that they always belong together; see ``Routing``.
    private let cachedRouting = Atomic<UInt64>(0)

    /// What the records of this event begin with, behind the time: level, name and private columns, encoded once.
    ///
    /// Sound to share: written before the descriptor is, and freed with it.
    nonisolated(unsafe) let encoded: UnsafeRawBufferPointer

    /// A descriptor.
    /// - Parameters:
    ///   - tag: `category.event`.
    ///   - level: Default: `info`.
    ///   - privateColumns: The columns that are masked on screens and in files. Each record says so by itself, whatever
    ///     filters make of its tag and whichever launch delivers it; that is encoded once, here.
    public init(_ tag: StaticString, level: Level = .info, private privateColumns: [String] = []) {
        self.tag = tag.description
        self.level = level
        encoded = UnsafeRawBufferPointer(
            LogRecordEncoder.constantPart(tag: self.tag, level: level, privateColumns: privateColumns))
    }

    deinit { encoded.deallocate() }

    @inline(__always)
    func routing(in table: RoutingTable) -> Routing {
        let word = cachedRouting.load(ordering: .relaxed)
        if let cached = Routing(word: word, generation: table.generation) { return cached }
        let routing = table.routing(tag: tag, level: level)
        cachedRouting.store(routing.word(generation: table.generation), ordering: .relaxed)
        return routing
    }
}
