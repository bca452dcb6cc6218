/// What is worth knowing of a tag that has no descriptor, at a level. Never changes; safe to share.
final class KnownTag: Sendable {
    let tag: String
    let level: Level
    let routing: Routing
    /// What the records of an event with this tag begin with, behind the time; encoded once.
    ///
    /// Sound to share: written before the object is, and freed with it.
    nonisolated(unsafe) let constantPart: UnsafeRawBufferPointer

    init(_ tag: String, _ level: Level, routing: Routing) {
        self.tag = tag
        self.level = level
        self.routing = routing
        constantPart = UnsafeRawBufferPointer(LogRecordEncoder.constantPart(tag: tag, level: level))
    }

    deinit { constantPart.deallocate() }
}
