import DaybookBase

extension Journal {
    /// Brings everything appended so far to stable storage, as far as the disk lets it; at once, on this thread.
    ///
    /// - Parameter strength: `.full` (the default) also empties the drive's own cache on Apple platforms.
    /// - Returns: whether all of it is there now. What is in memory alone is not.
    @discardableResult
    public func sync(_ strength: SyncStrength = .full) -> Bool {
        upkeep.withLock { upkeep in
            guard !end.isClosed else { return false }
            return synchronise(strength, &upkeep)
        }
    }

    /// Copies everything appended so far from the ring to the log, without a sync; at once, on this thread. `housekeep`
    /// does that too, but is held up by its syncs; this is not, so that a burst on one thread finds room while another
    /// syncs.
    ///
    /// - Returns: whether all of it is there now.
    @discardableResult
    package func writeLog() -> Bool {
        !isEnded.load(ordering: .acquiring) && end.writeOut() == .upToDate
    }

    /// Writes and syncs everything, seals the segment, and lets the directory go, for this or another process to open again. Later appends
    /// are dropped and counted; cursors no longer move on disk; nothing may be read any more. Closing again does
    /// nothing.
    public func close() {
        upkeep.withLock { upkeep in
            // What came while the directory was let go is to be on the disk.
            comeBack(&upkeep)
            let isFirst = end.close()
            isEnded.store(true, ordering: .releasing)
            guard isFirst, location.files != nil else { return }
            let isSafe = synchronise(.full, &upkeep)
            log.end()
            shelf.settleSynced()
            settle()
            // The next launch need not look into the ring.
            if isSafe { shelf.ring.clearHeaders() }
            shelf.closeFiles()
            upkeep.orphans = []
            if let lock = upkeep.lock { system.files.close(lock) }
            upkeep.lock = nil
        }
    }

    /// Brings everything appended so far to stable storage, before the process may be stopped; and lets the lock of a
    /// directory go that is shared (`JournalOptions.isShared`). To be called by who also reads and housekeeps.
    public func suspend() {
        upkeep.withLock { upkeep in
            guard !end.isClosed else { return }
            synchronise(.full, &upkeep)
            stepAside(&upkeep)
        }
    }

    /// Takes the lock of a shared directory again; if that fails, `housekeep` goes on trying.
    public func resume() {
        upkeep.withLock { upkeep in
            guard location.isAway else { return }
            upkeep.isReturning = true
            comeBack(&upkeep)
        }
    }

    @discardableResult
    func synchronise(_ strength: SyncStrength, _ upkeep: inout Upkeep) -> Bool {
        restoreFiles(&upkeep)
        guard let files = location.files else { return false }
        let (through, bytes) = end.progress
        let step = end.writeOut()
        var isComplete = step == .upToDate || step == .refused
        let waiting = shelf.entries {
            !$0.isSynced && !$0.needsRewrite && !$0.segment.isInMemory && $0.syncedOffset < $0.summary.end
        }
        for entry in waiting {
            do throws(JournalFileError) {
                try sync(entry, strength, files)
                shelf.update(entry.segment) { now in
                    now.syncedOffset = entry.summary.end
                    if !entry.isOpen { now.isSynced = true }
                }
            } catch {
                shelf.note(error)
                guard error.operation == .sync else {
                    isComplete = false
                    continue
                }
                // What a failed sync leaves in the cache cannot be trusted, nor a second one that succeeds: the file
                // is given up, and its content goes to a new one.
                log.whileIdle { end in
                    end(entry.segment)
                    shelf.update(entry.segment) { $0.needsRewrite = true }
                }
            }
        }
        shelf.settleSynced()
        let isRewritten = rewriteWaiting(&upkeep)
        let isDirectorySynced = syncDirectory(files)
        guard isComplete && isRewritten && isDirectorySynced else {
            upkeep.noteFailure(at: system.monotonicNanoseconds())
            return false
        }
        guard step == .upToDate else {
            // The cap is no failure of the disk: the policy holds until there is room.
            upkeep.dirtySince = system.monotonicNanoseconds()
            return false
        }
        upkeep.dirtySince = nil
        shelf.finishSync(through: through)
        end.markSync(through: through, bytes: bytes)
        return true
    }

