import DaybookBase

extension Journal {
    /// Brings everything appended so far to stable storage, as far as the disk lets it; at once, on this thread.
    ///
    /// - Parameter strength: `.full` (the default) also empties the drive's own cache on Apple platforms.
    /// - Returns: whether all of it is there now. What is in memory alone is not.
    @discardableResult
    public func sync(_ strength: SyncStrength = .full) -> Bool {
        upkeep.withLock { upkeep in
            guard !tail.withLock({ $0.isClosed }) else { return false }
            return synchronise(strength, &upkeep)
        }
    }

    /// Seals the segment, syncs, and lets the directory go, for this or another process to open again. Later appends
    /// are dropped and counted; cursors no longer move on disk; nothing may be read any more. Closing again does
    /// nothing.
    public func close() {
        upkeep.withLock { upkeep in
            // What came while the directory was let go is to be on the disk.
            comeBack(&upkeep)
            let isFirst = tail.withLock { tail in
                guard !tail.isClosed else { return false }
                tail.isClosed = true
                tail.limit = 0
                tail.segment.seal(at: tail.offset)
                return true
            }
            guard isFirst, let files else { return }
            _ = rewriteWaiting()
            synchronise(.full, &upkeep)
            settle()
            let spares = tail.withLock { tail in
                defer { tail.spares = [] }
                return tail.spares
            }
            for (name, region) in spares {
                shelf.withLock { $0.reservedBytes -= region.byteCount }
                try? system.files.remove(files.path(name))  // an open removes what is left
            }
            shortenAll()
            closeCursors()
            upkeep.orphans = []
            if let lock = upkeep.lock { system.files.close(lock) }
            upkeep.lock = nil
        }
    }

    /// Brings everything appended so far to stable storage, before the process may be stopped; and lets the lock of a
    /// directory go that is shared (`JournalOptions.isShared`). To be called by who also reads and housekeeps.
    public func suspend() {
        upkeep.withLock { upkeep in
            guard !tail.withLock({ $0.isClosed }) else { return }
            synchronise(.full, &upkeep)
            stepAside(&upkeep)
        }
    }

    /// Takes the lock of a shared directory again; if that fails, `housekeep` goes on trying.
    public func resume() {
        upkeep.withLock { upkeep in
            guard presence.load(ordering: .relaxed) == .away else { return }
            upkeep.isReturning = true
            comeBack(&upkeep)
        }
    }

    @discardableResult
    func synchronise(_ strength: SyncStrength, _ upkeep: inout Upkeep) -> Bool {
        guard let files else { return false }
        let (through, bytes, isInMemory, current, offset) = tail.withLock { tail in
            (tail.sequence &- 1, tail.totalBytes, tail.standing.contains(.inMemory), tail.segment, tail.offset)
        }
        let waiting = shelf.withLock { shelf in
            shelf.entries.filter { !$0.isSynced && !$0.needsRewrite && !$0.segment.isInMemory }
        }
        var isComplete = true
        for entry in waiting {
            let isSealed = entry.segment.end != nil
            // What a writer has begun since comes with the next sync.
            guard isSealed || entry.segment === current else { continue }
            do throws(JournalFileError) {
                if isSealed {
                    try sync(entry.segment, strength, files)
                } else {
                    try sync(entry, through: offset, strength)
                }
                shelf.withLock { shelf in
                    guard let index = shelf.index(of: entry.segment) else { return }
                    if isSealed {
                        shelf.entries[index].isSynced = true
                    } else {
                        shelf.entries[index].syncedOffset = offset
                    }
                }
            } catch {
                guard error.operation == .sync else {
                    isComplete = false
                    shelf.withLock { $0.counters.note(error) }
                    continue
                }
                // What a failed sync leaves in the cache cannot be trusted, nor a second one that succeeds: the file
                // is given up, and its content goes to a new one.
                shelf.withLock { shelf in
                    shelf.counters.note(error)
                    if let index = shelf.index(of: entry.segment) { shelf.entries[index].needsRewrite = true }
                }
                tail.withLock { tail in
                    if tail.segment === entry.segment && !tail.isClosed { _ = rotate(&tail) }
                }
            }
        }
        let isRewritten = rewriteWaiting()
        let isDirectorySynced = syncDirectory(files)
        guard isComplete && isRewritten && isDirectorySynced else {
            upkeep.noteFailure(at: system.monotonicNanoseconds())
            return false
        }
        guard !isInMemory else { return false }
        upkeep.dirtySince = nil
        shelf.withLock { shelf in
            shelf.counters.syncs += 1
            shelf.syncedThrough = max(shelf.syncedThrough, through)
        }
        markSync(through: through, bytes: bytes)
        return true
    }

    private func sync(_ segment: Segment, _ strength: SyncStrength, _ files: JournalFiles) throws(JournalFileError) {
        if let file = segment.region?.file { return try system.files.sync(file, strength) }
        let file = try system.files.open(files.path(segment.name), .readWrite)
        defer { system.files.close(file) }
        try system.files.sync(file, strength)
    }

