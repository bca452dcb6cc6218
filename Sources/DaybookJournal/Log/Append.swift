import DaybookBase

extension Journal {
    /// Appends one frame, and returns when it would survive the death of the process.
    ///
    /// - Parameters:
    ///   - mask: the outputs the frame is for, one bit each, by their place in the present list of outputs.
    ///   - flags: the caller's bits; the journal's own are ignored.
    ///   - capacity: an upper bound of the payload, in bytes. Over `JournalOptions.maximumFrameBytes` the frame is
    ///     dropped and counted.
    ///   - body: writes the payload into the buffer, and returns how much it wrote. A negative result gives the frame
    ///     up: nothing is appended or counted. It runs under the journal's lock, so it must be short, and must not
    ///     call the journal.
    ///
    /// Never blocks on a disk that fails and never crashes: without a disk, frames go to a bounded memory ring.
    @inlinable
    @discardableResult
    public func append(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        tail.withLock { tail in
            if !tail.hasRoom(capacity) {
                // What is not a record is not counted as a lost one.
                let counted = flags.isCounted ? mask : 0
                guard makeRoom(for: capacity, mask: counted, flags: flags, in: &tail) else { return tail.nothing }
            }
            return tail.write(
                mask: mask, flags: flags.intersection(.callerBits), capacity: capacity, body)
        }
    }

    /// Appends a payload that is already encoded.
    @discardableResult
    public func append(mask: UInt64, flags: FrameFlags, payload: [UInt8]) -> Appended {
        append(mask: mask, flags: flags, capacity: payload.count) { buffer in
            buffer.copyBytes(from: payload)
            return payload.count
        }
    }

    /// Makes these bytes the context of all later frames, in this launch and behind a restart of reading.
    ///
    /// - Returns: the new context's version; the present one's if the bytes are the same, or if they are longer than
    ///   a sixteenth of a segment or 16 KiB (that is counted).
    @discardableResult
    public func updateContext(_ bytes: [UInt8]) -> UInt32 {
        tail.withLock { tail in
            guard bytes != tail.context, !tail.isClosed else { return tail.contextVersion }
            guard bytes.count <= options.maximumContextBytes else {
                shelf.withLock { $0.counters.refusedContexts += 1 }
                return tail.contextVersion
            }
            change(&tail, to: bytes)
            return tail.contextVersion
        }
    }

    /// Begins a new context. The caller holds the hot lock, and has checked the length.
    private func change(_ tail: inout Tail, to context: [UInt8]) {
        tail.context = context
        tail.contextVersion &+= 1
        // Without room the next segment begins, and its header tells the context.
        guard tail.fits(context.count) else { return turn(&tail) }
        _ = tail.write(mask: 0, flags: .contextChange, capacity: context.count) { buffer in
            buffer.copyBytes(from: context)
            return context.count
        }
    }

    /// Makes these the outputs of all later frames. A new segment begins, so that the bits of one segment's masks mean
    /// one thing. New outputs start with what is appended from now on (or, by `JournalOptions.backfill`, with what
    /// there is); those that are gone keep their place. Outputs after the 64th get nothing.
    public func updateOutputs(_ outputs: [String]) {
        let table = OutputTable(outputs)
        let head = tail.withLock { tail -> UInt64? in
            guard table != tail.outputs, !tail.isClosed else { return nil }
            tail.outputs = table
            tail.tableVersion &+= 1
            turn(&tail)
            return tail.sequence &- 1
        }
        if let head { adoptOutputs(table, head: head) }
    }
}

/// What became of one append, and what the caller needs to decide whether to wake the drain.
@frozen
public struct Appended: Sendable {
    public struct Attention: OptionSet, Sendable {
        public let rawValue: UInt32

