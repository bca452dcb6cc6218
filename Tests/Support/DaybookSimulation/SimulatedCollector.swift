import CSQLite
import Daybook
import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookInspector
import DaybookStore
import DaybookTesting
import DaybookTools
import Foundation

/// The collector as `daybook serve` assembles it, behind its router instead of a socket, over a SQLite file.
final class SimulatedCollector: Sendable {
    /// What a restart makes anew.
    private struct Parts: Sendable {
        var sqlite: SQLiteStore
        var store: SimulatedStore
        var received: SimulatedStore
        var router: HTTPRouter
        var alerts: AlertRunner
        var notices: LiveNotices
    }

    private static let place = SourceLocation(file: "feed.md", line: 1, column: 1)
    static let definitions = Definitions(categories: [
        Category(
            name: "feed",
            events: [
                Event(
                    name: "show_article",
                    columns: [
                        Column(name: Marker.attribute, type: .string(limit: 64), location: place),
                        Column(
                            name: Marker.privateAttribute, type: .string(limit: 64), classification: .private,
                            location: place),
                    ], location: place)
            ], location: place)
    ])
    private static let alert = """
        # Many
        ```sql
        SELECT tag AS label, count(*) AS value FROM records WHERE tag LIKE 'feed.%' GROUP BY tag
        ```
        - every 1m
        - when value > 20
        - notify http://hooks.example/many
        """

    let folder: String
    let keys: SimulatedKeys
    let clock: ManualClock
    let target = SimulatedTarget()
    private let planted: PlantedFault?
    private let parts: Mutex<Parts>

    init(_ settings: World.Settings, clock: ManualClock, folder: String) async throws {
        (self.folder, self.clock, planted) = (folder, clock, settings.planted)
        for name in ["checklists", "boards", "alerts"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try Data("# release\n\n## feed\n- [ ] feed.show_article\n".utf8).write(
            to: URL(fileURLWithPath: "\(folder)/checklists/release.md"))
        try Data("# days\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/boards/days.md"))
        try Data(Self.alert.utf8).write(to: URL(fileURLWithPath: "\(folder)/alerts/many.md"))
        keys = SimulatedKeys(file: "\(folder)/keys", clock: clock, planted: planted)
        parts = Mutex(try await Self.open(folder, clock, keys, target, planted))
    }

    private static func open(
        _ folder: String, _ clock: ManualClock, _ keys: SimulatedKeys, _ target: SimulatedTarget,
        _ planted: PlantedFault?
    ) async throws -> Parts {
        let sqlite = try SQLiteStore(path: "\(folder)/records.sqlite")
        let trouble = SimulatedStore.State()
        let store = SimulatedStore(sqlite, trouble, clock, planted: planted)
        // Health concerns what senders send, not what people write.
        let received = SimulatedStore(sqlite, trouble, clock, planted: planted)
        try await store.createViews(of: definitions)
        let notices = LiveNotices()
        let masking = MaskingPolicy(definitions)
        let file = "\(folder)/checklists/release.md"
        let checklist = try Checklist(markdown: String(contentsOfFile: file, encoding: .utf8), file: file)
        let alerts = try AlertRunner(
            rules: AlertParser.parse(alert, file: "many.md").rules, store: store,
            file: AlertStateFile(path: "\(folder)/alerts.json"),
            sender: AlertSender(secrets: .none, version: "1", transport: target), masking: masking, jitter: { 0.5 }
        ) { _, _, attributes in
            if attributes["status"] != nil { target.expect() }
        }
        let ingest = IngestHandler(store: received, keys: keys.ring, clock: clock.clock) {
            $0.patience = .seconds(60)
            $0.retryDelay = { 1 }
        }
        let inspector = InspectorHandler(
            store: store, definitions: definitions, checklists: [checklist], token: keys.token, notices: notices
        ) {
            $0.writesChecklists = true
            $0.boards = BoardFolder("\(folder)/boards")
            $0.routes =
                AlertsAPI(alerts, now: clock.clock.wall).routes
                + AlertFiles(
                    folder: "\(folder)/alerts", secrets: .none,
                    tables: StatementTables(dialect: .sqlite, definitions: definitions), masking: masking
                ).routes
            $0.keys = keys.access
            $0.checklistFolder = "\(folder)/checklists"
        }
        let router = HTTPRouter([
            HTTPRoute(nil, "/v1/…", ingest), HTTPRoute(nil, "/healthz", ingest), HTTPRoute(nil, "/…", inspector),
        ])
        return Parts(sqlite: sqlite, store: store, received: received, router: router, alerts: alerts, notices: notices)
    }

