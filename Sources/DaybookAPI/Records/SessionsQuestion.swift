import DaybookStore
import DaybookTools

/// Sessions: a page of all, or those with matching records.
package struct SessionsQuestion: Sendable {
    static let names: Set = ["before", "filter", "installation", "limit", "private", "search", "session"]

    private let store: any EventStore
    private let filters: FilterContext

    package init(_ filters: FilterContext, of store: any EventStore) { (self.filters, self.store) = (filters, store) }

    /// The latest first.
    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package func answer(_ parameters: Parameters) async throws -> SessionsAnswer {
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
        return SessionsAnswer(sessions: sessions, next: next)
    }

    /// Parses `TIME.SESSION`, the value of `next`.
    private static func place(_ text: String) throws(Problem) -> SessionPlace {
        if let place = SessionPlace(text: text) { return place }
        throw Problem(.badRequest, "before is the `next` of another answer, not “\(text)”.")
    }

    /// Sessions with a matching record, in order of the latest match.
    package func matching(_ parameters: Parameters) async throws -> PartialAnswer<SessionSummary> {
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
        return PartialAnswer(sessions, next: end.next, end.progress)
    }
}
