import DaybookBase

/// What stands in the file of a ring: its newest header, and its good frames in the order of their sequences.
package struct RingScan {
    package let header: SegmentHeader
    package let image: SegmentImage
    /// Offsets count from the file's beginning.
    package private(set) var frames: [Frame] = []

    /// No frame is longer than this part of the ring.
    private static let part = 4
    /// How many frames one launch may have written, in the eyes of who looks for them among other bytes.
    private static let span: UInt64 = 1 << 40

    /// - Returns: `nil` if neither header is good: the ring was left empty, or was never begun.
    package init?(_ image: SegmentImage) {
        let newest = Ring.headers(in: image.bytes).compactMap { $0 }.max { $0.firstSequence < $1.firstSequence }
        guard let header = newest else { return nil }
        self.header = header
        self.image = image
        let bytes = FrameBytes(
            base: image.start, framesOffset: Ring.headerBytes, limit: image.byteCount,
            firstSequence: header.firstSequence, salt: header.salt, span: Self.span)
        let longest = (image.byteCount - Ring.headerBytes) / Self.part + 2 * FrameLayout.alignment
        var offset = bytes.framesOffset
        while offset < image.byteCount {
            if bytes.length(at: offset) <= longest, case .frame(let frame) = bytes.content(at: offset) {
                frames.append(frame)
                offset = frame.end
            } else {
                offset += FrameLayout.alignment
            }
        }
        // A ring that went around has its newest frames at its front: turning it is enough, unless it is damaged. An open
        // waits for this.
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

    /// The frames after a sequence as segments that were never written: each with one table.
    ///
    /// - Parameter state: what held before the first of them, if a segment tells.
    func segments(after sequence: UInt64, state: StreamState?) -> [(header: SegmentHeader, image: SegmentImage)] {
        let missing = frames.filter { $0.sequence > sequence }
        guard let first = missing.first else { return [] }
        let own = StreamState(
            from: header.firstSequence,
            context: JournalContext(stream: header.stream, version: header.contextVersion, bytes: header.context),
            tableVersion: header.tableVersion, outputs: header.outputs)
        // The later of the two that is not later than the frames.
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
            // Whom it was for is told by a table that is lost.
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
