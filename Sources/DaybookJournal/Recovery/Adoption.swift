import DaybookBase

/// Adoption of dead writers' journals. Their frames are appended here in parts, after their origin. Once a part is on
/// stable storage, the dead journal's cursors pass it; at the end its segments are removed. After a crash in between,
/// the next launch goes on, and what it copies again has the same origin.
extension Journal {
    /// Bytes copied in one round of housekeeping, and at a time under the tail's lock.
    private static let roundBytes = 1 << 20
    private static let partBytes = 64 << 10

    /// Finds subdirectories with frames. Their locks tell later whether their writers are dead.
    func findOrphans() {
        guard let files = location.files else { return }
        let names = (try? system.files.names(in: files.directory)) ?? []  // recovery has just listed it
        let found = (2...Self.maximumWriters).compactMap { number -> Orphan? in
            let own = JournalFiles(directory: files.writer(number))
            guard names.contains(where: { own.directory == files.path($0) }) else { return nil }
            let inside = (try? system.files.names(in: own.directory)) ?? []  // unreadable: left alone
            let hasFrames = inside.contains {
                JournalFiles.firstSequence(ofSegment: $0) != nil || JournalFiles.isOldRing($0)
                    || $0 == JournalFiles.ring
            }
            guard hasFrames else { return nil }
            return Orphan(files: own)
        }
        upkeep.withLock { $0.orphans = found }
    }

    /// Adopts a part of the first orphan. Returns whether to go on at once.
    func adopt(_ upkeep: inout Upkeep) -> Bool {
        guard !upkeep.orphans.isEmpty, !end.isInMemory else { return false }
        guard let orphan = upkeep.orphans[0].journal ?? openOrphan(upkeep.orphans[0].files) else {
            upkeep.orphans.removeFirst()
            return !upkeep.orphans.isEmpty
        }
        if upkeep.orphans[0].journal == nil {
            upkeep.orphans[0].journal = orphan
            upkeep.orphans[0].copied = orphan.leastCursor
        }
        let table = end.outputs
        orphan.updateOutputs(table.ids)
        var bytes = 0
        var isAll = false
        while bytes < Self.roundBytes && !isAll {
            orphan.upkeep.withLock { orphan.restoreFiles(&$0) }
            let (part, through, isEnd) = orphan.part(after: upkeep.orphans[0].copied, table, Self.partBytes)
            takeDrops(of: orphan)
            guard isEnd || through > upkeep.orphans[0].copied else {
                // A file cannot be read now; the next launch tries again.
                upkeep.orphans.removeFirst()
                return !upkeep.orphans.isEmpty
            }
            guard append(part, table) else { return true }
            upkeep.orphans[0].copied = through
            bytes += part.reduce(Self.partBytes / 16) { $0 + $1.payload.count }
            isAll = isEnd
        }
        guard synchronise(.barrier, &upkeep) else { return false }
        for id in table.ids { orphan.advance(id, to: upkeep.orphans[0].copied) }
        guard isAll else { return true }
        let left = orphan.dissolve()
        shelf.count { for (output, count) in left { $0.drop(count, of: output, .outputRemoved) } }
        upkeep.orphans.removeFirst()
        return !upkeep.orphans.isEmpty
    }

    private func takeDrops(of orphan: Journal) {
        let drops = orphan.shelf.takeDrops()
        shelf.count { counters in
            for (reason, counts) in drops {
                for (output, count) in counts { counters.drop(count, of: output, reason) }
            }
        }
    }

    /// `nil` if its writer lives, or it cannot be opened now. A later open tries again.
    private func openOrphan(_ files: JournalFiles) -> Journal? {
        var options = options
        options.capBytes = .max / 2
        let table = end.outputs
        do throws(JournalFileError) {
            guard let lock = try Self.claim(files, system.files) else { return nil }
            let orphan = try Self.recover(files, lock, table, context: [], options: options, system: system)
            orphan.shelf.adopt(table, head: orphan.openedAt)
            // Its writer may only be suspended. This tells it that the journal was taken over.
            orphan.signLock()
            return orphan
        } catch {
            shelf.note(error)
            return nil
        }
    }

    private var leastCursor: UInt64 {
        shelf.cursors.values.filter { !$0.isRemoved }.map(\.slot.sequence).min() ?? .max
    }

    /// The next frames that a current output waits for, the last sequence covered, and whether that is all.
    private func part(after sequence: UInt64, _ table: OutputTable, _ limit: Int) -> ([FrameCopy], UInt64, Bool) {
        let known = shelf.cursors
        let cursors = table.ids.map { known[$0]?.slot.sequence ?? .max }
        var part: [FrameCopy] = []
        let progress = read(after: sequence, limitBytes: limit, limitFrames: 1000) { frame in
            var mask = frame.mask
            for (bit, cursor) in cursors.enumerated() where cursor >= frame.sequence { mask &= ~(1 << UInt64(bit)) }
            guard mask != 0 else { return true }
            part.append(
                FrameCopy(
                    mask: mask, flags: frame.flags.union(.adopted), context: frame.context.bytes,
                    payload: frame.name.encoded() + frame.payload))
            return true
        }
        return (part, progress.through, progress.reachedEnd)
    }

    /// Appends frames under their own contexts. `false` if the outputs changed, so that the masks are wrong.
    private func append(_ part: [FrameCopy], _ table: OutputTable) -> Bool {
        var rest = part[...]
        while !rest.isEmpty {
            let before = rest.count
            let count = end.append(&rest, beyond: FrameOrigin.byteCount) { $0.outputs == table && !$0.isClosed }
            guard rest.count < before else { return false }
            shelf.count { $0.adoptedFrames += UInt64(count) }
        }
        return true
    }

    /// Removes a journal's segments and releases its directory. Id and cursors stay, so that its sequences go on.
    /// Returns what waited for outputs that are gone.
    private func dissolve() -> [String: UInt64] {
        var left: [String: UInt64] = [:]
        for (id, cursor) in shelf.cursors where cursor.isRemoved { left[id] = pending(of: id) }
        upkeep.withLock { upkeep in
            end.close()
            shelf.leaveCursors(at: openedAt)
            for entry in shelf.takeAll() { shelf.remove(entry) }
            removeRings(upkeep.oldRings + [JournalFiles.ring])
            // Without the sync they may be adopted again after a power failure.
            if let files = location.files { try? system.files.syncDirectory(files.directory) }
            if let lock = upkeep.lock { system.files.close(lock) }
            upkeep.lock = nil
        }
        return left
    }

    private func removeRings(_ names: [String]) {
        guard let files = location.files else { return }
        for name in names { try? system.files.remove(files.path(name)) }  // one that stays is adopted again
    }
}

struct Orphan: Sendable {
    let files: JournalFiles
    /// Open, and so locked, once adoption has begun.
    var journal: Journal?
    /// Everything through this was copied in this launch.
    var copied: UInt64 = 0
}