        @inlinable
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Fewer spare segments are ready than wanted: `housekeep()` makes more.
        @inlinable public static var sparesLow: Attention { Attention(rawValue: 1) }
        /// The first bytes since the last sync: a timer for the next is needed.
        @inlinable public static var firstSinceSync: Attention { Attention(rawValue: 2) }
        /// As many bytes wait for a sync as `JournalOptions.syncBytes`.
        @inlinable public static var syncDue: Attention { Attention(rawValue: 4) }
        /// The frame is in memory alone: a kill loses it.
        @inlinable public static var inMemory: Attention { Attention(rawValue: 8) }
    }

    /// The frame's sequence, counting from 1; 0 if it was dropped (and counted) or its body gave it up.
    public let sequence: UInt64
    /// Bytes appended since the open, this frame and all padding included.
    public let totalBytes: UInt64
    public let attention: Attention

    @inlinable
    init(sequence: UInt64, totalBytes: UInt64, attention: Attention) {
        self.sequence = sequence
        self.totalBytes = totalBytes
        self.attention = attention
    }

    /// Whether there is no frame.
    @inlinable public var isDropped: Bool { sequence == 0 }
}

/// A frame that is appended under the context of another time than the present one.
public struct FrameCopy: Sendable {
    /// The outputs it is for, by their place in the present list.
    public let mask: UInt64
    /// The caller's bits, and whether the payload begins with the frame's origin (`adopted`).
    public let flags: FrameFlags
    /// What was in force when it was made.
    public let context: [UInt8]
    public let payload: [UInt8]

    public init(mask: UInt64, flags: FrameFlags, context: [UInt8], payload: [UInt8]) {
        self.mask = mask
        self.flags = flags
        self.context = context
        self.payload = payload
    }
}

extension Journal {
    /// Appends frames in order, each under its own context, and goes back to the present one. Readers see the contexts
    /// as if they had been the journal's at that time. A context over the limit of this journal is left out.
    ///
    /// - Parameter extra: what may come on top of the longest payload, in bytes: at most a sixteenth of a segment.
    /// - Returns: how many were appended; the others are counted as dropped.
    @discardableResult
    public func append(_ copies: [FrameCopy], beyond extra: Int = 0) -> Int {
        tail.withLock { append(copies, beyond: min(extra, options.segmentBytes / 16), in: &$0) }
    }

    /// The same for who holds the hot lock.
    func append(_ copies: [FrameCopy], beyond extra: Int, in tail: inout Tail) -> Int {
        let own = tail.context
        var count = 0
        for copy in copies {
            // A context over the limit can only come from other options.
            let context = copy.context.count <= options.maximumContextBytes ? copy.context : []
            if context != tail.context, !tail.isClosed { change(&tail, to: context) }
            let flags = copy.flags.intersection([.callerBits, .adopted])
            let counted = flags.isCounted ? copy.mask : 0
            guard makeRoom(for: copy.payload.count, mask: counted, flags: flags, beyond: extra, in: &tail) else {
                continue
            }
            _ = tail.write(mask: copy.mask, flags: flags, capacity: copy.payload.count) { buffer in
                buffer.copyBytes(from: copy.payload)
                return copy.payload.count
            }
            count += 1
        }
        if tail.context != own, !tail.isClosed { change(&tail, to: own) }
        return count
    }
}

extension Journal {
    /// The slow path of an append: moves to a new segment, or counts the drop. Returns whether there is room now.
    /// `extra` is what may come on top of the longest payload.
    @usableFromInline
    @inline(never)
    func makeRoom(
        for capacity: Int, mask: UInt64, flags: FrameFlags, beyond extra: Int = 0, in tail: inout Tail
    ) -> Bool {
        let reason: DropReason
        let priority = flags.intersection(.priorityBits)
        if tail.isClosed {
            reason = .closed
        } else if capacity < 0 || capacity > tail.maximumPayload + extra {
            reason = .oversized
        } else if priority.rawValue < tail.leastPriority {
            reason = .capacity
        } else if tail.fits(capacity) {
            return true
        } else if let refusal = rotate(&tail, for: priority) {
            reason = refusal
        } else {
            return true
        }
        shelf.withLock { shelf in
            for (bit, output) in tail.outputs.ids.enumerated() where mask & (1 << UInt64(bit)) != 0 {
                shelf.counters.drop(1, of: output, reason)
                if reason == .capacity, case .dropBelow = options.policy {
                    shelf.counters.lowPriorityDrops[output, default: 0] += 1
                }
            }
        }
        return false
    }

