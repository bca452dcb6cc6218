import DaybookBase

/// The journal's state except the tail: segments in order, cursors, the ring's marks, counters.
///
/// Thread-safe: its lock guards the contents, and is always taken last.
final class Shelf: Sendable {
    typealias Entry = ShelfContents.Entry

    private let contents: Mutex<ShelfContents>
    private let directory: JournalDirectory
    private let options: JournalOptions
    private let identity: JournalStream
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

    /// While set, the disk is not written. Housekeeping retries it.
    var diskFailure: JournalFileError? {
        get { contents.withLock { $0.diskFailure } }
        set { contents.withLock { $0.diskFailure = newValue } }
    }

    func note(_ error: JournalFileError) { contents.withLock { $0.counters.note(error) } }

    /// Counts the error, and stops writing until housekeeping retries.
    func fail(with error: JournalFileError) { contents.withLock { $0.fail(with: error) } }

    /// Without what `Journal.counters` adds from the tail.
    var counters: JournalCounters { contents.withLock { $0.counters } }

    func count(_ change: (inout JournalCounters) -> Void) { contents.withLock { change(&$0.counters) } }

    func markDirectoryDirty() { contents.withLock { $0.isDirectoryDirty = true } }

    /// Whether the directory must be synced; resets the flag.
    func takeDirectoryDirt() -> Bool {
        contents.withLock { contents in
            defer { contents.isDirectoryDirty = false }
            return contents.isDirectoryDirty
        }
    }

    func takeLosses() -> (drops: [DropReason: [String: UInt64]], losses: [JournalLoss]) {
        contents.withLock { contents in
            defer { contents.losses = [] }
            return (contents.counters.drops, contents.losses)
        }
    }

    /// Moves the drops out, to be counted by another journal.
    func takeDrops() -> [DropReason: [String: UInt64]] {
        contents.withLock { contents in
            defer { contents.counters.drops = [:] }
            return contents.counters.drops
        }
    }

    /// Counts a refused frame, for each of its outputs.
    func refuse(_ mask: UInt64, of outputs: OutputTable, because reason: DropReason, isLowPriority: Bool) {
        contents.withLock { contents in
            for (bit, output) in outputs.ids.enumerated() where mask & (1 << UInt64(bit)) != 0 {
                contents.counters.drop(1, of: output, reason)
                if isLowPriority { contents.counters.lowPriorityDrops[output, default: 0] += 1 }
            }
        }
    }

    // MARK: The ring

    var ring: Ring { contents.withLock { $0.ring.ring } }
    /// Increases when the journal moves to another ring.
    var ringGeneration: Int { contents.withLock { $0.ring.generation } }
    /// The first sequence that the log lacks.
    var unwritten: UInt64 { contents.withLock { $0.ring.written.sequence } }

    func isInRing(after sequence: UInt64) -> Bool { contents.withLock { $0.ring.mark(after: sequence) != nil } }

    func begin(_ state: StreamState) { contents.withLock { $0.states.append(state) } }

    /// Releases what the log has before a position. Returns the log's position, and the ring's new start, or `nil` if
    /// the log lacks part of it.
    func release(before position: Int) -> (start: Int?, written: Int) {
        contents.withLock { contents in
            let isFree = contents.ring.release(before: position)
            contents.states.forget(before: contents.ring.start.sequence)
            return (isFree ? contents.ring.start.position : nil, contents.ring.written.position)
        }
    }

    /// Drops at most an eighth of the ring, up to `head`, from the first frame that the log lacks. Returns a header for
    /// the rest.
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

    /// Copies the frames that the log lacks to another ring. Returns their bytes. The caller holds `end`'s and `log`'s
    /// locks.
    func move(to ring: Ring) -> Int {
        contents.withLock { contents in
            let old = contents.ring
            var (position, offset) = (old.written.position, 0)
            while let frame = old.ring.frame(at: &position) {
                // Capacities are equal and lap ends are not copied, so there is room.
                (ring.base + offset).copyMemory(from: old.ring.address(position), byteCount: frame.length)
                position = frame.end
                offset += frame.end - frame.offset
                (ring.base + offset).clearLength()
            }
            contents.ring.replace(by: ring, sequence: old.written.sequence)
            return offset
        }
    }

