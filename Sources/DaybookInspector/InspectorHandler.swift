import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import Foundation

/// The inspector: one web page and the JSON it reads, as a function from request to response.
///
/// The same handler runs behind a socket, behind a web view's scheme handler and in a test. It asks for its token on
/// every API route; checks of `Host` and `Origin` belong around it, for they concern every handler of a server.
/// Safe to call from any number of tasks at once.
public struct InspectorHandler: HTTPHandler {
    private let credentials: Credentials
    private let records: RecordsAPI
    private let volume: VolumeAPI
    private let sessions: SessionsAPI
    private let losses: LossesAPI
    private let explanation: ExplanationAPI
    private let dictionary: DictionaryAPI
    private let definitionCheck = DefinitionCheckAPI()
    private let coverage: CoverageAPI
    private let checklists: ChecklistAPI
    private let runs: RunsAPI
    private let sql: SQLAPI
    private let live: LiveAPI
    private let pairing: PairingAPI?

    /// An inspector over one store.
    /// - Parameters:
    ///   - store: where the records are.
    ///   - definitions: what the team defined; empty when there is nothing.
    ///   - checklists: in the order in which the page lists them. Each is known by its file's name without folder and
    ///     `.md`, and judged by what the store holds and by what `notices` tell of.
    ///   - token: what the page and programs must show.
    ///   - isSecure: whether the server around it speaks TLS; then the page's cookie is never sent in the clear. Default:
    ///     `false`.
    ///   - links: the team's own addresses, shown beside events and requests. Default: none.
    ///   - coverage: what is known of sources and tests; `nil`, the default, leaves these columns out.
    ///   - writesChecklists: whether the page may add items to the checklists' files. Default: `false`.
    ///   - pairing: lets phones be paired with this inspector; `nil`, the default, for one inside an app.
    ///   - notices: told by whatever stores records, after each commit.
    ///   - clock: paces the notices.
    public init(
        store: any EventStore, definitions: Definitions, checklists: [Checklist], links: InspectorLinks = .init(),
        coverage: CoverageFile? = nil, token: AccessToken, isSecure: Bool = false, writesChecklists: Bool = false,
        pairing: PairingDesk? = nil,
        notices: LiveNotices, clock: any Clock<Duration> = ContinuousClock()
    ) {
        let start = ContinuousClock.now
        self.init(
            store: store, definitions: definitions, checklists: checklists, links: links, coverage: coverage,
            token: token, isSecure: isSecure, writesChecklists: writesChecklists, pairing: pairing, notices: notices,
            clock: clock,
            uptime: { start.duration(to: .now) })
    }

    init(
        store: any EventStore, definitions: Definitions, checklists: [Checklist], links: InspectorLinks = .init(),
        coverage: CoverageFile? = nil, token: AccessToken, isSecure: Bool = false, writesChecklists: Bool = false,
        pairing: PairingDesk? = nil,
        notices: LiveNotices, clock: any Clock<Duration>,
        uptime: @escaping @Sendable () -> Duration
    ) {
        credentials = Credentials(token: token, isSecure: isSecure)
        let verdicts = Verdicts(definitions)
        let now: @Sendable () -> Int64 = { Int64(Date.now.timeIntervalSince1970 * 1_000) * 1_000_000 }
        records = RecordsAPI(store: store, verdicts: verdicts, pairs: pairing != nil)
        volume = VolumeAPI(store: store, verdicts: verdicts)
        losses = LossesAPI(store: store)
        sessions = SessionsAPI(store: store, notices: notices, now: now)
        explanation = ExplanationAPI(records: records, definitions: definitions)
        dictionary = DictionaryAPI(store: store, definitions: definitions, links: links)
        self.coverage = CoverageAPI(file: coverage)
        // Without definitions every event of a checklist would be an unknown one.
        let catalog = definitions.categories.contains { !$0.events.isEmpty } ? EventCatalog(definitions) : nil
        let board = ChecklistBoard(store: store, checklists: checklists, catalog: catalog)
        self.checklists = ChecklistAPI(board: board, writes: writesChecklists, notices: notices, now: now)
        let runs = RunsAPI(store: store, board: board, notices: notices, now: now)
        self.runs = runs
        self.pairing = pairing.map { PairingAPI(desk: $0, board: board, runs: runs, uptime: uptime) }
        if !checklists.isEmpty {
            let arrivals = notices.subscribe()
            Task { await board.follow(arrivals) }
        }
        sql = SQLAPI(store: store, uptime: uptime)
        live = LiveAPI(store: store, notices: notices, clock: clock)
    }

    /// Whether a path belongs to the inspector, for a server that answers others as well.
    public static func owns(path: String) -> Bool {
        path == "/" || path.hasPrefix("/assets/") || path.hasPrefix(InspectorRoute.prefix)
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        do {
            return .accept(bodyLimit: try route(head).bodyLimit)
        } catch {
            return .refuse(SecurityHeaders.add(to: Envelope.failure(error)))
        }
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        do {
            return SecurityHeaders.add(to: try await answer(request, route(request.head)))
        } catch {
            return SecurityHeaders.add(to: Envelope.failure(Problem(error)))
        }
    }