    private func sync(_ entry: Shelf.Entry, _ strength: SyncStrength, _ files: JournalFiles) throws(JournalFileError) {
        let open = try opened(entry, files)
        try system.files.sync(open.file, strength)
    }

    /// A segment's file, which an earlier launch may have left without a seal.
    func opened(_ entry: Shelf.Entry, _ files: JournalFiles) throws(JournalFileError) -> OpenFile {
        if let file = entry.file { return file }
        return try OpenFile(files.path(entry.segment.name), .readWrite, system.files)
    }

    private func syncDirectory(_ files: JournalFiles) -> Bool {
        guard shelf.takeDirectoryDirt() else { return true }
        do throws(JournalFileError) {
            try system.files.syncDirectory(files.directory)
            return true
        } catch {
            shelf.note(error)
            shelf.markDirectoryDirty()
            return false
        }
    }
}

/// Promise J10, in a directory that processes share. The lock file tells who opened the directory last: whoever finds his
/// own name there, with the lock in his hand, finds all as he left it.
extension Journal {
    /// Whether another process has opened the directory while its lock was let go. Frames then stay in memory until the
    /// journal is opened again.
    public var isTakenOver: Bool { location.isTakenOver }

    /// Names this launch in the lock file of a shared directory. Without the name `comeBack` finds it taken over.
    func signLock() { upkeep.withLock { if let lock = $0.lock { sign(lock) } } }

    func sign(_ lock: JournalFile) {
        guard options.isShared else { return }
        do throws(JournalFileError) {
            try system.files.writeAll(lock, signature, at: 0)
        } catch {
            shelf.note(error)
        }
    }

    private var signature: [UInt8] { withUnsafeBytes(of: identity.epoch.littleEndian) { Array($0) } }

    /// Leaves a shared directory as a `close` would, and goes on in memory.
    private func stepAside(_ upkeep: inout Upkeep) {
        upkeep.isReturning = false
        guard options.isShared, let files = location.files, let lock = upkeep.lock else { return }
        let mapped = shelf.ring
        // What comes from here on is for the ring in memory, and stays there.
        if mapped.file != nil { end.move(to: Ring.inMemory(capacity: options.ringBytes, files: system.files)) }
        // What came since the sync before.
        synchronise(.full, &upkeep)
        shelf.diskFailure = JournalFileError(.lock, files.directory, code: SystemCode.busy)
        log.end()
        let isSynced = shelf.settleSynced()
        settle()
        // What was not written is in both rings, and the next opener finds it in the file.
        if isSynced, shelf.unwritten > lastSequence { mapped.clearHeaders() }
        shelf.closeFiles()
        for index in upkeep.orphans.indices { upkeep.orphans[index].journal = nil }
        location.set(.away)
        upkeep.lock = nil
        system.files.close(lock)
    }

    /// Takes the directory again, if it was let go.
    func comeBack(_ upkeep: inout Upkeep) {
        guard location.isAway, let files = location.ownFiles else { return }
        do throws(JournalFileError) {
            if let lock = try Self.claim(files, system.files) {
                if try isSigned(lock) { return settleIn(lock, &upkeep) }
                system.files.close(lock)
            }
            shelf.leaveFiles(keepingMemory: false)
            location.set(.takenOver)
            upkeep.isReturning = false
        } catch {
            shelf.note(error)
            upkeep.noteFailure(at: system.monotonicNanoseconds())
        }
    }

    private func isSigned(_ lock: JournalFile) throws(JournalFileError) -> Bool {
        do throws(JournalFileError) {
            return try system.files.readPrefix(lock, signature.count) == signature
        } catch {
            system.files.close(lock)
            throw error
        }
    }

    private func settleIn(_ lock: JournalFile, _ upkeep: inout Upkeep) {
        upkeep.lock = lock
        upkeep.isReturning = false
        location.set(.here)
        shelf.reopenCursors()
        shelf.diskFailure = nil
        if returnToDisk(&upkeep) {
            upkeep.noteSuccess()
        } else {
            upkeep.noteFailure(at: system.monotonicNanoseconds())
        }
    }
}
