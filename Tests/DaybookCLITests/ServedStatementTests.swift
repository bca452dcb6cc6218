import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hostile statements on the SQL screen take nothing from the collector. Each may run for ten minutes here, so anything
/// that waits for one exceeds the suite's limit.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cwd"), "a process's folder is told by /proc"),
    .temporaryDirectory)
struct ServedStatementTests {
    private let tool = Tool()

    /// A collector in the tool's folder, and its API.
    private struct Collector {
        let tool: Tool
        let process: RunningTool
        private let base: String
        let token: String

        init(_ arguments: String..., environment: [String: String] = [:]) async throws {
            tool = Tool()
            process = try tool.start(
                ["serve", "--port", "0", "--store", "s.sqlite"] + arguments, environment: environment)
            let parts = try await process.line(beginning: "Inspector: ").split(separator: "#token=")
            (base, token) = (String(parts[0]), String(parts[1]))
        }

        var port: Int { URL(string: base)?.port ?? 0 }

        func end() { process.end() }

        func ask(_ path: String, _ body: String? = nil, _ type: String = "application/json") async throws -> (
            status: Int, text: String
        ) {
            var request = URLRequest(url: try #require(URL(string: base + path)), timeoutInterval: 600)
            request.setValue("Bearer \(token)", forHTTPHeaderField: "authorization")
            request.setValue(type, forHTTPHeaderField: "content-type")
            if let body {
                request.httpMethod = "POST"
                request.httpBody = Data(body.utf8)
            }
            let (data, response) = try await URLSession.shared.data(for: request)
            return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
        }

        func run(_ sql: String) -> Task<(status: Int, text: String), any Error> {
            Task { try await ask("api/v1/sql", "{\"sql\": \"\(sql)\"}") }
        }

        func post(_ tag: String) async throws -> Int {
            try await ask("v1/events", "{\"tag\":\"\(tag)\"}", "application/x-ndjson").status
        }

        /// The processes that run statements in the tool's folder.
        var workers: [Int32] {
            let folder = tool.directory.resolvingSymlinksInPath().path
            let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap {
                Int32($0)
            }
            return numbers.filter { number in
                let words = (try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)) ?? ""
                return words.contains("statement-worker")
                    && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(number)/cwd")) == folder
            }
        }

        func waitForWorkers(_ count: Int) async throws {
            try await eventually("\(count) statements run") { workers.count == count }
        }
    }

