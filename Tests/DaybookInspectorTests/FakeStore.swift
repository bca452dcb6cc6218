import DaybookStore
import Synchronization

/// A store in memory, for tests of what stands in front of one.
final class FakeStore: EventStore {
    private let state = Mutex<(records: [StoredRecord], failure: StoreError?, answer: QueryResult?)>(([], nil, nil))
    private let lastGiven = Mutex<Int64>(0)
    private let asked = Mutex<[RecordQuery]>([])

    init(_ rows: [RecordRow] = []) {
        state.withLock { state in
            state.records = rows.enumerated().map { StoredRecord(id: Int64($0.offset + 1), row: $0.element) }
        }
    }

    /// Everything throws this from now on; `nil` ends that.
    func fail(with error: StoreError?) { state.withLock { $0.failure = error } }

    /// The largest arrival number that was given, to a record that has been erased since.
    func erased(through head: Int64) { lastGiven.withLock { $0 = head } }

    /// What the next statements are answered with.
    func answer(with result: QueryResult) { state.withLock { $0.answer = result } }

    /// The pages that were asked for.
    var queries: [RecordQuery] { asked.withLock { $0 } }

    func append(_ batch: RecordBatch) async throws -> AppendResult {
        state.withLock { state in
            for row in batch.rows {
                state.records.append(StoredRecord(id: Int64(state.records.count + 1), row: row))
            }
        }
        return AppendResult(stored: batch.rows.count, duplicates: 0)
    }

    func page(_ query: RecordQuery) async throws -> [StoredRecord] {
        asked.withLock { $0.append(query) }
        let matching = try records().filter { record in
            record.id > query.after ?? 0 && record.id < query.before ?? .max
                && (query.tag == nil || record.row.tag == query.tag)
                && (query.kinds.isEmpty || query.kinds.contains(record.row.kind.rawValue))
                && record.row.level >= query.minimumLevel ?? 0
        }
        return Array((query.order == .oldestFirst ? matching : matching.reversed()).prefix(query.limit))
    }

    func head() async throws -> Int64 { max(try records().last?.id ?? 0, lastGiven.withLock { $0 }) }

    func tagSummaries() async throws -> [TagSummary] {
        let groups = Dictionary(grouping: try records().map(\.row), by: \.tag)
        return groups.sorted { $0.key < $1.key }.map { tag, rows in
            let times = rows.map(\.time).sorted()
            return TagSummary(
                tag: tag, kind: rows[0].kind.rawValue, count: Int64(rows.count), firstTime: times[0],
                lastTime: times[times.count - 1])
        }
    }

    func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        _ = try records()
        guard let answer = state.withLock({ $0.answer }) else {
            throw StoreError(.badStatement, "near \"\(sql)\": syntax error")
        }
        return answer
    }

    private func records() throws -> [StoredRecord] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.records
        }
    }
}
