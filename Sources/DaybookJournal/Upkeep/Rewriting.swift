import DaybookBase

extension Journal {
    /// Writes every segment anew that is in memory alone, or whose file failed to sync. Returns whether none is left.
    func rewriteWaiting(_ upkeep: inout Upkeep) -> Bool {
        settle()
        let waiting = shelf.withLock { shelf in
            shelf.entries.filter { ($0.segment.isInMemory || $0.needsRewrite) && !$0.isOpen }
        }
        for entry in waiting {
            do throws(JournalFileError) {
                try rewrite(entry)
            } catch {
                shelf.withLock { $0.counters.note(error) }
                return false
            }
        }
        return removeOldRings(&upkeep)
    }

    /// Removes the rings of earlier launches, whose frames are in segments now: not before these have their names.
    private func removeOldRings(_ upkeep: inout Upkeep) -> Bool {
        guard !upkeep.oldRings.isEmpty, let files else { return true }
        do throws(JournalFileError) {
            try system.files.syncDirectory(files.directory)
            while let name = upkeep.oldRings.last {
                try system.files.remove(files.path(name))
                upkeep.oldRings.removeLast()
            }
            return true
        } catch {
            shelf.withLock { $0.counters.note(error) }
            return false
        }
    }

    /// Writes a segment to a new file of just its size, synced before it takes the name.
    private func rewrite(_ entry: Shelf.Entry) throws(JournalFileError) {
        let segment = entry.segment
        guard let files else { return }
        guard entry.summary.frames > 0 else {
            let known = shelf.withLock { shelf in
                shelf.index(of: segment).map { shelf.entries.remove(at: $0) }
            }
            if let known { remove(known) }
            return
        }
        guard let image = image(of: entry), image.byteCount >= entry.summary.end else {
            throw JournalFileError(.read, files.path(segment.name), code: SystemCode.inputOutput)
        }
        let header = segment.header
        let byteCount = entry.summary.end + header.byteCount
        guard reserve(byteCount, evicting: options.policy.evicts(for: .priorityBits)) != .refused else {
            throw JournalFileError(.allocate, files.path(segment.name), code: SystemCode.noSpace)
        }
        defer { shelf.withLock { $0.reservedBytes -= byteCount } }
        // Making space may have taken this very segment.
        guard shelf.withLock({ $0.index(of: segment) }) != nil else { return }
        let name = JournalFiles.segmentName(first: header.firstSequence)
        let temporary = files.path("rewrite-" + Hex.text(header.firstSequence) + JournalFiles.temporarySuffix)
        let open = try OpenFile(temporary, .readWriteEmptied, system.files)
        let file = open.file
        do throws(JournalFileError) {
            let seal = SegmentSeal(summary: entry.summary, isRecovered: entry.isRecovered)
            let frames = UnsafeRawBufferPointer(
                start: image.start + header.framesOffset, count: entry.summary.end - header.framesOffset)
            try withExtendedLifetime(image) {
                Result { () throws(JournalFileError) in
                    try system.files.writeAll(file, header.front(seal), at: 0)
                    try system.files.writeAll(file, frames, at: header.framesOffset)
                }
            }.get()
            try system.files.writeAll(file, header.encoded(), at: entry.summary.end)
            try system.files.sync(file, .full)
            try system.files.rename(temporary, to: files.path(name))
        } catch {
            try? system.files.remove(temporary)  // the error that counts is thrown on
            throw error
        }
        let mark = open.mark
        shelf.withLock { shelf in
            shelf.isDirectoryDirty = true
            shelf.counters.rewrittenSegments += 1
            guard let index = shelf.index(of: segment) else { return }
            shelf.entries[index].file = nil
            shelf.entries[index].mark = mark
            shelf.entries[index].segment = Segment(header: header, storage: .file(name: name))
            shelf.entries[index].fileBytes = byteCount
            shelf.entries[index].isSynced = true
            shelf.entries[index].hasSeal = true
            shelf.entries[index].needsRewrite = false
        }
    }
}