    @Test("Running statements block neither ingest, health, metrics, pages nor shutdown") func statementsBlockNothing()
        async throws
    {
        let collector = try await Collector("--sql-time", "600")
        defer { collector.end() }
        #expect(try await collector.post("a.b") == 200)
        let statements = [
            collector.run(StatementProcessTests.uninterruptible),
            collector.run("SELECT count(*) FROM records a, (\(StatementProcessTests.endless))"),
        ]
        try await collector.waitForWorkers(2)
        let third = collector.run("SELECT 1")
        try await eventually("a statement waits") {
            try await collector.ask("metrics").text.contains("daybook_statements_waiting{for=\"screen\"} 1")
        }
        for number in 1...20 { #expect(try await collector.post("a.b\(number)") == 200) }
        #expect(try await collector.ask("healthz").status == 200)
        #expect(try await collector.ask("api/v1/records?limit=5").text.contains("a.b20"))
        #expect(try await collector.ask("api/v1/status").text.contains("\"sql_milliseconds\":600000"))
        #expect(try await collector.ask("metrics").text.contains("daybook_statements_running{for=\"screen\"} 2"))
        #expect(collector.process.end() == 0)
        #expect(collector.workers.isEmpty)
        for statement in statements + [third] {
            let answer = try await statement.value
            #expect(answer.status == 503 && answer.text.contains("the collector is stopping"), "\(answer)")
        }
    }

    /// Neither someone who takes over such a process nor someone who inspects it finds a secret.
    @Test("A statement's process inherits no secret from the collector") func statementHasNoSecrets() async throws {
        let collector = try await Collector(
            "--sql-time", "600",
            environment: [
                "PGPASSWORD": "topsecret-1", "WEBHOOK_URL": "http://hook.example/topsecret-2",
                "DAYBOOK_KEY": "topsecret-3", "API_TOKEN": "topsecret-4", "AWS_SECRET_ACCESS_KEY": "topsecret-5",
                "PGSSLMODE": "prefer",
            ])
        defer { collector.end() }
        let statement = collector.run(StatementProcessTests.endless)
        try await collector.waitForWorkers(1)
        let worker = try #require(collector.workers.first)
        let text = try String(contentsOfFile: "/proc/\(worker)/environ", encoding: .utf8)
        #expect(!text.contains("topsecret"), "\(text)")
        let names = text.split(separator: "\0").map { $0.prefix { $0 != "=" } }
        #expect(names.contains("PATH") && names.contains("PGSSLMODE"))
        for name in names {
            #expect(name.wholeMatch(of: /(?i).*(KEY|TOKEN|SECRET|PASSWORD|WEBHOOK).*/) == nil, "\(name)")
        }
        let command = try String(contentsOfFile: "/proc/\(worker)/cmdline", encoding: .utf8)
        #expect(command.split(separator: "\0").count == 2)
        statement.cancel()
    }

    /// Many readers at once request large pages and read none of them.
    @Test("Clients that do not read block neither health, metrics nor ingest") func slowReadersBlockNothing()
        async throws
    {
        let collector = try await Collector()
        defer { collector.end() }
        let large = String(repeating: "x", count: 200_000)
        let line = "{\"tag\":\"a.b\",\"attributes\":{\"x\":\"\(large)\"}}"
        #expect(try await collector.ask("v1/events", line, "application/x-ndjson").status == 200)
        let clients = try (0..<80).map { _ in
            let client = try RawClient(port: collector.port)
            let headers = ["Authorization: Bearer \(collector.token)"]
            for path in ["records/1", "histogram", "records?limit=30&q=nothing"] {
                client.request("GET /api/v1/\(path)", headers: headers)
            }
            return client
        }
        for number in 1...10 {
            #expect(try await collector.post("c.d\(number)") == 200)
            #expect(try await collector.ask("healthz").status == 200)
            #expect(try await collector.ask("metrics").text.contains("daybook_http_connections "))
        }
        clients.forEach { $0.disconnect() }
        try await eventually("pages are read again") {
            try await collector.ask("api/v1/records?limit=1").status == 200
        }
    }

    @Test("Statements end when their client leaves or the collector is killed") func orphanedStatementsEnd()
        async throws
    {
        let collector = try await Collector("--sql-time", "600")
        defer { collector.end() }
        let statement = collector.run(StatementProcessTests.uninterruptible)
        try await collector.waitForWorkers(1)
        statement.cancel()
        try await collector.waitForWorkers(0)
        _ = collector.run(StatementProcessTests.endless)
        try await collector.waitForWorkers(1)
        collector.process.kill()
        try await collector.waitForWorkers(0)
    }

    @Test("Alerts run even when other statements take all places") func alertsHaveOwnCapacity() async throws {
        try tool.write(
            "# Many\n\n```sql\nSELECT count(*) FROM records\n```\n\n- every 1s\n- when value > 0\n", to: "alerts/a.md")
        let collector = try await Collector(
            "--sql-time", "600", "--alerts", tool.directory.appending(path: "alerts").path)
        defer { collector.end() }
        let statements = (0..<3).map { _ in collector.run(StatementProcessTests.uninterruptible) }
        try await collector.waitForWorkers(2)
        #expect(try await collector.post("a.b") == 200)
        try await eventually("the alert fires") {
            try await collector.ask("api/v1/alerts").text.contains("\"firing\"")
        }
        for statement in statements { statement.cancel() }
    }
}
