import DaybookBase

extension Journal {
    /// The slow work, for one background thread: writes the ring out to the log and syncs that when it is due, removes what
    /// every output has passed, tries a failed disk again, takes over what dead writers left, and forgets outputs that are
    /// long gone.
    ///
    /// - Parameter unseenSince: when whoever calls this began to wait, by the monotonic clock in nanoseconds, if appends
    ///   have not ended the wait: what is not synced is taken to be as old as that. `nil`, the default, if it has just come.
    /// - Returns: when it should run next at the latest, by the monotonic clock in nanoseconds; `UInt64.max` if only
    ///   an append can make it necessary.
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

    /// Makes the pages ready that come next, in the first lap. Not all at once: what is ready is dirty, and is written to the
    /// disk some time.
    private func warm(_ upkeep: inout Upkeep) {
        let head = end.head
        let (ring, generation) = (shelf.ring, shelf.ringGeneration)
        if upkeep.warmed.generation != generation { upkeep.warmed = (generation, 0) }
        let through = min(head + 2 * Self.warmBytes, ring.capacity) & ~4095
        guard head + Self.warmBytes > upkeep.warmed.position, through > upkeep.warmed.position else { return }
        ring.warm(upkeep.warmed.position..<through)
        upkeep.warmed.position = through
    }

    /// Bytes of the ring that are kept ready before the head, at least.
    private static let warmBytes = 64 << 10

    /// Gives up segments whose last frame is too old: the one behind was begun after it.
    private func expire(now: UInt64) {
        guard let age = options.ageNanoseconds else { return }
        shelf.forgetOldest(because: .expired) { next in
            next.boot == system.boot && now >= next.createdMonotonic && now - next.createdMonotonic > age
        }
    }

    /// Lets frames of low priority in again once there is room.
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
        // A segment that is open is what a burst may be written to before this is called again.
        return isDue || !log.isOpen ? .write : .none
    }

    private func nextDue(_ upkeep: inout Upkeep, now: UInt64) -> UInt64 {
        // Anything that failed during this round waits for its turn; a sync may have failed after the retry time was
        // looked at.
        var due = upkeep.retryAt > now ? upkeep.retryAt : UInt64.max
        if end.unsynced.bytes > 0 {
            let since = upkeep.dirtySince ?? now
            upkeep.dirtySince = since
            due = min(due, max(since &+ options.syncNanoseconds, upkeep.retryAt))
        }
        return due
    }

    /// Writes the seals of ended segments that are synced, with what stands around them, and lets their files go.
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
                // Without one it is scanned at the next open.
                entry.hasSeal = true
            }
        }
    }

    /// Writes a segment's seal, and ends its file behind the last frame with a copy of the header. Returns the file's
    /// size, and how it was left; `nil` where somebody has touched it, which is to be looked at first.
    private func seal(_ entry: Shelf.Entry) throws(JournalFileError) -> (bytes: Int, mark: FileMark?)? {
        guard let files = location.files else { return (entry.fileBytes, nil) }
        let open = try opened(entry, files)
        guard open.mark == entry.mark else {
            location.missFile()
            return nil
        }
        // A seal promises that the frames are there: it is written once they are synced.
        let seal = SegmentSeal(summary: entry.summary, isRecovered: entry.isRecovered)
        let header = entry.segment.header
        try system.files.truncate(open.file, bytes: entry.summary.end)
        try system.files.writeAll(open.file, header.encoded(), at: entry.summary.end)
        try system.files.writeAll(open.file, header.front(seal), at: 0)
        return (entry.summary.end + header.byteCount, open.mark)
    }

    /// If the disk had failed: tries it, and moves the writer back to it. Returns whether it can be written.
    func returnToDisk(_ upkeep: inout Upkeep) -> Bool {
        let (isFailed, isInMemory) = (shelf.diskFailure != nil, end.isInMemory)
        shelf.diskFailure = nil
        guard rewriteWaiting(&upkeep) else { return false }
        // The ring of an earlier launch has its place until a segment has its frames.
        if isInMemory, !end.isClosed, !moveToFile() { return false }
        guard isFailed || isInMemory else { return true }
        end.writeOut()
        return shelf.diskFailure == nil
    }
}

extension Journal {
    /// Removes the segments at the front that every output has passed. What takes long is done without a lock: appends may
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

    /// Finds where the last record of each output stands in a segment that an earlier launch has sealed. Returns whether it
    /// could.
    private func look(into entry: Shelf.Entry) -> Bool {
        guard let image = shelf.image(of: entry) else { return false }
        let scan = withExtendedLifetime(image) {
            SegmentScan(FrameBytes(image, entry), header: entry.segment.header)
        }
        shelf.update(entry.segment) { $0.summary.lasts = scan.summary.lasts }
        return true
    }
}
