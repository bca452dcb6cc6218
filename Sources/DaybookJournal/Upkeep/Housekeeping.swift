import DaybookBase

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

extension Journal {
    /// Takes the segments that every output has passed off the front, and keeps their blocks as spares.
    private func recycle(_ upkeep: inout Upkeep) {
        while true {
            var finished = shelf.withLock { shelf -> Segment? in
                guard shelf.entries.count > 1, let first = shelf.entries.first, first.summary != nil else { return nil }
                for (output, cursor) in shelf.cursors
                where pending(of: output, after: cursor.slot.sequence, in: first, shelf: &shelf) > 0 {
                    return nil
                }
                let segment = shelf.entries.removeFirst().segment
                shelf.reservedBytes += segment.fileBytes
                return segment
            }
            if finished == nil { return }
            reuse(&finished, &upkeep)
        }
    }

    /// `inout`, so that there is one reference to count.
    private func reuse(_ finished: inout Segment?, _ upkeep: inout Upkeep) {
        let isShared = !isKnownUniquelyReferenced(&finished)
        guard let segment = finished else { return }
        let byteCount = segment.fileBytes
        let isWanted = tail.withLock { $0.spares.count < $0.wantedSpares && $0.diskFailure == nil }
        // Whoever else still reads the segment holds it: then its bytes must stay.
        guard let files, isWanted, let region = segment.region, region.file != nil,
            region.byteCount == options.segmentBytes, !isShared
        else {
            shelf.withLock { shelf in
                shelf.reservedBytes -= byteCount
                remove(segment, in: &shelf)
            }
            return
        }
        let name = spareName(&upkeep)
        do throws(JournalFileError) {
            try system.files.rename(files.path(segment.name), to: files.path(name))
        } catch {
            shelf.withLock { shelf in
                shelf.reservedBytes -= byteCount
                shelf.counters.note(error)
                remove(segment, in: &shelf)
            }
            return
        }
        shelf.withLock { $0.isDirectoryDirty = true }
        do throws(JournalFileError) {
            try region.clear()
        } catch {
            shelf.withLock { shelf in
                shelf.reservedBytes -= byteCount
                shelf.counters.note(error)
            }
            try? system.files.remove(files.path(name))  // an open removes what is left
            return
        }
        addSpare(name, region)
    }

    private func spareName(_ upkeep: inout Upkeep) -> String {
        upkeep.spareNumber += 1
        return "spare-\(upkeep.spareNumber)" + JournalFiles.temporarySuffix
    }

    private func addSpare(_ name: String, _ region: Region) {
        tail.withLock { tail in
            tail.spares.append((name, region))
            if tail.spares.count >= tail.wantedSpares { tail.standing.remove(.sparesLow) }
        }
    }

    /// Makes spares up to the number that the load asks for. At the cap one is still made, by the policy, so that a writer need not.
    private func prepareSpares(_ upkeep: inout Upkeep, now: UInt64) {
        let rotations = shelf.withLock { $0.counters.rotations }
        let demand = upkeep.demand.note(rotations: rotations, at: now)
        let wanted = min(max(demand, options.idleSpares), options.spareSegments)
        tail.withLock { $0.wantedSpares = wanted }
        if upkeep.demand.isQuiet { removeSurplus() }
        // A writer may use them as fast as they come; other work waits too.
        for _ in 0..<wanted {
            let count = tail.withLock { $0.spares.count }
            guard count < wanted else { break }
            let isEvicting = count == 0 && options.policy == .dropOldest
            guard reserve(options.segmentBytes, evicting: isEvicting) != .refused else { break }
            guard makeSpare(&upkeep) else {
                upkeep.noteFailure(at: system.monotonicNanoseconds())
                break
            }
        }
        // What cannot be had is not asked for again at every append.
        tail.withLock { _ = $0.standing.remove(.sparesLow) }
    }

    /// Gives back what a burst made necessary.
    private func removeSurplus() {
        guard let files else { return }
        let surplus = tail.withLock { tail in
            let count = max(tail.spares.count - tail.wantedSpares, 0)
            defer { tail.spares.removeLast(count) }
            return tail.spares.suffix(count)
        }
        for (name, region) in surplus {
            shelf.withLock { shelf in
                shelf.reservedBytes -= region.byteCount
                do throws(JournalFileError) {
                    try system.files.remove(files.path(name))
                } catch {
                    shelf.counters.note(error)
                }
            }
        }
    }

    /// Makes a spare in the space that was reserved for it. Returns whether it could.
    private func makeSpare(_ upkeep: inout Upkeep) -> Bool {
        guard let files else { return false }
        let name = spareName(&upkeep)
        do throws(JournalFileError) {
            addSpare(
                name,
                try Region.make(
                    at: files.path(name), byteCount: options.segmentBytes, files: system.files))
            return true
        } catch {
            shelf.withLock { shelf in
                shelf.reservedBytes -= options.segmentBytes
                shelf.counters.note(error)
            }
            return false
        }
    }
}

/// How many segments the writer has used lately.
struct SpareDemand: Sendable {
    private static let window: UInt64 = 1_000_000_000
    /// Windows without a rotation before what is too much goes.
    private static let quiet: UInt64 = 10

    private var windowStart: UInt64 = 0
    private var rotationsAtStart: UInt64 = 0
    private var previous = 0
    private var lastRotation: UInt64 = 0
    private var rotations: UInt64 = 0
    private var now: UInt64 = 0

    /// Rotations within a second: of the last whole one or, if that is more, the present one.
    mutating func note(rotations: UInt64, at now: UInt64) -> Int {
        if rotations != self.rotations { lastRotation = now }
        self.rotations = rotations
        self.now = now
        let present = Int(clamping: rotations &- rotationsAtStart)
        guard now &- windowStart >= Self.window else { return max(previous, present) }
        // After a long pause the count is of a time longer than a second.
        previous = present
        windowStart = now
        rotationsAtStart = rotations
        return previous
    }

    /// Whether nothing was used for some seconds.
    var isQuiet: Bool { now &- lastRotation >= Self.quiet * Self.window }
}
