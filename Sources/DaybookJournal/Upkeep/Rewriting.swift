import DaybookBase

extension Journal {
    /// Rewrites segments that are only in memory or failed to sync. Returns whether none is left.
    func rewriteWaiting(_ upkeep: inout Upkeep) -> Bool {
        settle()
        for entry in shelf.entries(where: { ($0.segment.isInMemory || $0.needsRewrite) && !$0.isOpen }) {
            do throws(JournalFileError) {
                try rewrite(entry)
            } catch {
                shelf.note(error)
                return false
            }
        }
        return removeOldRings(&upkeep)
    }

    /// Removes earlier launches' rings, once the segments with their frames have their names on disk.
    private func removeOldRings(_ upkeep: inout Upkeep) -> Bool {
        guard !upkeep.oldRings.isEmpty, let files = location.files else { return true }
        do throws(JournalFileError) {
            try system.files.syncDirectory(files.directory)
            while let name = upkeep.oldRings.last {
                try system.files.remove(files.path(name))
                upkeep.oldRings.removeLast()
            }
            return true
        } catch {
            shelf.note(error)
            return false
        }
    }

    /// Writes a segment to a new file, which is synced before it takes the name.
    private func rewrite(_ entry: Shelf.Entry) throws(JournalFileError) {
        let segment = entry.segment
        guard let files = location.files else { return }
        guard entry.summary.frames > 0 else {
            if let known = shelf.take(segment) { shelf.remove(known) }
            return
        }
        guard let image = shelf.image(of: entry), image.byteCount >= entry.summary.end else {
            throw JournalFileError(.read, files.path(segment.name), code: SystemCode.inputOutput)
        }
        let header = segment.header
        let byteCount = entry.summary.end + header.byteCount
        guard shelf.reserve(byteCount, evicting: options.policy.evicts(for: .priorityBits)) != .refused else {
            throw JournalFileError(.allocate, files.path(segment.name), code: SystemCode.noSpace)
        }
        defer { shelf.endReservation(of: byteCount) }
        // Eviction may have dropped this segment.
        guard shelf.entry(of: segment) != nil else { return }
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
            try? system.files.remove(temporary)  // the error that counts is rethrown
            throw error
        }
        let mark = open.mark
        shelf.markDirectoryDirty()
        shelf.count { $0.rewrittenSegments += 1 }
        shelf.update(segment) { entry in
            entry.file = nil
            entry.mark = mark
            entry.segment = Segment(header: header, storage: .file(name: name))
            entry.fileBytes = byteCount
            entry.isSynced = true
            entry.hasSeal = true
            entry.needsRewrite = false
        }
    }
}
