import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Lists and erases sessions, and imports records from a file.
struct SessionsAPI: Sendable {
    /// Bytes of an import; about 20,000 records.
    static let importLimit = 16_777_216

    private static let names: Set = ["before", "filter", "installation", "limit", "private", "search", "session"]

    let store: any EventStore
    let filters: FilterReading
    let notices: LiveNotices
    let disclosure: Disclosure
    /// Nanoseconds since 1970, for lines without a time.
    let now: @Sendable () -> Int64

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/sessions", parameters: Self.names) { try await sessions($0.query) },
            HTTPRoute("DELETE", "/api/v1/sessions/{id…}", work: .long) { try await delete($0.text("id")) },
            HTTPRoute(
                "POST", "/api/v1/import", parameters: ["stream"], bodyLimit: Self.importLimit, work: .long
            ) { try await take($0.body, $0.query) },
        ]
    }

    func sessions(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        if parameters.contains(where: { $0.name == "filter" }) {
            return try await sessions(filteredBy: parameters)
        }
        var query = SessionQuery()
        for (name, value) in parameters {
            switch name {
            case "limit": query.limit = Int(try FilterParameters.number(name, value, in: 1...1_000))
            case "before": query.before = try Self.place(value)
            case "installation": query.installation = value
            case "session": query.session = value
            case "search": query.search = value
            default: throw Problem(.badRequest, "\(name) is for filter.")
            }
        }
        let sessions = try await store.sessions(query)
        let next = sessions.count < query.limit ? nil : sessions.last?.place
        return Envelope.success(SessionsAnswer.form, SessionsAnswer(sessions: sessions, next: next))
    }

    /// Parses `TIME.SESSION`, the value of `next`.
    private static func place(_ text: String) throws(Problem) -> SessionPlace {
        if let place = SessionPlace(text: text) { return place }
        throw Problem(.badRequest, "before is the `next` of another answer, not “\(text)”.")
    }

    /// Sessions with a matching record, in order of the latest match.
    private func sessions(filteredBy parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = SessionQuery()
        var before: Int64?
        var narrowing = FilterParameters(filters)
        for (name, value) in parameters {
            switch name {
            case "limit": query.limit = Int(try FilterParameters.number(name, value, in: 1...1_000))
            case "before": before = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "search": query.search = value
            default: try narrowing.read(name, value)
            }
        }
        try narrowing.finish()
        var found: [String] = []
        var known: Set<String> = []
        let records = MatchingRecords(store: store, filter: narrowing.filter, before: before)
        let end = try await records.forEach { record in
            if let session = record.row.session, known.insert(session).inserted { found.append(session) }
            return found.count < query.limit
        }
        var sessions: [SessionSummary] = []
        for session in found {
            query.session = session
            sessions += try await store.sessions(query)
        }
        return Envelope.success(
            PartialAnswer.sessions, PartialAnswer(sessions, next: end.next, end.progress))
    }

    func delete(_ session: String) async throws -> HTTPResponse {
        let erased = try await store.erase(RecordFilter(.field(.session, session)))
        guard erased > 0 else { throw Problem(.notFound, "No record belongs to the session “\(session)”.") }
        disclosure.tell("erased \(erased) records of the session \(session.boundedName)")
        return Envelope.success(
            ErasureAnswer.form, ErasureAnswer(erased: erased, remains: await store.erasureRemains()))
    }

    /// Imports NDJSON; an invalid line rejects all of it. Records are duplicates if their owner's stream delivered
    /// them, or, with a stream for the file, if their numbers in it were imported before.
    func take(_ body: [UInt8], _ parameters: [(name: String, value: String)] = []) async throws -> HTTPResponse {
        let file = try Self.stream(parameters)
        var gathering = ImportBatches()
        var batches: [RecordBatch] = []
        var unread = Unread()
        for (index, line) in body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if RecordLine.isBlank(line) { continue }
            do throws(RecordLineError) {
                let line = Array(line)
                let object = try RecordLine.object(line, unread: &unread)
                let defaults = RecordLine.Defaults(time: now(), position: index)
                let row = try RecordLine.record(object, of: line, defaults: defaults, unread: &unread).row
                batches += gathering.add(row, file: file, position: row.sequence.flatMap { Int(exactly: $0) })
            } catch {
                throw Problem(.badRequest, "Line \(index + 1): \(error.message)")
            }
        }
        batches += gathering.rest
        guard !batches.isEmpty else {
            throw Problem(.badRequest, "There is no record: the body is NDJSON, one record per line.")
        }
        let result = try await stored(batches)
        notices.notify(head: try await store.head())
        return Envelope.success(ImportAnswer.form, ImportAnswer(result, unread: unread))
    }

    /// Stores batches concurrently, so that they share commits.
    private func stored(_ batches: [RecordBatch]) async throws -> AppendResult {
        try await withThrowingTaskGroup(of: AppendResult.self) { group in
            for batch in batches { group.addTask { try await store.append(batch) } }
            return try await group.reduce(into: AppendResult(stored: 0, duplicates: 0)) { total, part in
                total.stored += part.stored
                total.duplicates += part.duplicates
            }
        }
    }

    private static func stream(_ parameters: [(name: String, value: String)]) throws(Problem) -> String? {
        for (_, value) in parameters {
            guard value.utf8.count == 48, value.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
            else { throw Problem(.badRequest, "stream is 48 lowercase hexadecimal digits, not “\(value)”.") }
        }
        return parameters.last?.value
    }
}
