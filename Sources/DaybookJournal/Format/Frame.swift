import CChecksum
import CThreads
import DaybookBase

/// A frame's header, and its place in the segment.
package struct Frame: Sendable {
    package var offset: Int
    /// Header and payload, without the padding.
    let length: Int
    package let sequence: UInt64
    package let mask: UInt64
    package let flags: FrameFlags
    let tableVersion: UInt16
    package let contextVersion: UInt32

    /// Trusts the bytes: the caller has checked them.
    init(header start: UnsafeRawPointer, length: Int, at offset: Int) {
        self.offset = offset
        self.length = length
        sequence = start.load(fromByteOffset: FrameLayout.sequenceOffset, as: UInt64.self)
        mask = start.load(fromByteOffset: FrameLayout.maskOffset, as: UInt64.self)
        flags = FrameFlags(rawValue: start.load(fromByteOffset: FrameLayout.flagsOffset, as: UInt16.self))
        tableVersion = start.load(fromByteOffset: FrameLayout.tableOffset, as: UInt16.self)
        contextVersion = start.load(fromByteOffset: FrameLayout.contextOffset, as: UInt32.self)
    }

    var end: Int { FrameLayout.aligned(offset + length) }
    package var payloadBytes: Int { length - FrameLayout.headerBytes }

    /// The watermark in a sync mark; `nil` if the payload is too short.
    func syncedThrough(_ payload: UnsafeRawBufferPointer) -> UInt64? {
        var input = ByteReader(payload)
        return input.take(UInt64.self)
    }
}

/// The frames of one segment or ring, in a copy of its file. The memory must outlive the value.
package struct FrameBytes {
    let base: UnsafeRawPointer
    let framesOffset: Int
    let limit: Int
    let firstSequence: UInt64
    let seed: UInt32
    /// How far above `firstSequence` a sequence may be in a ring, which is overwritten; `nil` for a segment.
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
        /// The length is zero: no frame was published here, or it is lost.
        case empty
        /// No frame of this segment.
        case invalid
    }

    /// What is at a 64-byte boundary.
    func content(at offset: Int) -> Content {
        guard limit - offset >= FrameLayout.headerBytes else { return .empty }
        let start = base + offset
        let length = Int(clamping: start.publishedLength)
        guard length != 0 else { return .empty }
        guard length >= FrameLayout.headerBytes, length <= limit - offset else { return .invalid }
        let sequence = start.load(fromByteOffset: FrameLayout.sequenceOffset, as: UInt64.self)
        // A segment holds at most one frame per 64 bytes. This cheap test avoids most checksums in the search behind
        // damage.
        guard sequence &- firstSequence <= farthest(at: offset) else { return .invalid }
        let crc = FrameLayout.masked(daybook_crc32c_frame(seed, start, UInt32(length)))
        guard crc == start.load(fromByteOffset: FrameLayout.crcOffset, as: UInt32.self) else { return .invalid }
        return .frame(Frame(header: start, length: length, at: offset))
    }

    private func farthest(at offset: Int) -> UInt64 { span ?? UInt64(offset / FrameLayout.alignment) }

    /// The word where a frame's length would be.
    func length(at offset: Int) -> Int {
        limit - offset >= FrameLayout.headerBytes ? Int(clamping: (base + offset).publishedLength) : 0
    }

    /// The next valid frame after a damaged one, with a sequence above `last`.
    func nextFrame(after offset: Int, above last: UInt64) -> Frame? {
        var offset = offset + FrameLayout.alignment
        while limit - offset >= FrameLayout.headerBytes {
            if case .frame(let frame) = content(at: offset), frame.sequence > last { return frame }
            offset += FrameLayout.alignment
        }
        return nil
    }

    func isHeader(at offset: Int) -> Bool {
        limit - offset >= 8 && (base + offset).loadUnaligned(as: UInt64.self) == SegmentHeader.magic.littleEndian
    }

    func payload(of frame: Frame) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + frame.offset + FrameLayout.headerBytes, count: frame.payloadBytes)
    }
}

