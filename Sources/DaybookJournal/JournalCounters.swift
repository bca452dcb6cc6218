import DaybookBase

/// Why frames were lost before they were delivered.
public enum DropReason: String, CaseIterable, Sendable {
    /// The journal had reached its byte cap.
    case capacity
    /// The disk could not be written, or not as fast as records came, and the ring was full.
    case memoryFull
    /// The frame was longer than the longest allowed.
    case oversized
    /// The bytes on disk were damaged, or somebody removed the file.
    case corrupt
    /// The output was gone for more than seven days.
    case outputRemoved
    /// It was older than `JournalOptions.maximumAge`.
    case expired
    /// The journal had been closed.
    case closed
    /// While this process was suspended, another one took the directory over; it has them, and delivers them.
    case takenOver
}

/// What a journal has done since it was opened. A snapshot; the numbers only grow.
public struct JournalCounters: Sendable {
    /// Frames and bytes appended, the journal's own frames and the padding included.
    public internal(set) var appendedFrames: UInt64 = 0
    public internal(set) var appendedBytes: UInt64 = 0
    /// Frames that were appended to plain memory, since the directory could not be used: a kill would have lost them.
    public internal(set) var framesInMemory: UInt64 = 0
    /// Lost records by reason, then by output.
    public internal(set) var drops: [DropReason: [String: UInt64]] = [:]
    /// Of those that went for the cap, by output, the records that were refused because their priority was low.
    public internal(set) var lowPriorityDrops: [String: UInt64] = [:]
    /// Records taken over from the journals of dead writers.
    public internal(set) var adoptedFrames: UInt64 = 0
    /// Segments found at the open, and frames that count as records in them.
    public internal(set) var recoveredSegments: UInt64 = 0
    public internal(set) var recoveredFrames: UInt64 = 0
    /// Segments whose last frame had been begun and not finished.
    public internal(set) var tornTails: UInt64 = 0
    /// Frames that were missing above the sync mark: what a loss of power may take.
    public internal(set) var lostFrames: UInt64 = 0
    /// Frames that were missing or damaged below the sync mark: the disk broke its word.
    public internal(set) var corruptFrames: UInt64 = 0
    /// Segments whose header was unreadable, and which were put aside.
    public internal(set) var setAsideSegments: UInt64 = 0
    /// Segments whose header was read from its copy.
    public internal(set) var repairedHeaders: UInt64 = 0
    /// Frames read whose context could not be found.
    public internal(set) var contextUnknownFrames: UInt64 = 0
    /// Contexts that were too long, and were not taken.
    public internal(set) var refusedContexts: UInt64 = 0
    /// Cursors whose both slots were damaged, or whose file was missing: the output gets its records again.
    public internal(set) var lostCursors: UInt64 = 0
    /// Cursors that pointed beyond the data.
    public internal(set) var clampedCursors: UInt64 = 0
    /// Segments that were ended, so that another was or will be begun.
    public internal(set) var rotations: UInt64 = 0
    public internal(set) var syncs: UInt64 = 0
    /// File operations that the system refused.
    public internal(set) var failedOperations: [FileOperation: UInt64] = [:]
    /// Segments written anew to another file after a failed sync, or written from what an earlier launch left in its ring.
    public internal(set) var rewrittenSegments: UInt64 = 0
    /// Files that somebody removed, moved or replaced while they were open, and which were written anew.
    public internal(set) var replacedFiles: UInt64 = 0

    public init() {}

    /// All lost records of an output.
    public func dropped(for output: String) -> UInt64 {
        drops.values.reduce(0) { $0 + ($1[output] ?? 0) }
    }

    /// Lost records of all outputs, by reason.
    public func dropped(because reason: DropReason) -> UInt64 {
        (drops[reason] ?? [:]).values.reduce(0, +)
    }

    mutating func drop(_ count: UInt64, of output: String, _ reason: DropReason) {
        if count > 0 { drops[reason, default: [:]][output, default: 0] += count }
    }

    mutating func note(_ failure: JournalFileError) {
        failedOperations[failure.operation, default: 0] += 1
    }
}

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
    public func takeLosses() -> (drops: [DropReason: [String: UInt64]], losses: [JournalLoss]) { shelf.takeLosses() }

    /// The id under which an output is found in counters and losses.
    public static func storedID(of output: String) -> String { OutputTable.storedID(output) }
}
