/// What a sender says that one of its outputs has lost since its pipeline was opened.
public struct LossReport: Sendable, Hashable {
    /// Whose losses: stream and output, without the signal, for the requests of logs and of traces repeat the same counts.
    public var sender: String
    /// How many records, per reason. Counts only grow; a store keeps the largest that it has seen.
    public var counts: [String: Int64]

    /// Losses of a sender.
    public init(sender: String, counts: [String: Int64]) {
        self.sender = sender
        self.counts = counts
    }
}

/// The accounts of one stream.
public struct StreamLedger: Sendable, Hashable {
    /// Sequence numbers greater than `after`, up to and including `through`.
    public struct Interval: Sendable, Hashable {
        public var after: UInt64
        public var through: UInt64

        /// The interval (`after`, `through`].
        public init(after: UInt64, through: UInt64) {
            self.after = after
            self.through = through
        }
    }

    public var stream: String
    /// Of the first batch that told it.
    public var installation: String?
    /// The context's `service.version` of the first batch that told it.
    public var version: String?
    /// Rows stored.
    public var stored: Int64
    /// Rows that had been stored before.
    public var duplicates: Int64
    /// What is settled: disjoint, ascending.
    public var settled: [Interval]
    /// What the sender's output has lost, per reason; the same for the streams of logs and traces of one output.
    public var losses: [String: Int64]

    /// Accounts.
    public init(
        stream: String, installation: String?, version: String?, stored: Int64, duplicates: Int64,
        settled: [Interval], losses: [String: Int64]
    ) {
        self.stream = stream
        self.installation = installation
        self.version = version
        self.stored = stored
        self.duplicates = duplicates
        self.settled = settled
        self.losses = losses
    }

    /// What is not settled between the first and the last settled number.
    public var gaps: [Interval] {
        zip(settled, settled.dropFirst()).map { Interval(after: $0.through, through: $1.after) }
    }
}
