import DaybookBase

/// What a `Shelf` guards. Copies of it are used by an open alone, on its thread.
struct ShelfContents: Sendable {
    struct Entry: Sendable {
        var segment: Segment
        /// The sums over its frames; of the one that is open, over those that were written.
        var summary: SegmentSummary
        /// Bytes that the file takes of the cap.
        var fileBytes: Int
        /// Whether more frames come.
        var isOpen = false
        /// Whether everything in it is on stable storage.
        var isSynced: Bool
        /// Everything before this offset is on stable storage.
        var syncedOffset = 0
        /// Whether the file tells the summary itself.
        var hasSeal = false
        /// Whether the summary comes from a recovery.
        var isRecovered = false
        /// Set after a failed sync: this file is never synced again, but rewritten.
        var needsRewrite = false
        /// Frames above this belong to a later segment that reuses their numbers.
        var lastUsable = UInt64.max
        /// Open from the first write until the seal is written.
        var file: OpenFile?
        /// How the file was left; `nil` where that is not known.
        var mark: FileMark?

        /// The last sequence that counts.
        var through: UInt64 { min(summary.lastSequence, lastUsable) }
    }

    let directory: JournalDirectory
    let backfill: Set<String>
    /// By first sequence. The last one may be open.
    var entries: [Entry] = []
    /// The end of the journal, part of which the log may lack.
    var ring: RingMarks
    /// The outputs and the context of every frame in the ring.
    var states = StreamStates()
    /// While set, the disk is left alone, until housekeeping can write it again.
    var diskFailure: JournalFileError?
    /// Whether the cap keeps the log from a new segment.
    var isAtCap = false
    /// By stored output id.
    var cursors: [String: Cursor] = [:]
    var outputs: OutputTable
    var counters = JournalCounters()
    /// What `takeLosses` has not told yet.
    var losses: [JournalLoss] = []
    /// Bytes of a file that is being made and is no entry yet.
    var reservedBytes = 0
    var setAsideBytes = 0
    /// Everything through this sequence is on stable storage.
    var syncedThrough: UInt64 = 0
    /// Whether a rename waits for the directory's sync.
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

    /// Bytes on disk of segments, of what is being made, and of set-aside files.
    private var diskBytes: Int {
        entries.reduce(reservedBytes + setAsideBytes) { $0 + $1.fileBytes }
    }

    func hasSpace(for bytes: Int, below cap: Int) -> Bool { diskBytes + bytes <= cap }

    func index(of segment: Segment) -> Int? {
        entries.lastIndex { $0.segment === segment }
    }

    /// Where to start reading what comes after `sequence`: the last segment that begins at or before the next one.
    func firstIndex(after sequence: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].segment.header.firstSequence <= sequence &+ 1 { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, 0)
    }

    /// Takes a segment out, and returns it for its file to be removed; what outputs had not read of it is counted.
    mutating func forget(at index: Int, because reason: DropReason) -> Entry {
        let entry = entries[index]
        for (output, cursor) in cursors {
            lose(
                pending(of: output, after: cursor.slot.sequence, in: entry), of: output, reason,
                after: max(cursor.slot.sequence, entry.segment.header.firstSequence &- 1), through: entry.through)
        }
        entries.remove(at: index)
        // What is counted as lost must not be read from the ring either.
        ring.release(through: entry.through)
        return entry
    }

    /// Counts lost records of an output, and remembers where they were.
    mutating func lose(
        _ count: UInt64, of output: String, _ reason: DropReason, after: UInt64, through: UInt64
    ) {
        guard count > 0 else { return }
        counters.drop(count, of: output, reason)
        losses.append(JournalLoss(output: output, reason: reason, after: after, through: through, count: count))
    }

    /// Counts what a segment has lost since it was sealed, by what there is of it.
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
            // What the output was done with is no loss. Of a frame that is gone nobody knows whom it was for.
            for hole in missing where lost > 0 {
                let after = max(hole.after, cursor.slot.sequence)
                guard hole.through > after else { continue }
                let count = min(lost, hole.through - after)
                lose(count, of: output, .corrupt, after: after, through: hole.through)
                lost -= count
            }
        }
        // The end and the last sequence stay: they are true, whatever is missing before them.
        entries[index].summary.frames = found.frames
        entries[index].summary.counted = found.counted
        entries[index].summary.counts = found.counts
    }

    // MARK: Records of an output

    /// Records of an output in one segment's summary, whatever its cursor.
    func total(of output: String, in summary: SegmentSummary, _ header: SegmentHeader) -> UInt64 {
        if let bit = header.outputs.bit(of: output) { return UInt64(summary.counts[bit]) }
        return backfill.contains(output) ? summary.counted : 0
    }

    /// Whether no output waits for a record of a segment any more; `nil` where only a look into it tells.
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

    /// Whether a frame, written under a table, is a record for the output.
    func concerns(_ output: String, _ frame: Frame, _ table: OutputTable) -> Bool {
        guard frame.flags.isCounted else { return false }
        if let bit = table.bit(of: output) { return frame.mask & (1 << UInt64(bit)) != 0 }
        return frame.mask != 0 && backfill.contains(output)
    }

    /// Records of an output that are stored behind a sequence, also where the disk cannot be read now; and how many of them
    /// come from launches before `openedAt`.
    mutating func stored(
        for output: String, after sequence: UInt64, openedAt: UInt64
    ) -> (all: UInt64, recovered: UInt64) {
        // The ring has everything since its oldest frame; else the segments have what comes before the rest of it.
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

    /// Records of an output in the ring, from a place on.
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

    /// Records of an output in one segment, after its cursor: from the summary where the cursor is outside, else by a walk;
    /// all of them where the file cannot be read now.
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

    /// A segment's bytes, from the latest images or read now, while the cold lock is held.
    private mutating func image(of entry: Entry) -> SegmentImage? {
        if let known = knownImage(of: entry) { return known }
        let (loaded, failures) = SegmentImage.load(entry, from: directory)
        return keep(loaded, failures, of: entry)
    }

    /// A segment's bytes, if they are in memory.
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
    /// The bytes of a segment's file, and what failed; `nil` if it cannot be opened.
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
            // Perhaps somebody removed it.
            if error.operation == .open { directory.missFile() }
            return (nil, failures + [error])
        }
    }
}

extension FrameBytes {
    /// The frames of a segment that its summary counts. `image` must outlive the value.
    init(_ image: SegmentImage, _ entry: ShelfContents.Entry) {
        let header = entry.segment.header
        let limit = min(header.framesLimit(fileBytes: image.byteCount), entry.summary.end)
        self.init(base: image.start, header: header, limit: limit)
    }
}
