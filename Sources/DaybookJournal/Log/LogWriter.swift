import DaybookBase

/// The end of the log: the segment file that frames are copied to from the ring. Lives in a `Mutex` of its own, which is
/// held while bytes are written, and taken after the hot one, before the cold one.
struct LogWriter: Sendable {
    struct OpenSegment: Sendable {
        let segment: Segment
        let file: OpenFile
        /// How the last write left the file: nobody else writes to it.
        var mark: FileMark?
        /// Where the next frame goes.
        var offset: Int
        var summary: SegmentSummary
    }

    /// `nil` before the first frame is written, and after a segment was ended.
    var current: OpenSegment?
}

/// What became of one step of writing.
enum WriteStep: Sendable {
    /// A run of frames was copied.
    case wrote
    /// There is nothing to copy.
    case upToDate
    /// The next frame begins a segment, and the caller may not begin one.
    case needsSegment
    /// The cap is reached, and nothing may be given up for a new segment.
    case refused
    /// The disk cannot be written, or is not to be tried now.
    case failed
}

extension Journal {
    /// The most bytes that are copied in one write, but for a frame that is longer.
    private static let runBytes = 128 << 10

    /// Copies everything that was appended before the call from the ring to the log; `upToDate` if it could. For the
    /// background alone: it makes files.
    @discardableResult
    func writeOut() -> WriteStep {
        let (generation, capacity) = shelf.withLock { ($0.ring.generation, $0.ring.ring.capacity) }
        let isUrgent = isUrgent.load(ordering: .acquiring)
        var step = WriteStep.wrote
        var hasEvicted = false
        // More than the ring held when this began; what is appended meanwhile comes with the next call.
        for _ in 0...(2 * capacity / Self.runBytes + 16) where step == .wrote {
            step = log.withLock { log in
                guard shelf.withLock({ $0.ring.generation }) == generation else { return .failed }
                return writeRun(
                    &log, mayBegin: true,
                    evicting: options.policy == .dropOldest || isUrgent, hasEvicted: &hasEvicted)
            }
        }
        if step == .wrote { step = .upToDate }
        tail.withLock { tail in
            tail.dueBytes = tail.totalBytes &+ options.dueBytes
            guard case .dropBelow = options.policy else { return }
            // A place that cost older records is not for those that may not cost any.
            if step == .refused || hasEvicted { tail.leastPriority = options.policy.evictingFrom ?? 0 }
            if step == .upToDate { self.isUrgent.store(false, ordering: .relaxed) }
        }
        return step
    }

    /// The same for one run, which a log call may do: without a new file.
    func writeRun(_ log: inout LogWriter) -> WriteStep {
        var hasEvicted = false
        return writeRun(&log, mayBegin: false, evicting: false, hasEvicted: &hasEvicted)
    }

    /// Copies one run of frames: until the lap's end, another table, the segment's end, or the last frame.
    private func writeRun(
        _ log: inout LogWriter, mayBegin: Bool, evicting: Bool, hasEvicted: inout Bool
    ) -> WriteStep {
        let (ring, written, nextTable, isFailed) = shelf.withLock { shelf in
            (
                shelf.ring.ring, shelf.ring.written, shelf.states.nextTable(after: shelf.ring.written.sequence),
                shelf.diskFailure != nil
            )
        }
        var mark = written
        guard let first = ring.frame(at: &mark.position) else { return .upToDate }
        guard let files, !isFailed else { return .failed }
        if !isInPlace(log, first, mayBegin: mayBegin) {
            guard mayBegin else { return .needsSegment }
            shelf.withLock { endSegment(&log, &$0) }
            let step = begin(&log, first: first.sequence, files, evicting: evicting, hasEvicted: &hasEvicted)
            guard step == .wrote else { return step }
        }
        guard var current = log.current else { return .failed }
        let lapEnd = (mark.position / ring.capacity + 1) * ring.capacity
        let most = min(Self.runBytes, (mayBegin ? options.segmentBytes : longestSegment) - current.offset)
        let start = mark.position
        var end = mark
        while end.position < lapEnd, end.sequence < nextTable {
            let here = end.position
            // One that is longer than a run is a run by itself; the segment has room for it.
            guard var frame = ring.frame(at: &end.position), end.position == here,
                here == start || frame.end - start <= most
            else {
                end.position = here
                break
            }
            end = RingMark(position: frame.end, sequence: frame.sequence &+ 1)
            frame.offset += current.offset - start
            current.summary.add(frame, payload: ring.payload(of: frame, at: here))
        }
        let bytes = UnsafeRawBufferPointer(start: ring.address(start), count: end.position - start)
        do throws(JournalFileError) {
            try system.files.writeAll(current.file.file, bytes, at: current.offset)
        } catch {
            let mark = current.file.mark
            log.current?.mark = mark
            shelf.withLock { shelf in
                if let index = shelf.index(of: current.segment) { shelf.entries[index].mark = mark }
                shelf.diskFailure = error
                shelf.counters.note(error)
            }
            return .failed
        }
        current.offset += bytes.count
        current.mark = current.file.mark
        log.current = current
        shelf.withLock { shelf in
            shelf.ring.write(through: end)
            if let index = shelf.index(of: current.segment) {
                shelf.entries[index].mark = current.mark
                shelf.entries[index].summary = current.summary
                shelf.entries[index].fileBytes = max(shelf.entries[index].fileBytes, current.offset)
            }
        }
        return .wrote
    }

    /// Whether the next frame may go into the present segment.
    private func isInPlace(_ log: LogWriter, _ frame: Frame, mayBegin: Bool) -> Bool {
        guard let current = log.current, frame.tableVersion == current.segment.header.tableVersion else { return false }
        // One that somebody has touched takes no more: the next sync looks at what is left in it.
        guard current.file.mark == current.mark else { return false }
        // Who may not make a file goes on in this one as long as a reader takes it.
        if !mayBegin { return current.offset + FrameLayout.aligned(frame.length) <= longestSegment }
        return current.offset + FrameLayout.aligned(frame.length) <= options.segmentBytes
    }

