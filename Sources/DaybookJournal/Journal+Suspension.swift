import Synchronization

/// What the process has of its directory.
enum Presence: UInt8, AtomicRepresentable {
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
    func stepAside(_ upkeep: inout Upkeep) {
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