    /// Seals the current segment and begins a new one, on disk if it can be written, else in memory. Returns why it
    /// could not; the current segment then stays. The caller holds the hot lock.
    func rotate(_ tail: inout Tail, for priority: FrameFlags = .priorityBits) -> DropReason? {
        let begun: (Segment, Region)
        switch beginOnDisk(&tail, for: priority) {
        case .begun(let segment, let region): begun = (segment, region)
        case .refused: return .capacity
        case .impossible:
            guard let inMemory = beginInMemory(tail, for: priority) else { return .memoryFull }
            begun = inMemory
        }
        let old = tail.segment
        let isEmpty = old.header.firstSequence == tail.sequence
        let end = tail.offset
        old.seal(at: end)
        tail.move(to: begun.0, region: begun.1)
        if tail.spares.count < tail.wantedSpares { tail.standing.insert(.sparesLow) }
        let sequence = tail.sequence
        shelf.withLock { shelf in
            shelf.counters.rotations += 1
            if !begun.0.isInMemory { shelf.reservedBytes -= begun.1.byteCount }
            if old.isInMemory { shelf.counters.framesInMemory += sequence &- old.header.firstSequence }
            if isEmpty, let index = shelf.index(of: old) {
                shelf.entries.remove(at: index)
                // A new file of the same first sequence has taken the old one's name.
                if !old.isInMemory && begun.0.isInMemory { remove(old, in: &shelf) }
            }
            shelf.entries.append(Shelf.Entry(segment: begun.0, summary: nil, isSynced: false))
        }
        return nil
    }

    /// Rotates because the header has to change. If that is refused now, no frame may follow in the present segment,
    /// whose header would be wrong for it: the next append tries again, or is dropped.
    func turn(_ tail: inout Tail) {
        if rotate(&tail) != nil { tail.end() }
    }

    private enum Beginning {
        case begun(Segment, Region)
        /// The cap is reached, and the policy keeps the old.
        case refused
        /// The disk cannot be written.
        case impossible
    }

    private func beginOnDisk(_ tail: inout Tail, for priority: FrameFlags) -> Beginning {
        guard let files, tail.diskFailure == nil else { return .impossible }
        do throws(JournalFileError) {
            let name: String
            let region: Region
            if tail.spares.isEmpty {
                let reservation = reserve(options.segmentBytes, evicting: options.policy.evicts(for: priority))
                if reservation == .refused { return .refused }
                // A place that cost older records is not for those that may not cost any.
                if reservation == .evicted, case .dropBelow = options.policy {
                    tail.leastPriority = options.policy.evictingFrom ?? 0
                }
                name = "fresh-" + hexadecimal(tail.sequence) + JournalFiles.temporarySuffix
                shelf.withLock { $0.counters.allocationsByWriter += 1 }
                region = try Region.make(
                    at: files.path(name), byteCount: options.segmentBytes, files: system.files)
            } else {
                (name, region) = tail.spares.removeFirst()
            }
            let segment = inscribe(region, tail)
            do throws(JournalFileError) {
                try system.files.rename(files.path(name), to: files.path(segment.name))
            } catch {
                try? system.files.remove(files.path(name))  // the error that counts is thrown on
                throw error
            }
            // The directory is synced with the next data: until then nothing in the segment is promised to outlive a
            // loss of power.
            shelf.withLock { $0.isDirectoryDirty = true }
            return .begun(segment, region)
        } catch {
            tail.diskFailure = error
            shelf.withLock { shelf in
                shelf.reservedBytes -= options.segmentBytes
                shelf.counters.note(error)
            }
            return .impossible
        }
    }

