import DaybookBase

/// An output's position.
struct Cursor: Sendable {
    var slot: CursorSlot
    /// `nil` if it could not be opened; then the cursor is lost with the process.
    var file: OpenFile?
    /// The file's state after our last write.
    var mark: FileMark?
    /// Whether the output is absent from the current table.
    var isRemoved: Bool
}

extension ShelfContents {
    /// Moves an output's cursor, forward only.
    mutating func advance(_ output: String, to sequence: UInt64, delivered: UInt64, note: UInt32?) {
        guard var cursor = cursors[output], sequence > cursor.slot.sequence else { return }
        cursor.slot.sequence = sequence
        cursor.slot.delivered = delivered
        cursor.slot.note = note ?? cursor.slot.note
        write(&cursor)
        cursors[output] = cursor
    }

    /// Sets the outputs. A new one's cursor starts after `head` or, with backfill, at the beginning.
    mutating func adopt(_ table: OutputTable, head: UInt64) {
        outputs = table
        for id in cursors.keys where table.bit(of: id) == nil { markRemoved(id) }
        for id in table.ids {
            if var cursor = cursors[id] {
                guard cursor.isRemoved else { continue }
                cursor.isRemoved = false
                cursor.slot.removedAt = 0
                write(&cursor)
                cursors[id] = cursor
            } else {
                let slot = CursorSlot(output: id, generation: 0, sequence: backfill.contains(id) ? 0 : head)
                open(Cursor(slot: slot, isRemoved: false))
            }
        }
    }

    /// Creates a new file for the cursor, if the disk can be written.
    mutating func open(_ cursor: Cursor) {
        var cursor = cursor
        cursor.file = nil
        if let files = directory.files {
            do throws(JournalFileError) {
                cursor.file = try OpenFile(
                    files.cursor(of: cursor.slot.output), .readWriteCreating, directory.system.files)
            } catch {
                counters.note(error)
            }
        }
        write(&cursor)
        cursors[cursor.slot.output] = cursor
    }

    private mutating func markRemoved(_ id: String) {
        guard var cursor = cursors[id] else { return }
        let system = directory.system
        cursor.isRemoved = true
        // Times compare only within one boot. A new boot restarts the week; meanwhile the cap bounds the records.
        if cursor.slot.removedAt == 0 || cursor.slot.removedBoot != system.boot {
            cursor.slot.removedAt = max(system.monotonicNanoseconds(), 1)
            cursor.slot.removedBoot = system.boot
            write(&cursor)
        }
        cursors[id] = cursor
    }

    /// Forgets outputs removed for seven days of this boot, and counts their records in the segments as dropped.
    mutating func forgetRemovedOutputs(now: UInt64) {
        let week: UInt64 = 7 * 86_400 * 1_000_000_000
        let system = directory.system
        for (id, cursor) in cursors where cursor.isRemoved && cursor.slot.removedBoot == system.boot {
            guard now >= cursor.slot.removedAt, now - cursor.slot.removedAt > week else { continue }
            for entry in entries {
                counters.drop(pending(of: id, after: cursor.slot.sequence, in: entry), of: id, .outputRemoved)
            }
            cursors[id] = nil
            guard let path = cursor.file?.file.path else { continue }
            do throws(JournalFileError) { try system.files.remove(path) } catch { counters.note(error) }
        }
    }

    mutating func leaveCursors(at sequence: UInt64) {
        for (id, cursor) in cursors {
            var cursor = cursor
            cursor.slot.sequence = sequence
            write(&cursor)
            cursor.file = nil
            cursors[id] = cursor
        }
    }

    /// Writes the next generation to the older slot.
    private mutating func write(_ cursor: inout Cursor) {
        cursor.slot.generation &+= 1
        guard let file = cursor.file else { return }
        do throws(JournalFileError) {
            try directory.system.files.writeAll(file.file, cursor.slot.encoded(), at: cursor.slot.offset)
        } catch {
            counters.note(error)
        }
        cursor.mark = file.mark
    }
}

extension Journal {
    /// The sequence through which an output is done; the last one for an unknown output.
    public func cursor(of output: String) -> UInt64 {
        shelf.slot(of: output)?.sequence ?? lastSequence
    }

    /// The last sequence that an output was given. At most its cursor, which also passes other outputs' records.
    public func delivered(of output: String) -> UInt64 {
        let cursor = cursor(of: output)
        let known = shelf.slot(of: output)?.delivered ?? 0
        return known == 0 ? cursor : min(known, cursor)
    }

    /// The note of the output's last `advance`; 0 for none.
    package func note(of output: String) -> UInt32 { shelf.slot(of: output)?.note ?? 0 }

    /// Records that an output is done with everything through `sequence`; the next launch continues there. Never goes
    /// back; beyond the last frame it counts as the last. Not synced: if the step is lost, records are sent again,
    /// never lost.
    ///
    /// - Parameter delivered: The last sequence that the output was given; 0, the default, if unknown.
    public func advance(_ output: String, to sequence: UInt64, delivered: UInt64 = 0) {
        advance(output, to: sequence, delivered: delivered, note: nil)
    }

    /// - Parameter note: Kept for ``note(of:)``; `nil` keeps the old one.
    package func advance(_ output: String, to sequence: UInt64, delivered: UInt64, note: UInt32?) {
        shelf.advance(output, to: min(sequence, lastSequence), delivered: delivered, note: note)
    }

    /// Records that an output has neither passed nor lost.
    public func pending(of output: String) -> UInt64 {
        shelf.slot(of: output).map { stored(for: output, after: $0.sequence).all } ?? 0
    }

    /// An output's stored records after a sequence, and how many of them are from earlier launches. An unreadable
    /// segment counts whole.
    package func stored(for output: String, after sequence: UInt64) -> (all: UInt64, recovered: UInt64) {
        shelf.stored(for: output, after: sequence, openedAt: openedAt)
    }
}
