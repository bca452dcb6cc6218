import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Finds the bodies of an exchange that an app keeps in memory, by its record's span id; `nil` if it keeps none, or no
/// longer. Called on any thread.
public typealias KeptBodies = @Sendable (_ spanID: String) -> (request: String?, response: String?)?

struct RecordsAPI: Sendable {
    let store: any EventStore
    let filters: FilterContext
    let definitions: Definitions
    /// `nil` on a server, which keeps none.
    let kept: KeptBodies?

    private var records: RecordQuestions { RecordQuestions(filters, of: store) }
    private var sessions: SessionsQuestion { SessionsQuestion(filters, of: store) }
    private var tags: TagsQuestion { TagsQuestion(filters, of: store) }

    var routes: [HTTPRoute] {
        [
            HTTPRoute(responding: Endpoints.records) { try await page($0.query) },
            HTTPRoute(Endpoints.recordErasure, work: .long) { try await records.erase($0.query) },
            HTTPRoute(Endpoints.recordCount) { try await records.count($0.query) },
            HTTPRoute(Endpoints.record) { try await records.record($0.number("id"), $0.query) },
            HTTPRoute(Endpoints.recordExplanation) { try await records.explanation($0.number("id"), definitions) },
            HTTPRoute(Endpoints.recordBodies) { try await bodies($0.number("id")) },
            HTTPRoute(Endpoints.histogram) { try await HistogramQuestion(filters, of: store).answer($0.query) },
            HTTPRoute(Endpoints.facets) { try await FacetsQuestion(filters, of: store).answer($0.query) },
            HTTPRoute(Endpoints.violations) { try await ViolationsQuestion(filters, of: store).answer($0.query) },
            HTTPRoute(responding: Endpoints.sessions) { request in
                request.head.parameter("filter") == nil
                    ? HTTPResponse(SessionsAnswer.form, try await sessions.answer(request.query))
                    : HTTPResponse(PartialAnswer.sessions, try await sessions.matching(request.query))
            },
            HTTPRoute(Endpoints.sessionErasure, work: .long) { try await records.erase(session: $0.text("id")) },
            HTTPRoute(responding: Endpoints.tags) { request in
                request.head.parameter("filter") == nil
                    ? HTTPResponse(TagsAnswer.form, try await tags.answer(request.query))
                    : HTTPResponse(PartialAnswer.tags, try await tags.matching(request.query))
            },
            HTTPRoute(Endpoints.losses) { try await LossesAnswer($0.query, from: store) },
            HTTPRoute(Endpoints.releases) { try await ReleaseQuestion($0.query).answer(from: store) },
            HTTPRoute(Endpoints.filter) { FilterAnswer($0.head.parameter("filter") ?? "", now: filters.now()) },
        ]
    }

    private func page(_ parameters: Parameters) async throws -> HTTPResponse {
        let policy = try records.policy(parameters)
        let isWhole = try WireForm.isAsked(.stored, in: parameters)
        let page = try await records.page(parameters)
        if isWhole { return HTTPResponse(RecordsAnswer.stored, page.map { policy.map($0.masked) ?? $0 }) }
        return HTTPResponse(RecordsAnswer.shown, page.map(records.shown(policy)))
    }

    private func bodies(_ id: Int64) async throws -> RecordBodies {
        let found = try await records.stored(id).row.spanID.flatMap { kept?($0) }
        return RecordBodies(request: found?.request, response: found?.response)
    }
}
