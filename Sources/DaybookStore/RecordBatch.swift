/// Records that are stored together or not at all.
public struct RecordBatch: Sendable {
    /// Where a batch comes from, when its sender numbers its records: the stream (journal and epoch) and the
    /// half-open interval (`after`, `through`] of sequence numbers that it settles.
    public struct Origin: Sendable, Hashable {
        public var stream: String
        public var after: UInt64
        public var through: UInt64

        /// The interval (`after`, `through`] of `stream`.
        public init(stream: String, after: UInt64, through: UInt64) {
            self.stream = stream
            self.after = after
            self.through = through
        }
    }

    /// Set when the sender numbers its records: rows whose sequence an earlier batch settled are duplicates.
    public var origin: Origin?
    /// What the sender says that it has lost; `nil` where it says nothing. Only with an ``origin``.
    public var losses: LossReport?
    /// The rows, in the sender's order.
    public var rows: [RecordRow]

    /// A batch.
    public init(origin: Origin? = nil, losses: LossReport? = nil, rows: [RecordRow]) {
        self.origin = origin
        self.losses = losses
        self.rows = rows
    }
}

/// What became of a batch.
public struct AppendResult: Sendable, Hashable {
    /// Rows now stored.
    public var stored: Int
    /// Rows that had been stored before.
    public var duplicates: Int

    /// Counts of a batch.
    public init(stored: Int, duplicates: Int) {
        self.stored = stored
        self.duplicates = duplicates
    }
}
