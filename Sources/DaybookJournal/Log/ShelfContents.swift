import DaybookBase

/// What a `Shelf` guards; during the open, used alone.
struct ShelfContents: Sendable {
    struct Entry: Sendable {
        var segment: Segment
        var summary: SegmentSummary
        /// Bytes counted against the cap.
        var fileBytes: Int
        var isOpen = false
        var isSynced: Bool
        /// Everything before this offset is on stable storage.
        var syncedOffset = 0
        /// No seal is to be written: it exists, or could not or must not be written.
        var hasSeal = false
        var isRecovered = false
        /// After a failed sync: the file is rewritten, never synced again.
        var needsRewrite = false
        /// Later sequences belong to the next segment, which reuses them.
        var lastUsable = UInt64.max
        /// Open until the seal is written.
        var file: OpenFile?
        /// The file's state after our last write; `nil` if unknown.
        var mark: FileMark?

        var through: UInt64 { min(summary.lastSequence, lastUsable) }
    }

    let directory: JournalDirectory
    let backfill: Set<String>
    /// In order. Only the last one may be open.
    var entries: [Entry] = []
    /// The newest frames, some of which the log may lack.
    var ring: RingMarks
    /// The outputs and context of every frame in the ring.
    var states = StreamStates()
    /// While set, the disk is not written. Housekeeping retries it.
    var diskFailure: JournalFileError?
    var isAtCap = false
    /// By stored output id.
    var cursors: [String: Cursor] = [:]
    var outputs: OutputTable
    var counters = JournalCounters()
    /// Losses that `takeLosses` has not returned yet.
    var losses: [JournalLoss] = []
    /// Bytes of files being created, which are no entries yet.
    var reservedBytes = 0
    var setAsideBytes = 0
    /// The watermark: everything through it is on stable storage.
    var syncedThrough: UInt64 = 0
    /// Whether file names changed since the directory's last sync.
    var isDirectoryDirty = false
    var bookmarks = Bookmarks()
    var images = ImageShelf()

    init(_ directory: JournalDirectory, outputs: OutputTable, options: JournalOptions) {
        self.directory = directory
        self.outputs = outputs
        backfill = options.backfill
        let memory = Ring.inMemory(capacity: options.ringBytes, files: directory.system.files)
        ring = RingMarks(memory, sequence: 1)
    }

    mutating func fail(with error: JournalFileError) {
        counters.note(error)
        diskFailure = error
    }

    // MARK: Segments

    private var diskBytes: Int {
        entries.reduce(reservedBytes + setAsideBytes) { $0 + $1.fileBytes }
    }

    func hasSpace(for bytes: Int, below cap: Int) -> Bool { diskBytes + bytes <= cap }

    func index(of segment: Segment) -> Int? {
        entries.lastIndex { $0.segment === segment }
    }

