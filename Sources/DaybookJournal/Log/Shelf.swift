/// The segments in order, the cursors over them, and the counters: all that is not the hot end. Lives in the journal's
/// cold `Mutex`, which is taken after the hot one, never before it.
struct Shelf: Sendable {
    struct Entry: Sendable {
        var segment: Segment
        /// Known once the segment is sealed and has been counted.
        var summary: SegmentSummary?
        /// Whether everything in it is on stable storage.
        var isSynced: Bool
        /// Up to this offset the writer's segment is on stable storage; its copy of the header may not be.
        var syncedOffset = 0
        /// Whether the file tells the summary itself.
        var hasSeal = false
        /// Set after a failed sync: this file is never synced again, but written anew.
        var needsRewrite = false
        /// Frames above this belong to a later segment that took their numbers.
        var lastUsable = UInt64.max
    }

    /// By first sequence. The last one is the writer's.
    var entries: [Entry] = []
    /// By stored output id.
    var cursors: [String: Cursor] = [:]
    var outputs: OutputTable
    let backfill: Set<String>
    var counters = JournalCounters()
    /// What `takeLosses` has not told yet.
    var losses: [JournalLoss] = []
    /// Bytes of files that are no entries: spares, and what is just being made or made ready. They count from before a
    /// file is begun until its entry is there, so that writer and housekeeping never take the same space.
    var reservedBytes = 0
    var setAsideBytes = 0
    /// Everything through this sequence is on stable storage.
    var syncedThrough: UInt64 = 0
    /// Whether a rename waits for the directory's sync.
    var isDirectoryDirty = false
    var bookmarks = Bookmarks()
    var images = ImageShelf()

    /// Bytes on disk of segments, reserved ones and set-aside files.
    private var diskBytes: Int {
        entries.reduce(reservedBytes + setAsideBytes) { $0 + $1.segment.fileBytes }
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

    /// Records of an output in one segment's summary: all of them, whatever its cursor.
    func total(of output: String, in summary: SegmentSummary, _ header: SegmentHeader) -> UInt64 {
        if let bit = header.outputs.bit(of: output) { return UInt64(summary.counts[bit]) }
        return backfill.contains(output) ? summary.counted : 0
    }

    /// Whether a frame of this segment is a record for the output.
    func concerns(_ output: String, _ frame: Frame, _ header: SegmentHeader) -> Bool {
        guard frame.flags.isCounted else { return false }
        if let bit = header.outputs.bit(of: output) { return frame.mask & (1 << UInt64(bit)) != 0 }
        return frame.mask != 0 && backfill.contains(output)
    }
}

/// Where an output stands.
struct Cursor: Sendable {
    var slot: CursorSlot
    /// `nil` where it could not be opened; the cursor then lasts as long as the process.
    var file: JournalFile?
    /// Whether the output is not among the present ones.
    var isRemoved: Bool
}

/// Where the latest reads ended, so that the next one goes on from there and does not walk its segment from the front.
struct Bookmarks: Sendable {
    struct Bookmark: Sendable {
        /// Everything through this was seen.
        let sequence: UInt64
        let segment: ObjectIdentifier
        /// Of the segment, so that another one at the same address is not taken for it.
        let salt: UInt64
        let offset: Int
        let context: JournalContext
    }

    private var marks: [Bookmark] = []
    private var next = 0
    /// One for each output that reads, roughly.
    private static let capacity = 16

    func find(sequence: UInt64, in segment: Segment) -> Bookmark? {
        marks.last {
            $0.sequence == sequence && $0.segment == ObjectIdentifier(segment) && $0.salt == segment.header.salt
        }
    }

    mutating func put(_ mark: Bookmark) {
        if let same = marks.firstIndex(where: { $0.sequence == mark.sequence }) {
            marks[same] = mark
        } else if marks.count < Self.capacity {
            marks.append(mark)
        } else {
            marks[next] = mark
            next = (next + 1) % Self.capacity
        }
    }
}

/// The latest segment files that were read into memory: two at most.
struct ImageShelf: Sendable {
    private var images: [(segment: ObjectIdentifier, salt: UInt64, image: SegmentImage)] = []

    func find(_ segment: Segment) -> SegmentImage? {
        images.first { $0.segment == ObjectIdentifier(segment) && $0.salt == segment.header.salt }?.image
    }

    mutating func put(_ image: SegmentImage, for segment: Segment) {
        if images.count == 2 { images.removeFirst() }
        images.append((ObjectIdentifier(segment), segment.header.salt, image))
    }

    mutating func removeAll() {
        images.removeAll()
    }
}
