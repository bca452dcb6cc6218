import CChecksum
import DaybookBase

/// The end of the ring, where frames are written. Guarded by `end`'s lock.
@usableFromInline
struct Tail: Sendable {
    /// The ring's memory. Sound: `ring` keeps it alive, and only the holder of `end`'s lock writes at or after
    /// `offset`.
    @usableFromInline nonisolated(unsafe) var base: UnsafeMutableRawPointer
    /// Where the next frame starts.
    @usableFromInline var offset = 0
    /// Up to this offset the longest payload fits. -1 while closed, while low priorities are refused, or while frames
    /// are owed, so that every append takes the slow path and only that one checks these.
    @usableFromInline var limit = -1
    /// The next frame's sequence.
    @usableFromInline var sequence: UInt64
    @usableFromInline let maximumPayload: Int
    /// The checksum state after the salt.
    @usableFromInline let seed: UInt32
    @usableFromInline var contextVersion: UInt32 = 1
    @usableFromInline var tableVersion: UInt16 = 1
    /// Set in every append's result: whether this is memory that a kill loses.
    @usableFromInline var standing: Appended.Attention = .none
    @usableFromInline var totalBytes: UInt64 = 0
    /// `totalBytes` when the last sync began.
    @usableFromInline var syncedBytes: UInt64 = 0
    /// From here on the background has work.
    @usableFromInline var dueBytes: UInt64

    // Only for the slow path.
    private(set) var ring: Ring
    /// Names the frames.
    private let stream: JournalStream
    /// The position at which this lap began.
    private var lap = 0
    /// The end of the free room, also while `limit` is -1.
    private var roomLimit: Int
    /// Frames of lower priority are refused; 0 unless the cap was reached.
    var leastPriority: UInt16 = 0 { didSet { setLimit() } }
    /// The journal's own frames that did not fit: they precede the next frame.
    var owed: [OwedFrame] = [] { didSet { setLimit() } }
    var outputs: OutputTable
    var context: [UInt8]
    var isClosed = false { didSet { setLimit() } }
    /// The log's position when the last wait for it timed out.
    var stalledAt: Int?
    /// The first frame that is only in memory.
    var memorySince: UInt64

    init(
        ring: Ring, stream: JournalStream, salt: UInt64, sequence: UInt64, outputs: OutputTable, context: [UInt8],
        options: JournalOptions
    ) {
        self.ring = ring
        self.stream = stream
        base = ring.base
        roomLimit = ring.capacity
        seed = FrameLayout.seed(salt: salt)
        self.sequence = sequence
        maximumPayload = options.maximumFrameBytes
        dueBytes = options.dueBytes
        self.outputs = outputs
        self.context = context
        memorySince = sequence
        if ring.file == nil { standing.insert(.inMemory) }
        setLimit()
    }

    var head: Int { lap + offset }
    /// Frames since the move to memory; 0 in a mapped ring.
    var framesInMemory: UInt64 { standing.contains(.inMemory) ? sequence &- memorySince : 0 }

    /// In force from the next frame on.
    var state: StreamState {
        StreamState(
            from: sequence, context: JournalContext(stream: stream, version: contextVersion, bytes: context),
            tableVersion: tableVersion, outputs: outputs)
    }

    private mutating func setLimit() {
        let isRefusing = leastPriority > 0 || isClosed || !owed.isEmpty
        // Leaves room for the zero length word after the frame.
        limit = isRefusing ? -1 : roomLimit - FrameLayout.span(payload: maximumPayload) - FrameLayout.alignment
    }

    /// Whether a payload of this capacity is allowed and sure to fit.
    @inlinable @inline(__always)
    func hasRoom(_ capacity: Int) -> Bool {
        UInt(bitPattern: capacity) <= UInt(bitPattern: maximumPayload) && offset <= limit
    }

    /// Whether a payload fits, allowed or not.
    func fits(_ count: Int) -> Bool {
        offset + FrameLayout.span(payload: count) + FrameLayout.alignment <= roomLimit
    }

    /// The position up to which the ring must be free for a payload, and whether that is in the next lap.
    func need(for count: Int) -> (end: Int, isNextLap: Bool) {
        let bytes = FrameLayout.span(payload: count) + FrameLayout.alignment
        if offset + bytes <= ring.capacity { return (head + bytes, false) }
        return (lap + ring.capacity + bytes, true)
    }

    /// Takes the free room before the oldest frame, at `start`; in the next lap if `need` says so. The caller checked
    /// that it suffices.
    mutating func extend(start: Int, isNextLap: Bool) {
        if isNextLap {
            ring.base.clearLength()
            (base + offset).publishLength(FrameLayout.lapEnd)
            lap += ring.capacity
            offset = 0
        }
        roomLimit = min(ring.capacity, start + ring.capacity - lap)
        setLimit()
    }

    /// Continues in another ring, after the `offset` bytes copied there.
    mutating func move(to ring: Ring, offset: Int) {
        if standing.contains(.inMemory), ring.file != nil { standing.remove(.inMemory) }
        if ring.file == nil, !standing.contains(.inMemory) {
            standing.insert(.inMemory)
            memorySince = sequence
        }
        self.ring = ring
        base = ring.base
        lap = 0
        self.offset = offset
        roomLimit = ring.capacity
        stalledAt = nil
        setLimit()
    }

    /// Writes one frame, which must fit. The length is published last, after zeroing the next frame's: a reader, or the
    /// next launch, sees the whole frame or none.
    @inlinable @inline(__always)
    mutating func write(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        let frame = base + offset
        let count = body(UnsafeMutableRawBufferPointer(start: frame + FrameLayout.headerBytes, count: capacity))
        // As unsigned, a negative count is too large.
        guard UInt(bitPattern: count) <= UInt(bitPattern: capacity) else { return nothing }
        frame.storeBytes(of: sequence, toByteOffset: FrameLayout.sequenceOffset, as: UInt64.self)
        frame.storeBytes(of: mask, toByteOffset: FrameLayout.maskOffset, as: UInt64.self)
        frame.storeBytes(of: flags.rawValue, toByteOffset: FrameLayout.flagsOffset, as: UInt16.self)
        frame.storeBytes(of: tableVersion, toByteOffset: FrameLayout.tableOffset, as: UInt16.self)
        frame.storeBytes(of: contextVersion, toByteOffset: FrameLayout.contextOffset, as: UInt32.self)
        let length = UInt32(truncatingIfNeeded: FrameLayout.headerBytes &+ count)
        let crc = FrameLayout.masked(daybook_crc32c_frame(seed, frame, length))
        frame.storeBytes(of: crc, toByteOffset: FrameLayout.crcOffset, as: UInt32.self)
        let span = FrameLayout.span(payload: count)
        (frame + span).clearLength()
        frame.publishLength(length)

        var attention = standing
        if totalBytes == syncedBytes { attention.insert(.firstSinceSync) }
        totalBytes &+= UInt64(truncatingIfNeeded: span)
        if totalBytes >= dueBytes { attention.insert(.workDue) }
        offset &+= span
        defer { sequence &+= 1 }
        return Appended(sequence: sequence, totalBytes: totalBytes, attention: attention)
    }

    @inlinable
    var nothing: Appended { Appended(sequence: 0, totalBytes: totalBytes, attention: standing) }
}

/// A change that could not be written when it was made.
enum OwedFrame: Sendable {
    case outputs, context
}