    /// No segment of this journal is longer: what a burst may add before the background begins the next one.
    private var longestSegment: Int { min(2 * options.segmentBytes, SegmentImage.longest) }

    /// Takes no more frames into the present segment. Its file stays open until it is synced and sealed.
    func endSegment(_ log: inout LogWriter, _ shelf: inout Shelf) {
        guard let current = log.current else { return }
        log.current = nil
        guard let index = shelf.index(of: current.segment) else { return }
        shelf.entries[index].isOpen = false
        shelf.entries[index].fileBytes = current.offset
        shelf.counters.rotations += 1
    }

    /// Makes the file of the next segment.
    private func begin(
        _ log: inout LogWriter, first: UInt64, _ files: JournalFiles, evicting: Bool, hasEvicted: inout Bool
    ) -> WriteStep {
        let reservation = reserve(options.segmentBytes, evicting: evicting)
        shelf.withLock { $0.isAtCap = reservation == .refused }
        guard reservation != .refused else { return .refused }
        if reservation == .evicted { hasEvicted = true }
        defer { shelf.withLock { $0.reservedBytes -= options.segmentBytes } }
        let header = shelf.withLock { shelf in
            shelf.states.state(of: first).map { self.header($0, first: first, shelf) }
        }
        guard let header else { return .failed }
        let name = JournalFiles.segmentName(first: first)
        do throws(JournalFileError) {
            // What somebody else has put there may be a link to another file.
            makeRoom(at: files.path(name))
            let file = try OpenFile(files.path(name), .readWriteEmptied, system.files)
            let front = header.front()
            do throws(JournalFileError) {
                try system.files.writeAll(file.file, front, at: 0)
            } catch {
                try? system.files.remove(files.path(name))  // the error that counts is thrown on
                throw error
            }
            let segment = Segment(header: header, storage: .file(name: name))
            let summary = SegmentSummary(of: header)
            let mark = file.mark
            log.current = LogWriter.OpenSegment(
                segment: segment, file: file, mark: mark, offset: front.count, summary: summary)
            shelf.withLock { shelf in
                // The directory is synced with the next data: until then nothing in the segment is promised to outlive a
                // loss of power.
                shelf.isDirectoryDirty = true
                shelf.entries.append(
                    Shelf.Entry(
                        segment: segment, summary: summary, fileBytes: options.segmentBytes, isOpen: true,
                        isSynced: false, file: file, mark: mark))
            }
            return .wrote
        } catch {
            shelf.withLock { shelf in
                shelf.diskFailure = error
                shelf.counters.note(error)
            }
            return .failed
        }
    }

    /// The header of a segment, or of the ring, that begins with a frame.
    func header(_ state: StreamState, first: UInt64, _ shelf: Shelf) -> SegmentHeader {
        SegmentHeader(
            stream: identity, salt: salt, firstSequence: first, syncedThrough: shelf.syncedThrough,
            createdWall: system.wallNanoseconds(), createdMonotonic: system.monotonicNanoseconds(), boot: system.boot,
            contextVersion: state.context.version, tableVersion: state.tableVersion, outputs: state.outputs,
            context: state.context.bytes)
    }
}

extension Journal {
    /// How space below the cap was had.
    enum Reservation {
        case free
        /// The oldest segments were given up for it.
        case evicted
        case refused
    }

    /// Sets so many bytes below the cap aside for a file that is about to be made; if `evicting`, at the cost of the
    /// oldest segments.
    func reserve(_ bytes: Int, evicting: Bool) -> Reservation {
        var given: [Shelf.Entry] = []
        let reservation = shelf.withLock { shelf in
            while !shelf.hasSpace(for: bytes, below: options.capBytes) {
                guard evicting, let oldest = shelf.entries.firstIndex(where: { $0.fileBytes > 0 && !$0.isOpen })
                else { return Reservation.refused }
                given.append(forget(at: oldest, because: .capacity, in: &shelf))
            }
            shelf.reservedBytes += bytes
            return given.isEmpty ? .free : .evicted
        }
        for entry in given { remove(entry) }
        return reservation
    }

    /// Takes a segment out, and returns it for its file to be removed; what outputs had not read of it is counted.
    @discardableResult
    func forget(at index: Int, because reason: DropReason, in shelf: inout Shelf) -> Shelf.Entry {
        let entry = shelf.entries[index]
        let through = min(entry.summary.lastSequence, entry.lastUsable)
        for (output, cursor) in shelf.cursors {
            let count = pending(of: output, after: cursor.slot.sequence, in: entry, shelf: &shelf)
            guard count > 0 else { continue }
            shelf.counters.drop(count, of: output, reason)
            shelf.losses.append(
                JournalLoss(
                    output: output, reason: reason,
                    after: max(cursor.slot.sequence, entry.segment.header.firstSequence &- 1), through: through,
                    count: count))
        }
        shelf.entries.remove(at: index)
        // What is counted as lost must not be read from the ring either.
        shelf.ring.release(through: through)
        return entry
    }

    /// Removes the file of a segment that is no entry any more. That takes long, and log calls may wait for the cold lock:
    /// the caller does not hold it.
    func remove(_ entry: Shelf.Entry) {
        guard let files, !entry.segment.isInMemory else { return }
        do throws(JournalFileError) {
            try system.files.remove(files.path(entry.segment.name))
            shelf.withLock { $0.isDirectoryDirty = true }
        } catch {
            shelf.withLock { $0.counters.note(error) }
        }
    }
}
