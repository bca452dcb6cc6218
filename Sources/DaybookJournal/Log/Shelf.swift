import DaybookBase

/// The segments in order, the cursors over them, what the ring holds, and the counters: everything but the hot end.
///
/// Guards its contents by the cold lock, which is taken after those of upkeep, of the hot end and of the log, and never
/// before them. Safe to share.
final class Shelf: Sendable {
    typealias Entry = ShelfContents.Entry

    private let contents: Mutex<ShelfContents>
    private let directory: JournalDirectory
    private let options: JournalOptions
    /// Names the frames that this launch writes.
    private let identity: JournalStream
    /// What every checksum of this launch's frames begins with.
    private let salt: UInt64
    private var system: JournalSystem { directory.system }

    init(_ contents: sending ShelfContents, identity: JournalStream, salt: UInt64, options: JournalOptions) {
        directory = contents.directory
        self.contents = Mutex(contents)
        self.options = options
        self.identity = identity
        self.salt = salt
    }

    // MARK: The disk and the counters

    /// While set, the disk is left alone, until housekeeping can write it again.
    var diskFailure: JournalFileError? {
        get { contents.withLock { $0.diskFailure } }
        set { contents.withLock { $0.diskFailure = newValue } }
    }

    /// Counts what the system refused.
    func note(_ error: JournalFileError) { contents.withLock { $0.counters.note(error) } }

    /// The same, and leaves the disk alone from here on.
    func fail(with error: JournalFileError) { contents.withLock { $0.fail(with: error) } }

    /// Counts; the hot end and the frames in memory are counted elsewhere.
    var counters: JournalCounters { contents.withLock { $0.counters } }

    func count(_ change: (inout JournalCounters) -> Void) { contents.withLock { change(&$0.counters) } }

    func markDirectoryDirty() { contents.withLock { $0.isDirectoryDirty = true } }

    /// Whether a rename waits for the directory's sync; asks once.
    func takeDirectoryDirt() -> Bool {
        contents.withLock { contents in
            defer { contents.isDirectoryDirty = false }
            return contents.isDirectoryDirty
        }
    }

    /// All drops so far, and the losses since this was asked last.
    func takeLosses() -> (drops: [DropReason: [String: UInt64]], losses: [JournalLoss]) {
        contents.withLock { contents in
            defer { contents.losses = [] }
            return (contents.counters.drops, contents.losses)
        }
    }

    /// The drops so far, which are counted elsewhere from here on.
    func takeDrops() -> [DropReason: [String: UInt64]] {
        contents.withLock { contents in
            defer { contents.counters.drops = [:] }
            return contents.counters.drops
        }
    }

    /// Counts a frame that found no room, for each of its outputs.
    func refuse(_ mask: UInt64, of outputs: OutputTable, because reason: DropReason) {
        contents.withLock { contents in
            for (bit, output) in outputs.ids.enumerated() where mask & (1 << UInt64(bit)) != 0 {
                contents.counters.drop(1, of: output, reason)
                if reason == .capacity, case .dropBelow = options.policy {
                    contents.counters.lowPriorityDrops[output, default: 0] += 1
                }
            }
        }
    }

    // MARK: The ring

    var ring: Ring { contents.withLock { $0.ring.ring } }
    /// Tells rings of this journal apart.
    var ringGeneration: Int { contents.withLock { $0.ring.generation } }
    /// The first sequence that the log lacks.
    var unwritten: UInt64 { contents.withLock { $0.ring.written.sequence } }

    /// Whether the ring has everything after a sequence.
    func isInRing(after sequence: UInt64) -> Bool { contents.withLock { $0.ring.mark(after: sequence) != nil } }

    /// Notes what holds from a frame on.
    func begin(_ state: StreamState) { contents.withLock { $0.states.append(state) } }

    /// Gives up what the log has before a position. Returns where the ring begins now, or `nil` if the log lacks a part of
    /// that; and where the log is.
    func release(before position: Int) -> (start: Int?, written: Int) {
        contents.withLock { contents in
            let isFree = contents.ring.release(before: position)
            contents.states.forget(before: contents.ring.start.sequence)
            return (isFree ? contents.ring.start.position : nil, contents.ring.written.position)
        }
    }

