import DaybookBase

extension Journal {
    /// Through which sequence an output is done. An unknown output is at the head.
    public func cursor(of output: String) -> UInt64 {
        let known = shelf.withLock { $0.cursors[OutputTable.storedID(output)]?.slot.sequence }
        return known ?? lastSequence
    }

    /// Through which sequence an output was given its records; at most its cursor, which also passes what is not for it.
    public func delivered(of output: String) -> UInt64 {
        let cursor = cursor(of: output)
        let known = shelf.withLock { $0.cursors[OutputTable.storedID(output)]?.slot.delivered ?? 0 }
        return known == 0 ? cursor : min(known, cursor)
    }

    /// What was noted of an output with its last step; 0 for nothing.
    package func note(of output: String) -> UInt32 {
        shelf.withLock { $0.cursors[OutputTable.storedID(output)]?.slot.note ?? 0 }
    }

    /// Notes that an output is done with everything through `sequence`, so that the next launch goes on behind it.
    /// Never goes back; a sequence beyond the last frame counts as the last. The step is on disk with the system's next
    /// write-back: losing it means that records are sent again, never that they are lost.
    /// - Parameter delivered: Through which sequence the output was given its records, where somebody asks for that later.
    public func advance(_ output: String, to sequence: UInt64, delivered: UInt64 = 0) {
        advance(output, to: sequence, delivered: delivered, note: nil)
    }

    /// - Parameter note: Kept for ``note(of:)``; `nil` leaves it as it is.
    package func advance(_ output: String, to sequence: UInt64, delivered: UInt64, note: UInt32?) {
        let sequence = min(sequence, lastSequence)
        shelf.withLock { shelf in
            let id = OutputTable.storedID(output)
            guard var cursor = shelf.cursors[id], sequence > cursor.slot.sequence else { return }
            cursor.slot.sequence = sequence
            cursor.slot.delivered = delivered
            cursor.slot.note = note ?? cursor.slot.note
            write(&cursor, counters: &shelf.counters)
            shelf.cursors[id] = cursor
        }
    }

    /// Records that wait for an output: appended, neither passed by its cursor nor dropped.
    public func pending(of output: String) -> UInt64 {
        let id = OutputTable.storedID(output)
        let cursor = shelf.withLock { $0.cursors[id]?.slot.sequence }
        return cursor.map { stored(for: output, after: $0).all } ?? 0
    }

    /// Records for an output that are stored behind a sequence, also where the disk cannot be read now; and how many of them
    /// earlier launches have left.
    package func stored(for output: String, after sequence: UInt64) -> (all: UInt64, recovered: UInt64) {
        let id = OutputTable.storedID(output)
        return shelf.withLock { shelf in
            // The ring has everything since its oldest frame; else the segments have what comes before the rest of it.
            let ring = shelf.ring.mark(after: sequence)
            var (all, recovered) = (inRing(id, from: ring ?? shelf.ring.written, after: sequence, shelf), UInt64(0))
            guard ring == nil else { return (all, 0) }
            for index in shelf.firstIndex(after: sequence)..<shelf.entries.count {
                let entry = shelf.entries[index]
                let count = pending(of: id, after: sequence, in: entry, shelf: &shelf)
                all += count
                if entry.segment.header.firstSequence <= openedAt { recovered += count }
            }
            return (all, recovered)
        }
    }

    /// Records of an output in the ring, from a place on.
    private func inRing(_ output: String, from mark: RingMark, after cursor: UInt64, _ shelf: Shelf) -> UInt64 {
        var position = mark.position
        var count: UInt64 = 0
        var state: StreamState?
        while let frame = shelf.ring.ring.frame(at: &position) {
            position = frame.end
            guard frame.sequence > cursor else { continue }
            if state?.tableVersion != frame.tableVersion { state = shelf.states.state(of: frame.sequence) }
            if let table = state?.outputs, shelf.concerns(output, frame, table) { count += 1 }
        }
        return count
    }

