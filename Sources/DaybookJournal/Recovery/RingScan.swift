import DaybookBase

/// A ring file's newest header, and its valid frames by sequence.
package struct RingScan {
    package let header: SegmentHeader
    package let image: SegmentImage
    /// With offsets from the start of the file.
    package private(set) var frames: [Frame] = []

    /// A frame is shorter than this part of the ring: a payload takes a quarter at most, and what was copied from another
    /// journal a little more.
    private static let part = 2
    /// The highest sequence of one launch that a scan accepts, from the header's on.
    private static let span: UInt64 = 1 << 40

    /// - Returns: `nil` if neither header is valid: the ring was closed or never begun.
    package init?(_ image: SegmentImage) {
        let newest = Ring.headers(in: image.bytes).compactMap { $0 }.max { $0.firstSequence < $1.firstSequence }
        guard let header = newest else { return nil }
        self.header = header
        self.image = image
        let bytes = FrameBytes(
            base: image.start, framesOffset: Ring.headerBytes, limit: image.byteCount,
            firstSequence: header.firstSequence, salt: header.salt, span: Self.span)
        let longest = (image.byteCount - Ring.headerBytes) / Self.part
        var offset = bytes.framesOffset
        while offset < image.byteCount {
            if bytes.length(at: offset) <= longest, case .frame(let frame) = bytes.content(at: offset) {
                frames.append(frame)
                offset = frame.end
            } else {
                offset += FrameLayout.alignment
            }
        }
        // In a ring that has wrapped, the newest frames come first. Rotating is faster than sorting, and the open waits
        // for this. Only damage needs sorting.
        if let turn = Self.firstDescent(in: frames) { frames = Array(frames[turn...]) + frames[..<turn] }
        if Self.firstDescent(in: frames) != nil { frames = frames.ordered { $0.sequence < $1.sequence } }
    }

    private static func firstDescent(in frames: [Frame]) -> Int? {
        var last: UInt64 = 0
        for index in frames.indices {
            if frames[index].sequence < last { return index }
            last = frames[index].sequence
        }
        return nil
    }

    /// The frames after a sequence as unwritten segments, one for each table.
    ///
    /// - Parameter state: The last segment's end state, if there is one.
    func segments(after sequence: UInt64, state: StreamState?) -> [(header: SegmentHeader, image: SegmentImage)] {
        let missing = frames.filter { $0.sequence > sequence }
        guard let first = missing.first else { return [] }
        let own = StreamState(
            from: header.firstSequence,
            context: JournalContext(stream: header.stream, version: header.contextVersion, bytes: header.context),
            tableVersion: header.tableVersion, outputs: header.outputs)
        // The later state that still covers the first frame.
        var state = state.map { $0.from > own.from && $0.from <= first.sequence ? $0 : own } ?? own
        var result: [(header: SegmentHeader, image: SegmentImage)] = []
        var bytes: [UInt8] = []
        var front: SegmentHeader?
        func end() {
            if let front { result.append((front, SegmentImage(bytes))) }
            front = nil
        }
        for frame in missing {
            let payload = UnsafeRawBufferPointer(
                start: image.start + frame.offset + FrameLayout.headerBytes, count: frame.payloadBytes)
            var (context, table, version) = (state.context, state.outputs, state.tableVersion)
            if frame.flags.contains(.contextChange) {
                context = JournalContext(stream: header.stream, version: frame.contextVersion, bytes: Array(payload))
            }
            if frame.flags.contains(.outputsChange), let changed = OutputTable(decoding: payload) {
                (table, version) = (changed, frame.tableVersion)
                end()
            }
            state = StreamState(from: frame.sequence, context: context, tableVersion: version, outputs: table)
            // Its table is lost, so its outputs are unknown.
            guard frame.tableVersion == version else { continue }
            if front == nil {
                let begun = SegmentHeader(
                    stream: header.stream, salt: header.salt, firstSequence: frame.sequence,
                    syncedThrough: header.syncedThrough, createdWall: header.createdWall,
                    createdMonotonic: header.createdMonotonic, boot: header.boot, contextVersion: context.version,
                    tableVersion: version, outputs: table, context: context.bytes)
                front = begun
                bytes = begun.front()
            }
            bytes += UnsafeRawBufferPointer(start: image.start + frame.offset, count: frame.length)
            bytes += [UInt8](repeating: 0, count: FrameLayout.aligned(frame.length) - frame.length)
        }
        end()
        return result
    }
}
