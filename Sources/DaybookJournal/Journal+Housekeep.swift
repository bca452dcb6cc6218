import Synchronization

extension Journal {
    /// The slow work, for one background thread: syncs when it is due, uses again what every output has passed, writes
    /// memory to the disk when that is back, keeps spare segments ready, takes over what dead writers left, and forgets
    /// outputs that are long gone.
    ///
    /// - Returns: when it should run next at the latest, by the monotonic clock in nanoseconds; `UInt64.max` if only
    ///   an append can make it necessary.
    @discardableResult
    public func housekeep() -> UInt64 {
        upkeep.withLock { upkeep in
            let now = system.monotonicNanoseconds()
            if upkeep.isReturning, now >= upkeep.retryAt { comeBack(&upkeep) }
            if upkeep.isReturning { return upkeep.retryAt }
            guard files != nil, !tail.withLock({ $0.isClosed }) else { return .max }
            settle()
            forgetRemovedOutputs(now: now)
            expire(now: now)
            recycle(&upkeep)
            admitAll()
            // Back to the disk before the sync, which can do nothing for what is in memory.
            if now >= upkeep.retryAt {
                let isWell = returnToDisk(&upkeep) && rewriteWaiting()
                if isWell { upkeep.noteSuccess() } else { upkeep.noteFailure(at: now) }
            }
            // Spares before the sync, which may take long: a writer that finds none must make its own.
            if upkeep.retryAt == 0 { prepareSpares(&upkeep, now: now) }
            if isSyncDue(&upkeep, now: now) { synchronise(.barrier, &upkeep) }
            let isAdopting = upkeep.retryAt == 0 && adopt(&upkeep)
            return isAdopting ? now : nextDue(&upkeep, now: now)
        }
    }

    /// Gives up segments whose last frame is too old: the one behind was begun after it.
    private func expire(now: UInt64) {
        guard let age = options.ageNanoseconds else { return }
        shelf.withLock { shelf in
            while shelf.entries.count > 1 {
                let next = shelf.entries[1].segment.header
                guard next.boot == system.boot, now >= next.createdMonotonic, now - next.createdMonotonic > age else {
                    return
                }
                discard(at: 0, because: .expired, in: &shelf)
            }
        }
    }

    /// Lets frames of low priority in again once there is room.
    private func admitAll() {
        guard case .dropBelow = options.policy else { return }
        let hasSpace = shelf.withLock { $0.hasSpace(for: options.segmentBytes, below: options.capBytes) }
        tail.withLock { tail in
            if hasSpace || !tail.spares.isEmpty { tail.leastPriority = 0 }
        }
    }

    private func isSyncDue(_ upkeep: inout Upkeep, now: UInt64) -> Bool {
        let (unsynced, isMuch) = tail.withLock { tail in
            (tail.totalBytes &- tail.syncedBytes, tail.totalBytes &- tail.syncedBytes >= tail.syncBytes)
        }
        guard unsynced > 0 else {
            upkeep.dirtySince = nil
            return false
        }
        let since = upkeep.dirtySince ?? now
        upkeep.dirtySince = since
        guard now >= upkeep.retryAt else { return false }
        return isMuch || now &- since >= options.syncNanoseconds
    }

    private func nextDue(_ upkeep: inout Upkeep, now: UInt64) -> UInt64 {
        // Anything that failed during this round waits for its turn; a sync may have failed after the retry time was
        // looked at.
        var due = upkeep.retryAt > now ? upkeep.retryAt : UInt64.max
        let unsynced = tail.withLock { $0.totalBytes &- $0.syncedBytes }
        if unsynced > 0 {
            let since = upkeep.dirtySince ?? now
            upkeep.dirtySince = since
            due = min(due, max(since &+ options.syncNanoseconds, upkeep.retryAt))
        }
        return due
    }

    /// Counts segments that were sealed since the last time, and writes the seals of those that are synced.
    func settle() {
        let waiting = shelf.withLock { shelf in
            shelf.entries.filter { entry in
                (entry.summary == nil || (entry.isSynced && !entry.hasSeal)) && entry.segment.end != nil
            }
        }
        for entry in waiting {
            guard let region = entry.segment.region, let end = entry.segment.end else { continue }
            let header = entry.segment.header
            let summary = withExtendedLifetime(entry.segment) {
                entry.summary
                    ?? SegmentScan(
                        FrameBytes(base: UnsafeRawPointer(region.base), header: header, limit: end), header: header
                    ).summary
            }
            // A seal promises that the frames are there: it must not reach the disk before them.
            if entry.isSynced {
                let seal = SegmentSeal(summary: summary, isRecovered: false)
                region.write(seal.encoded(salt: header.salt), at: header.byteCount)
            }
            shelf.withLock { shelf in
                guard let index = shelf.index(of: entry.segment) else { return }
                shelf.entries[index].summary = summary
                shelf.entries[index].hasSeal = entry.isSynced
            }
        }
    }

    /// If the disk had failed: tries it, and moves the writer back to it. Returns whether it can be written.
    func returnToDisk(_ upkeep: inout Upkeep) -> Bool {
        let (isFailed, isInMemory, hasSpares) = tail.withLock { tail in
            (tail.diskFailure != nil, tail.standing.contains(.inMemory), !tail.spares.isEmpty)
        }
        guard isFailed || isInMemory else { return true }
        if !hasSpares {
            let isEvicting = options.policy.evicts(for: .priorityBits)
            guard reserve(options.segmentBytes, evicting: isEvicting) != .refused, makeSpare(&upkeep) else {
                return false
            }
        }
        return tail.withLock { tail in
            tail.diskFailure = nil
            guard tail.standing.contains(.inMemory), !tail.isClosed else { return true }
            return rotate(&tail) == nil && !tail.standing.contains(.inMemory)
        }
    }
}