    /// Records of an output in one segment, after its cursor: from the summary where the cursor is outside, else by a walk;
    /// all of them where the file cannot be read now.
    func pending(of output: String, after cursor: UInt64, in entry: Shelf.Entry, shelf: inout Shelf) -> UInt64 {
        let header = entry.segment.header
        let summary = entry.summary
        if entry.lastUsable == .max {
            if cursor >= summary.lastSequence { return 0 }
            if cursor < header.firstSequence { return shelf.total(of: output, in: summary, header) }
            if shelf.total(of: output, in: summary, header) == 0 { return 0 }
        }
        guard let image = image(of: entry, in: &shelf) else { return shelf.total(of: output, in: summary, header) }
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
                if frame.sequence > cursor && shelf.concerns(output, frame, header.outputs) { count += 1 }
                offset = frame.end
            }
            return count
        }
    }

    /// Opens or makes the cursors of outputs that came while the journal runs.
    func adoptOutputs(_ table: OutputTable, head: UInt64) {
        shelf.withLock { shelf in
            shelf.outputs = table
            for id in shelf.cursors.keys where table.bit(of: id) == nil {
                markRemoved(id, in: &shelf)
            }
            for id in table.ids {
                if var cursor = shelf.cursors[id] {
                    guard cursor.isRemoved else { continue }
                    cursor.isRemoved = false
                    cursor.slot.removedAt = 0
                    write(&cursor, counters: &shelf.counters)
                    shelf.cursors[id] = cursor
                } else {
                    addCursor(id, at: options.backfill.contains(id) ? 0 : head, in: &shelf)
                }
            }
        }
    }

    /// A cursor with a file of its own, or without one where the disk cannot be written.
    private func addCursor(_ id: String, at sequence: UInt64, in shelf: inout Shelf) {
        openCursor(
            Cursor(slot: CursorSlot(output: id, generation: 0, sequence: sequence), file: nil, isRemoved: false),
            of: id, in: &shelf)
    }

    /// Gives a cursor its file, and writes it there. The one that it had is not used any more, whatever comes of that.
    func openCursor(_ cursor: Cursor, of id: String, in shelf: inout Shelf) {
        var cursor = cursor
        cursor.file = nil
        if let files {
            do throws(JournalFileError) {
                cursor.file = try OpenFile(files.cursor(of: id), .readWriteCreating, system.files)
            } catch {
                shelf.counters.note(error)
            }
        }
        write(&cursor, counters: &shelf.counters)
        shelf.cursors[id] = cursor
    }

    /// Lets all files go; from here on cursors move in memory alone.
    func closeFiles() {
        shelf.withLock { shelf in
            for index in shelf.entries.indices { shelf.entries[index].file = nil }
            for id in shelf.cursors.keys { shelf.cursors[id]?.file = nil }
        }
    }

    /// Starts the time after which a removed output's records are given up.
    private func markRemoved(_ id: String, in shelf: inout Shelf) {
        guard var cursor = shelf.cursors[id] else { return }
        cursor.isRemoved = true
        // A time compares within one boot only; in a new one the time starts again, and the cap decides meanwhile.
        if cursor.slot.removedAt == 0 || cursor.slot.removedBoot != system.boot {
            cursor.slot.removedAt = max(system.monotonicNanoseconds(), 1)
            cursor.slot.removedBoot = system.boot
            write(&cursor, counters: &shelf.counters)
        }
        shelf.cursors[id] = cursor
    }

    /// Forgets outputs that have been gone for seven days of this boot, and counts what waited for them.
    func forgetRemovedOutputs(now: UInt64) {
        let week: UInt64 = 7 * 86_400 * 1_000_000_000
        shelf.withLock { shelf in
            for (id, cursor) in shelf.cursors where cursor.isRemoved && cursor.slot.removedBoot == system.boot {
                guard now >= cursor.slot.removedAt, now - cursor.slot.removedAt > week else { continue }
                for entry in shelf.entries {
                    let count = pending(of: id, after: cursor.slot.sequence, in: entry, shelf: &shelf)
                    shelf.counters.drop(count, of: id, .outputRemoved)
                }
                shelf.cursors[id] = nil
                guard let path = cursor.file?.file.path else { continue }
                do throws(JournalFileError) { try system.files.remove(path) } catch { shelf.counters.note(error) }
            }
        }
    }

    /// Writes the next generation into the slot that does not count now.
    func write(_ cursor: inout Cursor, counters: inout JournalCounters) {
        cursor.slot.generation &+= 1
        guard let file = cursor.file else { return }
        do throws(JournalFileError) {
            try system.files.writeAll(file.file, cursor.slot.encoded(), at: cursor.slot.offset)
        } catch {
            counters.note(error)
        }
        cursor.mark = file.mark
    }
}
