import Synchronization

/// Goes through the frames of one segment for a reader: keeps the context, steps over damage, passes by the journal's
/// own frames. Used on one thread, while its maker keeps the segment alive.
struct SegmentWalk {
    private let entry: Shelf.Entry
    private let journal: Journal
    private let bytes: FrameBytes
    /// Keeps a file's bytes in memory.
    private let owner: SegmentImage?
    private let after: UInt64
    private var offset: Int
    /// Before the frame that `next` gave last.
    private var previousOffset: Int
    private var previousContext: JournalContext
    private var current: JournalContext
    /// What stands in for a context whose frame is lost, and whether it is lost indeed.
    private var found: (context: JournalContext, isUnknown: Bool)?
    /// The highest sequence passed: what comes behind damage must be above it.
    private var last: UInt64
    /// Whether every frame that the segment will ever have was passed.
    private(set) var isFinished = false
    /// Everything through this was seen, or is not there.
    private(set) var seenThrough: UInt64

    init?(_ entry: Shelf.Entry, of journal: Journal, after: UInt64) {
        self.entry = entry
        self.journal = journal
        self.after = after
        let segment = entry.segment
        let mark = journal.shelf.withLock { $0.bookmarks.find(sequence: after, in: segment) }
        guard let image = journal.image(of: segment) else { return nil }
        owner = image.owner
        bytes = FrameBytes(base: image.base, header: segment.header, limit: image.limit)
        offset = mark?.offset ?? bytes.framesOffset
        current = mark?.context ?? segment.context
        previousOffset = offset
        previousContext = current
        seenThrough = after
        last = mark == nil ? segment.header.firstSequence &- 1 : after
    }

    /// The caller's next frame after the wanted sequence.
    mutating func next() -> (Frame, UnsafeRawBufferPointer)? {
        previousOffset = offset
        previousContext = current
        while let frame = nextFrame() {
            let payload = bytes.payload(of: frame)
            offset = frame.end
            if frame.flags.contains(.contextChange) {
                current = JournalContext(
                    stream: entry.segment.header.stream, version: frame.contextVersion, bytes: Array(payload))
            }
            let isNews = frame.sequence > after && frame.sequence <= entry.lastUsable
            if isNews && !frame.flags.isJournals { return (frame, payload) }
            if isNews { seenThrough = frame.sequence }
            previousOffset = offset
            previousContext = current
        }
        return nil
    }

    private mutating func nextFrame() -> Frame? {
        let segment = entry.segment
        // Asked before the length is read: if the segment was sealed by then, a zero length is no frame to come.
        var end = segment.end
        while true {
            if let end, offset >= end {
                finish()
                return nil
            }
            switch bytes.content(at: offset) {
            case .frame(let frame) where frame.sequence > last:
                last = frame.sequence
                return frame
            case .frame where end == nil, .empty where end == nil, .invalid where end == nil:
                // The open end. Damage in memory is not searched through: a writer is at work behind it.
                guard let sealed = segment.end else { return nil }
                end = sealed
            case .frame, .empty, .invalid:
                journal.countDamage(in: segment)
                guard let frame = bytes.nextFrame(after: offset, above: last), frame.offset < end ?? 0 else {
                    finish()
                    return nil
                }
                offset = frame.offset
                last = frame.sequence
                return frame
            }
        }
    }

    private mutating func finish() {
        isFinished = true
        if let last = entry.summary?.lastSequence { seenThrough = max(seenThrough, min(last, entry.lastUsable)) }
    }

    /// The context of a frame that `next` gave, and whether it is lost.
    mutating func context(of frame: Frame) -> (JournalContext, isUnknown: Bool) {
        if frame.contextVersion == current.version { return (current, false) }
        let version = frame.contextVersion
        if let found, found.context.version == version { return found }
        let stream = entry.segment.header.stream
        // A later segment of the same launch begins with the context of its time.
        let other = journal.shelf.withLock { shelf in
            shelf.entries.first { $0.segment.context.version == version && $0.segment.header.stream == stream }
        }
        let context = other?.segment.context ?? JournalContext(stream: stream, version: version, bytes: [])
        found = (context, other == nil)
        return (context, other == nil)
    }

    /// Remembers the place for the next read after `sequence`. A stopped read leaves the last frame for that.
    func leaveBookmark(at sequence: UInt64, isStopped: Bool) {
        let mark = Bookmarks.Bookmark(
            sequence: sequence, segment: ObjectIdentifier(entry.segment), salt: entry.segment.header.salt,
            offset: isStopped ? previousOffset : offset, context: isStopped ? previousContext : current)
        journal.shelf.withLock { $0.bookmarks.put(mark) }
    }
}
