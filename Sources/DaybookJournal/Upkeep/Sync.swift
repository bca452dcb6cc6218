import DaybookBase

extension Journal {
    /// Brings everything appended so far to stable storage, if the disk permits, on this thread.
    ///
    /// - Parameter strength: Default: `.full`, which on Apple platforms also empties the drive's cache.
    /// - Returns: Whether all of it is stable now. What is only in memory is not.
    @discardableResult
    public func sync(_ strength: SyncStrength = .full) -> Bool {
        upkeep.withLock { upkeep in
            guard !end.isClosed else { return false }
            return synchronise(strength, &upkeep)
        }
    }

    /// Copies everything appended so far to the log, without a sync, on this thread. Unlike `housekeep` it does not
    /// wait for a sync in progress, so that a burst finds room meanwhile.
    ///
    /// - Returns: Whether the log has all of it now.
    @discardableResult
    package func writeLog() -> Bool {
        !isEnded.load(ordering: .acquiring) && end.writeOut() == .upToDate
    }

    /// Writes and syncs everything, seals the segment, and releases the directory. Later appends are dropped and
    /// counted, cursors no longer move on disk, and reading is not allowed. Closing again does nothing.
    public func close() {
        upkeep.withLock { upkeep in
            // Frames appended while the directory was released go to disk.
            comeBack(&upkeep)
            let isFirst = end.close()
            isEnded.store(true, ordering: .releasing)
            guard isFirst, location.files != nil else { return }
            let isSafe = synchronise(.full, &upkeep)
            log.end()
            shelf.settleSynced()
            settle()
            // The next launch need not read the ring.
            if isSafe { shelf.ring.clearHeaders() }
            shelf.closeFiles()
            upkeep.orphans = []
            if let lock = upkeep.lock { system.files.close(lock) }
            upkeep.lock = nil
        }
    }

    /// Brings everything appended so far to stable storage before the process may be suspended, and releases a shared
    /// directory's lock (`JournalOptions.isShared`). Call on the thread that reads and housekeeps.
    public func suspend() {
        upkeep.withLock { upkeep in
            guard !end.isClosed else { return }
            synchronise(.full, &upkeep)
            stepAside(&upkeep)
        }
    }

    /// Reacquires a shared directory's lock. On failure `housekeep` retries.
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
                // After a failed sync the cache cannot be trusted, even if the next sync succeeds. The content goes to
                // a new file.
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
            // Not a failed disk: the policy applies until there is room.
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

    /// A segment's file; reopened if an earlier launch left it without a seal.
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

/// Promise J10, for shared directories. The lock file names the last opener. A process that reacquires the lock and
/// finds its own name knows that nothing has changed.
extension Journal {
    /// Whether another process has taken the directory over. Frames then stay in memory until the journal is reopened.
    public var isTakenOver: Bool { location.isTakenOver }

    /// Writes this launch's name to a shared directory's lock file, where `comeBack` expects it.
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

    /// Releases a shared directory like `close`, and goes on in memory.
    private func stepAside(_ upkeep: inout Upkeep) {
        upkeep.isReturning = false
        guard options.isShared, let files = location.files, let lock = upkeep.lock else { return }
        let mapped = shelf.ring
        // Later frames go to the ring in memory and stay there.
        if mapped.file != nil { end.move(to: Ring.inMemory(capacity: options.ringBytes, files: system.files)) }
        // Frames appended since `suspend` synced.
        synchronise(.full, &upkeep)
        shelf.diskFailure = JournalFileError(.lock, files.directory, code: SystemCode.busy)
        log.end()
        let isSynced = shelf.settleSynced()
        settle()
        // Otherwise the next opener needs the unwritten frames in the file.
        if isSynced, shelf.unwritten > lastSequence { mapped.clearHeaders() }
        shelf.closeFiles()
        for index in upkeep.orphans.indices { upkeep.orphans[index].journal = nil }
        location.set(.away)
        upkeep.lock = nil
        system.files.close(lock)
    }

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
