import DaybookBase

/// Recovery from cleaners, backups and scripts that remove, replace or change open files: frames written there would
/// not reach the next launch. Files are checked before each sync and while the disk fails, and written anew from open
/// files and memory. What is lost is counted.
extension Journal {
    /// Writes missing or changed files anew. On failure the disk counts as failed and is retried.
    func restoreFiles(_ upkeep: inout Upkeep) {
        guard let files = location.files, let lock = upkeep.lock else { return }
        upkeep.oldRings.removeAll { system.files.look(at: files.path($0)) == .nothing }
        let (ring, entries) = (shelf.ring, shelf.entries())
        let isLockGone = !isSame(files.lock, lock)
        let isIdentityGone = !isIdentityThere(files, &upkeep)
        let isRingGone = ring.file.map { !isSame($0.path, $0) } ?? false
        let cursors = shelf.outputs { !isUntouched($0) }
        var gone = [isLockGone, isIdentityGone, isRingGone].count { $0 } + cursors.count
        for entry in entries where !isUntouched(entry, files) && hold(entry, files) { gone += 1 }
        guard gone > 0 else { return }
        do throws(JournalFileError) {
            if isLockGone {
                // Whoever locked another lock file also took over the ring; else nobody was here.
                let isStrangers = system.files.look(at: files.lock) != .nothing
                if isStrangers, isRingGone || !ring.isBegun(by: salt) { return leave(files) }
                guard try takeDirectory(files, &upkeep) else { return leave(files) }
            }
            try IdentityFile.write(identity.journal, to: files, system.files)
            try system.files.createDirectory(files.cursors)
        } catch {
            return shelf.fail(with: error)
        }
        shelf.count { $0.replacedFiles += UInt64(gone) }
        shelf.markDirectoryDirty()
        shelf.diskFailure = nil
        for id in cursors { location.clear(files.cursor(of: id)) }
        shelf.reopenCursors(cursors)
        if isRingGone {
            location.clear(files.path(JournalFiles.ring))
            if !moveToFile() { return }
        }
        if !rewriteWaiting(&upkeep) { upkeep.noteFailure(at: system.monotonicNanoseconds()) }
    }

    // MARK: Unchanged files

    /// Whether a path leads to an open file, whatever its content.
    private func isSame(_ path: String, _ file: JournalFile) -> Bool {
        switch system.files.look(at: path) {
        case .nothing: false
        case .file(let mark): mark.identity == system.files.mark(of: file)?.identity
        case .unknown: true
        }
    }

    /// Whether a file is still in this state.
    private func isUntouched(_ path: String, _ known: FileMark?) -> Bool {
        switch system.files.look(at: path) {
        case .nothing: false
        case .file(let mark): known.map { $0 == mark } ?? true
        case .unknown: true
        }
    }

    private func isUntouched(_ entry: Shelf.Entry, _ files: JournalFiles) -> Bool {
        entry.segment.isInMemory || isUntouched(files.path(entry.segment.name), entry.mark)
    }

    private func isUntouched(_ cursor: Cursor) -> Bool {
        cursor.file.map { isUntouched($0.file.path, cursor.mark) } ?? true
    }

    private func isIdentityThere(_ files: JournalFiles, _ upkeep: inout Upkeep) -> Bool {
        if upkeep.identityMark != nil, isUntouched(files.identity, upkeep.identityMark) { return true }
        switch system.files.look(at: files.identity) {
        case .nothing: return false
        case .unknown: return true
        case .file(let mark):
            guard IdentityFile.read(files, system.files) == identity.journal else { return false }
            upkeep.identityMark = mark
            return true
        }
    }

    // MARK: The lock

    /// Leaves the directory to the process that has taken it over. That one delivers what is in files, counted as lost
    /// here; this one delivers what is in memory.
    private func leave(_ files: JournalFiles) {
        log.end()
        shelf.diskFailure = JournalFileError(.lock, files.directory, code: SystemCode.busy)
        shelf.leaveFiles(keepingMemory: true)
        location.set(.takenOver)
    }

    /// Recreates the directory if needed, and locks it. `false` if another process has the lock.
    private func takeDirectory(_ files: JournalFiles, _ upkeep: inout Upkeep) throws(JournalFileError) -> Bool {
        try system.files.createDirectory(files.directory)
        var claimed: JournalFile?
        do throws(JournalFileError) {
            claimed = try Self.claim(files, system.files)
        } catch {
            // Nobody can hold a lock that cannot be opened, such as a link.
            location.clear(files.lock)
            claimed = try Self.claim(files, system.files)
        }
        guard let claimed else { return false }
        if let old = upkeep.lock { system.files.close(old) }
        upkeep.lock = claimed
        sign(claimed)
        return true
    }

    // MARK: Segments

    /// Inspects a changed segment. If its file lacks frames, keeps what is left in memory until a new file has it, and
    /// counts the rest. Returns whether it did.
    private func hold(_ entry: Shelf.Entry, _ files: JournalFiles) -> Bool {
        let held = log.whileIdle { end -> Shelf.Entry? in
            // The log may have been written meanwhile.
            guard let known = shelf.entry(of: entry.segment), !isUntouched(known, files) else { return nil }
            end(known.segment)
            guard let entry = shelf.entry(of: entry.segment) else { return nil }
            let there = try? OpenFile(files.path(entry.segment.name), .read, system.files)  // fails if it is gone
            let (now, identity) = (there?.mark, (entry.file?.mark ?? entry.mark)?.identity)
            // An open file can be read after its name is gone.
            var failures: [JournalFileError] = []
            let images = [entry.file, there].compactMap { open in
                open.flatMap { open in
                    try? SegmentImage(open.file, limit: SegmentImage.longest, files: system.files, failures: &failures)
                }
            }
            for failure in failures { shelf.note(failure) }
            let found = (images + [shelf.knownImage(of: entry)].compactMap { $0 })
                .map { (image: $0, frames: goodFrames(in: $0, entry)) }
            let best = found.max { $0.frames < $1.frames }
            if let now, now.identity == identity, let here = images.last,
                goodFrames(in: here, entry) >= entry.summary.frames, isFrontGood(here, entry)
            {
                shelf.update(entry.segment) { $0.mark = now }
                return nil
            }
            let image = SegmentImage(best?.image, paddedTo: entry.summary.end + entry.segment.header.byteCount)
            // Nothing will replace the file, and the next launch might take it for this journal's.
            if (best?.frames ?? 0) == 0, entry.summary.frames > 0 {
                location.clear(files.path(entry.segment.name))
            }
            return shelf.hold(entry.segment, in: image, isWhole: (best?.frames ?? 0) >= entry.summary.frames)
        }
        guard let held else { return false }
        countDamage(in: held)
        return true
    }

    private func goodFrames(in image: SegmentImage, _ entry: Shelf.Entry) -> UInt64 {
        withExtendedLifetime(image) {
            SegmentScan(FrameBytes(image, entry), header: entry.segment.header).summary.frames
        }
    }

    /// Whether the next launch would recognise the segment.
    private func isFrontGood(_ image: SegmentImage, _ entry: Shelf.Entry) -> Bool {
        let header = SegmentHeader.decode(image.bytes, at: 0)
        return header?.firstSequence == entry.segment.header.firstSequence && header?.salt == entry.segment.header.salt
    }
}