    /// Gives up an eighth of the ring, up to `head`, from the first frame that the log lacks. Returns the header of what is
    /// left.
    func dropOldest(upTo head: Int) -> SegmentHeader? {
        contents.withLock { contents in
            let ring = contents.ring.ring
            let first = contents.ring.written
            var mark = first
            var counts: [String: UInt64] = [:]
            while mark.position < min(first.position + ring.capacity / 8, head),
                let frame = ring.frame(at: &mark.position)
            {
                mark = RingMark(position: frame.end, sequence: frame.sequence &+ 1)
                guard frame.flags.isCounted, let table = contents.states.state(of: frame.sequence)?.outputs else {
                    continue
                }
                for (output, cursor) in contents.cursors
                where cursor.slot.sequence < frame.sequence && contents.concerns(output, frame, table) {
                    counts[output, default: 0] += 1
                }
            }
            for (output, count) in counts {
                contents.lose(
                    count, of: output, .memoryFull,
                    after: max(contents.cursors[output]?.slot.sequence ?? 0, first.sequence &- 1),
                    through: mark.sequence &- 1)
            }
            contents.ring.skip(to: mark)
            contents.states.forget(before: mark.sequence)
            return header(contents, first: mark.sequence)
        }
    }

    /// Goes on with another ring and a copy of the frames that the log lacks. Returns how many bytes these take. The caller
    /// holds the hot lock, and the log's.
    func move(to ring: Ring) -> Int {
        contents.withLock { contents in
            let old = contents.ring
            var (position, offset) = (old.written.position, 0)
            while let frame = old.ring.frame(at: &position) {
                // Of one capacity, and without the ends of laps: there is room.
                (ring.base + offset).copyMemory(from: old.ring.address(position), byteCount: frame.length)
                position = frame.end
                offset += frame.end - frame.offset
                (ring.base + offset).clearLength()
            }
            contents.ring.replace(by: ring, sequence: old.written.sequence)
            return offset
        }
    }

    /// The header for a ring that holds what the log lacks.
    func ringHeader() -> SegmentHeader? { contents.withLock { header($0, first: $0.ring.written.sequence) } }

    /// The header of a segment that begins with a frame.
    func header(first: UInt64) -> SegmentHeader? { contents.withLock { header($0, first: first) } }

    private func header(_ contents: ShelfContents, first: UInt64) -> SegmentHeader? {
        contents.states.state(of: first).map { state in
            SegmentHeader(
                stream: identity, salt: salt, firstSequence: first, syncedThrough: contents.syncedThrough,
                createdWall: system.wallNanoseconds(), createdMonotonic: system.monotonicNanoseconds(),
                boot: system.boot, contextVersion: state.context.version, tableVersion: state.tableVersion,
                outputs: state.outputs, context: state.context.bytes)
        }
    }

    /// What the log needs to copy the next run.
    func nextRun() -> (ring: Ring, written: RingMark, nextTable: UInt64, isFailed: Bool) {
        contents.withLock { contents in
            let written = contents.ring.written
            return (
                contents.ring.ring, written, contents.states.nextTable(after: written.sequence),
                contents.diskFailure != nil
            )
        }
    }

    /// A copy of the next frames after a sequence, to the lap's end at most; without bytes where there are none. `nil` if
    /// the ring does not have them any more.
    func copyRun(after sequence: UInt64, limitFrames: Int, limitBytes: Int) -> RingRun? {
        contents.withLock { contents in
            guard let mark = contents.ring.mark(after: sequence) else { return nil }
            let known = contents.bookmarks.find(sequence: sequence, inRing: contents.ring.generation)
            let start = known.map { $0 >= contents.ring.start.position ? $0 : mark.position } ?? mark.position
            return RingRun(
                contents, from: start, after: sequence, limitFrames: limitFrames, limitBytes: limitBytes)
        }
    }

    /// Remembers where a read ended.
    func put(_ bookmark: Bookmarks.Bookmark) { contents.withLock { $0.bookmarks.put(bookmark) } }

    func bookmark(after sequence: UInt64, in segment: Segment) -> (offset: Int, context: JournalContext)? {
        contents.withLock { $0.bookmarks.find(sequence: sequence, in: segment) }
    }

    // MARK: Segments

    /// All segments, and those that hold.
    func entries(where holds: (Entry) -> Bool = { _ in true }) -> [Entry] {
        contents.withLock { $0.entries.filter(holds) }
    }

    func entry(of segment: Segment) -> Entry? {
        contents.withLock { contents in contents.index(of: segment).map { contents.entries[$0] } }
    }

    /// The segments that have what comes after a sequence, the present outputs, and the last sequence of the log.
    func entries(after sequence: UInt64) -> (entries: [Entry], outputs: OutputTable, written: UInt64) {
        contents.withLock { contents in
            (
                Array(contents.entries[contents.firstIndex(after: sequence)...]), contents.outputs,
                contents.ring.written.sequence &- 1
            )
        }
    }

    /// Changes what is known of a segment, if it is still there. Returns whether it is.
    @discardableResult
    func update(_ segment: Segment, _ change: (inout Entry) -> Void) -> Bool {
        contents.withLock { contents in
            guard let index = contents.index(of: segment) else { return false }
            change(&contents.entries[index])
            return true
        }
    }

