import DaybookBase

extension Journal {
    /// Writes every segment anew that is in memory alone, or whose file failed to sync. Returns whether none is left.
    func rewriteWaiting() -> Bool {
        settle()
        let waiting = shelf.withLock { shelf in
            shelf.entries.filter { ($0.segment.isInMemory || $0.needsRewrite) && $0.segment.end != nil }
        }
        for entry in waiting {
            do throws(JournalFileError) {
                try rewrite(entry)
            } catch {
                shelf.withLock { $0.counters.note(error) }
                return false
            }
        }
        return true
    }

    /// Writes a sealed segment to a new file of just its size, synced before it takes the name.
    private func rewrite(_ entry: Shelf.Entry) throws(JournalFileError) {
        let segment = entry.segment
        guard let files, let summary = entry.summary else { return }
        guard summary.frames > 0 else {
            shelf.withLock { shelf in
                guard let index = shelf.index(of: segment) else { return }
                shelf.entries.remove(at: index)
                remove(segment, in: &shelf)
            }
            return
        }
        guard let (base, _, owner) = image(of: segment) else {
            throw JournalFileError(.read, files.path(segment.name), code: SystemCode.inputOutput)
        }
        defer { withExtendedLifetime((segment, owner)) {} }
        let header = segment.header.encoded()
        let byteCount = summary.end + header.count
        guard reserve(byteCount, evicting: options.policy.evicts(for: .priorityBits)) != .refused else {
            throw JournalFileError(.allocate, files.path(segment.name), code: SystemCode.noSpace)
        }
        defer { shelf.withLock { $0.reservedBytes -= byteCount } }
        // Making space may have taken this very segment.
        guard shelf.withLock({ $0.index(of: segment) }) != nil else { return }
        let temporary = files.path(
            "rewrite-" + hexadecimal(segment.header.firstSequence) + JournalFiles.temporarySuffix)
        let file = try system.files.open(temporary, .readWriteEmptied)
        defer { system.files.close(file) }
        do throws(JournalFileError) {
            try system.files.allocate(file, bytes: byteCount)
            let seal = SegmentSeal(summary: summary, isRecovered: false).encoded(salt: segment.header.salt)
            let frames = UnsafeRawBufferPointer(
                start: base + segment.header.framesOffset, count: summary.end - segment.header.framesOffset)
            try system.files.writeAll(file, header + seal, at: 0)
            try system.files.writeAll(file, frames, at: segment.header.framesOffset)
            try system.files.writeAll(file, header, at: summary.end)
            try system.files.sync(file, .full)
            try system.files.rename(temporary, to: files.path(segment.name))
        } catch {
            try? system.files.remove(temporary)  // the error that counts is thrown on
            throw error
        }
        shelf.withLock { shelf in
            shelf.isDirectoryDirty = true
            shelf.counters.rewrittenSegments += 1
            replace(segment, byteCount: byteCount, summary: summary, isSynced: true, in: &shelf)
        }
    }

    /// Cuts the unused rest off every sealed segment, so that many short launches do not fill the cap with nothing.
    func shortenAll() {
        let waiting = shelf.withLock { shelf in
            shelf.entries.filter { $0.summary != nil && $0.segment.end != nil && $0.segment.region?.file != nil }
        }
        for entry in waiting where !entry.needsRewrite { shorten(entry) }
    }

    /// Cuts the unused rest off a sealed segment's file. Its mapping stays readable up to the last frame.
    func shorten(_ entry: Shelf.Entry) {
        let segment = entry.segment
        guard let summary = entry.summary, let file = segment.region?.file else { return }
        do throws(JournalFileError) {
            let byteCount = try system.files.shorten(file, segment.header, end: summary.end)
            shelf.withLock { shelf in
                replace(segment, byteCount: byteCount, summary: summary, isSynced: entry.isSynced, in: &shelf)
            }
        } catch {
            shelf.withLock { $0.counters.note(error) }
        }
    }

    /// Ends the mappings of sealed segments: another process may shorten their files from now on, and a mapping that is
    /// longer than its file ends the host with a signal.
    func endMappings() {
        shelf.withLock { shelf in
            for entry in shelf.entries where !entry.segment.isInMemory {
                guard let region = entry.segment.region, let summary = entry.summary else { continue }
                replace(
                    entry.segment, byteCount: region.byteCount, summary: summary, isSynced: entry.isSynced, in: &shelf)
            }
        }
    }

    private func replace(
        _ segment: Segment, byteCount: Int, summary: SegmentSummary, isSynced: Bool, in shelf: inout Shelf
    ) {
        guard let index = shelf.index(of: segment) else { return }
        let name = JournalFiles.segmentName(first: segment.header.firstSequence)
        let stored = Segment(
            header: segment.header, storage: .file(name: name, byteCount: byteCount), sealedEnd: summary.end)
        shelf.entries[index].segment = stored
        shelf.entries[index].summary = summary
        shelf.entries[index].isSynced = isSynced
        shelf.entries[index].needsRewrite = false
    }
}

extension JournalFileSystem {
    /// Ends a segment file behind its last frame, with the copy of the header. Returns the new size.
    func shorten(_ file: JournalFile, _ header: SegmentHeader, end: Int) throws(JournalFileError) -> Int {
        let bytes = header.encoded()
        try truncate(file, bytes: end + bytes.count)
        try writeAll(file, bytes, at: end)
        return end + bytes.count
    }
}
