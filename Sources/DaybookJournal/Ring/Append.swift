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
    /// Never crashes, and never waits for a disk that fails: the ring is bounded, and what it has no room for is dropped by
    /// the policy. Only a ring that fills while the log is being written makes it wait, a quarter of a second at most, and
    /// without a lock.
    @inlinable @inline(__always)
    @discardableResult
    public func append(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        let tail = tail.lock()
        defer { self.tail.unlock() }
        if !tail.pointee.hasRoom(capacity), let answer = lookForRoom(capacity, mask: mask, flags: flags) {
            return answer
        }
        return tail.pointee.write(mask: mask, flags: flags.intersection(.callerBits), capacity: capacity, body)
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
                shelf.count { $0.refusedContexts += 1 }
                return tail.contextVersion
            }
            change(&tail, to: bytes)
            return tail.contextVersion
        }
    }

    /// Makes these the outputs of all later frames. New outputs start with what is appended from now on (or, by
    /// `JournalOptions.backfill`, with what there is); those that are gone keep their place. Outputs after the 64th get
    /// nothing.
    public func updateOutputs(_ outputs: [String]) {
        let table = OutputTable(outputs)
        let head = tail.withLock { tail -> UInt64? in
            guard table != tail.outputs, !tail.isClosed else { return nil }
            tail.outputs = table
            tail.tableVersion &+= 1
            owe(.outputs, &tail)
            return tail.sequence &- 1
        }
        if let head { shelf.adopt(table, head: head) }
    }

    /// Begins a new context. The caller holds the hot lock, and has checked the length.
    private func change(_ tail: inout Tail, to context: [UInt8]) {
        tail.context = context
        tail.contextVersion &+= 1
        owe(.context, &tail)
    }

    /// Writes a frame of the journal's own, now or before the next frame. It waits for nobody.
    private func owe(_ frame: OwedFrame, _ tail: inout Tail) {
        // The later change of one kind says what the earlier one did, too.
        tail.owed = tail.owed.filter { $0 != frame } + [frame]
        _ = payDebts(mayWait: true, &tail)
    }

    /// Writes what is owed.
    private func payDebts(mayWait: Bool, _ tail: inout Tail) -> Room {
        while let owed = tail.owed.first {
            let payload = owed == .outputs ? tail.outputs.encoded() : tail.context
            let room = clear(payload.count, for: .priorityBits, mayWait: mayWait, &tail)
            guard case .found = room else { return room }
            beginState(tail)
            let flags: FrameFlags = owed == .outputs ? .outputsChange : .contextChange
            _ = tail.write(mask: 0, flags: flags, capacity: payload.count) { buffer in
                buffer.copyBytes(from: payload)
                return payload.count
            }
            tail.owed.removeFirst()
        }
        return .found
    }

    /// Notes what holds from the next frame on.
    func beginState(_ tail: Tail) {
        let context = JournalContext(stream: identity, version: tail.contextVersion, bytes: tail.context)
        shelf.begin(
            StreamState(from: tail.sequence, context: context, tableVersion: tail.tableVersion, outputs: tail.outputs))
    }
}

/// What became of one append, and what the caller needs to decide whether to wake the drain.
public struct Appended: Sendable {
    public struct Attention: BitSet {
        public let rawValue: UInt32

        @inlinable
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The first bytes since the last sync: a timer for the next is needed.
        @inlinable public static var firstSinceSync: Attention { Attention(rawValue: 2) }
        /// So much waits for the disk (`JournalOptions.syncBytes`, or a quarter of the ring) that `housekeep()` should
        /// run.
        @inlinable public static var workDue: Attention { Attention(rawValue: 4) }
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
    /// as if they had been the journal's at that time. A context over the limit of this journal is left out. For the
    /// background: it writes the log as the ring fills.
    ///
    /// - Parameter extra: what may come on top of the longest payload, in bytes: at most a sixteenth of a segment.
    /// - Returns: how many were appended; the others are counted as dropped.
    @discardableResult
    public func append(_ copies: [FrameCopy], beyond extra: Int = 0) -> Int {
        var rest = copies[...]
        var count = 0
        while !rest.isEmpty {
            count += append(&rest, beyond: extra) { _ in true }
        }
        return count
    }

    /// The same for as many of the first frames as are sure to find room, as long as `isWanted`. Returns how many of them
    /// were appended.
    func append(_ copies: inout ArraySlice<FrameCopy>, beyond extra: Int, while isWanted: (Tail) -> Bool) -> Int {
        let extra = min(extra, options.segmentBytes / 16)
        var looks = 0
        while true {
            writeOut()
            let count = tail.withLock { tail -> Int? in
                guard isWanted(tail) else { return 0 }
                let before = copies.count
                let count = append(&copies, beyond: extra, mayWait: looks < Self.looks, in: &tail)
                return copies.count < before ? count : nil
            }
            if let count { return count }
            pause(after: looks)
            looks += 1
        }
    }

