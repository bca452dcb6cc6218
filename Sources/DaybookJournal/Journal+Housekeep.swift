import Synchronization

extension Journal {
    /// The slow work, for one background thread: syncs when it is due, uses again what every output has passed, writes
    /// memory to the disk when that is back, keeps spare segments ready, and forgets outputs that are long gone.
    ///
    /// - Returns: when it should run next at the latest, by the monotonic clock in nanoseconds; `UInt64.max` if only
    ///   an append can make it necessary.
    @discardableResult
    public func housekeep() -> UInt64 {
        upkeep.withLock { upkeep in
            let now = system.monotonicNanoseconds()
            guard files != nil, !tail.withLock({ $0.isClosed }) else { return .max }
            settle()
            forgetRemovedOutputs(now: now)
            recycle(&upkeep)
            // Back to the disk before the sync, which can do nothing for what is in memory.
            if now >= upkeep.retryAt {
                let isWell = returnToDisk(&upkeep) && rewriteWaiting()
                if isWell { upkeep.noteSuccess() } else { upkeep.noteFailure(at: now) }
            }
            if isSyncDue(&upkeep, now: now) { synchronise(.barrier, &upkeep) }
            if upkeep.retryAt == 0 { prepareSpares(&upkeep) }
            return nextDue(&upkeep, now: now)
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

    /// Takes the segments that every output has passed off the front, and keeps their blocks as spares.
    private func recycle(_ upkeep: inout Upkeep) {
        while true {
            let finished = shelf.withLock { shelf -> Segment? in
                guard shelf.entries.count > 1, let first = shelf.entries.first, first.summary != nil else { return nil }
                for (output, cursor) in shelf.cursors
                where pending(of: output, after: cursor.slot.sequence, in: first, shelf: &shelf) > 0 {
                    return nil
                }
                return shelf.entries.removeFirst().segment
            }
            guard let finished else { return }
            reuse(finished, &upkeep)
        }
    }

    private func reuse(_ segment: Segment, _ upkeep: inout Upkeep) {
        var segment = segment
        let isWanted = tail.withLock { $0.spares.count < options.spareSegments && $0.diskFailure == nil }
        // Whoever else still reads the segment holds it: then its bytes must stay.
        guard let files, isWanted, let region = segment.region, region.file != nil,
            region.byteCount == options.segmentBytes, isKnownUniquelyReferenced(&segment)
        else {
            shelf.withLock { remove(segment, in: &$0) }
            return
        }
        let name = spareName(&upkeep)
        do throws(JournalFileError) {
            try system.files.rename(files.path(segment.name), to: files.path(name))
        } catch {
            shelf.withLock { shelf in
                shelf.counters.note(error)
                remove(segment, in: &shelf)
            }
            return
        }
        region.clear()
        shelf.withLock { $0.isDirectoryDirty = true }
        addSpare(name, region)
    }

    private func spareName(_ upkeep: inout Upkeep) -> String {
        upkeep.spareNumber += 1
        return "spare-\(upkeep.spareNumber)" + JournalFiles.temporarySuffix
    }

    private func addSpare(_ name: String, _ region: Region) {
        shelf.withLock { $0.spareBytes += region.byteCount }
        tail.withLock { tail in
            tail.spares.append((name, region))
            if tail.spares.count >= options.spareSegments { tail.standing.remove(.sparesLow) }
        }
    }

    /// Makes spares up to the wanted number. At the cap one is still made, by the policy, so that a writer need not.
    private func prepareSpares(_ upkeep: inout Upkeep) {
        while true {
            let count = tail.withLock { $0.spares.count }
            guard count < options.spareSegments else { break }
            let hasSpace = shelf.withLock { $0.diskBytes + options.segmentBytes <= options.capBytes }
            guard hasSpace || (count == 0 && options.policy == .dropOldest && makeSpace(for: options.segmentBytes))
            else { break }
            guard makeSpare(&upkeep) else {
                upkeep.noteFailure(at: system.monotonicNanoseconds())
                break
            }
        }
        // What cannot be had is not asked for again at every append.
        tail.withLock { _ = $0.standing.remove(.sparesLow) }
    }

    private func makeSpare(_ upkeep: inout Upkeep) -> Bool {
        guard let files else { return false }
        let name = spareName(&upkeep)
        do throws(JournalFileError) {
            addSpare(
                name,
                try Region.make(at: files.path(name), byteCount: options.segmentBytes, files: system.files))
            return true
        } catch {
            shelf.withLock { $0.counters.note(error) }
            return false
        }
    }

    /// If the disk had failed: tries it, and moves the writer back to it. Returns whether it can be written.
    private func returnToDisk(_ upkeep: inout Upkeep) -> Bool {
        let (isFailed, isInMemory, hasSpares) = tail.withLock { tail in
            (tail.diskFailure != nil, tail.standing.contains(.inMemory), !tail.spares.isEmpty)
        }
        guard isFailed || isInMemory else { return true }
        if !hasSpares {
            guard makeSpace(for: options.segmentBytes), makeSpare(&upkeep) else { return false }
        }
        return tail.withLock { tail in
            tail.diskFailure = nil
            guard tail.standing.contains(.inMemory), !tail.isClosed else { return true }
            return rotate(&tail) == nil && !tail.standing.contains(.inMemory)
        }
    }
}
