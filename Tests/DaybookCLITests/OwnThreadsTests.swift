import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookHTTPServer
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Whatever a route's handler, body or files do, senders and viewers notice nothing.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct OwnThreadsTests {
    private let tool = Tool()
    private static let line = Array("{\"tag\":\"a.b\"}\n".utf8)
    private static let lines = ["Content-Type: application/x-ndjson"]

    /// An inspector with everything a collector has, so that its table has every route.
    private func inspector() throws -> InspectorHandler {
        let folder = TemporaryDirectory.current.file("project")
        let alerts = AlertFiles(
            folder: folder, secrets: .none, tables: StatementTables(dialect: .sqlite), masking: MaskingPolicy())
        return InspectorHandler(
            store: MemoryStore(), definitions: Definitions(),
            checklists: [try Checklist(markdown: "# release\n- [ ] a.b\n", file: folder + "/release.md")],
            token: AccessToken(), notices: LiveNotices()
        ) {
            $0.writesChecklists = true
            $0.pairing = PairingDesk(address: { .init(collector: "", isLocal: true) }) { _ in nil }
            $0.boards = BoardFolder(folder)
            $0.routes = AlertsAPI(nil).routes + alerts.routes
            $0.checklistFolder = folder
        }
    }

    private func path(_ route: HTTPRoute) -> String { route.path.description.replacing(/{\w+…?}/, with: "1") }

    /// Serves routes beside a real ingest, while `body` runs on a thread that may block.
    private func serving(_ routes: [HTTPRoute], _ body: @escaping @Sendable (Int) throws -> Void) async throws {
        let ingest = IngestHandler(store: MemoryStore())
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(
                addresses: ["127.0.0.1"], port: 0,
                limits: HTTPServerLimits {
                    $0.sweepInterval = .milliseconds(5)
                }),
            handler: HTTPRouter(
                [HTTPRoute(nil, "/v1/…", ingest), HTTPRoute(nil, "/healthz", ingest)]
                    + [HTTPRoute(nil, "/…", HTTPRouter(routes))]))
        let port = try server.start()
        do {
            try await offPool { try body(port) }
        } catch {
            await server.stop(within: .zero)
            throw error
        }
        await server.stop(within: .zero)
    }

    private static func expectIngestAndHealth(_ port: Int, _ key: [String] = [], times: Int = 20) throws {
        for _ in 0..<times {
            let client = try RawClient(port: port)
            client.request("POST /v1/events", headers: lines + key, body: line)
            #expect(try client.readResponse().status == 200)
            client.request("GET /healthz")
            #expect(try client.readResponse().status == 200)
        }
    }

    @Test("Blocked routes stop neither ingest nor health") func routesMayBlockForever() async throws {
        let table = try inspector().routes
        #expect(table.count > 40)
        let (gate, blocked) = (DispatchSemaphore(value: 0), Counter())
        let routes = table.map { route in
            HTTPRoute(
                route.methods?.first ?? "GET", route.path, parameters: nil, bodyLimit: route.bodyLimit ?? 0,
                isOpen: true, work: route.work
            ) { _ in
                blocked.count.add(1, ordering: .relaxed)
                gate.blockThread()
                return HTTPResponse(status: 204)
            }
        }
        let asked = table.map { (method: $0.methods?.first ?? "GET", path: path($0)) }
        try await serving(routes) { port in
            let clients = try asked.enumerated().map { number, route in
                let client = try RawClient(port: port, from: "127.0.0.\(2 + number % 4)")
                client.request("\(route.method) \(route.path)")
                return client
            }
            try eventuallyOnThread("many block") { blocked.count.load(ordering: .relaxed) > 40 }
            try Self.expectIngestAndHealth(port)
            for _ in 0..<1_000 { gate.signal() }
            for client in clients { #expect([204, 503].contains(try client.readHead().status)) }
        }
        for route in table {
            guard case .bounded = route.work else {
                Issue.record("\(route.path) is answered on the threads of ingest or health")
                continue
            }
        }
    }

    @Test("Trickling request bodies stop neither ingest nor health") func bodiesMayTrickle() async throws {
        let inspector = try inspector()
        let taking = inspector.routes.filter { ($0.bodyLimit ?? 0) > 0 }.map {
            (method: $0.methods?.first ?? "POST", path: path($0))
        }
        #expect(taking.count > 10)
        try await serving(inspector.routes) { port in
            let clients = try taking.flatMap { route in
                try (0..<8).map { _ in
                    let client = try RawClient(port: port, from: "127.0.0.2")
                    client.send(
                        "\(route.method) \(route.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 900\r\n\r\n{"
                    )
                    return client
                }
            }
            try Self.expectIngestAndHealth(port)
            for client in clients {
                client.send("}")
                #expect(!client.isReadable(within: 0))
            }
        }
    }

    /// Runs the built program and turns each of its files into a pipe that nobody writes to.
    @Test("Pipes in place of files are refused and block nobody") func refusesEndlessFiles() async throws {
        let files = [
            "defs/feed.md": "# feed\n\n## show\n\n- article_id: !bigint\n",
            "checks/release.md": "# release\n- [ ] feed.show\n",
            "boards/week.md": "# Week\n\nText.\n",
            "alerts/errors.md":
                "# Errors\n\n```sql\nSELECT count(*) FROM records\n```\n\n- every 5m\n- when value > 1000000\n",
            "coverage.json": "{\"events\":[]}",
        ]
        for (name, text) in files { try tool.write(text, to: name) }
        let key = try await tool.run("keys", "add", "--keys", "keys", "ios").output.filter { !$0.isWhitespace }
        let serve = try tool.start(
            "serve", "--port", "0", "--store", "s.sqlite", "--definitions", "defs", "--checklists", "checks",
            "--boards",
            "boards", "--alerts", "alerts", "--coverage", "coverage.json", "--keys", "keys", mergingErrors: true)
        defer { serve.end() }
        let address = try await serve.line(beginning: "Inspector: ")
        let port = try #require(URL(string: address)?.port)
        let token = "Authorization: Bearer \(address.split(separator: "=").last ?? "")"
        for name in Array(files.keys) + ["keys"] {
            let file = tool.directory.appending(path: name).path
            try FileManager.default.removeItem(atPath: file)
            try #require(mkfifo(file, 0o600) == 0)
        }
        _ = try await serve.line(containing: "The keys were not reloaded")
        var asked = try inspector().routes.map { (method: $0.methods?.first ?? "GET", path: path($0)) }
        for name in ["checklists/release/source", "coverage", "boards"] {
            asked.append((method: "GET", path: "/api/v1/\(name)"))
        }
        let routes = asked
        try await offPool {
            let clients = try routes.map { route in
                let client = try RawClient(port: port)
                client.request("\(route.method) \(route.path)", headers: [token])
                return client
            }
            try Self.expectIngestAndHealth(port, ["Authorization: Bearer \(key)"])
            for (client, route) in zip(clients, routes) {
                let head = try client.readHead()
                #expect(head.status > 0, "\(route)")
            }
            for path in ["boards", "coverage", "checklists/release/source"] {
                let client = try RawClient(port: port)
                client.request("GET /api/v1/\(path)", headers: [token])
                #expect(try client.readResponse().text.contains("not a regular file"), "\(path)")
            }
            try Self.expectIngestAndHealth(port, ["Authorization: Bearer \(key)"], times: 5)
        }
    }

    /// The page's stream, and a statement that would run until its limit.
    @Test("Revoking a key ends its stream and its statement") func revocationEndsRequests() async throws {
        let key = try await tool.run("keys", "add", "--keys", "keys", "--for", "read", "ann").output
            .filter { !$0.isWhitespace }
        let serve = try tool.start(
            "serve", "--port", "0", "--store", "s.sqlite", "--keys", "keys", "--sql-time", "600")
        defer { serve.end() }
        let address = try await serve.line(beginning: "Inspector: ")
        let port = try #require(URL(string: address)?.port)
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i * 1.0) FROM n"
        let (began, revoked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let ended: Void = offPool {
            let fields = ["Authorization: Bearer \(key)"]
            let (live, statement) = (try RawClient(port: port), try RawClient(port: port))
            defer { began.signal() }
            live.request("GET /api/v1/live", headers: fields)
            #expect(try live.readHead().status == 200)
            statement.request(
                "POST /api/v1/sql", headers: fields + ["Content-Type: application/json"],
                body: Array(#"{"sql":"\#(endless)"}"#.utf8))
            #expect(!statement.isReadable(within: 500))
            began.signal()
            revoked.blockThread()
            #expect(try statement.readResponse().status == 401)
            while try !live.readChunk().isEmpty {}
        }
        try await offPool { began.blockThread() }
        let revocation = try await tool.run("keys", "revoke", "--keys", "keys", String(key.split(separator: "_")[1]))
        #expect(revocation.status == 0)
        revoked.signal()
        try await ended
    }

    /// Signals that terminals, supervisors and log rotation send; SIGTERM ends it in order.
    @Test(
        "Signals other than SIGTERM do not end the collector",
        .enabled(if: Tool.find("kill") != nil, "kill is not installed"))
    func ignoresOtherSignals() async throws {
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite")
        let address = try await serve.line(beginning: "Inspector: ")
        let port = try #require(URL(string: address)?.port)
        for name in ["HUP", "USR1", "USR2", "PIPE", "ALRM", "VTALRM", "PROF", "XFSZ", "TTIN", "TTOU", "URG", "WINCH"] {
            let sent = try await tool.runOther("kill", "-\(name)", "\(serve.identifier)")
            #expect(sent.status == 0, "\(name): \(sent)")
        }
        try await offPool { try Self.expectIngestAndHealth(port, times: 3) }
        #expect(serve.end() == 0)
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }
}

extension DispatchSemaphore {
    /// Blocks the thread, as a handler must not.
    fileprivate func blockThread() { wait() }
}