    /// Syncs what was added to the writer's segment, with the zero length behind it.
    private func sync(_ entry: Shelf.Entry, through offset: Int, _ strength: SyncStrength) throws(JournalFileError) {
        guard let region = entry.segment.region, let file = region.file else { return }
        let end = min(offset + FrameLayout.alignment, region.byteCount)
        try withExtendedLifetime(entry.segment) {
            Result { () throws(JournalFileError) in
                try system.files.sync(
                    file, strength, mappedAt: region.base, bytes: min(entry.syncedOffset, offset)..<end)
                region.makeWritable(atFrame: offset)
            }
        }.get()
    }

    private func syncDirectory(_ files: JournalFiles) -> Bool {
        let isDirty = shelf.withLock { shelf in
            defer { shelf.isDirectoryDirty = false }
            return shelf.isDirectoryDirty
        }
        guard isDirty else { return true }
        do throws(JournalFileError) {
            try system.files.syncDirectory(files.directory)
            return true
        } catch {
            shelf.withLock { shelf in
                shelf.counters.note(error)
                shelf.isDirectoryDirty = true
            }
            return false
        }
    }

    /// Writes the watermark. The mark's own bytes count as synced, or each sync would make the next one due.
    private func markSync(through: UInt64, bytes: UInt64) {
        tail.withLock { tail in
            var synced = max(tail.syncedBytes, bytes)
            if synced != tail.syncedBytes, tail.fits(8), !tail.isClosed {
                let before = tail.totalBytes
                _ = tail.write(mask: 0, flags: .syncMark, capacity: 8) { buffer in
                    buffer.storeBytes(of: through.littleEndian, as: UInt64.self)
                    return 8
                }
                synced &+= tail.totalBytes &- before
            }
            tail.syncedBytes = synced
        }
    }
}

/// What the process has of its directory.
enum Presence: UInt8, AtomicWord {
    /// The lock.
    case here
    /// It was let go, and nobody else has come as far as is known.
    case away
    /// Another process has opened it since: everything in it is that one's.
    case takenOver
}

/// Promise J10, in a directory that processes share. The lock file tells who opened the directory last: whoever finds his
/// own name there, with the lock in his hand, finds all as he left it.
extension Journal {
    /// Whether another process has opened the directory while its lock was let go. Frames then stay in memory until the
    /// journal is opened again.
    public var isTakenOver: Bool { presence.load(ordering: .relaxed) == .takenOver }

    /// Names this launch in the lock file of a shared directory. Without the name `comeBack` finds it taken over.
    func signLock() {
        guard options.isShared else { return }
        upkeep.withLock { upkeep in
            guard let lock = upkeep.lock else { return }
            do throws(JournalFileError) {
                try system.files.writeAll(lock, signature, at: 0)
            } catch {
                shelf.withLock { $0.counters.note(error) }
            }
        }
    }

    private var signature: [UInt8] { withUnsafeBytes(of: identity.epoch.littleEndian) { Array($0) } }

    /// Leaves a shared directory as a `close` would, and goes on in memory.
    private func stepAside(_ upkeep: inout Upkeep) {
        upkeep.isReturning = false
        guard options.isShared, let files, let lock = upkeep.lock else { return }
        tail.withLock { tail in
            tail.diskFailure = JournalFileError(.lock, files.directory, code: SystemCode.busy)
            if !tail.standing.contains(.inMemory) { turn(&tail) }
        }
        // What came since the sync before, and the segment that was left.
        synchronise(.full, &upkeep)
        settle()
        shortenAll()
        endMappings()
        closeCursors()
        for index in upkeep.orphans.indices { upkeep.orphans[index].journal = nil }
        presence.store(.away, ordering: .releasing)
        upkeep.lock = nil
        system.files.close(lock)
    }

    /// Takes the directory again, if it was let go.
    func comeBack(_ upkeep: inout Upkeep) {
        guard presence.load(ordering: .relaxed) == .away, let files = ownFiles else { return }
        do throws(JournalFileError) {
            if let lock = try Self.claim(files, system.files) {
                if try isSigned(lock) { return settleIn(lock, &upkeep) }
                system.files.close(lock)
            }
            giveUp()
            upkeep.isReturning = false
        } catch {
            shelf.withLock { $0.counters.note(error) }
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
        presence.store(.here, ordering: .releasing)
        shelf.withLock { shelf in
            for (id, cursor) in shelf.cursors { openCursor(cursor, of: id, in: &shelf) }
        }
        tail.withLock { $0.diskFailure = nil }
        if returnToDisk(&upkeep) && rewriteWaiting() {
            upkeep.noteSuccess()
        } else {
            upkeep.noteFailure(at: system.monotonicNanoseconds())
        }
    }

    /// Leaves what is in the directory to whoever has it now, and counts it.
    private func giveUp() {
        shelf.withLock { shelf in
            // The oldest first: a loss reaches up to the segment behind it.
            while let index = shelf.entries.firstIndex(where: { !$0.segment.isInMemory }) {
                forget(at: index, because: .takenOver, in: &shelf)
            }
            shelf.reservedBytes = 0
            shelf.setAsideBytes = 0
        }
        tail.withLock { $0.spares = [] }
        presence.store(.takenOver, ordering: .releasing)
    }
}
