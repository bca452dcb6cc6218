import DaybookBase

extension Journal {
    /// Visits the frames after a sequence, in order. Appends may go on meanwhile. Damage is skipped and counted once.
    ///
    /// - Parameters:
    ///   - sequence: The last sequence to skip; usually `cursor(of:)`, or the previous read's `through`.
    ///   - output: An output's index in the current list, to visit only its frames; `nil`, the default, for all.
    ///   - limitBytes: Stops before the payloads exceed this, but not before the first frame.
    ///   - limitFrames: Stops after this many frames.
    ///   - withinStream: Stops before a frame of another launch, since a batch names one.
    ///   - visit: Gets each frame; `false` stops the read and leaves the frame for the next one. May append to the
    ///     journal, but not call `housekeep`, `sync`, `close` or `read`.
    /// - Throws: What `visit` throws.
    @discardableResult
    public func read(
        after sequence: UInt64, output: Int? = nil, limitBytes: Int = .max, limitFrames: Int = .max,
        withinStream: Bool = false, _ visit: (FrameView) throws -> Bool
    ) rethrows -> ReadProgress {
        var pass = ReadPass(
            progress: ReadProgress(through: sequence), limitBytes: limitBytes, limitFrames: limitFrames,
            wanted: output.map { $0 < 64 ? UInt64(1) << UInt64($0) : 0 }, withinStream: withinStream)
        while true {
            if shelf.isInRing(after: pass.progress.through) {
                switch try readRing(&pass, visit) {
                case .ended:
                    pass.progress.reachedEnd = true
                    return pass.progress
                case .stopped: return pass.progress
                case .wentOn: continue
                }
            }
            let before = pass.progress.through
            guard try readSegments(&pass, visit) else { return pass.progress }
            // Do not skip a file that cannot be read now; the next read tries it again.
            if pass.progress.through == before { return pass.progress }
        }
    }

    /// Visits the segments' frames. Returns whether to go on, with the ring or segments written meanwhile.
    private func readSegments(_ pass: inout ReadPass, _ visit: (FrameView) throws -> Bool) rethrows -> Bool {
        let (entries, outputs, written) = shelf.entries(after: pass.progress.through)
        for entry in entries {
            let header = entry.segment.header
            // What was between the segments is gone.
            pass.progress.through = max(pass.progress.through, header.firstSequence &- 1)
            let translate = MaskTranslation(from: header.outputs, to: outputs, backfill: options.backfill)
            guard var walk = SegmentWalk(entry, of: self, after: pass.progress.through) else {
                pass.progress.isUnreadable = true
                return false
            }
            var isStopped = false
            try withExtendedLifetime(walk.image) {
                while let (frame, payload) = walk.next() {
                    let step = try pass.take(frame, payload, mask: translate(frame.mask), header.stream, visit) {
                        walk.context(of: frame)
                    }
                    if step.isUnknown { shelf.count { $0.contextUnknownFrames += 1 } }
                    guard step.isTaken else {
                        isStopped = true
                        break
                    }
                }
            }
            if !isStopped { pass.progress.through = max(pass.progress.through, walk.seenThrough) }
            walk.leaveBookmark(at: pass.progress.through, isStopped: isStopped)
            if isStopped { return false }
        }
        // Frames that the log had and no segment has are gone.
        pass.progress.through = max(pass.progress.through, written)
        return true
    }

    /// Counts once what a segment has lost since it was sealed.
    func countDamage(in entry: Shelf.Entry) {
        let segment = entry.segment
        guard !segment.isDamageCounted.exchange(true, ordering: .relaxed) else { return }
        guard let image = shelf.image(of: entry) else { return }
        withExtendedLifetime(image) {
            shelf.countDamage(in: segment, by: SegmentScan(FrameBytes(image, entry), header: segment.header))
        }
    }
}

/// One frame. The payload is borrowed, valid only during the visit.
public struct FrameView {
    public let sequence: UInt64
    public let flags: FrameFlags
    /// The frame's outputs, by their index in the *current* list.
    public let mask: UInt64
    public let payload: UnsafeRawBufferPointer
    /// The context when the frame was written. It changed if `stream` or `version` did.
    public let context: JournalContext
    /// Whether the context is lost and `context` is empty.
    public let contextUnknown: Bool
    /// The launch that wrote the frame. Sequences compare within one stream only.
    public let stream: JournalStream
    /// The name under which an adopted frame was first written, and perhaps sent. `stream` and `sequence` name it in
    /// this journal.
    public let origin: FrameOrigin?

    /// The frame's permanent name: where it was first written.
    public var name: FrameOrigin { origin ?? FrameOrigin(stream: stream, sequence: sequence) }
}

public struct ReadProgress: Sendable, Equatable {
    /// Everything through this sequence was visited, was for other outputs, or is gone. Once the visited frames are
    /// done with, the output's cursor may advance to it.
    public var through: UInt64
    /// Frames that `visit` took, and their payload bytes.
    public var frames = 0
    public var bytes = 0
    /// Whether nothing is left; otherwise a limit, `visit` or a stream's end stopped the read.
    public var reachedEnd = false
    /// Whether it stopped at a file that cannot be read now. A later read tries it again.
    public var isUnreadable = false
}

