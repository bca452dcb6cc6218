import DaybookBase

/// Where frames are appended, and how they find room in the ring.
///
/// Thread-safe: its lock guards the tail, and is taken after `upkeep`'s, before `log`'s and `shelf`'s. An append waits
/// for room without it.
@usableFromInline
struct RingEnd: ~Copyable, Sendable {
    @usableFromInline let tail: Mutex<Tail>
    private let shelf: Shelf
    private let log: LogWriter
    private let options: JournalOptions
    private let system: JournalSystem
    /// Whether a frame that may evict older ones waits for the log.
    private let isUrgent = Atomic(false)

    init(_ tail: sending Tail, _ shelf: Shelf, _ log: LogWriter, _ options: JournalOptions, _ system: JournalSystem) {
        shelf.begin(tail.state)
        self.tail = Mutex(tail)
        self.shelf = shelf
        self.log = log
        self.options = options
        self.system = system
    }

    /// Appends one frame; see `Journal.append`.
    @inlinable @inline(__always)
    func append(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        let tail = tail.lock()
        defer { self.tail.unlock() }
        if !tail.pointee.hasRoom(capacity), let answer = lookForRoom(capacity, mask: mask, flags: flags) {
            return answer
        }
        return tail.pointee.write(mask: mask, flags: flags.intersection(.callerBits), capacity: capacity, body)
    }

    // MARK: State

    var isClosed: Bool { tail.withLock { $0.isClosed } }
    /// Whether frames go to memory.
    var isInMemory: Bool { tail.withLock { $0.standing.contains(.inMemory) } }
    var outputs: OutputTable { tail.withLock { $0.outputs } }
    /// The next frame's position.
    var head: Int { tail.withLock { $0.head } }
    /// The last frame's sequence, and all bytes appended.
    var progress: (sequence: UInt64, bytes: UInt64) { tail.withLock { ($0.sequence &- 1, $0.totalBytes) } }
    /// Bytes not yet synced, and whether writing the log is due.
    var unsynced: (bytes: UInt64, isDue: Bool) {
        tail.withLock { ($0.totalBytes &- $0.syncedBytes, $0.totalBytes >= $0.dueBytes) }
    }
    /// Frames since the move to memory; 0 in a mapped ring.
    var framesInMemory: UInt64 { tail.withLock { $0.framesInMemory } }

    // MARK: Changes

    /// Refuses later frames. Returns whether it was open.
    @discardableResult
    func close() -> Bool {
        tail.withLock { tail in
            defer { tail.isClosed = true }
            return !tail.isClosed
        }
    }

    /// Admits all priorities again.
    func admitAll() {
        guard case .dropBelow = options.policy else { return }
        tail.withLock { $0.leastPriority = 0 }
    }

    /// Continues in another ring, with a copy of the frames that the log lacks.
    func move(to ring: Ring) {
        tail.withLock { tail in
            if ring.file != nil {
                let frames = tail.framesInMemory
                shelf.count { $0.framesInMemory += frames }
            }
            log.whileIdle { _ in tail.move(to: ring, offset: shelf.move(to: ring)) }
        }
    }

    /// Copies everything appended before the call to the log; `upToDate` on success. For the background only: it
    /// creates files.
    @discardableResult
    func writeOut() -> WriteStep {
        let (step, hasEvicted) = log.writeAll(
            evicting: options.policy == .dropOldest || isUrgent.load(ordering: .acquiring))
        tail.withLock { tail in
            tail.dueBytes = tail.totalBytes &+ options.dueBytes
            guard case .dropBelow = options.policy else { return }
            // Space made by eviction is not for frames that may not evict.
            if step == .refused || hasEvicted { tail.leastPriority = options.policy.evictingFrom ?? 0 }
            if step == .upToDate { isUrgent.store(false, ordering: .relaxed) }
        }
        return step
    }

