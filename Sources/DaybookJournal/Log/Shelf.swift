/// The segments in order, the cursors over them, and the counters: all that is not the hot end. Lives in the journal's
/// cold `Mutex`, which is taken after the hot one, never before it.
struct Shelf: Sendable {
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
        /// Set after a failed sync: this file is never synced again, but written anew.
        var needsRewrite = false
        /// Frames above this belong to a later segment that took their numbers.
        var lastUsable = UInt64.max
        /// Open from the first write until the seal is written.
        var file: OpenFile?
        /// How the file was left; `nil` where that is not known.
        var mark: FileMark?
    }

    /// By first sequence. The last one may be open.
    var entries: [Entry] = []
    /// The end of the journal, which the log still lacks a part of.
    var ring: RingShelf
    /// What the outputs and the context were, for every frame in the ring.
    var states = StreamStates()
    /// While set, the disk is left alone, until housekeeping could write it again.
    var diskFailure: JournalFileError?
    /// Whether the cap keeps the log from a new segment.
    var isAtCap = false
    /// By stored output id.
    var cursors: [String: Cursor] = [:]
    var outputs: OutputTable
    let backfill: Set<String>
    var counters = JournalCounters()
    /// What `takeLosses` has not told yet.
    var losses: [JournalLoss] = []
    /// Bytes of a file that is just being made, and is no entry yet.
    var reservedBytes = 0
    var setAsideBytes = 0
    /// Everything through this sequence is on stable storage.
    var syncedThrough: UInt64 = 0
    /// Whether a rename waits for the directory's sync.
    var isDirectoryDirty = false
    var bookmarks = Bookmarks()
    var images = ImageShelf()

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

    /// Records of an output in one segment's summary: all of them, whatever its cursor.
    func total(of output: String, in summary: SegmentSummary, _ header: SegmentHeader) -> UInt64 {
        if let bit = header.outputs.bit(of: output) { return UInt64(summary.counts[bit]) }
        return backfill.contains(output) ? summary.counted : 0
    }

    /// Whether no output waits for a record of a segment any more; `nil` where somebody has to look into it for that.
    func isFinished(_ entry: Entry) -> Bool? {
        let (header, summary) = (entry.segment.header, entry.summary)
        for (output, cursor) in cursors {
            let passed = cursor.slot.sequence
            if passed >= min(summary.lastSequence, entry.lastUsable) { continue }
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
}

/// Where an output stands.
struct Cursor: Sendable {
    var slot: CursorSlot
    /// `nil` where it could not be opened; the cursor then lasts as long as the process.
    var file: OpenFile?
    /// How the file was left.
    var mark: FileMark?
    /// Whether the output is not among the present ones.
    var isRemoved: Bool
}

/// The outputs and the context from a frame on.
struct StreamState: Sendable {
    /// The first frame for which this holds.
    let from: UInt64
    let context: JournalContext
    let tableVersion: UInt16
    let outputs: OutputTable
}

/// What held for the frames that the ring has, in order.
struct StreamStates: Sendable {
    private var states: [StreamState] = []

    /// What holds now. Begun before anything else is done with a journal.
    var last: StreamState? { states.last }

    mutating func append(_ state: StreamState) {
        // Nothing was written under what the last one said.
        if states.last?.from == state.from { states.removeLast() }
        states.append(state)
    }

    /// What held for a frame.
    func state(of sequence: UInt64) -> StreamState? {
        states.last { $0.from <= sequence } ?? states.first
    }

    /// What held for some frames, in order.
    func states(from first: UInt64, through last: UInt64) -> [StreamState] {
        let index = states.lastIndex { $0.from <= first } ?? 0
        return Array(states[index...].prefix { $0.from <= max(first, last) })
    }

    /// The first frame after this one for which there are other outputs: it begins a segment.
    func nextTable(after sequence: UInt64) -> UInt64 {
        guard let version = state(of: sequence)?.tableVersion else { return .max }
        return states.first { $0.from > sequence && $0.tableVersion != version }?.from ?? .max
    }

    /// Forgets what held for frames before this one alone.
    mutating func forget(before sequence: UInt64) {
        guard let index = states.lastIndex(where: { $0.from <= sequence }), index > 0 else { return }
        states.removeFirst(index)
    }
}

/// Where the latest reads ended, so that the next one goes on from there and does not walk its segment or the ring from
/// the front.
struct Bookmarks: Sendable {
    struct Bookmark: Sendable {
        enum Place: Sendable {
            /// An offset in the segment with this salt and first sequence.
            case segment(salt: UInt64, first: UInt64, offset: Int, context: JournalContext)
            /// A position in the ring of this generation.
            case ring(generation: Int, position: Int)
        }

        /// Everything through this was seen.
        let sequence: UInt64
        let place: Place
    }

    private var marks: [Bookmark] = []
    private var next = 0
    /// One for each output that reads, roughly.
    private static let capacity = 16

    func find(sequence: UInt64, in segment: Segment) -> (offset: Int, context: JournalContext)? {
        for mark in marks where mark.sequence == sequence {
            if case .segment(segment.header.salt, segment.header.firstSequence, let offset, let context) = mark.place {
                return (offset, context)
            }
        }
        return nil
    }

    func find(sequence: UInt64, inRing generation: Int) -> Int? {
        for mark in marks where mark.sequence == sequence {
            if case .ring(generation, let position) = mark.place { return position }
        }
        return nil
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
    private var images: [(salt: UInt64, first: UInt64, image: SegmentImage)] = []

    /// A segment's bytes, at least so many.
    func find(_ segment: Segment, bytes: Int) -> SegmentImage? {
        let header = segment.header
        return images.first {
            $0.salt == header.salt && $0.first == header.firstSequence && $0.image.byteCount >= bytes
        }?.image
    }

    mutating func put(_ image: SegmentImage, for segment: Segment) {
        forget(segment)
        if images.count == 2 { images.removeFirst() }
        images.append((segment.header.salt, segment.header.firstSequence, image))
    }

    mutating func forget(_ segment: Segment) {
        let header = segment.header
        images.removeAll { $0.salt == header.salt && $0.first == header.firstSequence }
    }

    mutating func removeAll() {
        images.removeAll()
    }
}
