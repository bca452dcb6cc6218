import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

package struct RecordQuestions: Sendable {
    package let store: any EventStore
    package let filters: FilterContext

    package init(_ filters: FilterContext, of store: any EventStore) { (self.filters, self.store) = (filters, store) }

    private var disclosure: Disclosure { filters.disclosure }
    private var defined: DefinedEvents { filters.defined }

    /// A page, or the part found within the budget, as stored records.
    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package func page(_ parameters: Parameters) async throws -> RecordsAnswer<StoredRecord> {
        let asked = try await RecordParameters(parameters, filters, in: store)
        // The head first: a record that arrives in between is announced twice rather than missed.
        let head = try await store.head()
        if let query = asked.byTime {
            let slice = try await store.slice(query)
            return RecordsAnswer(
                head: head, records: slice.records, isPartial: slice.isPartial, next: slice.next.map { .time($0) },
                progress: slice.progress)
        }
        let slice = try await store.slice(asked.query)
        return RecordsAnswer(
            head: head, records: slice.records, isPartial: slice.isPartial, next: slice.next.map { .arrival($0) },
            progress: slice.progress)
    }

    /// The masking of an answer; `nil` if private values were requested, which is logged.
    package func policy(_ parameters: Parameters) throws(Problem) -> MaskingPolicy? {
        try disclosure.policy(parameters) { "private values of records: \(Disclosure.text(of: parameters))" }
    }

    /// A record for the page's lists.
    package func shown(_ masking: MaskingPolicy?) -> (StoredRecord) -> ShownRecord {
        let times = PlausibleTime.range(at: filters.now())
        return { ShownRecord($0, by: defined, times: times, masking: masking, bounds: .listed) }
    }

    package func count(_ parameters: Parameters) async throws -> CountAnswer {
        var query = try await RecordParameters(parameters, filters, in: store).query
        query.limit = 1_000
        query.order = .oldestFirst
        let head = try await store.head()
        let slice = try await store.slice(query)
        let isFull = slice.records.count == query.rowLimit
        let next = slice.isPartial ? slice.next : isFull ? slice.records.last?.id : nil
        return CountAnswer(head: head, count: slice.records.count, next: next, progress: slice.progress)
    }

    /// Erases matching records. A condition is required, as for `daybook erase`.
    package func erase(_ parameters: Parameters) async throws -> ErasureAnswer {
        // Erasing matches stored values: a key that may erase may also see them.
        var reader = ParameterReader(parameters, filters, sight: .whole)
        try reader.read(own: []) { _, _ in }
        let condition = reader.filter.condition
        do throws(StoreError) {
            try condition.checkForErasing(at: filters.now())
        } catch {
            throw Problem(.badRequest, error.message)
        }
        let erased = try await store.erase(condition)
        disclosure.tell("erased \(erased) records by \(parameters.map(\.name).joined(separator: ", "))")
        return ErasureAnswer(erased: erased, remains: await store.erasureRemains())
    }

    package func erase(session: String) async throws -> ErasureAnswer {
        let erased = try await store.erase(RecordFilter(.field(.session, session)))
        guard erased > 0 else { throw Problem(.notFound, "No record belongs to the session “\(session)”.") }
        disclosure.tell("erased \(erased) records of the session \(session.boundedName)")
        return ErasureAnswer(erased: erased, remains: await store.erasureRemains())
    }

    package func record(_ id: Int64, _ parameters: Parameters) async throws -> RecordAnswer {
        let policy = try disclosure.policy(parameters) { "private values of the record \(id)" }
        let record = try await stored(id)
        let isUndefined = defined.isUndefined(record.row)
        let times = PlausibleTime.range(at: filters.now())
        return RecordAnswer(
            record: ShownRecord(record, by: defined, times: times, masking: policy, bounds: .whole),
            isUndefined: isUndefined, nearest: isUndefined ? defined.nearest(to: record.row.tag.boundedName) : nil)
    }

    package func explanation(_ id: Int64, _ definitions: Definitions) async throws -> RecordExplanation {
        try await RecordExplanation(try await stored(id), definitions, masking: disclosure.masking, from: store)
    }

    /// - Throws: ``StoreError``, or ``Problem`` if the record does not exist.
    package func stored(_ id: Int64) async throws -> StoredRecord {
        guard id > 0, id < Int64.max else { throw Problem(.notFound, "No record has the number \(id).") }
        guard let record = try await store.record(id: id) else {
            throw Problem(.notFound, "No record has the number \(id); it was deleted, or has not arrived.")
        }
        return record
    }
}
