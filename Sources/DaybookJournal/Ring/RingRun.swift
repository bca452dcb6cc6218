import DaybookBase

/// A copy of consecutive frames, which the ring may overwrite meanwhile.
struct RingRun {
    let bytes: [UInt8]
    let start: Int
    let generation: Int
    /// Their outputs and contexts, in order.
    let states: [StreamState]
    let outputs: OutputTable

    /// The most bytes of a copy, unless a single frame is longer.
    private static let mostBytes = 64 << 10

    /// Copies the frames after a sequence, searching from a position.
    init(_ shelf: ShelfContents, from position: Int, after sequence: UInt64, limitFrames: Int, limitBytes: Int) {
        let ring = shelf.ring.ring
        var position = position
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

/// Reads recent frames from the ring instead of the disk.
extension Journal {
    enum RingStep {
        /// Nothing is left.
        case ended
        /// By a limit or by `visit`.
        case stopped
        /// More frames may follow, here or in the segments.
        case wentOn
    }

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
                let length = Int(clamping: start.load(as: UInt32.self))
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