    /// Writes the watermark. Its own bytes count as synced; otherwise each sync would make the next one due.
    func markSync(through: UInt64, bytes: UInt64) {
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
            tail.dueBytes = synced &+ options.dueBytes
        }
    }

    /// Returns the current context's version.
    func updateContext(_ bytes: [UInt8]) -> UInt32 {
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

    /// A new output starts at the head, or with backfill at the beginning.
    func updateOutputs(_ table: OutputTable) {
        let head = tail.withLock { tail -> UInt64? in
            guard table != tail.outputs, !tail.isClosed else { return nil }
            tail.outputs = table
            tail.tableVersion &+= 1
            owe(.outputs, &tail)
            return tail.sequence &- 1
        }
        if let head { shelf.adopt(table, head: head) }
    }

    /// The caller holds `end`'s lock and has checked the length.
    private func change(_ tail: inout Tail, to context: [UInt8]) {
        tail.context = context
        tail.contextVersion &+= 1
        owe(.context, &tail)
    }

    /// Writes one of the journal's own frames, now or before the next frame. Does not wait.
    private func owe(_ frame: OwedFrame, _ tail: inout Tail) {
        // A later change of the same kind replaces the earlier one.
        tail.owed = tail.owed.filter { $0 != frame } + [frame]
        _ = payDebts(mayWait: true, &tail)
    }

    private func payDebts(mayWait: Bool, _ tail: inout Tail) -> Room {
        while let owed = tail.owed.first {
            let payload = owed == .outputs ? tail.outputs.encoded() : tail.context
            let room = clear(payload.count, for: .priorityBits, mayWait: mayWait, &tail)
            guard case .found = room else { return room }
            shelf.begin(tail.state)
            let flags: FrameFlags = owed == .outputs ? .outputsChange : .contextChange
            _ = tail.write(mask: 0, flags: flags, capacity: payload.count) { buffer in
                buffer.copyBytes(from: payload)
                return payload.count
            }
            tail.owed.removeFirst()
        }
        return .found
    }

    // MARK: Copies

    /// Appends the first frames that fit, each under its own context, while `isWanted`. Writes the log as the ring
    /// fills. Returns how many were appended.
    func append(
        _ copies: inout ArraySlice<FrameCopy>, beyond extra: Int, while isWanted: (Tail) -> Bool = { _ in true }
    ) -> Int {
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

    /// Same, with `end`'s lock held. Removes appended and dropped frames from `copies`, until one would have to wait.
    private func append(
        _ copies: inout ArraySlice<FrameCopy>, beyond extra: Int, mayWait: Bool, in tail: inout Tail
    ) -> Int {
        let own = tail.context
        defer { if tail.context != own, !tail.isClosed { change(&tail, to: own) } }
        var (count, bytes) = (0, 0)
        while let copy = copies.first, bytes < options.ringBytes / 4 {
            bytes += copy.payload.count + copy.context.count + 4 * FrameLayout.alignment
            // A longer context can only come from other options.
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

/// The result of looking for room in the ring.
private enum Room {
    case found
    /// The log may soon make some.
    case notYet
    case none(DropReason)
}

extension RingEnd {
    /// How often an append looks for room, and the nanoseconds between looks; with the system's timers about a quarter
    /// of a second in all. Only the first append waits while the log stands still. The log may need that long to create
    /// a file, if a sync holds up the file system's own journal.
    private static let looks = 3000
    private static let pause: UInt64 = 20_000
    /// Most runs are written within this many looks, during which the thread stays awake.
    private static let wakefulLooks = 20
    private static let wakefulPause: UInt64 = 5_000

    /// Waits between two looks, without a lock, since making room may need it.
    private func pause(after looks: Int) { system.pause(looks < Self.wakefulLooks ? Self.wakefulPause : Self.pause) }

    /// The slow path of an append; `nil` if there is room now. The caller holds `end`'s lock, which is released while
    /// waiting.
    @usableFromInline
    @inline(never)
    func lookForRoom(_ capacity: Int, mask: UInt64, flags: FrameFlags) -> Appended? {
        // Only records count as lost.
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

    /// Finds room in the ring, or counts the drop. `extra` is allowed beyond the longest payload.
    private func makeRoom(
        for capacity: Int, mask: UInt64, flags: FrameFlags, beyond extra: Int = 0, mayWait: Bool, in tail: inout Tail
    ) -> Room {
        let priority = flags.intersection(.priorityBits)
        let isLow = priority.rawValue < tail.leastPriority
        var room: Room
        if tail.isClosed {
            room = .none(.closed)
        } else if capacity < 0 || capacity > tail.maximumPayload + extra {
            room = .none(.oversized)
        } else if isLow {
            room = .none(.capacity)
        } else {
            if tail.leastPriority > 0 { isUrgent.store(true, ordering: .releasing) }
            room = payDebts(mayWait: mayWait, &tail)
            if case .found = room { room = clear(capacity, for: priority, mayWait: mayWait, &tail) }
        }
        if case .none(let refusal) = room {
            shelf.refuse(mask, of: tail.outputs, because: refusal, isLowPriority: isLow && refusal == .capacity)
        }
        return room
    }

    /// Makes room for a payload. First releases what the log has; then helps the log with bounded writes; then, if it
    /// may not wait, evicts the oldest frames if the policy allows. Never creates a file. The caller holds `end`'s
    /// lock.
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

    /// Drops an eighth of the ring, from the first frame that the log lacks; `false` while another thread writes it.
    private func evict(_ tail: Tail) -> Bool {
        log.endIfIdle {
            if let header = shelf.dropOldest(upTo: tail.head) { tail.ring.write(header) }
        }
    }
}
