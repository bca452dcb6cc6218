/// What `JournalInspection.check` found.
public struct JournalReport: Sendable {
    /// Something that is not as it was written.
    public struct Problem: Sendable, Equatable, CustomStringConvertible {
        public enum Severity: String, Sendable {
            /// What a kill or a loss of power may leave, above the sync mark.
            case loss
            /// What was on stable storage, and is damaged.
            case damage
        }

        public let severity: Severity
        /// Relative to the directory.
        public let file: String
        /// In bytes from the start of the file.
        public let offset: Int
        public let message: String

        public var description: String { "\(file):\(offset): \(severity.rawValue): \(message)" }
    }

    public struct Segment: Sendable {
        public let name: String
        public let byteCount: Int
        public let stream: JournalStream
        public let outputs: [String]
        public let firstSequence: UInt64
        /// One less than the first where there is no frame.
        public let lastSequence: UInt64
        /// All frames, and those that count as records.
        public let frames: UInt64
        public let records: UInt64
        /// Whether the segment was closed in order, or by a recovery; the writer's own is not.
        public let isSealed: Bool
    }

    public struct Cursor: Sendable {
        public let output: String
        public let sequence: UInt64
        /// Of the two slots, how many are valid; a fresh cursor has one.
        public let validSlots: Int
    }

    public internal(set) var segments: [Segment] = []
    public internal(set) var cursors: [Cursor] = []
    public internal(set) var problems: [Problem] = []
    /// Names of files that an open put aside.
    public internal(set) var setAside: [String] = []
    /// Sub-directories that hold the journals of second writers; check them by themselves.
    public internal(set) var writers: [String] = []

    /// Whether nothing is damaged; losses that a kill or a loss of power explains are allowed.
    public var isIntact: Bool { !problems.contains { $0.severity == .damage } }
}

/// One frame as `JournalInspection.dump` shows it: the journal's own among them.
public struct DumpedFrame: Sendable {
    public let segment: String
    /// Of the frame's header, in bytes from the start of the file.
    public let offset: Int
    public let stream: JournalStream
    public let sequence: UInt64
    public let flags: FrameFlags
    /// The ids of the outputs it is for.
    public let outputs: [String]
    public let contextVersion: UInt32
    /// Set if the frame was taken over from a dead writer's journal.
    public let origin: FrameOrigin?
    public let payload: [UInt8]
}
