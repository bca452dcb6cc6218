import DaybookBase

/// Why records were lost before delivery.
public enum DropReason: String, CaseIterable, Sendable {
    case capacity
    /// The ring was full: the disk failed, or was slower than the records came.
    case memoryFull
    /// The frame was over `JournalOptions.maximumFrameBytes`.
    case oversized
    /// The bytes on disk were damaged, or the file was removed.
    case corrupt
    /// The output was absent for more than seven days.
    case outputRemoved
    /// It was older than `JournalOptions.maximumAge`.
    case expired
    /// The journal was closed.
    case closed
    /// Another process took the directory over. It has the records and delivers them.
    case takenOver
}

/// What a journal has done since it was opened: a snapshot of numbers that only grow.
public struct JournalCounters: Sendable {
    /// Including the journal's own frames and the padding.
    public internal(set) var appendedFrames: UInt64 = 0
    public internal(set) var appendedBytes: UInt64 = 0
    /// Frames appended to plain memory, which a kill would have lost.
    public internal(set) var framesInMemory: UInt64 = 0
    /// Lost records by reason, then by output.
    public internal(set) var drops: [DropReason: [String: UInt64]] = [:]
    /// Of those with reason `capacity`, the records refused under `dropBelow`, by output.
    public internal(set) var lowPriorityDrops: [String: UInt64] = [:]
    /// Records adopted from dead writers' journals.
    public internal(set) var adoptedFrames: UInt64 = 0
    /// Segments found at the open, and their records.
    public internal(set) var recoveredSegments: UInt64 = 0
    public internal(set) var recoveredFrames: UInt64 = 0
    /// Segments whose last frame was unfinished.
    public internal(set) var tornTails: UInt64 = 0
    /// Frames missing above the watermark: what a power failure may take.
    public internal(set) var lostFrames: UInt64 = 0
    /// Frames missing or damaged below the watermark, which the disk had confirmed as stable.
    public internal(set) var corruptFrames: UInt64 = 0
    /// Segments set aside because their header was unreadable.
    public internal(set) var setAsideSegments: UInt64 = 0
    /// Segments whose header was read from a copy.
    public internal(set) var repairedHeaders: UInt64 = 0
    /// Frames read without their context, which was lost.
    public internal(set) var contextUnknownFrames: UInt64 = 0
    /// Contexts refused because they were too long.
    public internal(set) var refusedContexts: UInt64 = 0
    /// Cursors whose slots were both damaged, or whose file was missing. The output gets its records again.
    public internal(set) var lostCursors: UInt64 = 0
    /// Cursors beyond the last frame.
    public internal(set) var clampedCursors: UInt64 = 0
    /// Segments that were ended.
    public internal(set) var rotations: UInt64 = 0
    public internal(set) var syncs: UInt64 = 0
    /// File operations that failed.
    public internal(set) var failedOperations: [FileOperation: UInt64] = [:]
    /// Segments written to a new file: after a failed sync, after damage to the file, or from an earlier launch's ring.
    public internal(set) var rewrittenSegments: UInt64 = 0
    /// Files written anew because somebody removed, replaced or changed them.
    public internal(set) var replacedFiles: UInt64 = 0

    public init() {}

    public func dropped(for output: String) -> UInt64 {
        drops.values.reduce(0) { $0 + ($1[output] ?? 0) }
    }

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

/// Lost records of one output: why, and where they were.
public struct JournalLoss: Sendable, Equatable {
    /// As stored; see `Journal.storedID(of:)`.
    public let output: String
    public let reason: DropReason
    /// The frames lie after this sequence …
    public let after: UInt64
    /// … through this one.
    public let through: UInt64
    /// A reader may have seen some of them, if its cursor had not passed them yet.
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
    /// All drops so far, by reason and output, and the losses since the last call, from one moment.
    public func takeLosses() -> (drops: [DropReason: [String: UInt64]], losses: [JournalLoss]) { shelf.takeLosses() }

    /// The id of an output in counters and losses.
    public static func storedID(of output: String) -> String { OutputTable.storedID(output) }
}
