import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// The inspector: one web page and the JSON it loads, as a function from request to response.
///
/// The same handler runs behind a socket, behind a web view's scheme handler and in a test. It requires its token on
/// every API route; checks of `Host` and `Origin` belong around it, because they concern every handler of a server.
/// Safe to call from any number of tasks at once.
public struct InspectorHandler: HTTPHandler {
    private static let prefix = "/api/v1/"

    /// Every route there is.
    let routes: [HTTPRoute]
    private let router: HTTPRouter

    /// Creates an inspector over one store.
    ///
    /// ```swift
    /// let notices = LiveNotices()
    /// let path = folder.appendingPathComponent("inspector.sqlite").path
    /// let store = ObservedStore(try SQLiteStore(path: path)) { notices.notify(head: $0) }
    /// let inspector = InspectorHandler(
    ///     store: store, definitions: Definitions(categories: []), checklists: [], token: AccessToken(), notices: notices)
    /// let app = try Pipeline(directory: folder) {
    ///     Route("**", to: StoreOutput(store), batch: BatchLimits(delay: .milliseconds(250)))
    /// }
    /// ```
    /// - Parameters:
    ///   - store: where the records are.
    ///   - definitions: the team's definitions; empty if there are none.
    ///   - checklists: in the order in which the page lists them. Each is identified by its file's name without folder
    ///     and `.md`, and judged by what the store contains and what `notices` report.
    ///   - token: the token that the page and programs must send.
    ///   - links: the team's own addresses, shown beside events and requests. Default: none.
    ///   - coverage: what is known about sources and tests; `nil`, the default, omits these columns.
    ///   - writesChecklists: whether the page may add items to the checklists' files. Default: `false`.
    ///   - pairing: lets phones pair with this inspector; `nil`, the default, for one inside an app.
    ///   - bodies: the bodies of requests that the app keeps in memory; see ``KeptBodies``. Default: none.
    ///   - notices: notified by whatever stores records, after each commit.
    ///   - audit: called with the end of a sentence about what somebody did that others may want to know: requested
    ///     masked values, erased records. Default: nobody is told.
    ///   - clock: paces the notices.
    public init(
        store: any EventStore, definitions: Definitions, checklists: [Checklist], links: InspectorLinks = .init(),
        coverage: CoverageFile? = nil, token: AccessToken, writesChecklists: Bool = false,
        pairing: PairingDesk? = nil, bodies: KeptBodies? = nil,
        notices: LiveNotices, audit: @escaping @Sendable (String) -> Void = { _ in },
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            store: store, definitions: definitions, checklists: checklists, links: links, coverage: coverage,
            token: token, writesChecklists: writesChecklists, pairing: pairing, bodies: bodies, notices: notices,
            audit: audit, clock: clock, routes: [])
    }

    /// - Parameters:
    ///   - masking: what readers do not see; `nil`, the default, for what the definitions mark as private.
    ///   - statements: runs what people write on the SQL screen; `nil`, the default, for the store itself.
    ///   - statementLimits: of each. Default: 1,000 rows, 1 s.
    ///   - boards: the team's boards, which the page also writes to; `nil`, the default, for none.
    ///   - start: the screen of an address that names none, as the page calls it. Default: `history`.
    ///   - insightStatements: runs funnels, retention and paths; `nil`, the default, for the store itself.
    ///   - insightLimits: of each. Default: 2 minutes.
    ///   - routes: further routes of the server around the inspector, under the same token.
    ///   - uptime: time since some fixed point, never set back.
    ///   - keys: what a key in a request's fields opens besides the token; `nil` for one that is not known. Default: none is.
    ///   - checklistFolder: where new checklists are written; `nil`, the default, for nowhere.
    package init(
        store: any EventStore, definitions: Definitions, masking: MaskingPolicy? = nil, checklists: [Checklist],
        links: InspectorLinks = .init(), coverage: CoverageFile? = nil, token: AccessToken,
        writesChecklists: Bool = false, pairing: PairingDesk? = nil, bodies: KeptBodies? = nil, notices: LiveNotices,
        audit: @escaping @Sendable (String) -> Void = { _ in },
        clock: any Clock<Duration> = ContinuousClock(), statements: (any StatementRunner)? = nil,
        statementLimits: QueryLimits = QueryLimits(), boards: BoardFolder? = nil, start: String = "history",
        insightStatements: (any StatementRunner)? = nil, insightLimits: QueryLimits = .ofInsight(),
        routes: [HTTPRoute], uptime: @escaping @Sendable () -> Duration = Self.stopwatch(),
        keys: @escaping @Sendable (HTTPHeaders) -> InspectorAccess? = { _ in nil }, checklistFolder: String? = nil
    ) {
        // Without definitions every event of a checklist would be an unknown one.
        let masking = masking ?? MaskingPolicy(definitions)
        var catalog = definitions.categories.contains { !$0.events.isEmpty } ? EventCatalog(definitions) : nil
        catalog?.masking = masking
        let board = ChecklistBoard(store: store, checklists: checklists, catalog: catalog, masking: masking)
        if !checklists.isEmpty {
            let arrivals = notices.subscribe()
            let threads = WorkThreads("daybook.checklists", count: 1, niceness: WorkThreads.yieldingNiceness)
            threads.run {
                await board.follow(arrivals)
                threads.stop()
            }
        }
        let verdicts = Verdicts(definitions)
        let opener = RunOpener(store: store, board: board)
        let credentials = Credentials(token: token, keys: keys)
        let runs = RunsAPI(
            store: store, board: board, opener: opener, notices: notices, now: Self.now,
            audience: credentials.audience)
        let desk = SignOffDesk(
            board: board, opener: opener, runs: runs, notices: notices,
            definitions: catalog.map { _ in
                Digest.text(of: Array(DumpGenerator.generate(definitions).utf8), seed: 0)
            }, now: Self.now)
        let disclosure = Disclosure(masking: masking, tell: audit)
        let filters = FilterReading(
            verdicts: verdicts, disclosure: disclosure, now: PipelineClock.system.wall)
        // Whatever here runs a statement runs it so, but for who asks for private values and is told of.
        let statements = MaskedStatements(statements ?? store, disclosure.masking)
        let records = RecordsAPI(
            store: store, verdicts: verdicts, filters: filters, runs: runs, disclosure: disclosure,
            pairs: pairing != nil, limits: statementLimits, start: start)
        let files = ChecklistFile()
        let tables = [
            PageAsset.routes, records.routes,
            ExplanationAPI(records: records, definitions: definitions).routes,
            FilterAPI(filters: filters).routes, BodiesAPI(records: records, kept: bodies).routes,
            VolumeAPI(store: store, filters: filters, runs: runs).routes,
            ViolationsAPI(store: store, verdicts: verdicts, filters: filters, runs: runs).routes,
            LossesAPI(store: store).routes,
            SessionsAPI(store: store, filters: filters, notices: notices, disclosure: disclosure, now: Self.now).routes,
            DictionaryAPI(definitions: definitions, links: links).routes, DefinitionCheckAPI().routes,
            TagsAPI(store: store, filters: filters).routes,
            CoverageAPI(file: coverage).routes,
            ChecklistAPI(
                board: board, opener: opener, desk: desk, writes: writesChecklists, notices: notices, files: files,
                audience: credentials.audience
            ).routes,
            ChecklistEditAPI(
                board: board, files: files, folder: writesChecklists ? checklistFolder : nil, writes: writesChecklists,
                notices: notices
            ).routes,
            runs.routes,
            PairingAPI.routes(pairing.map { PairingAPI(desk: $0, board: board, runs: runs, uptime: uptime) }),
            LiveAPI(store: store, notices: notices, clock: clock).routes,
            BoardsAPI(folder: boards).routes, ReleasesAPI(store: store).routes,
            SQLAPI(
                statements: statements, limits: statementLimits, disclosure: disclosure,
                tables: StatementTables(
                    dialect: store.dialect.flatMap { SQLDialect(rawValue: $0.rawValue) }, definitions: definitions),
                uptime: uptime
            ).routes,
            InsightsAPI(
                dialect: store.dialect, statements: MaskedStatements(insightStatements ?? store, disclosure.masking),
                limits: insightLimits,
                disclosure: disclosure, definitions: definitions, uptime: uptime, now: Self.now,
                allows: { (try? credentials.check($0)) != nil }
            ).routes,
            SQLSchemaAPI(dialect: store.dialect, definitions: definitions).routes,
        ]
        self.init(tables.flatMap(\.self) + routes, credentials)
    }

    private init(_ routes: [HTTPRoute], _ credentials: Credentials) {
        self.routes = routes
        router = HTTPRouter(routes) { head in
            guard head.path.utf8.starts(with: Self.prefix.utf8) else { return }
            try credentials.check(head)
        } failure: {
            Envelope.failure($0)
        }
    }

    /// Nanoseconds since 1970.
    @Sendable private static func now() -> Int64 { PipelineClock.system.wall() / 1_000_000 * 1_000_000 }

    /// Time since this call.
    package static func stopwatch() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }

    /// Whether a path belongs to the inspector, for a server that also answers others.
    public static func owns(path: String) -> Bool {
        path == "/" || path.hasPrefix("/assets/") || path.hasPrefix(prefix)
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        switch router.admit(head) {
        case .accept(let bodyLimit): .accept(bodyLimit: bodyLimit)
        case .refuse(let response): .refuse(SecurityHeaders.add(to: response))
        }
    }

    public func work(of head: HTTPRequest.Head) -> HTTPWork { router.work(of: head) }

    public func allows(_ head: HTTPRequest.Head) -> Bool { router.allows(head) }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let name = request.head.headers["authorization"] ?? address(request.head.peer)
        let response = await Asker.$current.withValue(Asker(name: name)) { await router.respond(to: request) }
        return SecurityHeaders.add(to: response)
    }

    /// A peer without its port.
    private func address(_ peer: String) -> String {
        peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer
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

/// One file of the inspector's web page, as it was when the binary was built. Served to anyone, for it holds nothing.
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

    static let routes = [
        HTTPRoute("GET", "/", parameters: nil, isOpen: true) { try response(path: "index.html", $0.head) },
        HTTPRoute("GET", "/assets/{file…}", parameters: nil, isOpen: true) {
            try response(path: $0.text("file"), $0.head)
        },
    ]

    private static func response(path: String, _ head: HTTPRequest.Head) throws(Problem) -> HTTPResponse {
        guard let asset = byPath[path] else {
            throw Problem(.notFound, "The page has no file \(path).")
        }
        let tag = "\"\(asset.tag)\""
        let headers: HTTPHeaders = ["content-type": asset.contentType, "cache-control": "no-cache", "etag": tag]
        if head.headers["if-none-match"] == tag { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(asset.bytes))
    }
}
