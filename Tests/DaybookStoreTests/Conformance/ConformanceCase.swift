import Daybook
import DaybookStore
import Testing

/// A behaviour of every ``EventStore``. A store's tests run all of ``ConformanceCase/all``, each on a new, empty store.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable (any EventStore) async throws -> Void

    var testDescription: String { name }

    /// For every store, even one that answers in parts of a few records.
    static let inParts: [ConformanceCase] =
        appending + streams + accounting + paging + timing + implausible + filtering + asking + seeing + stepping
        + searching
        + slicing
        + bounding
        + counting
        + erasing
    /// For every store.
    static let basic: [ConformanceCase] = inParts + ending
    /// For stores with SQL.
    static let all: [ConformanceCase] = basic + querying + views + insights
}

extension RecordRow {
    static func sample(
        _ number: Int, tag: String = "recipe.show", kind: Kind = .event, level: Int = 9, message: String? = nil,
        attributes: String = "{}", session: String? = nil, sequence: UInt64? = nil
    ) -> RecordRow {
        var row = RecordRow(
            uid: "uid-\(number)", time: Int64(number) * 1_000, kind: kind, level: level, tag: tag,
            attributes: attributes)
        row.message = message
        row.session = session
        row.sequence = sequence
        return row
    }

    func with(_ change: (inout RecordRow) -> Void) -> RecordRow {
        var row = self
        change(&row)
        return row
    }
}

extension RecordBatch {
    /// A batch that settles `interval` of a stream, with a row for each of `sequences`.
    static func numbered(
        _ stream: String, _ interval: (after: UInt64, through: UInt64), _ sequences: some Sequence<UInt64>
    ) -> RecordBatch {
        RecordBatch(
            origin: .init(stream: stream, after: interval.after, through: interval.through),
            rows: sequences.map { .sample(Int(clamping: $0 % 1_000_000), sequence: $0) })
    }

    /// A batch of rows from a file.
    static func file(_ origin: Origin?, _ rows: [RecordRow]) -> RecordBatch {
        var batch = RecordBatch(origin: origin, rows: rows)
        batch.isImport = true
        return batch
    }

    /// Batches of three senders that claim the largest possible losses and stream ends.
    static var boastful: [RecordBatch] {
        let most = UInt64(Int64.max)
        return (1...3).flatMap { number in
            [(UInt64(0), UInt64(1)), (most - 2, most - 1)].map { interval in
                var batch = numbered("s\(number)/o/logs", interval, interval.0 == 0 ? [1] : [])
                batch.losses = LossReport(sender: "s\(number)/o", counts: ["big": .max])
                return batch
            }
        }
    }
}

extension EventStore {
    func page(_ change: (inout RecordQuery) -> Void) async throws -> [StoredRecord] {
        var query = RecordQuery()
        change(&query)
        return try await page(query)
    }

    func uids(_ change: (inout RecordQuery) -> Void) async throws -> [String] {
        try await page(change).map(\.row.uid)
    }
}
