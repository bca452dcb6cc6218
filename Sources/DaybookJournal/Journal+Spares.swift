import Synchronization

extension Journal {
    /// Takes the segments that every output has passed off the front, and keeps their blocks as spares.
    func recycle(_ upkeep: inout Upkeep) {
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
    func prepareSpares(_ upkeep: inout Upkeep, now: UInt64) {
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
    func makeSpare(_ upkeep: inout Upkeep) -> Bool {
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
