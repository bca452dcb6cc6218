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

    mutating func context(of frame: FrameView) -> ContextBytes {
        let key = Key(stream: frame.stream, version: frame.context.version, isUnknown: frame.contextUnknown)
        if let context = known[key] { return context }
        if known.count >= Self.maximum { known.removeAll(keepingCapacity: true) }
        let context = ContextBytes(frame.context.bytes)
        known[key] = context
        return context
    }
}
