/// The summary of an ended segment, written behind the header. With it an open need not scan the segment.
package struct SegmentSeal: Sendable {
    static let magic: UInt32 = 0x4c41_4553  // "SEAL"
    static let byteCount = 64 + 4 * OutputTable.maximumCount
    static let crcOffset = 4

    package var summary: SegmentSummary
    /// Whether the summary is from a recovery, which has already counted what is missing.
    package var isRecovered: Bool

    func encoded(salt: UInt64) -> [UInt8] {
        var out = ByteWriter()
        out.put(Self.magic)
        out.put(UInt32(0))  // the checksum, patched below
        out.put(UInt64(summary.end))
        out.put(summary.lastSequence)
        out.put(summary.frames)
        out.put(summary.counted)
        out.put(summary.syncedThrough)
        out.put(UInt32(isRecovered ? 1 : 0))
        out.pad(to: 64)
        for count in summary.counts { out.put(count) }
        out.patch(
            out.bytes.withUnsafeBytes {
                maskedChecksum(of: $0, leavingOut: Self.crcOffset, continuing: FrameLayout.seed(salt: salt))
            }, at: Self.crcOffset)
        return out.bytes
    }

    package static func decode(_ file: UnsafeRawBufferPointer, header: SegmentHeader) -> SegmentSeal? {
        let offset = header.byteCount
        guard file.count >= offset + byteCount else { return nil }
        let block = UnsafeRawBufferPointer(rebasing: file[offset..<offset + byteCount])
        var input = ByteReader(block)
        let seed = FrameLayout.seed(salt: header.salt)
        guard input.take(UInt32.self) == magic, let crc = input.take(UInt32.self),
            maskedChecksum(of: block, leavingOut: crcOffset, continuing: seed) == crc,
            let end = input.take(UInt64.self), let last = input.take(UInt64.self), let frames = input.take(UInt64.self),
            let counted = input.take(UInt64.self), let synced = input.take(UInt64.self),
            let flags = input.take(UInt32.self), end >= UInt64(header.framesOffset), end <= UInt64(Int32.max),
            synced <= Sequences.highest, last &- (header.firstSequence - 1) <= end / UInt64(FrameLayout.alignment)
        else { return nil }
        var counts = ByteReader(block, at: 64)
        let summary = SegmentSummary(
            end: Int(truncatingIfNeeded: end), lastSequence: last, frames: frames, counted: counted,
            syncedThrough: synced,
            counts: (0..<OutputTable.maximumCount).map { _ in counts.take(UInt32.self) ?? 0 })
        return SegmentSeal(summary: summary, isRecovered: flags & 1 != 0)
    }
}

package struct SegmentSummary: Sendable {
    package var end: Int
    /// One less than the header's first sequence if there is no frame.
    package var lastSequence: UInt64
    /// All frames, including the journal's own.
    package var frames: UInt64 = 0
    package var counted: UInt64 = 0
    /// The highest watermark in the header or a sync mark.
    package var syncedThrough: UInt64
    /// Records by output, with the bits of the segment's table.
    var counts = [UInt32](repeating: 0, count: OutputTable.maximumCount)
    /// The last record of each output, by the same bits. Empty if read from a seal, which lacks it.
    var lasts: [UInt64] = []

    init(of header: SegmentHeader) {
        end = header.framesOffset
        lastSequence = header.firstSequence &- 1
        syncedThrough = header.syncedThrough
        lasts = [UInt64](repeating: 0, count: OutputTable.maximumCount)
    }

    init(
        end: Int, lastSequence: UInt64, frames: UInt64, counted: UInt64, syncedThrough: UInt64, counts: [UInt32]
    ) {
        self.end = end
        self.lastSequence = lastSequence
        self.frames = frames
        self.counted = counted
        self.syncedThrough = syncedThrough
        self.counts = counts
    }

    mutating func add(_ frame: Frame, payload: UnsafeRawBufferPointer) {
        end = frame.end
        lastSequence = frame.sequence
        frames += 1
        if frame.flags.contains(.syncMark), let through = frame.syncedThrough(payload), through <= Sequences.highest {
            syncedThrough = max(syncedThrough, through)
        }
        guard frame.flags.isCounted, frame.mask != 0 else { return }
        counted += 1
        var rest = frame.mask
        while rest != 0 {
            counts[rest.trailingZeroBitCount] &+= 1
            lasts[rest.trailingZeroBitCount] = frame.sequence
            rest &= rest - 1
        }
    }
}

/// Reads every frame of a segment that is not being written, skipping damage, and sums them up.
package struct SegmentScan {
    package struct Hole: Sendable {
        package let offset: Int
        package let end: Int
        /// The sequences of the frames around it.
        package let after: UInt64
        package let before: UInt64
    }

    package private(set) var summary: SegmentSummary
    package private(set) var holes: [Hole] = []
    /// Whether the bytes after the last frame are an unfinished frame.
    package private(set) var hasTornTail = false

    package init(
        _ bytes: FrameBytes, header: SegmentHeader, visit: (Frame, UnsafeRawBufferPointer) -> Void = { _, _ in }
    ) {
        summary = SegmentSummary(of: header)
        var offset = bytes.framesOffset
        while true {
            var found: Frame?
            var isTorn = false
            switch bytes.content(at: offset) {
            case .frame(let frame) where frame.sequence > summary.lastSequence:
                found = frame
            case .empty: break
            // A sealed segment's frames end at a copy of the header.
            case .frame, .invalid: isTorn = !bytes.isHeader(at: offset)
            }
            if found == nil || found.map({ $0.sequence != summary.lastSequence &+ 1 }) == true {
                let next = found ?? bytes.nextFrame(after: offset, above: summary.lastSequence)
                guard let next else {
                    hasTornTail = isTorn
                    return
                }
                holes.append(
                    Hole(offset: offset, end: next.offset, after: summary.lastSequence, before: next.sequence))
                found = next
            }
            guard let frame = found else { return }
            let payload = bytes.payload(of: frame)
            summary.add(frame, payload: payload)
            visit(frame, payload)
            offset = frame.end
        }
    }
}
