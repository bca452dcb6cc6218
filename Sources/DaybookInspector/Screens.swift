import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

/// What the screens share, and the routes of each.
struct Screens {
    let credentials: Credentials
    private let store: any EventStore
    private let definitions: Definitions
    private let notices: LiveNotices
    private let options: InspectorOptions
    private let board: ChecklistBoard
    private let runs: RunBook
    private let disclosure: Disclosure
    private let filters: FilterContext
    /// Nanoseconds since 1970, in whole milliseconds: the precision of records made here.
    private let now: @Sendable () -> Int64
    /// Whether events are defined; otherwise all events of a checklist would be undefined.
    private let hasCatalog: Bool

    init(
        _ store: any EventStore, _ definitions: Definitions, _ checklists: [Checklist], _ notices: LiveNotices,
        _ options: InspectorOptions, _ token: AccessToken
    ) {
        (self.store, self.definitions, self.notices, self.options) = (store, definitions, notices, options)
        let masking = options.masking ?? MaskingPolicy(definitions)
        hasCatalog = definitions.categories.contains { !$0.events.isEmpty }
        var catalog = hasCatalog ? EventCatalog(definitions) : nil
        catalog?.masking = masking
        board = ChecklistBoard(store: store, checklists: checklists, catalog: catalog, masking: masking) {
            notices.notify(head: $0)
        }
        credentials = Credentials(token: token, keys: options.keys)
        now = { [wall = options.now] in wall() / 1_000_000 * 1_000_000 }
        runs = RunBook(store: store, board: board, now: now)
        disclosure = Disclosure(masking: masking, tell: options.audit)
        filters = FilterContext(defined: DefinedEvents(definitions), disclosure: disclosure, now: options.now)
        if !checklists.isEmpty { followArrivals() }
    }

    /// Judges new records on a thread of its own.
    private func followArrivals() {
        let arrivals = notices.subscribe()
        let threads = WorkThreads("daybook.checklists", count: 1, niceness: WorkThreads.yieldingNiceness)
        threads.run { [board] in
            await board.follow(arrivals)
            threads.stop()
        }
    }

    var routes: [HTTPRoute] { PageAsset.routes + recordRoutes + dictionaryRoutes + checklistRoutes + statementRoutes }

    private var recordRoutes: [HTTPRoute] {
        RecordsAPI(store: store, filters: filters, definitions: definitions, kept: options.bodies).routes
            + ImportAPI(store: store, notices: notices, now: now).routes
            + LiveAPI(store: store, notices: notices, clock: options.clock).routes + [
                HTTPRoute(Endpoints.status) {
                    [store, limits = options.statementLimits, pairs = options.pairing != nil, start = options.start] _
                    in
                    StatusAnswer(head: try await store.head(), limits: limits, pairs: pairs, start: start)
                }
            ]
    }

    private var dictionaryRoutes: [HTTPRoute] {
        DictionaryAPI(definitions, links: options.links, dialect: store.dialect, coverage: options.coverage).routes
    }

    private var checklistRoutes: [HTTPRoute] {
        let files = ChecklistFile()
        let desk = SignOffDesk(
            board: board, runs: runs,
            definitions: hasCatalog
                ? Digest.text(of: Array(DumpGenerator.generate(definitions).utf8), seed: 0) : nil, now: now)
        return ChecklistAPI(
            board: board, runs: runs, desk: desk, writes: options.writesChecklists, notices: notices, files: files,
            audience: credentials.audience
        ).routes
            + ChecklistEditAPI(
                board: board, files: files, folder: options.writesChecklists ? options.checklistFolder : nil,
                writes: options.writesChecklists, notices: notices
            ).routes + RunsAPI(runs: runs, audience: credentials.audience).routes
            + PairingAPI.routes(
                options.pairing.map { PairingAPI(desk: $0, board: board, runs: runs, uptime: options.uptime) })
    }

    /// Statements run masked, except for requests for private values, which are logged.
    private var statementRoutes: [HTTPRoute] {
        let statements = MaskedStatements(options.statements ?? store, disclosure.masking)
        let insightStatements = MaskedStatements(options.insightStatements ?? store, disclosure.masking)
        let tables = StatementTables(
            dialect: store.dialect.flatMap { SQLDialect(rawValue: $0.rawValue) }, definitions: definitions)
        return BoardsAPI(folder: options.boards).routes
            + SQLAPI(
                statements: statements, limits: options.statementLimits, disclosure: disclosure, tables: tables,
                uptime: options.uptime
            ).routes
            + InsightsAPI(
                dialect: store.dialect, columns: options.insightColumns ?? store.columnar,
                statements: insightStatements, limits: options.insightLimits,
                disclosure: disclosure, definitions: definitions, uptime: options.uptime, now: now,
                allows: { [credentials] in (try? credentials.check($0)) != nil }
            ).routes
    }
}
