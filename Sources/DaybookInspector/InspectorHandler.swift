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
    ///   - store: The store with the records.
    ///   - definitions: The team's definitions; empty if there are none.
    ///   - checklists: In the order in which the page lists them. Each is identified by its file's name without folder
    ///     and `.md`, and judged by what the store contains and what `notices` report.
    ///   - token: The token that the page and programs must send.
    ///   - links: The team's own addresses, shown beside events and requests. Default: none.
    ///   - coverage: What is known about sources and tests. Default: `nil`, which omits these columns.
    ///   - writesChecklists: Whether the page may add items to the checklists' files. Default: `false`.
    ///   - pairing: Lets phones pair with this inspector. Default: `nil`, for an inspector inside an app.
    ///   - bodies: Finds bodies of requests that the app keeps in memory; see ``KeptBodies``. Default: `nil`, none.
    ///   - notices: Notified by whatever stores records, after each commit.
    ///   - audit: Called with the end of a sentence about an action to log: private values requested, records erased.
    ///     Default: not logged.
    ///   - clock: Paces the notices.
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
    ///   - masking: What to hide from readers. Default: `nil`, columns that the definitions mark as private.
    ///   - statements: Runs the SQL screen's statements. Default: `nil`, the store.
    ///   - statementLimits: Per statement. Default: 1,000 rows, 1 s.
    ///   - boards: The team's boards, which the page can write to. Default: `nil`, none.
    ///   - start: The page's default screen. Default: `history`.
    ///   - insightStatements: Runs funnels, retention and paths. Default: `nil`, the store.
    ///   - insightLimits: Per insight. Default: 2 minutes.
    ///   - routes: Further routes of the server, under the same token.
    ///   - uptime: A monotonic clock.
    ///   - keys: What a key in a request's headers allows, besides the token; `nil` for an unknown key. Default: no
    ///     keys.
    ///   - checklistFolder: Where to create checklists. Default: `nil`, nowhere.
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
        // Without definitions, every event of a checklist would be unknown.
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
        // All statements run masked, except for `private=show`, which is logged.
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

    /// Nanoseconds since 1970, in whole milliseconds.
    @Sendable private static func now() -> Int64 { PipelineClock.system.wall() / 1_000_000 * 1_000_000 }

    /// A monotonic clock that starts at 0.
    package static func stopwatch() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }

    /// Whether a path belongs to the inspector, for a server with other handlers.
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

    private func address(_ peer: String) -> String {
        peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer
    }
}

enum SecurityHeaders {
    /// The page needs only its own files. `require-trusted-types-for` makes creating markup from text an error, so that
    /// a payload stays text.
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

/// A file of the web page, embedded at build time. Served without a token, because it contains no data.
struct PageAsset: Sendable {
    /// The path in the page's folder: `js/app.js`.
    let path: String
    /// Identifies this version of the file, for caches.
    let tag: String
    let text: StaticString

    var bytes: [UInt8] { text.withUTF8Buffer { Array($0) } }

    /// From the file extension; the page has text files only.
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
