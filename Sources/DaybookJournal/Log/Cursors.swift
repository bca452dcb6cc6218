import DaybookBase

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

extension ShelfContents {
    /// Moves an output's cursor; never back.
    mutating func advance(_ output: String, to sequence: UInt64, delivered: UInt64, note: UInt32?) {
        guard var cursor = cursors[output], sequence > cursor.slot.sequence else { return }
        cursor.slot.sequence = sequence
        cursor.slot.delivered = delivered
        cursor.slot.note = note ?? cursor.slot.note
        write(&cursor)
        cursors[output] = cursor
    }

    /// Makes these the outputs: opens or makes the cursors of new ones, behind `head` or by the backfill.
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

    /// Gives a cursor a file of its own, or none where the disk cannot be written, and writes it there. The one that it had
    /// is not used any more.
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

    /// Starts the time after which a removed output's records are given up.
    private mutating func markRemoved(_ id: String) {
        guard var cursor = cursors[id] else { return }
        let system = directory.system
        cursor.isRemoved = true
        // A time compares within one boot only; in a new one the time starts again, and the cap decides meanwhile.
        if cursor.slot.removedAt == 0 || cursor.slot.removedBoot != system.boot {
            cursor.slot.removedAt = max(system.monotonicNanoseconds(), 1)
            cursor.slot.removedBoot = system.boot
            write(&cursor)
        }
        cursors[id] = cursor
    }

    /// Forgets outputs that have been gone for seven days of this boot, and counts what waited for them.
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

    /// Leaves all cursors at a sequence, and lets their files go.
    mutating func leaveCursors(at sequence: UInt64) {
        for (id, cursor) in cursors {
            var cursor = cursor
            cursor.slot.sequence = sequence
            write(&cursor)
            cursor.file = nil
            cursors[id] = cursor
        }
    }

    /// Writes the next generation into the slot that does not count now.
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
    /// Through which sequence an output is done. An unknown output is at the head.
    public func cursor(of output: String) -> UInt64 {
        shelf.slot(of: output)?.sequence ?? lastSequence
    }

    /// Through which sequence an output was given its records; at most its cursor, which also passes what is not for it.
    public func delivered(of output: String) -> UInt64 {
        let cursor = cursor(of: output)
        let known = shelf.slot(of: output)?.delivered ?? 0
        return known == 0 ? cursor : min(known, cursor)
    }

    /// What was noted of an output with its last step; 0 for nothing.
    package func note(of output: String) -> UInt32 { shelf.slot(of: output)?.note ?? 0 }

    /// Notes that an output is done with everything through `sequence`, so that the next launch goes on behind it.
    /// Never goes back; a sequence beyond the last frame counts as the last. The step is on disk with the system's next
    /// write-back: losing it means that records are sent again, never that they are lost.
    /// - Parameter delivered: Through which sequence the output was given its records, where somebody asks for that later.
    public func advance(_ output: String, to sequence: UInt64, delivered: UInt64 = 0) {
        advance(output, to: sequence, delivered: delivered, note: nil)
    }

    /// - Parameter note: Kept for ``note(of:)``; `nil` leaves it as it is.
    package func advance(_ output: String, to sequence: UInt64, delivered: UInt64, note: UInt32?) {
        shelf.advance(output, to: min(sequence, lastSequence), delivered: delivered, note: note)
    }

    /// Records that wait for an output: appended, neither passed by its cursor nor dropped.
    public func pending(of output: String) -> UInt64 {
        shelf.slot(of: output).map { stored(for: output, after: $0.sequence).all } ?? 0
    }

    /// Records for an output that are stored behind a sequence, also where the disk cannot be read now; and how many of them
    /// earlier launches have left.
    package func stored(for output: String, after sequence: UInt64) -> (all: UInt64, recovered: UInt64) {
        shelf.stored(for: output, after: sequence, openedAt: openedAt)
    }
}