    /// Keeps a segment in memory that its file lacks, or a part of it, until a file has that again.
    func hold(_ entry: Entry, in image: SegmentImage, isWhole: Bool) -> Entry {
        var held = entry
        held.segment = Segment(header: entry.segment.header, storage: .memory(image))
        held.file = nil
        held.mark = nil
        held.fileBytes = 0
        held.isSynced = false
        held.hasSeal = false
        held.needsRewrite = false
        contents.withLock { contents in
            contents.images.forget(entry.segment)
            if let index = contents.index(of: entry.segment) { contents.entries[index] = held }
            // What is counted as lost must not be read from the ring either.
            if !isWhole { contents.ring.release(through: entry.summary.lastSequence) }
        }
        return held
    }

    /// The context that a later segment of the launch begins with.
    func context(_ version: UInt32, of stream: JournalStream) -> JournalContext? {
        contents.withLock { contents in
            contents.entries.first { $0.segment.context.version == version && $0.segment.header.stream == stream }?
                .segment.context
        }
    }

    /// A segment's bytes, as far as they are written: from the latest images, or read now. `nil` if the file cannot be
    /// opened.
    func image(of entry: Entry) -> SegmentImage? {
        if let known = knownImage(of: entry) { return known }
        let (loaded, failures) = SegmentImage.load(entry, from: directory)
        return contents.withLock { $0.keep(loaded, failures, of: entry) }
    }

    /// A segment's bytes, if they are in memory.
    func knownImage(of entry: Entry) -> SegmentImage? { contents.withLock { $0.knownImage(of: entry) } }

    /// Adds the segment that the log begins.
    func add(_ entry: Entry) {
        contents.withLock { contents in
            // The directory is synced with the next data: until then nothing in the segment is promised to outlive a loss of
            // power.
            contents.isDirectoryDirty = true
            contents.entries.append(entry)
        }
    }

    /// Notes what the log has written: up to a place in the ring, into the segment that is open.
    func write(through end: RingMark, _ segment: Segment, _ summary: SegmentSummary, _ mark: FileMark?, bytes: Int) {
        contents.withLock { contents in
            contents.ring.write(through: end)
            guard let index = contents.index(of: segment) else { return }
            contents.entries[index].mark = mark
            contents.entries[index].summary = summary
            contents.entries[index].fileBytes = max(contents.entries[index].fileBytes, bytes)
        }
    }

    /// Notes that the log takes no more frames into a segment.
    func end(_ segment: Segment, fileBytes: Int) {
        contents.withLock { contents in
            guard let index = contents.index(of: segment) else { return }
            contents.entries[index].isOpen = false
            contents.entries[index].fileBytes = fileBytes
            contents.counters.rotations += 1
        }
    }

    /// Counts as synced what was ended with nothing new in it. Returns whether all is synced.
    @discardableResult
    func settleSynced() -> Bool {
        contents.withLock { contents in
            for index in contents.entries.indices {
                let entry = contents.entries[index]
                if !entry.isOpen, !entry.needsRewrite, !entry.segment.isInMemory,
                    entry.syncedOffset >= entry.summary.end
                {
                    contents.entries[index].isSynced = true
                }
            }
            return contents.entries.allSatisfy(\.isSynced)
        }
    }

    /// Notes that everything through a sequence is on stable storage.
    func finishSync(through sequence: UInt64) {
        contents.withLock { contents in
            contents.counters.syncs += 1
            contents.syncedThrough = max(contents.syncedThrough, sequence)
        }
    }

    /// Counts what a segment has lost since it was sealed.
    func countDamage(in segment: Segment, by scan: SegmentScan) {
        contents.withLock { $0.countDamage(in: segment, by: scan) }
    }

    // MARK: Cursors

    func slot(of output: String) -> CursorSlot? {
        contents.withLock { $0.cursors[OutputTable.storedID(output)]?.slot }
    }

    func advance(_ output: String, to sequence: UInt64, delivered: UInt64, note: UInt32?) {
        contents.withLock {
            $0.advance(OutputTable.storedID(output), to: sequence, delivered: delivered, note: note)
        }
    }

    func stored(for output: String, after sequence: UInt64, openedAt: UInt64) -> (all: UInt64, recovered: UInt64) {
        contents.withLock { $0.stored(for: OutputTable.storedID(output), after: sequence, openedAt: openedAt) }
    }

    func adopt(_ table: OutputTable, head: UInt64) { contents.withLock { $0.adopt(table, head: head) } }

    func forgetRemovedOutputs(now: UInt64) { contents.withLock { $0.forgetRemovedOutputs(now: now) } }

