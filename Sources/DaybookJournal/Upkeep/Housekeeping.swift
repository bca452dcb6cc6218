import DaybookBase

/// The state of the slow work. Its mutex is held during syncs.
struct Upkeep: Sendable {
    /// The directory's lock, while this process holds it.
    var lock: JournalFile?
    /// The state in which `journal.id` was last verified.
    var identityMark: FileMark?
    /// When unsynced bytes were first seen.
    var dirtySince: UInt64?
    /// A failed sync or disk is not retried before this.
    var retryAt: UInt64 = 0
    var retryDelay: UInt64 = Upkeep.firstDelay
    /// Dead writers' journals that are not yet adopted.
    var orphans: [Orphan] = []
    /// Earlier launches' ring files, kept until segment files have their frames.
    var oldRings: [String] = []
    /// Whether the released directory is to be reacquired.
    var isReturning = false
    /// How far the ring's pages are prefaulted.
    var warmed: (generation: Int, position: Int) = (0, 0)

    private static let firstDelay: UInt64 = 1_000_000_000
    private static let longestDelay: UInt64 = 60_000_000_000

    mutating func noteFailure(at now: UInt64) {
        retryAt = now &+ retryDelay
        retryDelay = min(retryDelay * 2, Self.longestDelay)
    }

    mutating func noteSuccess() {
        retryAt = 0
        retryDelay = Self.firstDelay
    }
}

extension Journal {
    /// Does the slow work, on one background thread: copies the ring to the log, syncs when due, removes segments that
    /// every output has passed, retries a failed disk, adopts dead writers' journals, and forgets long-gone outputs.
    ///
    /// - Parameter unseenSince: When the caller began to wait, in monotonic nanoseconds, if no append ended the wait:
    ///   unsynced bytes may be that old. Default: `nil`, now.
    /// - Returns: When to run again at the latest, in monotonic nanoseconds; `UInt64.max` if only an append can make it
    ///   necessary.
    @discardableResult
    public func housekeep(unseenSince: UInt64? = nil) -> UInt64 {
        upkeep.withLock { upkeep in
            let now = system.monotonicNanoseconds()
            if upkeep.isReturning, now >= upkeep.retryAt { comeBack(&upkeep) }
            if upkeep.isReturning { return upkeep.retryAt }
            guard location.files != nil, !end.isClosed else { return .max }
            if location.takeMissedFile() { restoreFiles(&upkeep) }
            warm(&upkeep)
            settle()
            shelf.forgetRemovedOutputs(now: now)
            expire(now: now)
            removeFinished()
            admitAll()
            if now >= upkeep.retryAt {
                if shelf.diskFailure != nil { restoreFiles(&upkeep) }
                if returnToDisk(&upkeep) { upkeep.noteSuccess() } else { upkeep.noteFailure(at: now) }
            }
            switch work(&upkeep, unseenSince: unseenSince, now: now) {
            case .none: break
            case .write: end.writeOut()
            case .sync: synchronise(.barrier, &upkeep)
            }
            let isAdopting = upkeep.retryAt == 0 && adopt(&upkeep)
            return isAdopting ? now : nextDue(&upkeep, now: now)
        }
    }

    /// Prefaults the next pages of the first lap. A few at a time, because prefaulted pages are dirty and get written
    /// to disk.
    private func warm(_ upkeep: inout Upkeep) {
        let head = end.head
        let (ring, generation) = (shelf.ring, shelf.ringGeneration)
        if upkeep.warmed.generation != generation { upkeep.warmed = (generation, 0) }
        let through = min(head + 2 * Self.warmBytes, ring.capacity) & ~4095
        guard head + Self.warmBytes > upkeep.warmed.position, through > upkeep.warmed.position else { return }
        ring.warm(upkeep.warmed.position..<through)
        upkeep.warmed.position = through
    }

    /// The least bytes kept ready after the head.
    private static let warmBytes = 64 << 10

    /// Drops segments whose last frame is too old: the next segment was begun after it.
    private func expire(now: UInt64) {
        guard let age = options.ageNanoseconds else { return }
        shelf.forgetOldest(because: .expired) { next in
            next.boot == system.boot && now >= next.createdMonotonic && now - next.createdMonotonic > age
        }
    }

    private func admitAll() {
        if shelf.hasSpaceForSegment() { end.admitAll() }
    }

