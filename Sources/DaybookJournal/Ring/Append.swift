import DaybookBase

extension Journal {
    /// Appends one frame. When it returns, the frame survives the death of the process.
    ///
    /// - Parameters:
    ///   - mask: The outputs the frame is for, one bit each, by position in the current list.
    ///   - flags: The caller's bits; the journal's own are ignored.
    ///   - capacity: An upper bound of the payload, in bytes. Over `JournalOptions.maximumFrameBytes` the frame is
    ///     dropped and counted.
    ///   - body: Writes the payload into the buffer, and returns its size. With a negative result nothing is appended
    ///     or counted. It runs under a lock, so it must be short and must not call the journal.
    ///
    /// Never crashes, and never waits for a failing disk: the ring is bounded, and the policy decides what is dropped.
    /// It waits only if the ring fills while the log is being written: a quarter of a second at most, without a lock.
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

    /// Sets the context of all later frames. Readers in later launches see it too.
    ///
    /// - Returns: The current context's version. It stays if the bytes are equal, or longer than a sixteenth of a
    ///   segment or 16 KiB (which is counted).
    @discardableResult
    public func updateContext(_ bytes: [UInt8]) -> UInt32 { end.updateContext(bytes) }

    /// Sets the outputs of all later frames. New outputs start with later frames (or, by `JournalOptions.backfill`,
    /// with all that are stored). Removed ones keep their position. Outputs after the 64th get nothing.
    public func updateOutputs(_ outputs: [String]) { end.updateOutputs(OutputTable(outputs)) }

    /// Appends frames in order, each under its own context, and then restores the current one. Readers see these
    /// contexts as the journal's own. A context over this journal's limit is left out. For the background: it writes
    /// the log as the ring fills.
    ///
    /// - Parameter extra: Bytes allowed beyond the longest payload; at most a sixteenth of a segment.
    /// - Returns: How many were appended; the others are counted as dropped.
    @discardableResult
    public func append(_ copies: [FrameCopy], beyond extra: Int = 0) -> Int {
        var rest = copies[...]
        var count = 0
        while !rest.isEmpty { count += end.append(&rest, beyond: extra) }
        return count
    }
}

/// The result of an append, and whether to wake the drain.
public struct Appended: Sendable {
    public struct Attention: BitSet {
        public let rawValue: UInt32

        @inlinable
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The first bytes since the last sync: start a timer for the next.
        @inlinable public static var firstSinceSync: Attention { Attention(rawValue: 2) }
        /// `housekeep()` should run: enough is unwritten (`JournalOptions.syncBytes`, or a quarter of the ring).
        @inlinable public static var workDue: Attention { Attention(rawValue: 4) }
        /// The frame is only in memory; a kill loses it.
        @inlinable public static var inMemory: Attention { Attention(rawValue: 8) }
    }

    /// The frame's sequence, from 1; 0 if it was dropped (and counted) or its body gave up.
    public let sequence: UInt64
    /// Bytes appended since the open, including this frame and padding.
    public let totalBytes: UInt64
    public let attention: Attention

    @inlinable
    init(sequence: UInt64, totalBytes: UInt64, attention: Attention) {
        self.sequence = sequence
        self.totalBytes = totalBytes
        self.attention = attention
    }

    /// Whether no frame was appended.
    @inlinable public var isDropped: Bool { sequence == 0 }
}

/// A frame to append under a context other than the current one.
public struct FrameCopy: Sendable {
    /// The outputs it is for, by position in the current list.
    public let mask: UInt64
    /// The caller's bits, and `adopted` if the payload begins with the frame's origin.
    public let flags: FrameFlags
    /// Its own context.
    public let context: [UInt8]
    public let payload: [UInt8]

    public init(mask: UInt64, flags: FrameFlags, context: [UInt8], payload: [UInt8]) {
        self.mask = mask
        self.flags = flags
        self.context = context
        self.payload = payload
    }
}
