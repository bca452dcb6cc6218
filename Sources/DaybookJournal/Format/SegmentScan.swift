/// Reads every frame of a segment that is no longer written to, over holes and damage, and sums up what is there.
struct SegmentScan {
    /// A place without valid frames, behind which valid ones follow.
    struct Hole: Equatable, Sendable {
        let offset: Int
        let end: Int
        /// The sequences of the frames that stood there: (after, before).
        let after: UInt64
        let before: UInt64

        /// Frames lost here.
        var lostFrames: UInt64 { before - after - 1 }
    }

    private(set) var summary: SegmentSummary
    private(set) var holes: [Hole] = []
    /// Whether the bytes behind the last frame were begun and never finished.
    private(set) var hasTornTail = false

    /// Scans from the first frame up to the limit of `bytes`.
    init(_ bytes: FrameBytes, header: SegmentHeader, visit: (Frame, UnsafeRawBufferPointer) -> Void = { _, _ in }) {
        summary = SegmentSummary(of: header)
        var offset = bytes.framesOffset
        while true {
            var found: Frame?
            var isTorn = false
            switch bytes.content(at: offset) {
            case .frame(let frame) where frame.sequence > summary.lastSequence:
                found = frame
            case .empty: break
            case .frame, .invalid: isTorn = true
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