    /// The same for who holds the hot lock: takes those out of `copies` that were appended or dropped, until one would have
    /// to wait.
    private func append(
        _ copies: inout ArraySlice<FrameCopy>, beyond extra: Int, mayWait: Bool, in tail: inout Tail
    ) -> Int {
        let own = tail.context
        defer { if tail.context != own, !tail.isClosed { change(&tail, to: own) } }
        var (count, bytes) = (0, 0)
        while let copy = copies.first, bytes < options.ringBytes / 4 {
            bytes += copy.payload.count + copy.context.count + 4 * FrameLayout.alignment
            // A context over the limit can only come from other options.
            let context = copy.context.count <= options.maximumContextBytes ? copy.context : []
            if context != tail.context, !tail.isClosed { change(&tail, to: context) }
            let flags = copy.flags.intersection(.callerBits.union(.adopted))
            let counted = flags.isCounted ? copy.mask : 0
            switch makeRoom(
                for: copy.payload.count, mask: counted, flags: flags, beyond: extra, mayWait: mayWait, in: &tail)
            {
            case .notYet: return count
            case .none: break
            case .found:
                _ = tail.write(mask: copy.mask, flags: flags, capacity: copy.payload.count) { buffer in
                    buffer.copyBytes(from: copy.payload)
                    return copy.payload.count
                }
                count += 1
            }
            copies.removeFirst()
        }
        return count
    }
}

/// What became of a look for room in the ring.
private enum Room {
    case found
    /// The log is about to make some.
    case notYet
    case none(DropReason)
}

extension Journal {
    /// How often an append looks for room, and how long it waits before it looks again, in nanoseconds: together about a
    /// quarter of a second at most, and once only as long as the log does not move. To make a file, the log may have to wait
    /// for the file system's own journal, which a sync holds up.
    private static let looks = 3000
    private static let pause: UInt64 = 20_000
    /// Whoever writes the log is mostly done with a run within so many looks, between which the caller stays awake.
    private static let wakefulLooks = 20
    private static let wakefulPause: UInt64 = 5_000

    /// Between two looks. No lock is held: whoever is to make the room may need it.
    private func pause(after looks: Int) { system.pause(looks < Self.wakefulLooks ? Self.wakefulPause : Self.pause) }

    /// The slow path of an append. Returns its answer, unless there is room now. The caller holds the hot lock, which is
    /// given back while it waits.
    @usableFromInline
    @inline(never)
    func lookForRoom(_ capacity: Int, mask: UInt64, flags: FrameFlags) -> Appended? {
        // What is not a record is not counted as a lost one.
        let counted = flags.isCounted ? mask : 0
        var looks = 0
        while true {
            let tail = tail.value
            switch makeRoom(
                for: capacity, mask: counted, flags: flags, mayWait: looks < Self.looks, in: &tail.pointee)
            {
            case .found: return nil
            case .none: return tail.pointee.nothing
            case .notYet: break
            }
            self.tail.unlock()
            pause(after: looks)
            looks += 1
            _ = self.tail.lock()
        }
    }

    /// Finds room in the ring, or counts the drop. `extra` is what may come on top of the longest payload.
    private func makeRoom(
        for capacity: Int, mask: UInt64, flags: FrameFlags, beyond extra: Int = 0, mayWait: Bool, in tail: inout Tail
    ) -> Room {
        let priority = flags.intersection(.priorityBits)
        var room: Room
        if tail.isClosed {
            room = .none(.closed)
        } else if capacity < 0 || capacity > tail.maximumPayload + extra {
            room = .none(.oversized)
        } else if priority.rawValue < tail.leastPriority {
            room = .none(.capacity)
        } else {
            if tail.leastPriority > 0 { isUrgent.store(true, ordering: .releasing) }
            room = payDebts(mayWait: mayWait, &tail)
            if case .found = room { room = clear(capacity, for: priority, mayWait: mayWait, &tail) }
        }
        if case .none(let refusal) = room { shelf.refuse(mask, of: tail.outputs, because: refusal) }
        return room
    }

    /// Makes room for a payload: over what the log has; else helps the log with one bounded write after another; else, where
    /// it need not wait any longer for whoever is at it, gives up the oldest frames, if the policy allows it. Never makes a
    /// file. The caller holds the hot lock.
    private func clear(_ count: Int, for priority: FrameFlags, mayWait: Bool, _ tail: inout Tail) -> Room {
        if tail.fits(count) { return .found }
        let need = tail.need(for: count)
        let capacity = tail.ring.capacity
        while true {
            let (start, written) = shelf.release(before: need.end - capacity)
            if let start {
                tail.extend(start: start, isNextLap: need.isNextLap)
                return .found
            }
            switch log.writeRunIfIdle() {
            case .wrote:
                continue
            case .none, .needsSegment:
                if mayWait, tail.stalledAt != written { return .notYet }
                tail.stalledAt = written
            case .refused, .failed, .upToDate:
                break
            }
            guard options.policy.evicts(for: priority), evict(tail) else {
                return .none(shelf.isAtCap ? .capacity : .memoryFull)
            }
        }
    }

    /// Gives up an eighth of the ring, from the first frame that the log lacks. Returns whether it could: not while that
    /// frame is being written.
    private func evict(_ tail: Tail) -> Bool {
        log.endIfIdle {
            if let header = shelf.dropOldest(upTo: tail.head) { tail.ring.write(header) }
        }
    }
}