    private enum Work { case none, write, sync }

    private func work(_ upkeep: inout Upkeep, unseenSince: UInt64?, now: UInt64) -> Work {
        let (unsynced, isDue) = end.unsynced
        guard unsynced > 0 else {
            upkeep.dirtySince = nil
            return .none
        }
        let since = upkeep.dirtySince ?? unseenSince ?? now
        upkeep.dirtySince = since
        guard now >= upkeep.retryAt else { return .none }
        if unsynced >= UInt64(options.syncBytes) || now &- since >= options.syncNanoseconds { return .sync }
        // An open segment lets a burst be written before the next call.
        return isDue || !log.isOpen ? .write : .none
    }

    private func nextDue(_ upkeep: inout Upkeep, now: UInt64) -> UInt64 {
        // A sync may have failed since the retry time was checked.
        var due = upkeep.retryAt > now ? upkeep.retryAt : UInt64.max
        if end.unsynced.bytes > 0 {
            let since = upkeep.dirtySince ?? now
            upkeep.dirtySince = since
            due = min(due, max(since &+ options.syncNanoseconds, upkeep.retryAt))
        }
        return due
    }

    /// Seals ended segments that are synced, and closes their files.
    func settle() {
        let waiting = shelf.entries {
            !$0.isOpen && $0.isSynced && !$0.hasSeal && !$0.needsRewrite && !$0.segment.isInMemory
        }
        for entry in waiting {
            var sealed: (bytes: Int, mark: FileMark?)? = (entry.fileBytes, nil)
            do throws(JournalFileError) {
                sealed = try seal(entry)
            } catch {
                shelf.note(error)
            }
            guard let sealed else { continue }
            shelf.update(entry.segment) { entry in
                entry.file = nil
                entry.mark = sealed.mark
                entry.fileBytes = sealed.bytes
                // Even if sealing failed: the next open then scans the segment.
                entry.hasSeal = true
            }
        }
    }

    /// Writes the seal, truncates the file after the last frame, and appends a copy of the header. Returns the file's
    /// size and state; `nil` if somebody changed the file, which must be inspected first.
    private func seal(_ entry: Shelf.Entry) throws(JournalFileError) -> (bytes: Int, mark: FileMark?)? {
        guard let files = location.files else { return (entry.fileBytes, nil) }
        let open = try opened(entry, files)
        guard open.mark == entry.mark else {
            location.missFile()
            return nil
        }
        // A seal promises that the frames are stable, so it comes after the sync.
        let seal = SegmentSeal(summary: entry.summary, isRecovered: entry.isRecovered)
        let header = entry.segment.header
        try system.files.truncate(open.file, bytes: entry.summary.end)
        try system.files.writeAll(open.file, header.encoded(), at: entry.summary.end)
        try system.files.writeAll(open.file, header.front(seal), at: 0)
        return (entry.summary.end + header.byteCount, open.mark)
    }

    /// Retries a failed disk, and moves back to a mapped ring. Returns whether the disk can be written.
    func returnToDisk(_ upkeep: inout Upkeep) -> Bool {
        let (isFailed, isInMemory) = (shelf.diskFailure != nil, end.isInMemory)
        shelf.diskFailure = nil
        guard rewriteWaiting(&upkeep) else { return false }
        // An earlier launch's ring keeps its name until segments have its frames.
        if isInMemory, !end.isClosed, !moveToFile() { return false }
        guard isFailed || isInMemory else { return true }
        end.writeOut()
        return shelf.diskFailure == nil
    }
}

extension Journal {
    /// Removes the first segments that every output has passed. Files are removed without a lock, because appends may
    /// wait for it.
    private func removeFinished() {
        while let (entry, isFinished) = shelf.takeFinished() {
            if isFinished {
                shelf.remove(entry)
            } else if !look(into: entry) {
                return
            }
        }
    }

    /// Finds each output's last record in a segment sealed by an earlier launch. Returns whether it could be read.
    private func look(into entry: Shelf.Entry) -> Bool {
        guard let image = shelf.image(of: entry) else { return false }
        let scan = withExtendedLifetime(image) {
            SegmentScan(FrameBytes(image, entry), header: entry.segment.header)
        }
        shelf.update(entry.segment) { $0.summary.lasts = scan.summary.lasts }
        return true
    }
}
