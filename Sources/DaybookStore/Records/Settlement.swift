/// Decides which rows of a batch are new, and what its stream has settled afterwards.
package struct Settlement {
    package private(set) var newRows: [Int] = []
    package private(set) var settled: IntervalSet
    private let rowCount: Int

    package var result: AppendResult { AppendResult(stored: newRows.count, duplicates: rowCount - newRows.count) }

    /// - Parameters:
    ///   - rows: A row without a sequence is always new, because its sender cannot repeat it.
    ///   - known: The stream's settled intervals, at least those that touch ``hull(of:origin:)``.
    ///   - imported: The same for ``RecordBatch/Origin/importStream``.
    ///   - present: Indices of an import's rows that are already stored.
    package init(
        rows: [RecordRow], origin: RecordBatch.Origin, known: IntervalSet, imported: IntervalSet = IntervalSet(),
        present: Set<Int> = []
    ) {
        rowCount = rows.count
        settled = known
        settled.insert(origin.interval)
        newRows.reserveCapacity(rows.count)
        // Sequences usually ascend; a repetition does not exceed all before it.
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
            // A row outside the claimed interval is settled too, or it would be new again.
            if !origin.interval.contains(sequence) { outside.append(.one(sequence)) }
        }
        settled.formUnion(outside)
    }

    /// Covers the batch's interval and every row; only settled intervals that touch it matter.
    package static func hull(of rows: [RecordRow], origin: RecordBatch.Origin) -> SequenceInterval {
        var hull = origin.interval
        hull.through = max(hull.after, hull.through)
        for case let sequence? in rows.lazy.map(\.sequence) where sequence > 0 { hull.extend(over: .one(sequence)) }
        return hull
    }
}

/// Identifies a record across imports. Records of different owners differ.
package struct RecordIdentity: Hashable, Sendable {
    package var uid: String
    package var time: Int64
    package var kind: String
    package var tag: String
    package var owner: String?

    package init(uid: String, time: Int64, kind: String, tag: String, owner: String?) {
        (self.uid, self.time, self.kind, self.tag, self.owner) = (uid, time, kind, tag, owner)
    }

    package init(_ row: RecordRow, _ contexts: inout ContextFieldsCache) {
        self.init(
            uid: row.uid, time: row.time, kind: row.kind.rawValue, tag: row.tag,
            owner: contexts.fields(of: row.context).owner)
    }
}

/// Records that a commit's imports may repeat: stored before, or added by the commit.
package struct PresentRecords {
    private let isAsked: Bool
    private var identities: Set<RecordIdentity> = []
    private var contexts = ContextFieldsCache()

    /// - Parameter isAsked: Whether the commit has an import; otherwise nothing is kept.
    package init(isAsked: Bool) { self.isAsked = isAsked }

    package mutating func add(_ identity: RecordIdentity) { identities.insert(identity) }

    package mutating func add(_ row: RecordRow) {
        if isAsked { identities.insert(RecordIdentity(row, &contexts)) }
    }

    /// Indices of an import's rows that are already stored.
    /// - Parameter stored: Maps a row to its stored form. Default: unchanged.
    package mutating func places(of batch: RecordBatch, as stored: (RecordRow) -> RecordRow = { $0 }) -> Set<Int> {
        guard batch.isImport, !identities.isEmpty else { return [] }
        var contexts = contexts
        defer { self.contexts = contexts }
        return Set(
            batch.rows.indices.filter { identities.contains(RecordIdentity(stored(batch.rows[$0]), &contexts)) })
    }
}

/// The installation and version of a batch, from its first row.
package struct StreamIdentity: Sendable {
    package var installation: String?
    package var version: String?

    package init(installation: String?, version: String?) {
        (self.installation, self.version) = (installation, version)
    }

    package init(_ batch: RecordBatch) {
        self =
            batch.rows.first.map { Self(installation: $0.installation, version: ContextFields($0.context).version) }
            ?? batch.sender ?? Self(installation: nil, version: nil)
    }
}

/// A sender's losses in one output since its pipeline was opened.
public struct LossReport: Sendable, Hashable {
    /// Bounds what senders report, so that sums do not overflow.
    package static let most: Int64 = 1_000_000_000_000
    /// Reasons kept per sender, which chooses them; each is a permanent row.
    package static let mostReasons = 32

    /// The losing stream and output, without the signal, because requests for logs and traces report the same counts.
    public var sender: String
    /// Records lost by reason, at most 10¹² each. Counts only grow; a store keeps the largest it has seen.
    public private(set) var counts: [String: Int64]

    /// Creates a report; larger counts are clamped.
    public init(sender: String, counts: [String: Int64]) {
        self.sender = sender
        self.counts = counts.mapValues { min($0, Self.most) }
    }

    /// The counts to store.
    /// - Parameter known: The sender's stored reasons; new ones are added.
    package func kept(besides known: inout Set<String>) -> [(reason: String, count: Int64)] {
        var kept: [(reason: String, count: Int64)] = []
        for (reason, count) in counts.sorted(by: { $0.key < $1.key }) {
            guard known.contains(reason) || known.count < Self.mostReasons else { continue }
            known.insert(reason)
            kept.append((reason, count))
        }
        return kept
    }

    fileprivate mutating func add(_ other: LossReport) {
        for (reason, count) in other.counts { counts[reason] = max(counts[reason] ?? 0, count) }
    }
}

extension LossReport? {
    /// Merges the report of another scope of the same stream.
    package mutating func add(_ other: LossReport?) {
        guard let other else { return }
        if self?.add(other) == nil { self = other }
    }
}

public struct StreamLedger: Sendable, Hashable {
    public var stream: String
    /// The installation, from the first batch that had one.
    public var installation: String?
    /// The context's `service.version`, from the first batch that had one.
    public var version: String?
    public var stored: Int64
    /// Rows that were already stored.
    public var duplicates: Int64
    /// Settled intervals, disjoint and ascending; only the first ``LedgerPage/mostIntervals``.
    public var settled: [SequenceInterval]
    /// Records that the sender's output lost, by reason; equal for an output's streams of logs and traces.
    public var losses: [String: Int64]

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

public struct LedgerQuery: Sendable, Hashable {
    /// Only this stream's account.
    public var stream: String?
    /// Only accounts whose sender names the stream so, of any owner, output and signal.
    package var named: String?
    /// Only streams after this name, in byte order: the previous page's ``LedgerPage/next``.
    public var after: String?

    public init() {}

    public init(stream: String) { self.stream = stream }

    /// A LIKE pattern that every match of ``matches(_:)`` fulfils; `nil` for everything.
    package var pattern: String? {
        named.map { "%" + String($0.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "%" }
    }

    package func matches(_ name: String) -> Bool {
        (stream == nil || stream == name) && (named.map { StreamOwner.isNamed(name, $0) } ?? true)
            && (after.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true)
    }
}

public struct LedgerPage: Sendable, Hashable {
    /// Most settled intervals, and most reasons for losses, in one account.
    public static let mostIntervals = 1_000
    package static let mostStreams = 1_000

    public private(set) var ledgers: [StreamLedger] = []
    /// Where to continue, see ``LedgerQuery/after``; `nil` on the last page.
    public private(set) var next: String?
    private var bytes = 0

    package init() {}

    package var isFull: Bool { bytes >= AnswerBounds.bytes || ledgers.count >= Self.mostStreams }

    package mutating func end() { bytes = AnswerBounds.bytes }

    /// Adds the next account, its names cut; `false` if the page is already full.
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