/// The kind of a frame. The low byte belongs to the caller, the high byte to the journal.
public struct FrameFlags: BitSet {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A finished record.
    @inlinable public static var record: FrameFlags { FrameFlags(rawValue: 1 << 0) }
    /// The start of a span. Readers see it, but it is never sent, so it never counts as pending or dropped.
    @inlinable public static var spanStart: FrameFlags { FrameFlags(rawValue: 1 << 1) }
    /// The end of a span: makes the span a record.
    @inlinable public static var spanEnd: FrameFlags { FrameFlags(rawValue: 1 << 2) }
    /// How much the frame matters, 0 (the default) to 3, in bits 3 and 4. Other values count as the nearest. See
    /// `JournalOptions.Policy.dropBelow(priority:)`.
    @inlinable
    public static func priority(_ value: Int) -> FrameFlags {
        FrameFlags(rawValue: UInt16(min(max(value, 0), 3)) << 3)
    }
    @inlinable public static var priorityBits: FrameFlags { FrameFlags(rawValue: 0x0018) }
    /// The low byte. The journal stores bits 5 to 7 for the caller without reading them.
    @inlinable public static var callerBits: FrameFlags { FrameFlags(rawValue: 0x00ff) }

    /// Written by `updateContext`; the payload is the new context.
    @inlinable public static var contextChange: FrameFlags { FrameFlags(rawValue: 1 << 8) }
    /// Written after a sync; the payload is the watermark.
    @inlinable public static var syncMark: FrameFlags { FrameFlags(rawValue: 1 << 9) }

    /// Adopted from a dead writer's journal; the payload begins with the frame's origin.
    @inlinable public static var adopted: FrameFlags { FrameFlags(rawValue: 1 << 10) }

    /// The outputs changed; the payload is the new table, and the header has its version.
    @inlinable public static var outputsChange: FrameFlags { FrameFlags(rawValue: 1 << 11) }

    /// The journal's own frames, which readers never see.
    @inlinable public static var journalBits: FrameFlags { FrameFlags(rawValue: 0xfb00) }

    @inlinable public var isJournals: Bool { rawValue & 0xfb00 != 0 }
    @inlinable public var isCounted: Bool { rawValue & (0xfb00 | FrameFlags.spanStart.rawValue) == 0 }
}

/// The stream and sequence under which an adopted frame was first written: its permanent name.
public struct FrameOrigin: Hashable, Sendable {
    public let stream: JournalStream
    public let sequence: UInt64

    static let byteCount = 32

    package init(stream: JournalStream, sequence: UInt64) {
        self.stream = stream
        self.sequence = sequence
    }

    package func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.put(stream.journal)
        out.put(stream.epoch)
        out.put(sequence)
        return out.bytes
    }

    /// Splits an adopted frame's payload into the origin and the rest.
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

/// Offsets of a frame's fields. All integers are little-endian. See docs/formats/journal.md.
@usableFromInline
package enum FrameLayout {
    /// Frames start at multiples of a cache line.
    @inlinable static var alignment: Int { 64 }
    /// `length` u32 · `crc` u32 · `sequence` u64 · `mask` u64 · `flags` u16 · `table` u16 · `context` u32, then payload.
    @inlinable package static var headerBytes: Int { 32 }

    /// In place of a length in the ring: the next frame is at the ring's start.
    static var lapEnd: UInt32 { .max }

    @inlinable static var crcOffset: Int { 4 }
    @inlinable static var sequenceOffset: Int { 8 }
    @inlinable static var maskOffset: Int { 16 }
    @inlinable static var flagsOffset: Int { 24 }
    @inlinable static var tableOffset: Int { 26 }
    @inlinable static var contextOffset: Int { 28 }

    /// The bytes that a frame takes, with header and padding.
    @inlinable
    static func span(payload: Int) -> Int {
        (headerBytes &+ payload &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    @inlinable
    static func aligned(_ bytes: Int) -> Int {
        (bytes &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    /// Checksums are stored rotated and offset, because a checksum over stored checksums would be weak.
    @inlinable
    static func masked(_ crc: UInt32) -> UInt32 {
        ((crc >> 15) | (crc << 17)) &+ 0xa282_ead8
    }

    /// The state from which every frame's checksum continues.
    static func seed(salt: UInt64) -> UInt32 {
        withUnsafeBytes(of: salt.littleEndian) { daybook_crc32c(0, $0.baseAddress, 8) }
    }
}

/// A frame's length word, which a writer publishes and readers watch.
///
/// Sound: the word is aligned, because frames are, and one that another thread may be writing is accessed only here.
extension UnsafeMutableRawPointer {
    @inlinable
    func publishLength(_ length: UInt32) { daybook_store32_release(assumingMemoryBound(to: UInt32.self), length) }

    /// Ends the frames here. The next `publishLength` makes it visible.
    @inlinable
    func clearLength() { daybook_store32_relaxed(assumingMemoryBound(to: UInt32.self), 0) }
}

extension UnsafeRawPointer {
    /// The published length. Everything written before it is visible too.
    @inlinable
    var publishedLength: UInt32 { daybook_load32_acquire(assumingMemoryBound(to: UInt32.self)) }
}
