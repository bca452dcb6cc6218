import Synchronization

/// Frames of one output that went with a segment: by the cap, or because the memory that stood in for the disk was full.
public struct JournalLoss: Sendable, Equatable {
    /// The output's id, as the journal stores it.
    public let output: String
    /// Why the segment went.
    public let reason: DropReason
    /// The frames lie after this sequence …
    public let after: UInt64
    /// … up to and with this one.
    public let through: UInt64
    /// How many there were. A reader may have had some of them already, though its cursor had not passed them.
    public let count: UInt64

    package init(output: String, reason: DropReason, after: UInt64, through: UInt64, count: UInt64) {
        self.output = output
        self.reason = reason
        self.after = after
        self.through = through
        self.count = count
    }
}

extension Journal {
    /// All drops so far by reason and output, and the segments that went since this was asked last: both of one moment.
    public func takeLosses() -> (drops: [DropReason: [String: UInt64]], losses: [JournalLoss]) {
        shelf.withLock { shelf in
            defer { shelf.losses = [] }
            return (shelf.counters.drops, shelf.losses)
        }
    }

    /// The id under which an output is found in counters and losses.
    public static func storedID(of output: String) -> String { OutputTable.storedID(output) }
}
