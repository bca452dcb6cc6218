import CChecksum
import DaybookBase

/// The end of the journal, where frames are written. Lives inside the journal's hot `Mutex`.
@usableFromInline
struct Tail: Sendable {
    /// The current segment's memory. Sound: `segment` keeps it alive, and only the holder of the journal's mutex writes
    /// behind `offset`.
    @usableFromInline nonisolated(unsafe) var base: UnsafeMutableRawPointer
    /// Where the next frame starts.
    @usableFromInline var offset: Int
    /// Frames end at least one length word below this; 0 once closed, and while frames of low priority are refused, so
    /// that every append takes the slow path and only that one looks at priorities.
    @usableFromInline var limit: Int
    /// The next frame's sequence.
    @usableFromInline var sequence: UInt64
    @usableFromInline let maximumPayload: Int
    /// Frames whose priority bits are less are refused; 0 unless the cap was met.
    var leastPriority: UInt16 = 0 {
        didSet { limit = leastPriority > 0 || isClosed ? 0 : segmentLimit }
    }
    /// What `limit` is while nothing is refused.
    private var segmentLimit: Int
    /// The checksum state after the segment's salt.
    @usableFromInline var seed: UInt32
    @usableFromInline var contextVersion: UInt32 = 1
    @usableFromInline var tableVersion: UInt16 = 1
    /// What every append tells: whether spares are low, and whether this is memory.
    @usableFromInline var standing: Appended.Attention = []
    @usableFromInline var totalBytes: UInt64 = 0
    /// `totalBytes` when the last sync began.
    @usableFromInline var syncedBytes: UInt64 = 0
    @usableFromInline let syncBytes: UInt64

    // The rest is for rotation alone.
    var segment: Segment
    var spares: [(name: String, region: Region)] = []
    /// Spares to keep ready, by what was used lately.
    var wantedSpares: Int
    var outputs: OutputTable
    var context: [UInt8]
    /// While set, the disk is left alone, until housekeeping could write it again.
    var diskFailure: JournalFileError?
    var isClosed = false

    init(
        segment: Segment, region: Region, sequence: UInt64, outputs: OutputTable, context: [UInt8],
        options: JournalOptions
    ) {
        self.segment = segment
        base = region.base
        offset = segment.header.framesOffset
        segmentLimit = segment.header.framesLimit(fileBytes: region.byteCount)
        limit = segmentLimit
        seed = FrameLayout.seed(salt: segment.header.salt)
        self.sequence = sequence
        maximumPayload = options.maximumFrameBytes
        syncBytes = UInt64(options.syncBytes)
        wantedSpares = options.idleSpares
        self.outputs = outputs
        self.context = context
        if region.file == nil { standing.insert(.inMemory) }
    }

    /// Makes another segment the current one. The caller has sealed the old one.
    mutating func move(to segment: Segment, region: Region) {
        self.segment = segment
        base = region.base
        offset = segment.header.framesOffset
        segmentLimit = segment.header.framesLimit(fileBytes: region.byteCount)
        limit = leastPriority > 0 ? 0 : segmentLimit
        seed = FrameLayout.seed(salt: segment.header.salt)
        if region.file == nil { standing.insert(.inMemory) } else { standing.remove(.inMemory) }
    }

    /// Whether a payload of this capacity is allowed, and fits with a zero length word behind it.
    @inlinable
    func hasRoom(_ capacity: Int) -> Bool {
        UInt(bitPattern: capacity) <= UInt(bitPattern: maximumPayload)
            && offset &+ FrameLayout.span(payload: capacity) &+ FrameLayout.alignment <= limit
    }

    /// Whether a payload fits, allowed or not.
    func fits(_ count: Int) -> Bool {
        offset + FrameLayout.span(payload: count) + FrameLayout.alignment <= segmentLimit
    }

    /// Takes no more frames in this segment.
    mutating func end() {
        segmentLimit = offset
        limit = offset
    }

    /// Writes one frame; there is room. The length comes last, after the next frame's length was zeroed: a reader, or
    /// the next launch, sees the whole frame or none.
    @inlinable
    mutating func write(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        let frame = base + offset
        let count = body(UnsafeMutableRawBufferPointer(start: frame + FrameLayout.headerBytes, count: capacity))
        guard count >= 0, count <= capacity else { return nothing }
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
        if totalBytes &- syncedBytes >= syncBytes { attention.insert(.syncDue) }
        offset &+= span
        defer { sequence &+= 1 }
        return Appended(sequence: sequence, totalBytes: totalBytes, attention: attention)
    }

    /// The answer when no frame was written.
    @inlinable
    var nothing: Appended { Appended(sequence: 0, totalBytes: totalBytes, attention: standing) }
}