    /// The segment where reading after `sequence` starts: the last that begins at or before the next sequence.
    func firstIndex(after sequence: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].segment.header.firstSequence <= sequence &+ 1 { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, 0)
    }

    /// Drops a segment and counts what outputs had not read. The caller removes the file.
    mutating func forget(at index: Int, because reason: DropReason) -> Entry {
        let entry = entries[index]
        for (output, cursor) in cursors {
            lose(
                pending(of: output, after: cursor.slot.sequence, in: entry), of: output, reason,
                after: max(cursor.slot.sequence, entry.segment.header.firstSequence &- 1), through: entry.through)
        }
        entries.remove(at: index)
        // Frames counted as lost must not be read from the ring.
        ring.release(through: entry.through)
        return entry
    }

    mutating func lose(
        _ count: UInt64, of output: String, _ reason: DropReason, after: UInt64, through: UInt64
    ) {
        guard count > 0 else { return }
        counters.drop(count, of: output, reason)
        losses.append(JournalLoss(output: output, reason: reason, after: after, through: through, count: count))
    }

    /// Counts what a segment has lost since it was sealed.
    mutating func countDamage(in segment: Segment, by scan: SegmentScan) {
        guard let index = index(of: segment) else { return }
        let sealed = entries[index].summary
        let found = scan.summary
        counters.corruptFrames += sealed.frames - min(found.frames, sealed.frames)
        var missing = scan.holes.map { (after: $0.after, through: $0.before - 1) }
        missing.append((found.lastSequence, sealed.lastSequence))
        for (output, cursor) in cursors {
            let before = total(of: output, in: sealed, segment.header)
            let after = total(of: output, in: found, segment.header)
            var lost = before - min(after, before)
            // Frames the output had passed are no loss. Whom a missing frame was for is unknown, so each hole counts as
            // many as fit.
            for hole in missing where lost > 0 {
                let after = max(hole.after, cursor.slot.sequence)
                guard hole.through > after else { continue }
                let count = min(lost, hole.through - after)
                lose(count, of: output, .corrupt, after: after, through: hole.through)
                lost -= count
            }
        }
        // The end and the last sequence remain valid.
        entries[index].summary.frames = found.frames
        entries[index].summary.counted = found.counted
        entries[index].summary.counts = found.counts
    }

    // MARK: Records of an output

    func total(of output: String, in summary: SegmentSummary, _ header: SegmentHeader) -> UInt64 {
        if let bit = header.outputs.bit(of: output) { return UInt64(summary.counts[bit]) }
        return backfill.contains(output) ? summary.counted : 0
    }

    /// Whether no output waits for a record of the segment; `nil` if only reading it can tell.
    func isFinished(_ entry: Entry) -> Bool? {
        let (header, summary) = (entry.segment.header, entry.summary)
        for (output, cursor) in cursors {
            let passed = cursor.slot.sequence
            if passed >= entry.through { continue }
            if total(of: output, in: summary, header) == 0 { continue }
            guard let bit = header.outputs.bit(of: output), passed >= header.firstSequence else { return false }
            guard !summary.lasts.isEmpty else { return nil }
            if summary.lasts[bit] > passed { return false }
        }
        return true
    }

    func concerns(_ output: String, _ frame: Frame, _ table: OutputTable) -> Bool {
        guard frame.flags.isCounted else { return false }
        if let bit = table.bit(of: output) { return frame.mask & (1 << UInt64(bit)) != 0 }
        return frame.mask != 0 && backfill.contains(output)
    }

    /// An output's stored records after a sequence, and how many of them are from launches before `openedAt`.
    mutating func stored(
        for output: String, after sequence: UInt64, openedAt: UInt64
    ) -> (all: UInt64, recovered: UInt64) {
        // If the ring has them all, it suffices; otherwise add the segments' to those only in the ring.
        let mark = ring.mark(after: sequence)
        var (all, recovered) = (inRing(output, from: mark ?? ring.written, after: sequence), UInt64(0))
        guard mark == nil else { return (all, 0) }
        for index in firstIndex(after: sequence)..<entries.count {
            let count = pending(of: output, after: sequence, in: entries[index])
            all += count
            if entries[index].segment.header.firstSequence <= openedAt { recovered += count }
        }
        return (all, recovered)
    }

    private func inRing(_ output: String, from mark: RingMark, after cursor: UInt64) -> UInt64 {
        var position = mark.position
        var count: UInt64 = 0
        var state: StreamState?
        while let frame = ring.ring.frame(at: &position) {
            position = frame.end
            guard frame.sequence > cursor else { continue }
            if state?.tableVersion != frame.tableVersion { state = states.state(of: frame.sequence) }
            if let table = state?.outputs, concerns(output, frame, table) { count += 1 }
        }
        return count
    }

    /// An output's records in a segment after a cursor. Reads the segment if the cursor is inside; if it cannot, counts
    /// all.
    mutating func pending(of output: String, after cursor: UInt64, in entry: Entry) -> UInt64 {
        let header = entry.segment.header
        let summary = entry.summary
        let all = total(of: output, in: summary, header)
        if entry.lastUsable == .max {
            if cursor >= summary.lastSequence { return 0 }
            if cursor < header.firstSequence || all == 0 { return all }
        }
        guard let image = image(of: entry) else { return all }
        return withExtendedLifetime(image) {
            let bytes = FrameBytes(image, entry)
            var count: UInt64 = 0
            var offset = bytes.framesOffset
            while offset < summary.end {
                var frame: Frame?
                if case .frame(let here) = bytes.content(at: offset) {
                    frame = here
                } else {
                    frame = bytes.nextFrame(after: offset, above: 0).flatMap { $0.offset < summary.end ? $0 : nil }
                }
                guard let frame, frame.sequence <= entry.lastUsable else { break }
                if frame.sequence > cursor && concerns(output, frame, header.outputs) { count += 1 }
                offset = frame.end
            }
            return count
        }
    }

    // MARK: Images

    private mutating func image(of entry: Entry) -> SegmentImage? {
        if let known = knownImage(of: entry) { return known }
        let (loaded, failures) = SegmentImage.load(entry, from: directory)
        return keep(loaded, failures, of: entry)
    }

    func knownImage(of entry: Entry) -> SegmentImage? {
        if case .memory(let image) = entry.segment.storage { return image }
        return images.find(entry.segment, bytes: entry.summary.end)
    }

    mutating func keep(_ loaded: SegmentImage?, _ failures: [JournalFileError], of entry: Entry) -> SegmentImage? {
        for failure in failures { counters.note(failure) }
        if let loaded { images.put(loaded, for: entry.segment) }
        return loaded
    }
}

extension SegmentImage {
    /// The bytes of a segment's file, and read errors; `nil` if it cannot be opened.
    static func load(
        _ entry: ShelfContents.Entry, from directory: JournalDirectory
    ) -> (image: SegmentImage?, failures: [JournalFileError]) {
        guard let files = directory.ownFiles, case .file(let name) = entry.segment.storage else { return (nil, []) }
        var failures: [JournalFileError] = []
        do throws(JournalFileError) {
            let image = try SegmentImage(
                path: files.path(name), limit: longest, files: directory.system.files, failures: &failures)
            return (image, failures)
        } catch {
            if error.operation == .open { directory.missFile() }
            return (nil, failures + [error])
        }
    }
}

extension FrameBytes {
    /// The frames counted in the segment's summary. `image` must outlive the value.
    init(_ image: SegmentImage, _ entry: ShelfContents.Entry) {
        let header = entry.segment.header
        let limit = min(header.framesLimit(fileBytes: image.byteCount), entry.summary.end)
        self.init(base: image.start, header: header, limit: limit)
    }
}
