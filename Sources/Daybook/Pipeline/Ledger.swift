import DaybookJournal

/// An output's account since its pipeline was opened: accepted = delivered + dropped + quarantined + pending, always.
public struct Ledger: Sendable, Hashable, CustomStringConvertible {
    public enum DropReason: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The receiver permanently refused it without saying which record it was, or it left quarantine undelivered.
        case rejected
        /// The journal was over its size limit and dropped records.
        case diskLimit = "disk limit"
        /// The disk could not be written, and the memory used instead was full.
        case memoryFull = "memory full"
        /// The record was longer than allowed.
        case oversized
        /// The bytes on disk were damaged.
        case damaged
        /// The output was gone for more than seven days.
        case outputRemoved = "output removed"
        /// It was older than the journal's maximum age.
        case expired
        /// It was logged after the shutdown.
        case closed
        /// Another process adopted it with this process's journal, and delivers it.
        case takenOver = "taken over"
        /// It waited for an immediate output when the process ended.
        case processEnded = "process ended"
        /// Its bytes could not be read back.
        case unreadable
        /// The route's transform dropped it.
        case transformed
        /// An immediate output was busy with one record for too long.
        case notAnswering = "not answering"

        public var description: String { rawValue }
    }

    /// Records for this output: those logged since, and those found waiting or in quarantine at the start.
    public internal(set) var accepted: UInt64 = 0
    /// Of these, records of earlier launches.
    public internal(set) var recovered: UInt64 = 0
    public internal(set) var delivered: UInt64 = 0
    public internal(set) var dropped: [DropReason: UInt64] = [:]

    /// Records that the receiver permanently refused, kept for inspection; see
    /// ``Pipeline/quarantinedRecords(output:limit:)``.
    public internal(set) var quarantined: UInt64 = 0

    /// The conditions that make the output's route wait; see ``RouteWait``.
    public internal(set) var heldBy: DeliveryConditions = []

    /// Creates an empty ledger.
    ///
    /// ```swift
    /// let ledger = await pipeline.ledgers()["otlp"] ?? Ledger()
    /// ```
    public init() {}

    public var pending: UInt64 {
        let settled = delivered + quarantined + dropped.values.reduce(0, +)
        return accepted > settled ? accepted - settled : 0
    }

    /// `accepted: 7, delivered: 5, pending: 1, dropped.disk_limit: 1`: the nonzero counts, named as in ledger records.
    public var description: String {
        counts.filter { $0.count > 0 }.map { "\($0.name): \($0.count)" }.joined(separator: ", ")
    }

    fileprivate var counts: [(name: String, count: UInt64)] {
        var counts = [
            ("accepted", accepted), ("recovered", recovered), ("delivered", delivered), ("quarantined", quarantined),
            ("pending", pending),
        ]
        for reason in DropReason.allCases {
            if let count = dropped[reason] { counts.append(("dropped.\(reason.attributeName)", count)) }
        }
        return counts
    }
}

extension Ledger.DropReason {
    init(_ reason: DropReason) {
        self =
            switch reason {
            case .capacity: .diskLimit
            case .memoryFull: .memoryFull
            case .oversized: .oversized
            case .corrupt: .damaged
            case .outputRemoved: .outputRemoved
            case .expired: .expired
            case .closed: .closed
            case .takenOver: .takenOver
            }
    }
}

extension PipelineCore {
    /// The tag of ledger records.
    private static let ledgerTag = "daybook.ledger"

    /// Records a message for each output, like any other record.
    func record(ledgers: [String: Ledger]) {
        for id in ledgers.keys.ordered() {
            guard let ledger = ledgers[id] else { continue }
            let attributes = Attributes([("output", .string(id))] + ledger.counts.map { ($0.name, Value($0.count)) })
            record(message: "Ledger of \(id)", tag: Self.ledgerTag, by: switchboard.table, .info, attributes)
        }
    }

    /// The final accounting, and what was logged since.
    var ledgersAtEnd: [String: Ledger] {
        guard !drain.isParents else { return [:] }
        let closed = journal.counters.drops[.closed] ?? [:]
        var ledgers = drain.ledgersAtEnd
        for id in ledgers.keys {
            guard let count = closed[Journal.storedID(of: id)] else { continue }
            let known = ledgers[id]?.dropped[.closed] ?? 0
            ledgers[id]?.accepted += count - known
            ledgers[id]?.dropped[.closed] = count
        }
        for (id, ledger) in switchboard.table.inline.ledgers { ledgers[id] = ledger }
        return ledgers
    }
}

extension Ledger.DropReason {
    /// As the end of an attribute's name: `disk_limit`.
    package var attributeName: String { String(rawValue.map { $0 == " " ? "_" : $0 }) }
}

/// Says when the ledgers are due, and passes them to be recorded. Pure but for the call.
struct LedgerTimer {
    private let interval: UInt64
    private let record: @Sendable ([String: Ledger]) -> Void
    private(set) var due = UInt64.max

    /// - Parameters:
    ///   - interval: At least a second.
    ///   - record: Called on the drain thread; must not wait.
    init(interval: Duration, record: @escaping @Sendable ([String: Ledger]) -> Void) {
        self.interval = max(interval, .seconds(1)).nanoseconds
        self.record = record
    }

    mutating func start(now: UInt64) { due = now &+ interval }

    func isDue(now: UInt64) -> Bool { now >= due }

    mutating func announce(_ ledgers: [String: Ledger], now: UInt64) {
        due = now &+ interval
        record(ledgers)
    }
}
