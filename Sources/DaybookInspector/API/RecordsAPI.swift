import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

struct RecordsAPI: Sendable {
    let store: any EventStore
    let defined: DefinedEvents
    let filters: FilterReading
    let runs: RunsAPI
    let disclosure: Disclosure
    var pairs = false
    /// Limits of a statement on the SQL screen.
    var limits = QueryLimits()
    var start = "history"

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/status") { _ in try await status() },
            HTTPRoute(
                "GET", "/api/v1/records",
                parameters: RecordParameters.names.union(TimeParameters.bounds).union(["form", "sort"])
            ) { try await page(runs.narrowed($0.query)) },
            HTTPRoute(
                "DELETE", "/api/v1/records", parameters: FilterParameters.names.subtracting(["live"]), work: .long
            ) { try await erase($0.query) },
            HTTPRoute("GET", "/api/v1/records/count", parameters: RecordParameters.names) {
                try await count(runs.narrowed($0.query))
            },
            HTTPRoute("GET", "/api/v1/records/{id}", parameters: ["private"]) {
                try await record($0.number("id"), $0.query)
            },
        ]
    }

    func status() async throws -> HTTPResponse {
        let head = try await store.head()
        return Envelope.success(
            StatusAnswer.form, StatusAnswer(head: head, limits: limits, pairs: pairs, start: start))
    }

    /// A page, or the part of it found within the budget.
    func page(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        let policy = try disclosure.policy(parameters) {
            "private values of records: \(Disclosure.text(of: parameters))"
        }
        let isWhole = try WireForm.isAsked(.stored, in: parameters)
        let rest = parameters.filter { $0.name != WireForm.parameter }
        // Read the head first: a record that arrives in between is announced twice rather than missed.
        if try RecordParameters.areByTime(rest) {
            let query = try TimeParameters(rest, filters: filters).query
            let head = try await store.head()
            let slice = try await store.slice(query)
            return page(
                head, slice.records, slice.isPartial, slice.next.map { .time($0) }, slice.progress, policy, isWhole)
        }
        let query = try RecordParameters(rest.filter { $0.name != "sort" }, filters: filters).query
        let head = try await store.head()
        let slice = try await store.slice(query)
        return page(
            head, slice.records, slice.isPartial, slice.next.map { .arrival($0) }, slice.progress, policy, isWhole)
    }

    private func page(
        _ head: Int64, _ records: [StoredRecord], _ isPartial: Bool, _ next: PagePlace?, _ progress: SearchProgress,
        _ policy: MaskingPolicy?, _ isWhole: Bool
    ) -> HTTPResponse {
        func answer<Record: Sendable>(
            _ form: Form<RecordsAnswer<Record>>, _ shown: (StoredRecord) -> Record
        ) -> HTTPResponse {
            Envelope.success(
                form,
                RecordsAnswer(
                    head: head, records: records.map(shown), isPartial: isPartial, next: next, progress: progress))
        }
        if isWhole { return answer(RecordsAnswer.stored) { policy.map($0.masked) ?? $0 } }
        let times = PlausibleTime.range(at: filters.now())
        return answer(RecordsAnswer.shown) {
            ShownRecord($0, by: defined, times: times, masking: policy, bounds: .listed)
        }
    }

    func count(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = try RecordParameters(parameters, filters: filters).query
        query.limit = 1_000
        query.order = .oldestFirst
        let head = try await store.head()
        let slice = try await store.slice(query)
        let isFull = slice.records.count == query.rowLimit
        let next = slice.isPartial ? slice.next : isFull ? slice.records.last?.id : nil
        return Envelope.success(
            CountAnswer.form,
            CountAnswer(head: head, count: slice.records.count, next: next, progress: slice.progress))
    }

    /// Erases matching records. As for `daybook erase`, a condition is required.
    func erase(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
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
        return Envelope.success(
            ErasureAnswer.form, ErasureAnswer(erased: erased, remains: await store.erasureRemains()))
    }

    func record(_ id: Int64, _ parameters: [(name: String, value: String)] = []) async throws -> HTTPResponse {
        let policy = try disclosure.policy(parameters) { "private values of the record \(id)" }
        let record = try await stored(id)
        let isUndefined = defined.isUndefined(record.row)
        let times = PlausibleTime.range(at: filters.now())
        return Envelope.success(
            RecordAnswer.form,
            RecordAnswer(
                ShownRecord(record, by: defined, times: times, masking: policy, bounds: .whole),
                isUndefined: isUndefined,
                nearest: isUndefined ? defined.nearest(to: record.row.tag.boundedName) : nil))
    }

    /// The record with an arrival number.
    /// - Throws: ``Problem`` if it does not exist.
    func stored(_ id: Int64) async throws -> StoredRecord {
        guard id > 0, id < Int64.max else { throw Problem(.notFound, "No record has the number \(id).") }
        guard let record = try await store.record(id: id) else {
            throw Problem(.notFound, "No record has the number \(id); it was deleted, or has not arrived.")
        }
        return record
    }
}

extension JSONBuilder {
    /// Writes `next` and `progress` of an answer that may be partial.
    mutating func remainder(next: Int64?, _ progress: SearchProgress) {
        key("next")
        if let next { integer(next) } else { null() }
        key("progress")
        SearchProgress.form.write(progress, to: &self)
    }
}
