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
        let (entries, outputs) = shelf.withLock { shelf in
            (Array(shelf.entries[shelf.firstIndex(after: sequence)...]), shelf.outputs)
        }
        var progress = ReadProgress(through: sequence)
        var stream: JournalStream?
        let wanted = output.map { $0 < 64 ? UInt64(1) << UInt64($0) : 0 }
        for (index, entry) in entries.enumerated() {
            let header = entry.segment.header
            // What lay between the last segment and this one is not there any more.
            progress.through = max(progress.through, header.firstSequence &- 1)
            let translate = MaskTranslation(from: header.outputs, to: outputs, backfill: options.backfill)
            // A file that cannot be opened now is not passed over: the next read tries it again.
            guard var walk = SegmentWalk(entry, of: self, after: progress.through) else { return progress }
            var isStopped = false
            try withExtendedLifetime(entry.segment) {
                while let (frame, payload) = walk.next() {
                    let mask = translate(frame.mask)
                    if let wanted, mask & wanted == 0 {
                        progress.through = frame.sequence
                        continue
                    }
                    let (origin, payload) = FrameOrigin.split(payload, frame.flags)
                    let isOtherStream = withinStream && stream != nil && stream != header.stream
                    let isTooMuch = progress.frames > 0 && payload.count > limitBytes - progress.bytes
                    guard progress.frames < limitFrames, !isOtherStream, !isTooMuch else {
                        isStopped = true
                        break
                    }
                    let (context, isUnknown) = walk.context(of: frame)
                    let view = FrameView(
                        sequence: frame.sequence, flags: frame.flags.subtracting(.adopted), mask: mask,
                        payload: payload, context: context, contextUnknown: isUnknown, stream: header.stream,
                        origin: origin)
                    guard try visit(view) else {
                        isStopped = true
                        break
                    }
                    if isUnknown { shelf.withLock { $0.counters.contextUnknownFrames += 1 } }
                    stream = header.stream
                    progress.through = frame.sequence
                    progress.frames += 1
                    progress.bytes += payload.count
                }
            }
            if !isStopped { progress.through = max(progress.through, walk.seenThrough) }
            walk.leaveBookmark(at: progress.through, isStopped: isStopped)
            if isStopped { return progress }
            if !walk.isFinished { break }
            if index == entries.count - 1 {
                // It may have been sealed, and a new one begun, since the list was taken.
                progress.reachedEnd = shelf.withLock { $0.entries.last?.segment === entry.segment }
                return progress
            }
        }
        progress.reachedEnd = true
        return progress
    }

    /// Counts what a segment has lost since it was sealed, once.
    func countDamage(in segment: Segment) {
        guard !segment.isDamageCounted.exchange(true, ordering: .relaxed) else { return }
        guard let (base, limit, owner) = image(of: segment) else { return }
        withExtendedLifetime((segment, owner)) {
            let bytes = FrameBytes(base: base, header: segment.header, limit: min(limit, segment.end ?? limit))
            let scan = SegmentScan(bytes, header: segment.header)
            shelf.withLock { shelf in
                guard let index = shelf.index(of: segment), let sealed = shelf.entries[index].summary else { return }
                let found = scan.summary
                shelf.counters.corruptFrames += sealed.frames - min(found.frames, sealed.frames)
                var missing = scan.holes.map { (after: $0.after, through: $0.before - 1) }
                missing.append((found.lastSequence, sealed.lastSequence))
                for (output, cursor) in shelf.cursors {
                    let before = shelf.total(of: output, in: sealed, segment.header)
                    let after = shelf.total(of: output, in: found, segment.header)
                    var lost = before - min(after, before)
                    // What the output was done with is no loss. Of a frame that is gone nobody knows whom it was for.
                    for hole in missing where lost > 0 {
                        let after = max(hole.after, cursor.slot.sequence)
                        guard hole.through > after else { continue }
                        let count = min(lost, hole.through - after)
                        shelf.counters.drop(count, of: output, .corrupt)
                        shelf.losses.append(
                            JournalLoss(
                                output: output, reason: .corrupt, after: after, through: hole.through, count: count))
                        lost -= count
                    }
                }
                // The end and the last sequence stay: they are true, whatever is missing before them.
                shelf.entries[index].summary?.frames = found.frames
                shelf.entries[index].summary?.counted = found.counted
                shelf.entries[index].summary?.counts = found.counts
            }
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
}

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

extension Journal {
    /// A segment's bytes. `owner` keeps them in memory where the segment itself does not.
    typealias Image = (base: UnsafeRawPointer, limit: Int, owner: SegmentImage?)

    /// A mapping as it is; a file out of the latest images, or read now. `nil` if the file cannot be opened.
    func image(of segment: Segment) -> Image? {
        if let region = segment.region { return image(of: region, segment.header) }
        if let known = shelf.withLock({ $0.images.find(segment) }) { return image(of: known, segment.header) }
        var failures: [JournalFileError] = []
        let loaded = load(segment, failures: &failures)
        let noted = failures
        shelf.withLock { shelf in
            for failure in noted { shelf.counters.note(failure) }
            if let loaded { shelf.images.put(loaded, for: segment) }
        }
        return loaded.flatMap { image(of: $0, segment.header) }
    }

    /// The same for who holds the cold lock already.
    func image(of segment: Segment, in shelf: inout Shelf) -> Image? {
        if let region = segment.region { return image(of: region, segment.header) }
        if let known = shelf.images.find(segment) { return image(of: known, segment.header) }
        var failures: [JournalFileError] = []
        let loaded = load(segment, failures: &failures)
        for failure in failures { shelf.counters.note(failure) }
        guard let loaded else { return nil }
        shelf.images.put(loaded, for: segment)
        return image(of: loaded, segment.header)
    }

    private func image(of region: Region, _ header: SegmentHeader) -> Image? {
        (UnsafeRawPointer(region.base), header.framesLimit(fileBytes: region.byteCount), nil)
    }

    private func image(of image: SegmentImage, _ header: SegmentHeader) -> Image? {
        guard let base = image.bytes.baseAddress else { return nil }
        return (base, header.framesLimit(fileBytes: image.bytes.count), image)
    }

    private func load(_ segment: Segment, failures: inout [JournalFileError]) -> SegmentImage? {
        guard let files = ownFiles, case .file(let name, let byteCount) = segment.storage else { return nil }
        do throws(JournalFileError) {
            return try SegmentImage(
                path: files.path(name), limit: byteCount, files: system.files, failures: &failures)
        } catch {
            failures.append(error)
            return nil
        }
    }
}
