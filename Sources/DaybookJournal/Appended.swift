/// What became of one append, and what the caller needs to decide whether to wake the drain.
@frozen
public struct Appended: Sendable {
    public struct Attention: OptionSet, Sendable {
        public let rawValue: UInt32

        @inlinable
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Fewer spare segments are ready than wanted: `housekeep()` makes more.
        @inlinable public static var sparesLow: Attention { Attention(rawValue: 1) }
        /// The first bytes since the last sync: a timer for the next is needed.
        @inlinable public static var firstSinceSync: Attention { Attention(rawValue: 2) }
        /// As many bytes wait for a sync as `JournalOptions.syncBytes`.
        @inlinable public static var syncDue: Attention { Attention(rawValue: 4) }
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
