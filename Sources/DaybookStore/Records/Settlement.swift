/// Decides which rows of a batch are new, and what its stream has settled afterwards.
package struct Settlement {
    /// The rows' places in the batch, in order.
    package private(set) var newRows: [Int] = []
    /// What the stream has settled with this batch: of the given intervals and the batch's own, the union.
    package private(set) var settled: IntervalSet
    private let rowCount: Int

    /// What becomes of the batch.
    package var result: AppendResult { AppendResult(stored: newRows.count, duplicates: rowCount - newRows.count) }

    /// - Parameters:
    ///   - rows: the batch's rows. One without a sequence is always new: its sender has no way to say it again.
    ///   - origin: the batch's stream and interval.
    ///   - known: the stream's settled intervals, at least those that touch ``hull(of:origin:)``.
    ///   - imported: the same of ``RecordBatch/Origin/importStream``.
    ///   - present: the places of rows that an import need not store, because the store has them.
    package init(
        rows: [RecordRow], origin: RecordBatch.Origin, known: IntervalSet, imported: IntervalSet = IntervalSet(),
        present: Set<Int> = []
    ) {
        rowCount = rows.count
        settled = known
        settled.insert(origin.interval)
        newRows.reserveCapacity(rows.count)
        // Senders number their records in order: only a number that is not above all before it may be one of them.
        var highest: UInt64 = 0
        var seen: Set<UInt64> = []
        var outside: [SequenceInterval] = []
        for (place, row) in rows.enumerated() {
            guard let sequence = row.sequence, sequence > 0 else {
                if !present.contains(place) { newRows.append(place) }
                continue
            }
            if sequence <= highest, seen.isEmpty { seen = Set(rows[..<place].compactMap(\.sequence)) }
            let isSeen = sequence <= highest && seen.contains(sequence)
            highest = max(highest, sequence)
            if !seen.isEmpty { seen.insert(sequence) }
            guard !known.contains(sequence), !isSeen else { continue }
            if !imported.contains(sequence), !present.contains(place) { newRows.append(place) }
            // A row outside of the interval that its batch claims would else be new again next time.
            if !origin.interval.contains(sequence) { outside.append(.one(sequence)) }
        }
        settled.formUnion(outside)
    }

    /// The interval that covers the batch's own and every row: what else the stream has settled does not matter here.
    package static func hull(of rows: [RecordRow], origin: RecordBatch.Origin) -> SequenceInterval {
        var hull = origin.interval
        hull.through = max(hull.after, hull.through)
        for case let sequence? in rows.lazy.map(\.sequence) where sequence > 0 { hull.extend(over: .one(sequence)) }
        return hull
    }
}

/// What makes a row of an import and a stored one the same record.
package struct RecordIdentity: Hashable, Sendable {
    package var uid: String
    package var time: Int64
    package var kind: String
    package var tag: String

    package init(uid: String, time: Int64, kind: String, tag: String) {
        (self.uid, self.time, self.kind, self.tag) = (uid, time, kind, tag)
    }

    package init(_ row: RecordRow) { self.init(uid: row.uid, time: row.time, kind: row.kind.rawValue, tag: row.tag) }
}

/// The records of a commit's imports that a store has, by what it had before the commit and what the commit adds.
package struct PresentRecords {
    private let isAsked: Bool
    private var identities: Set<RecordIdentity> = []

    /// - Parameter isAsked: whether the commit has an import; otherwise nothing is remembered.
    package init(isAsked: Bool) { self.isAsked = isAsked }

    package mutating func add(_ identity: @autoclosure () -> RecordIdentity) {
        if isAsked { identities.insert(identity()) }
    }

    /// The places of a batch's rows that are there; none of a batch that is no import.
    /// - Parameter stored: a row as the store has it. Default: as it is.
    package func places(of batch: RecordBatch, as stored: (RecordRow) -> RecordRow = { $0 }) -> Set<Int> {
        guard batch.isImport, !identities.isEmpty else { return [] }
        return Set(batch.rows.indices.filter { identities.contains(RecordIdentity(stored(batch.rows[$0]))) })
    }
}

/// Whose a batch is, as its rows tell.
package struct StreamIdentity {
    package var installation: String?
    package var version: String?

    package init(_ batch: RecordBatch) {
        installation = batch.rows.first?.installation
        version = batch.rows.first.flatMap { ContextFields($0.context).version }
    }
}

