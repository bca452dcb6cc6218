import CChecksum

/// The header of one frame, and where it stands in its segment.
struct Frame: Equatable, Sendable {
    let offset: Int
    /// Header and payload, without the padding.
    let length: Int
    let sequence: UInt64
    let mask: UInt64
    let flags: FrameFlags
    let tableVersion: UInt16
    let contextVersion: UInt32

    /// Where the next frame starts.
    var end: Int { FrameLayout.aligned(offset + length) }
    var payloadBytes: Int { length - FrameLayout.headerBytes }

    /// What a sync mark says; `nil` if its payload is too short.
    func syncedThrough(_ payload: UnsafeRawBufferPointer) -> UInt64? {
        var input = ByteReader(payload)
        return input.take(UInt64.self)
    }
}

/// The frames of one segment as they lie in memory: a live mapping, or what was read from a file.
///
/// The memory must outlive the value. Of a live mapping, only bytes behind a published length are read.
struct FrameBytes {
    let base: UnsafeRawPointer
    let framesOffset: Int
    /// No frame reaches beyond this offset.
    let limit: Int
    let firstSequence: UInt64
    let seed: UInt32

    init(base: UnsafeRawPointer, header: SegmentHeader, limit: Int) {
        self.base = base
        framesOffset = header.framesOffset
        self.limit = limit
        firstSequence = header.firstSequence
        seed = FrameLayout.seed(salt: header.salt)
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
        let length = Int(start.lengthWord.pointee.load(ordering: .acquiring))
        guard length != 0 else { return .empty }
        guard length >= FrameLayout.headerBytes, length <= limit - offset else { return .invalid }
        let sequence = start.load(fromByteOffset: FrameLayout.sequenceOffset, as: UInt64.self)
        // A segment holds at most one frame per 64 bytes, so a sequence far off is none of its own. This cheap test
        // spares nearly every checksum when looking for the next frame behind damage.
        guard sequence &- firstSequence <= UInt64(offset / FrameLayout.alignment) else { return .invalid }
        let crc = FrameLayout.masked(daybook_crc32c_frame(seed, start, UInt32(length)))
        guard crc == start.load(fromByteOffset: FrameLayout.crcOffset, as: UInt32.self) else { return .invalid }
        return .frame(
            Frame(
                offset: offset, length: length, sequence: sequence,
                mask: start.load(fromByteOffset: FrameLayout.maskOffset, as: UInt64.self),
                flags: FrameFlags(rawValue: start.load(fromByteOffset: FrameLayout.flagsOffset, as: UInt16.self)),
                tableVersion: start.load(fromByteOffset: FrameLayout.tableOffset, as: UInt16.self),
                contextVersion: start.load(fromByteOffset: FrameLayout.contextOffset, as: UInt32.self)))
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

    func payload(of frame: Frame) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + frame.offset + FrameLayout.headerBytes, count: frame.payloadBytes)
    }
}
