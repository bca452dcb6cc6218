import DaybookBase

extension Journal {
    /// Appends one frame, and returns when it would survive the death of the process.
    ///
    /// - Parameters:
    ///   - mask: the outputs the frame is for, one bit each, by their place in the present list of outputs.
    ///   - flags: the caller's bits; the journal's own are ignored.
    ///   - capacity: an upper bound of the payload, in bytes. Over `JournalOptions.maximumFrameBytes` the frame is
    ///     dropped and counted.
    ///   - body: writes the payload into the buffer, and returns how much it wrote. A negative result gives the frame
    ///     up: nothing is appended or counted. It runs under the journal's lock, so it must be short, and must not
    ///     call the journal.
    ///
    /// Never crashes, and never waits for a disk that fails: the ring is bounded, and what it has no room for is dropped by
    /// the policy. Only a ring that fills while the log is being written makes it wait, a quarter of a second at most, and
    /// without a lock.
    @inlinable @inline(__always)
    @discardableResult
    public func append(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        end.append(mask: mask, flags: flags, capacity: capacity, body)
    }

    /// Appends a payload that is already encoded.
    @discardableResult
    public func append(mask: UInt64, flags: FrameFlags, payload: [UInt8]) -> Appended {
        append(mask: mask, flags: flags, capacity: payload.count) { buffer in
            buffer.copyBytes(from: payload)
            return payload.count
        }
    }

    /// Makes these bytes the context of all later frames, in this launch and behind a restart of reading.
    ///
    /// - Returns: the new context's version; the present one's if the bytes are the same, or if they are longer than
    ///   a sixteenth of a segment or 16 KiB (that is counted).
    @discardableResult
    public func updateContext(_ bytes: [UInt8]) -> UInt32 { end.updateContext(bytes) }

    /// Makes these the outputs of all later frames. New outputs start with what is appended from now on (or, by
    /// `JournalOptions.backfill`, with what there is); those that are gone keep their place. Outputs after the 64th get
    /// nothing.
    public func updateOutputs(_ outputs: [String]) { end.updateOutputs(OutputTable(outputs)) }

    /// Appends frames in order, each under its own context, and goes back to the present one. Readers see the contexts
    /// as if they had been the journal's at that time. A context over the limit of this journal is left out. For the
    /// background: it writes the log as the ring fills.
    ///
    /// - Parameter extra: what may come on top of the longest payload, in bytes: at most a sixteenth of a segment.
    /// - Returns: how many were appended; the others are counted as dropped.
    @discardableResult
    public func append(_ copies: [FrameCopy], beyond extra: Int = 0) -> Int {
        var rest = copies[...]
        var count = 0
        while !rest.isEmpty { count += end.append(&rest, beyond: extra) }
        return count
    }
}

/// What became of one append, and what the caller needs to decide whether to wake the drain.
public struct Appended: Sendable {
    public struct Attention: BitSet {
        public let rawValue: UInt32

        @inlinable
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The first bytes since the last sync: a timer for the next is needed.
        @inlinable public static var firstSinceSync: Attention { Attention(rawValue: 2) }
        /// So much waits for the disk (`JournalOptions.syncBytes`, or a quarter of the ring) that `housekeep()` should
        /// run.
        @inlinable public static var workDue: Attention { Attention(rawValue: 4) }
        /// The frame is in memory alone: a kill loses it.
        @inlinable public static var inMemory: Attention { Attention(rawValue: 8) }
    }

    /// The frame's sequence, counting from 1; 0 if it was dropped (and counted) or its body gave it up.
    public let sequence: UInt64
    /// Bytes appended since the open, this frame and all padding included.
    public let totalBytes: UInt64
    public let attention: Attention

    @inlinable
    init(sequence: UInt64, totalBytes: UInt64, attention: Attention) {
        self.sequence = sequence
        self.totalBytes = totalBytes
        self.attention = attention
    }

    /// Whether there is no frame.
    @inlinable public var isDropped: Bool { sequence == 0 }
}

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