/// What a sender reports as lost by one of its outputs since its pipeline was opened.
public struct LossReport: Sendable, Hashable {
    /// Whose losses: stream and output, without the signal, because requests for logs and for traces report the same
    /// counts.
    public var sender: String
    /// The number of records by reason. Counts only grow; a store keeps the largest that it has seen.
    public var counts: [String: Int64]

    /// Losses of a sender.
    public init(sender: String, counts: [String: Int64]) {
        self.sender = sender
        self.counts = counts
    }
}

/// The account of one stream.
public struct StreamLedger: Sendable, Hashable {
    public var stream: String
    /// The installation, from the first batch that named it.
    public var installation: String?
    /// The context's `service.version`, from the first batch that named it.
    public var version: String?
    /// Rows stored.
    public var stored: Int64
    /// Rows that had been stored before.
    public var duplicates: Int64
    /// What is settled: disjoint, ascending intervals; for a stream with more than ``LedgerPage/mostIntervals``, the
    /// first ones.
    public var settled: [SequenceInterval]
    /// What the sender's output has lost, by reason; the same for an output's streams of logs and of traces.
    public var losses: [String: Int64]

    /// Accounts.
    public init(
        stream: String, installation: String?, version: String?, stored: Int64, duplicates: Int64,
        settled: [SequenceInterval], losses: [String: Int64]
    ) {
        self.stream = stream
        self.installation = installation
        self.version = version
        self.stored = stored
        self.duplicates = duplicates
        self.settled = settled
        self.losses = losses
    }

    /// The gaps between the first and the last settled number.
    public var gaps: [SequenceInterval] {
        zip(settled, settled.dropFirst()).map { SequenceInterval(after: $0.through, through: $1.after) }
    }
}

/// A query for accounts of streams.
public struct LedgerQuery: Sendable, Hashable {
    /// Only this stream's account.
    public var stream: String?
    /// Only accounts of the stream that its sender names so, whoever its owner is, of all outputs and signals.
    package var named: String?
    /// Only accounts of streams after this name, in byte order: the ``LedgerPage/next`` of the previous page.
    public var after: String?

    /// Creates a query for all accounts, from the first.
    public init() {}

    /// Creates a query for one stream's account.
    public init(stream: String) { self.stream = stream }

    /// A pattern of LIKE for what ``matches(_:)`` may hold of; `nil` for everything.
    package var pattern: String? {
        named.map { "%" + String($0.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "%" }
    }

    package func matches(_ name: String) -> Bool {
        (stream == nil || stream == name) && (named.map { StreamOwner.isNamed(name, $0) } ?? true)
            && (after.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true)
    }
}

/// A page of accounts of streams.
public struct LedgerPage: Sendable, Hashable {
    /// The most settled intervals, and the most reasons for losses, that an account lists.
    public static let mostIntervals = 1_000
    /// Streams of one page.
    package static let mostStreams = 1_000

    public private(set) var ledgers: [StreamLedger] = []
    /// Where to continue, see ``LedgerQuery/after``; `nil` on the last page.
    public private(set) var next: String?
    private var bytes = 0

    package init() {}

    /// Whether one more is for the next page.
    package var isFull: Bool { bytes >= AnswerBounds.bytes || ledgers.count >= Self.mostStreams }

    /// Leaves what comes for the next page.
    package mutating func end() { bytes = AnswerBounds.bytes }

    /// Takes the next stream's account, its names cut; `false`, where the page is full without it.
    package mutating func add(_ ledger: StreamLedger) -> Bool {
        if let last = ledgers.last, isFull {
            next = AnswerBounds.position(after: last.stream)
            return false
        }
        var ledger = ledger
        ledger.stream = ledger.stream.boundedName
        ledger.installation = ledger.installation?.boundedName
        ledger.version = ledger.version?.boundedName
        ledger.settled = Array(ledger.settled.prefix(Self.mostIntervals))
        let losses = ledger.losses.sorted { $0.key < $1.key }.prefix(Self.mostIntervals)
        ledger.losses = Dictionary(losses.map { ($0.key.boundedName, $0.value) }, uniquingKeysWith: max)
        let names = [ledger.stream, ledger.installation ?? "", ledger.version ?? ""] + ledger.losses.keys
        bytes += names.reduce(ledger.settled.count * 32 + 200) { $0 + $1.utf8.count + 50 }
        ledgers.append(ledger)
        return true
    }
}
