import DaybookBase

extension Journal {
    /// Visits the frames after a sequence, in order, while appends may go on.
    ///
    /// - Parameters:
    ///   - sequence: the last one that is done with; usually `cursor(of:)`, or `through` of the read before.
    ///   - output: the place of an output in the present list, whose frames alone are visited; `nil` for all frames.
    ///   - limitBytes: stop before the payloads exceed this, but never before the first frame.
    ///   - limitFrames: stop after so many frames.
    ///   - withinStream: stop before a frame of another launch than the first one visited, since a batch names one.
    ///   - visit: gets each frame; `false` stops the read, and leaves the frame for the next one. May append to the
    ///     journal; must not call `housekeep`, `sync`, `close` or read.
    /// - Throws: what `visit` throws.
    ///
    /// Damaged places are stepped over and counted once.
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
            // A file that cannot be read now is not passed over: the next read tries it again.
            if pass.progress.through == before { return pass.progress }
        }
    }

    /// Visits what the segments have. Returns whether the read goes on: with the ring, or with what was written there since.
    private func readSegments(_ pass: inout ReadPass, _ visit: (FrameView) throws -> Bool) rethrows -> Bool {
        let (entries, outputs, written) = shelf.entries(after: pass.progress.through)
        for entry in entries {
            let header = entry.segment.header
            // What lay between the last segment and this one is not there any more.
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
        // What was written and is in no segment is not there any more.
        pass.progress.through = max(pass.progress.through, written)
        return true
    }

    /// Counts what a segment has lost since it was sealed, once.
    func countDamage(in entry: Shelf.Entry) {
        let segment = entry.segment
        guard !segment.isDamageCounted.exchange(true, ordering: .relaxed) else { return }
        guard let image = shelf.image(of: entry) else { return }
        withExtendedLifetime(image) {
            shelf.countDamage(in: segment, by: SegmentScan(FrameBytes(image, entry), header: segment.header))
        }
    }
}

/// One frame as a reader sees it. The payload is borrowed: it is valid during the visit alone.
public struct FrameView {
    public let sequence: UInt64
    public let flags: FrameFlags
    /// The outputs the frame is for, by their place in the *present* list of outputs, whatever the list was when the
    /// frame was written.
    public let mask: UInt64
    public let payload: UnsafeRawBufferPointer
    /// The context in force when the frame was written. Compare `stream` and `version` to see whether it changed.
    public let context: JournalContext
    /// Whether that context is lost; `context` then has no bytes.
    public let contextUnknown: Bool
    /// The launch that wrote the frame. What deduplicates compares sequences within one stream only.
    public let stream: JournalStream
    /// Set if the frame was taken over from a dead writer's journal. `stream` and `sequence` name it in this journal;
    /// that writer may have sent it under this name before it died.
    public let origin: FrameOrigin?

    /// The name that the frame has for life: where it was first written.
    public var name: FrameOrigin { origin ?? FrameOrigin(stream: stream, sequence: sequence) }
}

/// How far a read came.
public struct ReadProgress: Sendable, Equatable {
    /// Everything up to and with this sequence was visited, or was for others, or is not there. Once what was visited
    /// is done with, the output's cursor may advance to it.
    public var through: UInt64
    /// Frames visited and not left, and their payload bytes.
    public var frames = 0
    public var bytes = 0
    /// Whether there was nothing more; otherwise a limit, the visitor or the end of a stream stopped the read.
    public var reachedEnd = false
    /// Whether it ended before a file that cannot be opened now: a later read tries it again.
    public var isUnreadable = false
}

/// One read on its way through segments and ring.
struct ReadPass {
    var progress: ReadProgress
    let limitBytes: Int
    let limitFrames: Int
    /// The mask of the output that is read for; `nil` for all.
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

    /// Shows one frame to the visitor, if it is one for it. `isTaken` is false where the read stops before it.
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

/// Goes through the frames of one segment for a reader: keeps the context, steps over damage, passes by the journal's
/// own frames. Used on one thread.
struct SegmentWalk {
    private let entry: Shelf.Entry
    private let journal: Journal
    let image: SegmentImage
    private let bytes: FrameBytes
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
    /// Everything through this was seen, or is not there.
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

    /// The context of a frame that `next` gave, and whether it is lost.
    mutating func context(of frame: Frame) -> (JournalContext, isUnknown: Bool) {
        if frame.contextVersion == current.version { return (current, false) }
        let version = frame.contextVersion
        if let found, found.context.version == version { return found }
        let stream = entry.segment.header.stream
        // A later segment of the same launch begins with the context of its time.
        let other = journal.shelf.context(version, of: stream)
        let context = other ?? JournalContext(stream: stream, version: version, bytes: [])
        found = (context, other == nil)
        return (context, other == nil)
    }

    /// Remembers the place for the next read after `sequence`. A stopped read leaves the last frame for that.
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