struct ReadPass {
    var progress: ReadProgress
    let limitBytes: Int
    let limitFrames: Int
    /// The mask of the output that reads; `nil` for all.
    let wanted: UInt64?
    let withinStream: Bool
    private var stream: JournalStream?

    init(progress: ReadProgress, limitBytes: Int, limitFrames: Int, wanted: UInt64?, withinStream: Bool) {
        self.progress = progress
        self.limitBytes = limitBytes
        self.limitFrames = limitFrames
        self.wanted = wanted
        self.withinStream = withinStream
    }

    /// Visits one frame, if it is for the output. `isTaken` is false if the read stops before it.
    mutating func take(
        _ frame: Frame, _ payload: UnsafeRawBufferPointer, mask: UInt64, _ stream: JournalStream,
        _ visit: (FrameView) throws -> Bool, context: () -> (JournalContext, isUnknown: Bool)
    ) rethrows -> (isTaken: Bool, isUnknown: Bool) {
        if let wanted, mask & wanted == 0 {
            progress.through = frame.sequence
            return (true, false)
        }
        let (origin, payload) = FrameOrigin.split(payload, frame.flags)
        let isOtherStream = withinStream && self.stream != nil && self.stream != stream
        let isTooMuch = progress.frames > 0 && payload.count > limitBytes - progress.bytes
        guard progress.frames < limitFrames, !isOtherStream, !isTooMuch else { return (false, false) }
        let (context, isUnknown) = context()
        let view = FrameView(
            sequence: frame.sequence, flags: frame.flags.subtracting(.adopted), mask: mask, payload: payload,
            context: context, contextUnknown: isUnknown, stream: stream, origin: origin)
        guard try visit(view) else { return (false, false) }
        self.stream = stream
        progress.through = frame.sequence
        progress.frames += 1
        progress.bytes += payload.count
        return (true, isUnknown)
    }
}

/// Walks one segment for a reader: tracks the context, skips damage and the journal's own frames.
struct SegmentWalk {
    private let entry: Shelf.Entry
    private let journal: Journal
    let image: SegmentImage
    private let bytes: FrameBytes
    private let after: UInt64
    private var offset: Int
    /// Before the frame that `next` returned last.
    private var previousOffset: Int
    private var previousContext: JournalContext
    private var current: JournalContext
    /// The context found for a lost one, and whether none was found.
    private var found: (context: JournalContext, isUnknown: Bool)?
    /// The highest sequence passed. Frames after damage must be above it.
    private var last: UInt64
    /// Everything through this was seen or is gone.
    private(set) var seenThrough: UInt64

    /// - Returns: `nil` if the file cannot be opened.
    init?(_ entry: Shelf.Entry, of journal: Journal, after: UInt64) {
        guard let image = journal.shelf.image(of: entry) else { return nil }
        self.entry = entry
        self.journal = journal
        self.image = image
        self.after = after
        let segment = entry.segment
        let mark = journal.shelf.bookmark(after: after, in: segment)
        bytes = FrameBytes(image, entry)
        offset = mark?.offset ?? bytes.framesOffset
        current = mark?.context ?? segment.context
        previousOffset = offset
        previousContext = current
        seenThrough = after
        last = mark == nil ? segment.header.firstSequence &- 1 : after
    }

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
        guard offset < entry.summary.end else {
            finish()
            return nil
        }
        if case .frame(let frame) = bytes.content(at: offset), frame.sequence > last {
            last = frame.sequence
            return frame
        }
        journal.countDamage(in: entry)
        guard let frame = bytes.nextFrame(after: offset, above: last), frame.offset < entry.summary.end else {
            finish()
            return nil
        }
        offset = frame.offset
        last = frame.sequence
        return frame
    }

    private mutating func finish() {
        seenThrough = max(seenThrough, min(entry.summary.lastSequence, entry.lastUsable))
    }

    /// The context of a frame that `next` returned, and whether it is lost.
    mutating func context(of frame: Frame) -> (JournalContext, isUnknown: Bool) {
        if frame.contextVersion == current.version { return (current, false) }
        let version = frame.contextVersion
        if let found, found.context.version == version { return found }
        let stream = entry.segment.header.stream
        // A later segment of the same launch may begin with it.
        let other = journal.shelf.context(version, of: stream)
        let context = other ?? JournalContext(stream: stream, version: version, bytes: [])
        found = (context, other == nil)
        return (context, other == nil)
    }

    /// Remembers the place for the next read. A stopped read leaves its last frame for that.
    func leaveBookmark(at sequence: UInt64, isStopped: Bool) {
        let header = entry.segment.header
        let mark = Bookmarks.Bookmark(
            sequence: sequence,
            place: .segment(
                salt: header.salt, first: header.firstSequence, offset: isStopped ? previousOffset : offset,
                context: isStopped ? previousContext : current))
        journal.shelf.put(mark)
    }
}
