import DaybookJournal

/// The contexts of frames, decoded once per version.
struct ContextCache {
    private struct Key: Hashable {
        let stream: JournalStream
        let version: UInt32
        let isUnknown: Bool
    }

    private var known: [Key: ContextBytes] = [:]
    /// Contexts are few; a program that changes its context for every record must not fill the memory.
    private static let maximum = 256
    /// Stands in for a context that is lost: its records say so.
    private static let unknown = ContextBytes(
        resource: [],
        attributes: FieldEncoder.encoded(tag: LogRecordEncoder.attributeTag, key: HashKey(0, 0)) {
            $0.add(WireName.contextUnknown, true)
        }, names: [])
    /// The last answer: a context rarely changes.
    private var last: (journals: JournalContext, decoded: ContextBytes)?

    mutating func context(of frame: FrameView) -> ContextBytes {
        if let last, last.journals === frame.context, !frame.contextUnknown { return last.decoded }
        let decoded = decoded(frame)
        last = frame.contextUnknown ? nil : (frame.context, decoded)
        return decoded
    }

    private mutating func decoded(_ frame: FrameView) -> ContextBytes {
        let key = Key(stream: frame.stream, version: frame.context.version, isUnknown: frame.contextUnknown)
        if let context = known[key] { return context }
        if known.count >= Self.maximum { known.removeAll(keepingCapacity: true) }
        let context = frame.contextUnknown ? Self.unknown : ContextBytes(frame.context.bytes)
        known[key] = context
        return context
    }
}
