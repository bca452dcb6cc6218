import CChecksum
import CThreads
import DaybookBase

/// The header of one frame, and where it stands in its segment.
package struct Frame: Sendable {
    package var offset: Int
    /// Header and payload, without the padding.
    let length: Int
    package let sequence: UInt64
    package let mask: UInt64
    package let flags: FrameFlags
    let tableVersion: UInt16
    package let contextVersion: UInt32

    /// A frame whose bytes are known to be good.
    init(header start: UnsafeRawPointer, length: Int, at offset: Int) {
        self.offset = offset
        self.length = length
        sequence = start.load(fromByteOffset: FrameLayout.sequenceOffset, as: UInt64.self)
        mask = start.load(fromByteOffset: FrameLayout.maskOffset, as: UInt64.self)
        flags = FrameFlags(rawValue: start.load(fromByteOffset: FrameLayout.flagsOffset, as: UInt16.self))
        tableVersion = start.load(fromByteOffset: FrameLayout.tableOffset, as: UInt16.self)
        contextVersion = start.load(fromByteOffset: FrameLayout.contextOffset, as: UInt32.self)
    }

    /// Where the next frame starts.
    var end: Int { FrameLayout.aligned(offset + length) }
    package var payloadBytes: Int { length - FrameLayout.headerBytes }

    /// What a sync mark says; `nil` if its payload is too short.
    func syncedThrough(_ payload: UnsafeRawBufferPointer) -> UInt64? {
        var input = ByteReader(payload)
        return input.take(UInt64.self)
    }
}

/// The frames of one segment as they lie in memory: a live mapping, or what was read from a file.
///
/// The memory must outlive the value. Of a live mapping, only bytes behind a published length are read.
package struct FrameBytes {
    let base: UnsafeRawPointer
    let framesOffset: Int
    /// No frame reaches beyond this offset.
    let limit: Int
    let firstSequence: UInt64
    let seed: UInt32
    /// How far sequences go in a ring, which is written over and over.
    private let span: UInt64?

    package init(base: UnsafeRawPointer, header: SegmentHeader, limit: Int) {
        self.init(
            base: base, framesOffset: header.framesOffset, limit: limit, firstSequence: header.firstSequence,
            salt: header.salt)
    }

    init(
        base: UnsafeRawPointer, framesOffset: Int, limit: Int, firstSequence: UInt64, salt: UInt64, span: UInt64? = nil
    ) {
        self.base = base
        self.framesOffset = framesOffset
        self.limit = limit
        self.firstSequence = firstSequence
        self.span = span
        seed = FrameLayout.seed(salt: salt)
    }

    enum Content {
        case frame(Frame)
        /// The length is zero: nothing was published here, or what was is lost.
        case empty
        /// Bytes that are no frame of this segment.
        case invalid
    }

    /// What stands at a 64-byte boundary.
    func content(at offset: Int) -> Content {
        guard limit - offset >= FrameLayout.headerBytes else { return .empty }
        let start = base + offset
        let length = Int(start.publishedLength)
        guard length != 0 else { return .empty }
        guard length >= FrameLayout.headerBytes, length <= limit - offset else { return .invalid }
        let sequence = start.load(fromByteOffset: FrameLayout.sequenceOffset, as: UInt64.self)
        // A segment holds at most one frame per 64 bytes, so a sequence far off is none of its own. This cheap test
        // spares nearly every checksum when looking for the next frame behind damage.
        guard sequence &- firstSequence <= farthest(at: offset) else { return .invalid }
        let crc = FrameLayout.masked(daybook_crc32c_frame(seed, start, UInt32(length)))
        guard crc == start.load(fromByteOffset: FrameLayout.crcOffset, as: UInt32.self) else { return .invalid }
        return .frame(Frame(header: start, length: length, at: offset))
    }

    /// How much higher than the first sequence the one of a frame here can be.
    private func farthest(at offset: Int) -> UInt64 { span ?? UInt64(offset / FrameLayout.alignment) }

    /// What stands where a frame's length would.
    func length(at offset: Int) -> Int {
        limit - offset >= FrameLayout.headerBytes ? Int((base + offset).publishedLength) : 0
    }

    /// The next valid frame behind a damaged place, at a later boundary, with a sequence above `last`.
    func nextFrame(after offset: Int, above last: UInt64) -> Frame? {
        var offset = offset + FrameLayout.alignment
        while limit - offset >= FrameLayout.headerBytes {
            if case .frame(let frame) = content(at: offset), frame.sequence > last { return frame }
            offset += FrameLayout.alignment
        }
        return nil
    }

    /// Whether a copy of a header stands here.
    func isHeader(at offset: Int) -> Bool {
        limit - offset >= 8 && (base + offset).loadUnaligned(as: UInt64.self) == SegmentHeader.magic.littleEndian
    }

    func payload(of frame: Frame) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + frame.offset + FrameLayout.headerBytes, count: frame.payloadBytes)
    }
}

