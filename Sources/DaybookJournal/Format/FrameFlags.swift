/// What a frame is. The low byte belongs to the caller, the high byte to the journal.
public struct FrameFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A finished record.
    @inlinable public static var record: FrameFlags { FrameFlags(rawValue: 1 << 0) }
    /// The start of a span: read like a record, but never counted as pending or dropped, since it is never sent.
    @inlinable public static var spanStart: FrameFlags { FrameFlags(rawValue: 1 << 1) }
    /// The end of a span, which makes the span.
    @inlinable public static var spanEnd: FrameFlags { FrameFlags(rawValue: 1 << 2) }
    /// How much the frame matters, 0 (the default) to 3, in bits 3 and 4; other values count as the nearest. See
    /// `JournalOptions.Policy.dropBelow(priority:)`.
    @inlinable
    public static func priority(_ value: Int) -> FrameFlags {
        FrameFlags(rawValue: UInt16(min(max(value, 0), 3)) << 3)
    }
    @inlinable public static var priorityBits: FrameFlags { FrameFlags(rawValue: 0x0018) }
    /// Bits 5 to 7 are the caller's own; the journal keeps them and gives them back.
    @inlinable public static var callerBits: FrameFlags { FrameFlags(rawValue: 0x00ff) }

    /// Written by `updateContext`: the payload is the whole new context.
    @inlinable public static var contextChange: FrameFlags { FrameFlags(rawValue: 1 << 8) }
    /// Written after a sync: the payload is the sequence through which everything is on stable storage.
    @inlinable public static var syncMark: FrameFlags { FrameFlags(rawValue: 1 << 9) }

    /// Taken over from the journal of a dead writer: the payload begins with the frame's origin.
    @inlinable public static var adopted: FrameFlags { FrameFlags(rawValue: 1 << 10) }

    /// Frames of the journal itself; they are never shown to a reader.
    @inlinable public static var journalBits: FrameFlags { FrameFlags(rawValue: 0xfb00) }

    @inlinable public var isJournals: Bool { rawValue & 0xfb00 != 0 }
    @inlinable public var isCounted: Bool { rawValue & (0xfb00 | FrameFlags.spanStart.rawValue) == 0 }
}