    /// By stored output id.
    var cursors: [String: Cursor] { contents.withLock { $0.cursors } }

    /// Gives these cursors, or all, files of their own again.
    func reopenCursors(_ ids: [String]? = nil) {
        contents.withLock { contents in
            for (id, cursor) in contents.cursors where ids?.contains(id) ?? true { contents.open(cursor) }
        }
    }

    func leaveCursors(at sequence: UInt64) { contents.withLock { $0.leaveCursors(at: sequence) } }

    /// Lets all files go; from here on cursors move in memory alone.
    func closeFiles() {
        contents.withLock { contents in
            for index in contents.entries.indices { contents.entries[index].file = nil }
            for id in contents.cursors.keys { contents.cursors[id]?.file = nil }
        }
    }

    // MARK: Space

    /// How space below the cap was found.
    enum Reservation {
        case free
        /// At the cost of the oldest segments.
        case evicted
        case refused
    }

    /// Whether the cap keeps the log from a new segment.
    var isAtCap: Bool {
        get { contents.withLock { $0.isAtCap } }
        set { contents.withLock { $0.isAtCap = newValue } }
    }

    /// Whether there is space for a segment; if so, the cap does not keep the log from one any more.
    func hasSpaceForSegment() -> Bool {
        contents.withLock { contents in
            guard contents.hasSpace(for: options.segmentBytes, below: options.capBytes) else { return false }
            contents.isAtCap = false
            return true
        }
    }

    /// Sets so many bytes below the cap aside for a file that is about to be made; if `evicting`, at the cost of the
    /// oldest segments.
    func reserve(_ bytes: Int, evicting: Bool) -> Reservation {
        var given: [Entry] = []
        let reservation = contents.withLock { contents in
            while !contents.hasSpace(for: bytes, below: options.capBytes) {
                guard evicting, let oldest = contents.entries.firstIndex(where: { $0.fileBytes > 0 && !$0.isOpen })
                else { return Reservation.refused }
                given.append(contents.forget(at: oldest, because: .capacity))
            }
            contents.reservedBytes += bytes
            return given.isEmpty ? .free : .evicted
        }
        for entry in given { remove(entry) }
        return reservation
    }

    /// Ends a reservation: the file is an entry now, or could not be made.
    func endReservation(of bytes: Int) { contents.withLock { $0.reservedBytes -= bytes } }

    /// Gives up the oldest segments while `holds` for the one behind them; what is lost is counted.
    func forgetOldest(because reason: DropReason, while holds: (_ next: SegmentHeader) -> Bool) {
        var given: [Entry] = []
        contents.withLock { contents in
            while contents.entries.count > 1, holds(contents.entries[1].segment.header) {
                given.append(contents.forget(at: 0, because: reason))
            }
        }
        for entry in given { remove(entry) }
    }

    /// Leaves to another process what is in the directory, and counts it; segments in memory stay if `keepingMemory`.
    func leaveFiles(keepingMemory: Bool) {
        contents.withLock { contents in
            // The oldest first: a loss reaches up to the segment behind it.
            var index = 0
            while index < contents.entries.count {
                if keepingMemory, contents.entries[index].segment.isInMemory {
                    index += 1
                } else {
                    _ = contents.forget(at: index, because: .takenOver)
                }
            }
            guard !keepingMemory else { return }
            contents.reservedBytes = 0
            contents.setAsideBytes = 0
        }
    }

    /// The first segment, if it is ended and another follows, taken out if no output waits for it; whether that was so, or
    /// only a look into it tells.
    func takeFinished() -> (entry: Entry, isFinished: Bool)? {
        contents.withLock { contents in
            guard contents.entries.count > 1, let first = contents.entries.first, !first.isOpen else { return nil }
            switch contents.isFinished(first) {
            case false?: return nil
            case nil: return (first, false)
            case true?:
                contents.entries.removeFirst()
                contents.ring.release(through: first.summary.lastSequence)
                return (first, true)
            }
        }
    }

    /// Takes a segment out without counting anything.
    func take(_ segment: Segment) -> Entry? {
        contents.withLock { contents in contents.index(of: segment).map { contents.entries.remove(at: $0) } }
    }

    /// Takes all segments out.
    func takeAll() -> [Entry] {
        contents.withLock { contents in
            defer { contents.entries = [] }
            return contents.entries
        }
    }

    /// Removes the file of a segment that is no entry any more. That takes long, and log calls may wait for the cold lock:
    /// the caller does not hold it.
    func remove(_ entry: Entry) {
        guard let files = directory.files, !entry.segment.isInMemory else { return }
        do throws(JournalFileError) {
            try system.files.remove(files.path(entry.segment.name))
            markDirectoryDirty()
        } catch {
            note(error)
        }
    }
}