/// What a frame is. The low byte belongs to the caller, the high byte to the journal.
public struct FrameFlags: BitSet {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A finished record.
    @inlinable public static var record: FrameFlags { FrameFlags(rawValue: 1 << 0) }
    /// The start of a span: read like a record, but never counted as pending or dropped, since it is never sent.
    @inlinable public static var spanStart: FrameFlags { FrameFlags(rawValue: 1 << 1) }
    /// The end of a span, which makes the span.
    @inlinable public static var spanEnd: FrameFlags { FrameFlags(rawValue: 1 << 2) }
    /// How much the frame matters, 0 (the default) to 3, in bits 3 and 4; other values count as the nearest. See
    /// `JournalOptions.Policy.dropBelow(priority:)`.
    @inlinable
    public static func priority(_ value: Int) -> FrameFlags {
        FrameFlags(rawValue: UInt16(min(max(value, 0), 3)) << 3)
    }
    @inlinable public static var priorityBits: FrameFlags { FrameFlags(rawValue: 0x0018) }
    /// Bits 5 to 7 are the caller's own; the journal keeps them and gives them back.
    @inlinable public static var callerBits: FrameFlags { FrameFlags(rawValue: 0x00ff) }

    /// Written by `updateContext`: the payload is the whole new context.
    @inlinable public static var contextChange: FrameFlags { FrameFlags(rawValue: 1 << 8) }
    /// Written after a sync: the payload is the sequence through which everything is on stable storage.
    @inlinable public static var syncMark: FrameFlags { FrameFlags(rawValue: 1 << 9) }

    /// Taken over from the journal of a dead writer: the payload begins with the frame's origin.
    @inlinable public static var adopted: FrameFlags { FrameFlags(rawValue: 1 << 10) }

    /// The outputs changed: the payload is the whole new table, the table version the new one.
    @inlinable public static var outputsChange: FrameFlags { FrameFlags(rawValue: 1 << 11) }

    /// Frames of the journal itself; they are never shown to a reader.
    @inlinable public static var journalBits: FrameFlags { FrameFlags(rawValue: 0xfb00) }

    @inlinable public var isJournals: Bool { rawValue & 0xfb00 != 0 }
    @inlinable public var isCounted: Bool { rawValue & (0xfb00 | FrameFlags.spanStart.rawValue) == 0 }
}

/// Where a frame stood before this journal took it over from a dead writer's: its name for life.
public struct FrameOrigin: Hashable, Sendable {
    public let stream: JournalStream
    public let sequence: UInt64

    static let byteCount = 32

    package init(stream: JournalStream, sequence: UInt64) {
        self.stream = stream
        self.sequence = sequence
    }

    /// What an `adopted` frame's payload begins with.
    package func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(stream.journal)
        out.put(stream.epoch)
        out.put(sequence)
        return out.bytes
    }

    /// The origin at the front of an adopted frame's payload, and the payload behind it.
    package static func split(_ payload: UnsafeRawBufferPointer, _ flags: FrameFlags)
        -> (origin: FrameOrigin?, payload: UnsafeRawBufferPointer)
    {
        var input = ByteReader(payload)
        guard flags.contains(.adopted), let journal = input.takeID(), let epoch = input.take(UInt64.self),
            let sequence = input.take(UInt64.self)
        else { return (nil, payload) }
        let origin = FrameOrigin(stream: JournalStream(journal: journal, epoch: epoch), sequence: sequence)
        return (origin, UnsafeRawBufferPointer(rebasing: payload[byteCount...]))
    }
}

/// Where the fields of a frame stand. All integers are little-endian. See docs/formats/journal.md.
@usableFromInline
package enum FrameLayout {
    /// Frames start at multiples of this: a cache line, so that two writers' stores do not meet in one.
    @inlinable static var alignment: Int { 64 }
    /// `length` u32 · `crc` u32 · `sequence` u64 · `mask` u64 · `flags` u16 · `table` u16 · `context` u32, then payload.
    @inlinable package static var headerBytes: Int { 32 }

    /// Stands in the ring where a length would, and says that the next frame is at the ring's beginning.
    static var lapEnd: UInt32 { .max }

    @inlinable static var crcOffset: Int { 4 }
    @inlinable static var sequenceOffset: Int { 8 }
    @inlinable static var maskOffset: Int { 16 }
    @inlinable static var flagsOffset: Int { 24 }
    @inlinable static var tableOffset: Int { 26 }
    @inlinable static var contextOffset: Int { 28 }

    /// The bytes that a frame of this payload takes in the segment.
    @inlinable
    static func span(payload: Int) -> Int {
        (headerBytes &+ payload &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    @inlinable
    static func aligned(_ bytes: Int) -> Int {
        (bytes &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    /// A stored checksum is rotated and offset, so that a checksum over bytes that hold checksums stays strong.
    @inlinable
    static func masked(_ crc: UInt32) -> UInt32 {
        ((crc >> 15) | (crc << 17)) &+ 0xa282_ead8
    }

    /// The checksum state after the segment's salt: what every frame of the segment continues from.
    static func seed(salt: UInt64) -> UInt32 {
        withUnsafeBytes(of: salt.littleEndian) { daybook_crc32c(0, $0.baseAddress, 8) }
    }
}

/// A frame's length word, which a writer publishes and readers watch.
///
/// Sound because the word is 4-byte aligned (frames are 64-byte aligned), and every access to a length word of live memory
/// goes through here.
extension UnsafeMutableRawPointer {
    @inlinable
    func publishLength(_ length: UInt32) { daybook_store32_release(assumingMemoryBound(to: UInt32.self), length) }

    /// Says that no frame starts here yet; told to others by the length that is published next.
    @inlinable
    func clearLength() { daybook_store32_relaxed(assumingMemoryBound(to: UInt32.self), 0) }
}

extension UnsafeRawPointer {
    /// The published length, and with it all that was written before it was.
    @inlinable
    var publishedLength: UInt32 { daybook_load32_acquire(assumingMemoryBound(to: UInt32.self)) }
}
