import DaybookBase

/// Files that somebody removed, moved away or replaced while the journal has them open, as cleaners of caches do: what is
/// written to them reaches no next launch. They are looked for before each sync, and while the disk cannot be written, and
/// written anew from what is still open or in memory; what is nowhere any more is counted.
extension Journal {
    /// Writes the files anew that are gone. Where that cannot be, the disk counts as failed, and it is tried again.
    func replaceRemoved(_ upkeep: inout Upkeep) {
        guard let files, let lock = upkeep.lock else { return }
        upkeep.oldRings.removeAll { !system.files.isInPlace(files.path($0), nil) }
        let (ring, entries, cursors) = shelf.withLock { ($0.ring.ring.file, $0.entries, $0.cursors) }
        let isLockGone = !system.files.isInPlace(files.lock, lock)
        let isIdentityGone = !system.files.isInPlace(files.identity, nil)
        let isRingGone = ring.map { !system.files.isInPlace($0.path, $0) } ?? false
        let segments = entries.filter { entry in
            if case .file(let name) = entry.segment.storage {
                !system.files.isInPlace(files.path(name), entry.file)
            } else {
                false
            }
        }
        let steps = cursors.filter { $0.value.file.map { !system.files.isInPlace($0.path, $0) } ?? false }
        let gone = [isLockGone, isIdentityGone, isRingGone].count { $0 } + segments.count + steps.count
        guard gone > 0 else { return }
        for entry in segments { hold(entry) }
        // A lock that is not this one's is another process's, which goes on with what it found.
        if isLockGone, system.files.isInPlace(files.lock, nil) { return leave(files) }
        do throws(JournalFileError) {
            if isLockGone { try takeDirectory(files, &upkeep) }
            try IdentityFile.write(identity.journal, to: files, system.files)
            try system.files.createDirectory(files.cursors)
        } catch {
            shelf.withLock { shelf in
                shelf.counters.note(error)
                shelf.diskFailure = error
            }
            return
        }
        shelf.withLock { shelf in
            shelf.counters.replacedFiles += UInt64(gone)
            shelf.isDirectoryDirty = true
            shelf.diskFailure = nil
            for id in steps.keys {
                if let now = shelf.cursors[id] { openCursor(now, of: id, in: &shelf) }
            }
        }
        if isRingGone, !moveToFile() { return }
        if !rewriteWaiting(&upkeep) { upkeep.noteFailure(at: system.monotonicNanoseconds()) }
    }

    /// Leaves the directory to whoever has it now. What its files have is delivered by that process, and counted here; what
    /// was removed before it came is held, and delivered from memory.
    private func leave(_ files: JournalFiles) {
        log.withLock { log in
            shelf.withLock { shelf in
                endSegment(&log, &shelf)
                for index in shelf.entries.indices.reversed() where !shelf.entries[index].segment.isInMemory {
                    if let file = forget(at: index, because: .takenOver, in: &shelf).file { system.files.close(file) }
                }
                shelf.diskFailure = JournalFileError(.lock, files.directory, code: SystemCode.busy)
            }
        }
        presence.store(.takenOver, ordering: .releasing)
    }

    /// Makes the directory again, and locks it.
    private func takeDirectory(_ files: JournalFiles, _ upkeep: inout Upkeep) throws(JournalFileError) {
        try system.files.createDirectory(files.directory)
        guard let lock = try Self.claim(files, system.files) else {
            throw JournalFileError(.lock, files.directory, code: SystemCode.busy)
        }
        if let old = upkeep.lock { system.files.close(old) }
        upkeep.lock = lock
        sign(lock)
    }

    /// Holds what a removed segment had in memory, until a file has it again; `forget` counts what nobody has.
    private func hold(_ entry: Shelf.Entry) {
        log.withLock { log in
            shelf.withLock { shelf in
                if log.current?.segment === entry.segment { endSegment(&log, &shelf) }
                guard let index = shelf.index(of: entry.segment) else { return }
                let entry = shelf.entries[index]
                var failures: [JournalFileError] = []
                let image =
                    entry.file.flatMap { file in
                        // The name is gone; the file is there for as long as it is open.
                        try? SegmentImage(
                            file, limit: SegmentImage.longest, files: system.files, failures: &failures)
                    } ?? shelf.images.find(entry.segment, bytes: entry.summary.end)
                for failure in failures { shelf.counters.note(failure) }
                if let file = entry.file { system.files.close(file) }
                shelf.entries[index].file = nil
                guard let image, image.isComplete, image.byteCount >= entry.summary.end else {
                    forget(at: index, because: .corrupt, in: &shelf)
                    return
                }
                shelf.entries[index].segment = Segment(header: entry.segment.header, storage: .memory(image))
                shelf.entries[index].fileBytes = 0
                shelf.entries[index].isSynced = false
                shelf.entries[index].hasSeal = false
                shelf.entries[index].needsRewrite = false
            }
        }
    }
}