    func ringHeader() -> SegmentHeader? { contents.withLock { header($0, first: $0.ring.written.sequence) } }

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

    func nextRun() -> (ring: Ring, written: RingMark, nextTable: UInt64, isFailed: Bool) {
        contents.withLock { contents in
            let written = contents.ring.written
            return (
                contents.ring.ring, written, contents.states.nextTable(after: written.sequence),
                contents.diskFailure != nil
            )
        }
    }

    /// Copies the next frames after a sequence, at most to the lap's end; empty if there are none, `nil` if the ring no
    /// longer has them.
    func copyRun(after sequence: UInt64, limitFrames: Int, limitBytes: Int) -> RingRun? {
        contents.withLock { contents in
            guard let mark = contents.ring.mark(after: sequence) else { return nil }
            let known = contents.bookmarks.find(sequence: sequence, inRing: contents.ring.generation)
            let start = known.map { $0 >= contents.ring.start.position ? $0 : mark.position } ?? mark.position
            return RingRun(
                contents, from: start, after: sequence, limitFrames: limitFrames, limitBytes: limitBytes)
        }
    }

    func put(_ bookmark: Bookmarks.Bookmark) { contents.withLock { $0.bookmarks.put(bookmark) } }

    func bookmark(after sequence: UInt64, in segment: Segment) -> (offset: Int, context: JournalContext)? {
        contents.withLock { $0.bookmarks.find(sequence: sequence, in: segment) }
    }

    // MARK: Segments

    func entries(where holds: (Entry) -> Bool = { _ in true }) -> [Entry] {
        contents.withLock { $0.entries.filter(holds) }
    }

    func entry(of segment: Segment) -> Entry? {
        contents.withLock { contents in contents.index(of: segment).map { contents.entries[$0] } }
    }

    func entries(after sequence: UInt64) -> (entries: [Entry], outputs: OutputTable, written: UInt64) {
        contents.withLock { contents in
            (
                Array(contents.entries[contents.firstIndex(after: sequence)...]), contents.outputs,
                contents.ring.written.sequence &- 1
            )
        }
    }

    /// Returns whether the entry is still there.
    @discardableResult
    func update(_ segment: Segment, _ change: (inout Entry) -> Void) -> Bool {
        contents.withLock { contents in
            guard let index = contents.index(of: segment) else { return false }
            change(&contents.entries[index])
            return true
        }
    }

    /// Keeps a segment in memory until a new file has it. `isWhole` is false if frames are lost.
    func hold(_ segment: Segment, in image: SegmentImage, isWhole: Bool) -> Entry? {
        contents.withLock { contents in
            guard let index = contents.index(of: segment) else { return nil }
            contents.images.forget(segment)
            contents.entries[index].segment = Segment(header: segment.header, storage: .memory(image))
            contents.entries[index].file = nil
            contents.entries[index].mark = nil
            contents.entries[index].fileBytes = 0
            contents.entries[index].isSynced = false
            contents.entries[index].hasSeal = false
            contents.entries[index].needsRewrite = false
            let held = contents.entries[index]
            // Frames counted as lost must not be read from the ring.
            if !isWhole { contents.ring.release(through: held.summary.lastSequence) }
            return held
        }
    }

    /// Looks for a context in the headers of a launch's segments.
    func context(_ version: UInt32, of stream: JournalStream) -> JournalContext? {
        contents.withLock { contents in
            contents.entries.first { $0.segment.context.version == version && $0.segment.header.stream == stream }?
                .segment.context
        }
    }

    /// A segment's bytes, cached or read now; `nil` if the file cannot be opened.
    func image(of entry: Entry) -> SegmentImage? {
        if let known = knownImage(of: entry) { return known }
        let (loaded, failures) = SegmentImage.load(entry, from: directory)
        return contents.withLock { $0.keep(loaded, failures, of: entry) }
    }

    func knownImage(of entry: Entry) -> SegmentImage? { contents.withLock { $0.knownImage(of: entry) } }

