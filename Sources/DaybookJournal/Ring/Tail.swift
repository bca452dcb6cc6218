import CChecksum
import DaybookBase

/// The end of the journal, where frames are written. Lives inside the journal's hot `Mutex`.
@usableFromInline
struct Tail: Sendable {
    /// The ring's memory. Sound: `ring` keeps it alive, and only the holder of the journal's mutex writes behind
    /// `offset`.
    @usableFromInline nonisolated(unsafe) var base: UnsafeMutableRawPointer
    /// Where the next frame starts.
    @usableFromInline var offset = 0
    /// Up to here a frame of the longest payload finds room; -1 once closed, while frames of low priority are refused, and
    /// while the journal owes frames of its own, so that every append takes the slow path and only that one looks at these.
    @usableFromInline var limit = -1
    /// The next frame's sequence.
    @usableFromInline var sequence: UInt64
    @usableFromInline let maximumPayload: Int
    /// The checksum state after the salt.
    @usableFromInline let seed: UInt32
    @usableFromInline var contextVersion: UInt32 = 1
    @usableFromInline var tableVersion: UInt16 = 1
    /// What every append tells: whether this is memory that a kill takes.
    @usableFromInline var standing: Appended.Attention = .none
    @usableFromInline var totalBytes: UInt64 = 0
    /// `totalBytes` when the last sync began.
    @usableFromInline var syncedBytes: UInt64 = 0
    /// From these total bytes on there is something to do in the background.
    @usableFromInline var dueBytes: UInt64

    // The rest is for the slow path alone.
    private(set) var ring: Ring
    /// Names the frames.
    private let stream: JournalStream
    /// The position of the ring's beginning in this lap.
    private var lap = 0
    /// What `limit` is while nothing is refused.
    private var roomLimit: Int
    /// Frames whose priority bits are less are refused; 0 unless the cap was met.
    var leastPriority: UInt16 = 0 { didSet { setLimit() } }
    /// Frames of the journal that there was no room for: they come before the next frame.
    var owed: [OwedFrame] = [] { didSet { setLimit() } }
    var outputs: OutputTable
    var context: [UInt8]
    var isClosed = false { didSet { setLimit() } }
    /// Where the log was when a wait for it was in vain.
    var stalledAt: Int?
    /// The first frame that is in memory alone.
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

    /// Where the next frame will be.
    var head: Int { lap + offset }
    /// Frames in plain memory since the ring there was begun; 0 in a mapped one.
    var framesInMemory: UInt64 { standing.contains(.inMemory) ? sequence &- memorySince : 0 }

    /// What holds from the next frame on.
    var state: StreamState {
        StreamState(
            from: sequence, context: JournalContext(stream: stream, version: contextVersion, bytes: context),
            tableVersion: tableVersion, outputs: outputs)
    }

    private mutating func setLimit() {
        let isRefusing = leastPriority > 0 || isClosed || !owed.isEmpty
        // A zero length word comes behind it.
        limit = isRefusing ? -1 : roomLimit - FrameLayout.span(payload: maximumPayload) - FrameLayout.alignment
    }

    /// Whether a payload of this capacity is allowed, and sure to fit.
    @inlinable @inline(__always)
    func hasRoom(_ capacity: Int) -> Bool {
        UInt(bitPattern: capacity) <= UInt(bitPattern: maximumPayload) && offset <= limit
    }

    /// Whether a payload fits, allowed or not.
    func fits(_ count: Int) -> Bool {
        offset + FrameLayout.span(payload: count) + FrameLayout.alignment <= roomLimit
    }

    /// Up to which position the ring must be free for a payload, and whether it goes to the next lap.
    func need(for count: Int) -> (end: Int, isNextLap: Bool) {
        let bytes = FrameLayout.span(payload: count) + FrameLayout.alignment
        if offset + bytes <= ring.capacity { return (head + bytes, false) }
        return (lap + ring.capacity + bytes, true)
    }

    /// Takes the room that is free before `start`, where the oldest frame is; in the next lap if `need` says so. There
    /// is enough.
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

    /// Goes on at the beginning of another ring, behind what was copied there.
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

    /// Writes one frame; there is room. The length comes last, after the next frame's length was zeroed: a reader, or
    /// the next launch, sees the whole frame or none.
    @inlinable @inline(__always)
    mutating func write(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        let frame = base + offset
        let count = body(UnsafeMutableRawBufferPointer(start: frame + FrameLayout.headerBytes, count: capacity))
        // A negative count is a large one here.
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

    /// The answer when no frame was written.
    @inlinable
    var nothing: Appended { Appended(sequence: 0, totalBytes: totalBytes, attention: standing) }
}

/// A change of the outputs or of the context that could not be written when it happened.
enum OwedFrame: Sendable {
    case outputs, context
}
