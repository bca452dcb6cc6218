import DaybookBase

/// A copy of some frames of the ring that follow each other, which may be overwritten meanwhile.
struct RingRun {
    let bytes: [UInt8]
    /// The position of the first byte, in the ring of this generation.
    let start: Int
    let generation: Int
    /// What held for them, in order.
    let states: [StreamState]
    /// The present outputs.
    let outputs: OutputTable

    /// The most bytes that are copied at a time, unless one frame alone is longer.
    private static let mostBytes = 64 << 10

    /// Copies the first frames after a sequence, found from a position on.
    init(_ shelf: ShelfContents, from position: Int, after sequence: UInt64, limitFrames: Int, limitBytes: Int) {
        let ring = shelf.ring.ring
        var position = position
        // To the first frame that is wanted.
        while let frame = ring.frame(at: &position), frame.sequence <= sequence { position = frame.end }
        start = position
        var frames = 0
        var last = sequence
        let lapEnd = (start / ring.capacity + 1) * ring.capacity
        while position < lapEnd, frames < max(limitFrames, 1) {
            let here = position
            guard let frame = ring.frame(at: &position), position == here,
                frames == 0 || frame.end - start <= min(Self.mostBytes, max(limitBytes, 4096))
            else {
                position = here
                break
            }
            frames += 1
            last = frame.sequence
            position = frame.end
        }
        bytes = [UInt8](UnsafeRawBufferPointer(start: ring.address(start), count: position - start))
        generation = shelf.ring.generation
        states = shelf.states.states(from: sequence &+ 1, through: last)
        outputs = shelf.outputs
    }
}

/// Reading from the ring: what was appended lately is not read back from the disk.
extension Journal {
    /// How a read of the ring ended.
    enum RingStep {
        /// There is nothing more.
        case ended
        /// A limit or the visitor stopped it.
        case stopped
        /// There may be more, here or in the segments.
        case wentOn
    }

    /// Visits some frames of the ring.
    func readRing(_ pass: inout ReadPass, _ visit: (FrameView) throws -> Bool) rethrows -> RingStep {
        guard
            let run = shelf.copyRun(
                after: pass.progress.through, limitFrames: pass.limitFrames, limitBytes: pass.limitBytes)
        else { return .wentOn }
        var states = run.states[...]
        var translation: (version: UInt16, translate: MaskTranslation)?
        var position = 0
        var previous = 0
        var isStopped = false
        try run.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            while position < bytes.count {
                let start = base + position
                let length = Int(start.load(as: UInt32.self))
                let frame = Frame(header: start, length: length, at: position)
                previous = position
                position = frame.end
                while let next = states.dropFirst().first, next.from <= frame.sequence { states.removeFirst() }
                guard frame.sequence > pass.progress.through else { continue }
                guard !frame.flags.isJournals, let state = states.first else {
                    pass.progress.through = frame.sequence
                    continue
                }
                if translation?.version != state.tableVersion {
                    translation = (
                        state.tableVersion,
                        MaskTranslation(from: state.outputs, to: run.outputs, backfill: options.backfill)
                    )
                }
                let payload = UnsafeRawBufferPointer(
                    start: start + FrameLayout.headerBytes, count: frame.payloadBytes)
                let mask = translation?.translate(frame.mask) ?? 0
                let step = try pass.take(frame, payload, mask: mask, identity, visit) { (state.context, false) }
                guard step.isTaken else {
                    isStopped = true
                    break
                }
            }
        }
        shelf.put(
            Bookmarks.Bookmark(
                sequence: pass.progress.through,
                place: .ring(generation: run.generation, position: run.start + (isStopped ? previous : position))))
        if isStopped { return .stopped }
        return run.bytes.isEmpty ? .ended : .wentOn
    }
}