    /// The route of a request that may take it. Without the token nothing below the API's prefix is told apart.
    private func route(_ head: HTTPRequest.Head) throws(Problem) -> InspectorRoute {
        let route = InspectorRoute(path: head.path)
        if head.path.hasPrefix(InspectorRoute.prefix), route?.needsToken ?? true, !credentials.allow(head) {
            throw Problem(.unauthorized, "The token is missing or wrong: open the address that daybook printed.")
        }
        guard let route else { throw Problem(.notFound, "There is nothing at \(head.path).") }
        guard route.takes(method: head.method) else {
            throw Problem(.methodNotAllowed, "\(head.path) takes \(route.method), not \(head.method).")
        }
        return route
    }

    private func answer(_ request: HTTPRequest, _ route: InspectorRoute) async throws -> HTTPResponse {
        switch route {
        case .asset(let path): try asset(path, request.head)
        case .session: try session(request)
        case .status: try await records.status()
        case .records: try await records.page(runs.narrowed(request.head.query))
        case .recordCount: try await records.count(runs.narrowed(request.head.query))
        case .record(let id): try await records.record(id)
        case .explanation(let id): try await explanation.explain(id)
        case .histogram: try await volume.histogram(request.head.query)
        case .facets: try await volume.facets(request.head.query)
        case .sessions: try await sessions.sessions(request.head.query)
        case .losses: try await losses.losses()
        case .deleteSession(let id): try await sessions.delete(id)
        case .take: try await sessions.take(request.body)
        case .definitionCheck: try definitionCheck.check(request.body)
        case .definitions: dictionary.dictionary()
        case .tags: try await dictionary.tags()
        case .coverage: try coverage.coverage()
        case .checklists: try await checklists.checklists(request.head.query)
        case .restart(let id): try await checklists.restart(id, request.body)
        case .signOff(let id): try await checklists.signOff(id, request.body)
        case .report(let id): try await checklists.report(id)
        case .addItem(let id): try await checklists.add(id, request.body)
        case .runs: try await runs.list()
        case .startRun: try await runs.start(request.body)
        case .finishRun(let id): try await runs.finish(id)
        case .verdict(let id): try await runs.verdict(id)
        case .live: try await live.stream()
        case .sql: try await sql.run(request.body)
        case .openPairing: try await pairings().open(request.body)
        case .redeemPairing: try await pairings().redeem(request.body)
        }
    }

    private func pairings() throws(Problem) -> PairingAPI {
        guard let pairing else { throw Problem(.notFound, "This inspector pairs with no phone; `daybook serve` does.") }
        return pairing
    }

    private func asset(_ path: String, _ head: HTTPRequest.Head) throws -> HTTPResponse {
        guard let asset = PageAsset.byPath[path] else {
            throw Problem(.notFound, "The page has no file \(path).")
        }
        let tag = "\"\(asset.tag)\""
        let headers: HTTPHeaders = ["content-type": asset.contentType, "cache-control": "no-cache", "etag": tag]
        if head.headers["if-none-match"] == tag { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(asset.bytes))
    }

    private struct SessionBody: Decodable { var token: String }

    private func session(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let body = try? JSONDecoder().decode(SessionBody.self, from: Data(request.body)) else {
            throw Problem(.badRequest, "The body is a JSON object with the token: {\"token\": \"…\"}.")
        }
        guard credentials.token.matches(body.token) else {
            throw Problem(.unauthorized, "The token is wrong: open the address that daybook printed at its last start.")
        }
        var response = Envelope.success { $0.object { _ in } }
        response.headers["set-cookie"] = credentials.cookie(for: request.head)
        return response
    }
}

/// What every answer of the inspector tells the browser to refuse.
enum SecurityHeaders {
    /// The page needs its own files and nothing else; `require-trusted-types-for` turns any way of making markup from
    /// text into an error, so that a payload can only ever be text.
    static let contentSecurityPolicy = """
        default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; \
        require-trusted-types-for 'script'
        """

    static func add(to response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["content-security-policy"] = contentSecurityPolicy
        response.headers["x-content-type-options"] = "nosniff"
        response.headers["referrer-policy"] = "no-referrer"
        response.headers["x-frame-options"] = "DENY"
        response.headers["cross-origin-opener-policy"] = "same-origin"
        response.headers["cross-origin-resource-policy"] = "same-origin"
        return response
    }
}

/// One file of the inspector's web page, as it was when the binary was built.
struct PageAsset: Sendable {
    /// The path from the page's folder: `js/app.js`.
    let path: String
    /// Names this version of the file for caches.
    let tag: String
    let text: StaticString

    var bytes: [UInt8] { text.withUTF8Buffer { Array($0) } }

    /// Told by the name's extension; the page holds text files only.
    var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/plain; charset=utf-8"
        }
    }

    static let byPath = Dictionary(uniqueKeysWithValues: embedded.map { ($0.path, $0) })
}
