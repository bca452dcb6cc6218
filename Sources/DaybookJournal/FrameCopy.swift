/// A frame that is appended under the context of another time than the present one.
public struct FrameCopy: Sendable {
    /// The outputs it is for, by their place in the present list.
    public let mask: UInt64
    /// The caller's bits, and whether the payload begins with the frame's origin (`adopted`).
    public let flags: FrameFlags
    /// What was in force when it was made.
    public let context: [UInt8]
    public let payload: [UInt8]

    public init(mask: UInt64, flags: FrameFlags, context: [UInt8], payload: [UInt8]) {
        self.mask = mask
        self.flags = flags
        self.context = context
        self.payload = payload
    }
}

extension Journal {
    /// Appends frames in order, each under its own context, and goes back to the present one. Readers see the contexts
    /// as if they had been the journal's at that time. A context over the limit of this journal is left out.
    ///
    /// - Parameter extra: what may come on top of the longest payload, in bytes: at most a sixteenth of a segment.
    /// - Returns: how many were appended; the others are counted as dropped.
    @discardableResult
    public func append(_ copies: [FrameCopy], beyond extra: Int = 0) -> Int {
        tail.withLock { append(copies, beyond: min(extra, options.segmentBytes / 16), in: &$0) }
    }

    /// The same for who holds the hot lock.
    func append(_ copies: [FrameCopy], beyond extra: Int, in tail: inout Tail) -> Int {
        let own = tail.context
        var count = 0
        for copy in copies {
            // A context over the limit can only come from other options.
            let context = copy.context.count <= options.maximumContextBytes ? copy.context : []
            if context != tail.context, !tail.isClosed { change(&tail, to: context) }
            let flags = copy.flags.intersection([.callerBits, .adopted])
            let counted = flags.isCounted ? copy.mask : 0
            guard makeRoom(for: copy.payload.count, mask: counted, flags: flags, beyond: extra, in: &tail) else {
                continue
            }
            _ = tail.write(mask: copy.mask, flags: flags, capacity: copy.payload.count) { buffer in
                buffer.copyBytes(from: copy.payload)
                return copy.payload.count
            }
            count += 1
        }
        if tail.context != own, !tail.isClosed { change(&tail, to: own) }
        return count
    }
}