    func add(_ entry: Entry) {
        contents.withLock { contents in
            // The directory is synced with the next data. Until then no frame here counts as stable.
            contents.isDirectoryDirty = true
            contents.entries.append(entry)
        }
    }

    func write(through end: RingMark, _ segment: Segment, _ summary: SegmentSummary, _ mark: FileMark?, bytes: Int) {
        contents.withLock { contents in
            contents.ring.write(through: end)
            guard let index = contents.index(of: segment) else { return }
            contents.entries[index].mark = mark
            contents.entries[index].summary = summary
            contents.entries[index].fileBytes = max(contents.entries[index].fileBytes, bytes)
        }
    }

    func end(_ segment: Segment, fileBytes: Int) {
        contents.withLock { contents in
            guard let index = contents.index(of: segment) else { return }
            contents.entries[index].isOpen = false
            contents.entries[index].fileBytes = fileBytes
            contents.counters.rotations += 1
        }
    }

    /// Marks ended segments as synced whose last frames are. Returns whether all segments are.
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

    func finishSync(through sequence: UInt64) {
        contents.withLock { contents in
            contents.counters.syncs += 1
            contents.syncedThrough = max(contents.syncedThrough, sequence)
        }
    }

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

    var cursors: [String: Cursor] { contents.withLock { $0.cursors } }

    /// The outputs whose cursors match; none moves meanwhile.
    func outputs(where holds: (Cursor) -> Bool) -> [String] {
        contents.withLock { contents in contents.cursors.filter { holds($0.value) }.map(\.key) }
    }

    /// Gives these cursors, or all, new files.
    func reopenCursors(_ ids: [String]? = nil) {
        contents.withLock { contents in
            for (id, cursor) in contents.cursors where ids?.contains(id) ?? true { contents.open(cursor) }
        }
    }

    func leaveCursors(at sequence: UInt64) { contents.withLock { $0.leaveCursors(at: sequence) } }

    /// Later cursor moves are in memory only.
    func closeFiles() {
        contents.withLock { contents in
            for index in contents.entries.indices { contents.entries[index].file = nil }
            for id in contents.cursors.keys { contents.cursors[id]?.file = nil }
        }
    }

    // MARK: Space

    enum Reservation {
        case free
        case evicted
        case refused
    }

    var isAtCap: Bool {
        get { contents.withLock { $0.isAtCap } }
        set { contents.withLock { $0.isAtCap = newValue } }
    }

    /// Whether the cap allows another segment; resets `isAtCap` if so.
    func hasSpaceForSegment() -> Bool {
        contents.withLock { contents in
            guard contents.hasSpace(for: options.segmentBytes, below: options.capBytes) else { return false }
            contents.isAtCap = false
            return true
        }
    }

    /// Reserves space for a new file, evicting the oldest segments if allowed.
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

    /// The file is now an entry, or was not created.
    func endReservation(of bytes: Int) { contents.withLock { $0.reservedBytes -= bytes } }

    /// Drops and counts the oldest segments while `holds` for the one after them.
    func forgetOldest(because reason: DropReason, while holds: (_ next: SegmentHeader) -> Bool) {
        var given: [Entry] = []
        contents.withLock { contents in
            while contents.entries.count > 1, holds(contents.entries[1].segment.header) {
                given.append(contents.forget(at: 0, because: reason))
            }
        }
        for entry in given { remove(entry) }
    }

    /// Drops and counts what another process took over; keeps segments in memory if `keepingMemory`.
    func leaveFiles(keepingMemory: Bool) {
        contents.withLock { contents in
            // In order, because a loss extends to the next segment.
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

    /// Removes and returns the first segment if it has ended, is not the only one, and no output waits for it;
    /// otherwise `nil`. If only reading the segment can tell, `isFinished` is false and it stays.
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

    func take(_ segment: Segment) -> Entry? {
        contents.withLock { contents in contents.index(of: segment).map { contents.entries.remove(at: $0) } }
    }

    func takeAll() -> [Entry] {
        contents.withLock { contents in
            defer { contents.entries = [] }
            return contents.entries
        }
    }

    /// Removes a dropped segment's file. Slow: call without `shelf`'s lock, for which log calls wait.
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