    private func beginInMemory(_ tail: Tail, for priority: FrameFlags) -> (Segment, Region)? {
        let hasSpace = shelf.withLock { shelf in
            let blocks = shelf.entries.indices.filter { shelf.entries[$0].segment.isInMemory }
            if blocks.count < options.memoryBlocks { return true }
            guard options.policy.evicts(for: priority), let oldest = blocks.first, blocks.count > 1 else {
                return false
            }
            discard(at: oldest, because: .memoryFull, in: &shelf)
            return true
        }
        guard hasSpace else { return nil }
        let region = Region.inMemory(byteCount: options.memoryBlockBytes, files: system.files)
        return (inscribe(region, tail), region)
    }

    /// Writes a new segment's header, and its copy, into a clean region.
    private func inscribe(_ region: Region, _ tail: Tail) -> Segment {
        let header = SegmentHeader(
            stream: identity, salt: system.random(), firstSequence: tail.sequence,
            syncedThrough: shelf.withLock { $0.syncedThrough }, createdWall: system.wallNanoseconds(),
            createdMonotonic: system.monotonicNanoseconds(), boot: system.boot, contextVersion: tail.contextVersion,
            tableVersion: tail.tableVersion, outputs: tail.outputs, context: tail.context)
        let bytes = header.encoded()
        region.write(bytes, at: 0)
        region.write(bytes, at: region.byteCount - bytes.count)
        return Segment(header: header, storage: .region(region))
    }

    /// How space below the cap was had.
    enum Reservation {
        case free
        /// The oldest segments were given up for it.
        case evicted
        case refused
    }

    /// Sets so many bytes below the cap aside for a file that is about to be made; if `evicting`, at the cost of the
    /// oldest segments.
    func reserve(_ bytes: Int, evicting: Bool) -> Reservation {
        shelf.withLock { shelf in
            var reservation = Reservation.free
            while !shelf.hasSpace(for: bytes, below: options.capBytes) {
                guard evicting, let oldest = shelf.entries.dropLast().firstIndex(where: { $0.segment.fileBytes > 0 })
                else { return .refused }
                discard(at: oldest, because: .capacity, in: &shelf)
                reservation = .evicted
            }
            shelf.reservedBytes += bytes
            return reservation
        }
    }

    /// Takes a segment out and removes its file; what outputs had not read of it is counted.
    func discard(at index: Int, because reason: DropReason, in shelf: inout Shelf) {
        let segment = shelf.entries[index].segment
        forget(at: index, because: reason, in: &shelf)
        remove(segment, in: &shelf)
    }

    /// Takes a segment out and leaves its file alone; what outputs had not read of it is counted.
    func forget(at index: Int, because reason: DropReason, in shelf: inout Shelf) {
        let entry = shelf.entries[index]
        let next = shelf.entries.indices.contains(index + 1) ? shelf.entries[index + 1].segment.header : nil
        for (output, cursor) in shelf.cursors {
            let count = pending(of: output, after: cursor.slot.sequence, in: entry, shelf: &shelf)
            guard count > 0 else { continue }
            shelf.counters.drop(count, of: output, reason)
            shelf.losses.append(
                JournalLoss(
                    output: output, reason: reason,
                    after: max(cursor.slot.sequence, entry.segment.header.firstSequence &- 1),
                    through: next.map { $0.firstSequence &- 1 } ?? .max, count: count))
        }
        shelf.entries.remove(at: index)
    }

    /// Removes a segment's file, if it has one. Its bytes stay readable for who still holds the segment.
    func remove(_ segment: Segment, in shelf: inout Shelf) {
        guard let files, !segment.isInMemory else { return }
        do throws(JournalFileError) {
            try system.files.remove(files.path(segment.name))
            shelf.isDirectoryDirty = true
        } catch {
            shelf.counters.note(error)
        }
    }
}