    var store: SimulatedStore { parts.withLock { $0.store } }
    /// Whether the last data from senders could not be stored.
    var isStoreFailing: Bool { parts.withLock { $0.received.isFailing } }
    private var alerts: AlertRunner { parts.withLock { $0.alerts } }

    func set(_ trouble: SimulatedStore.Trouble?) throws {
        try run("DROP TRIGGER IF EXISTS refusal")
        if trouble == .refusesInserts {
            try run("CREATE TRIGGER refusal BEFORE INSERT ON stored_records BEGIN SELECT RAISE(ABORT, 'no'); END")
        }
        store.set(trouble)
    }

    func heal() throws { try set(nil) }

    private func run(_ statement: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(folder + "/records.sqlite", &database) == SQLITE_OK,
            sqlite3_busy_timeout(database, 10_000) == SQLITE_OK,
            sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK
        else { throw StoreError(.storage, "\(statement): \(String(cString: sqlite3_errmsg(database)))") }
    }

    /// Stops in order and starts again on the same files.
    func restart() async throws {
        try heal()
        let notices = await notices()
        settledBefore.withLock { $0 += notices.settled }
        await close()
        let next = try await Self.open(folder, clock, keys, target, planted)
        parts.withLock { $0 = next }
    }

    func close() async {
        let old = parts.withLock { $0 }
        old.notices.close()
        await old.sqlite.close()
    }

    /// Notices that earlier runners have delivered, merged or given up.
    private let settledBefore = Mutex<Int64>(0)

    var settledNotices: Int64 { settledBefore.withLock { $0 } }

    /// The API's counts of notices.
    func notices() async -> (waiting: Int64, settled: Int64) {
        guard case .object(let notices)? = await ask("/api/v1/alerts", key: keys.token.text).data("notices"),
            case .int(let waiting)? = notices["waiting"], case .int(let delivered)? = notices["delivered"],
            case .int(let dropped)? = notices["dropped"], case .int(let merged)? = notices["merged"]
        else { return (-1, -1) }
        return (waiting, delivered + dropped + merged)
    }

    /// What `daybook serve` does every second.
    func keepAlerts() async {
        let now = clock.clock.wall()
        await alerts.evaluate(at: now)
        await alerts.deliver(at: now)
    }

    // MARK: Requests

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let router = parts.withLock { $0.router }
        if case .refuse(let response) = router.admit(request.head) { return response }
        let response = await router.respond(to: request)
        if planted == .healthIsAlwaysOK, request.head.path == "/healthz" {
            return HTTPResponse(status: 200, contentType: "text/plain", text: "ok\n")
        }
        return response
    }

    func respond(to request: TransportRequest) async -> TransportResponse {
        var headers: HTTPHeaders = [:]
        for (name, value) in request.headers { headers[name] = value }
        let head = HTTPRequest.Head(method: request.method, path: request.url.path, headers: headers)
        let response = await respond(to: HTTPRequest(head: head, body: request.body))
        let fields = response.headers.fields.map { ($0.name.lowercased(), $0.value) }
        return TransportResponse(
            status: response.status, headers: Dictionary(fields, uniquingKeysWith: { first, _ in first }),
            body: response.bytes)
    }

    func ask(_ path: String, key: String) async -> HTTPResponse { await ask("GET", path, key: key) }

    func ask(
        _ method: String, _ path: String, _ query: [(name: String, value: String)] = [], body: String = "",
        key: String
    ) async -> HTTPResponse {
        let headers: HTTPHeaders = ["authorization": "Bearer \(key)", "content-type": "application/json"]
        let head = HTTPRequest.Head(method: method, path: path, query: query, headers: headers)
        return await respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
    }
}

extension HTTPResponse {
    var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A member of the data in an API answer; `nil` for an error.
    func data(_ name: String) -> Value? {
        guard status == 200, case .object(let answer)? = try? JSONReader.value(of: bytes),
            case .object(let data)? = answer["data"]
        else { return nil }
        return data[name]
    }
}
