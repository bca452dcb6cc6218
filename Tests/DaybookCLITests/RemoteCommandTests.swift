import Daybook
import DaybookAPI
import DaybookBase
import DaybookInspector
import DaybookStore
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// Commands over a running collector, compared with the same commands over its store.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RemoteCommandTests {
    private static let definitions =
        "# recipe\n\n## show\n\nA recipe.\n\n- recipe_id: !bigint\n- mail: !string 256 [private]\n"

    private static let board = """
        # Recipes

        What is cooked.

        ```filter
        tag=recipe.show
        ```

        ## By tag

        ```sql chart=bar x=tag y="n, share"
        SELECT tag, count(*) AS n, 0.5 AS share, max(upper(attributes ->> '$.mail')) IS NULL AS bare
        FROM records WHERE tag NOT LIKE 'daybook.%' AND id <= 60 GROUP BY tag
        ```

        ```sql
        SELECT mail FROM recipe__show ORDER BY _id
        ```

        ```sql
        SELECT gone FROM records
        ```

        """

    /// A store of some pages, a collector over it, and a key of each kind.
    private struct Bench {
        let tool: Tool
        let serve: RunningTool
        let address: String

        init(records: Int = 1_234) async throws {
            tool = Tool()
            let store = try SQLiteStore(path: tool.directory.appending(path: "a.sqlite").path)
            let rows = (0..<records).map { number in
                var row = RecordRow(
                    uid: "0123456789abcdef0123456789abcdef0123456789abcdef-\(number + 1)",
                    time: 1_795_168_931_000_000_000 + Int64(number), kind: .event, level: number % 25,
                    tag: number % 3 == 0 ? "cart.add,%" : "recipe.show",
                    attributes: "{\"recipe_id\":\(9_007_199_254_740_993 + number),\"price\":1.0,"
                        + "\"title\":\"卵 \\\"egg\\\" & + ? #\",\"mail\":\"user\(number)@example.com\"}",
                    context: "{\"service.version\":\"1.\(number % 2)\"}")
                row.session = "s\(number % 5)"
                row.installation = "i,\(number % 2)%"
                row.message = number % 7 == 0 ? "line\nfeed" : nil
                row.line = number
                return row
            }
            try await store.append(RecordBatch(rows: rows, arrived: 1_795_168_931_000_000_000))
            await store.close()
            try tool.write(RemoteCommandTests.definitions, to: "definitions/recipe.md")
            try tool.write(RemoteCommandTests.board, to: "LogBoards/recipes.md")
            for purpose in ["ingest", "metrics", "read", "manage"] {
                let key = try await tool.run("keys", "add", "--keys", "keys.json", "--for", purpose, purpose)
                try tool.write(key.output, to: "\(purpose).key")
            }
            serve = try tool.start(
                "serve", "--port", "0", "--store", "a.sqlite", "--keys", "keys.json", "--definitions", "definitions",
                "--boards", "LogBoards", "--sql-time", "60", mergingErrors: true)
            address = try await String(serve.line(beginning: "Inspector: ").prefix { $0 != "#" })
        }

        func end() { serve.end() }

        func remote(_ words: [String], key: String = "read", input: String? = nil) async throws -> Tool.Result {
            try await tool.run(words + ["--collector", address, "--key-file", "\(key).key"], input: input)
        }

        /// Numbers pseudonyms in order of appearance: each process makes its own, and only equality carries over.
        static func numbered(_ text: String) -> String {
            var numbers: [Substring: Int] = [:]
            return text.replacing(/\[private [0-9a-f]{12}\]/) { match in
                let number = numbers[match.output, default: numbers.count]
                numbers[match.output] = number
                return "[private \(number)]"
            }
        }

        /// Compares a command's output with that of the same command with `--store`.
        func compare(_ words: String..., key: String = "read", masked: Bool = true) async throws {
            let local = try await tool.run(
                words + ["--store", "a.sqlite"] + (masked ? ["--definitions", "definitions"] : []))
            let remote = try await remote(words, key: key)
            let (output, expected) = (Self.numbered(remote.output), Self.numbered(local.output))
            #expect(output.utf8.elementsEqual(expected.utf8), "\(words): \(remote.errors)")
            #expect(remote.errors == local.errors, "\(words)")
            #expect(remote.status == local.status, "\(words)")
        }
    }

    @Test("Every command prints the same over a collector as over its store") func remoteMatchesLocal() async throws {
        let bench = try await Bench()
        defer { bench.end() }
        try await bench.compare("export")
        try await bench.compare("export", "--format", "line", "--after", "1000")
        try await bench.compare("export", "--format", "trace", "--session", "s1")
        try await bench.compare(
            "export", "--tag", "recipe.**", "--level", "trace", "--installation", "i,1%", "--since",
            "2026-11-20T10:00:00Z", "--until", "2030-01-01T00:00:00Z", "--filter",
            "EGG price=1.0 -price>5 (recipe OR cart)")
        try await bench.compare("export", "--tag", "cart.add,%")
        try await bench.compare("export", "--session", "nobody")
        try await bench.compare("export", "--show-private", key: "manage", masked: false)
        try await bench.compare("tail", "--no-follow", "--lines", "20")
        try await bench.compare("breakdown", "tag")
        try await bench.compare(
            "breakdown", "attributes.title", "--top", "1", "--format", "csv", "--filter", "recipe_id>=9007199254741000")
        let sql = "SELECT 1.0, 1, 9007199254740993, NULL, x'00ff', 9e999, '1', tag, count(*) FROM records GROUP BY tag"
        for format in ["table", "csv", "json", "ndjson"] { try await bench.compare("query", "--format", format, sql) }
        try await bench.compare("query", "--limit", "3", "SELECT id, mail FROM recipe__show")
        try await bench.compare("query", "SELECT nothing FROM records")
        try await bench.compare("query", "SELECT recipe_idd FROM recipe_show")
        try await bench.compare("query", "DELETE FROM records")
        try bench.tool.write(
            "- [ ] recipe.show at least 3 where price >= 1\n- [ ] never cart.none\n- [ ] a.b\n", to: "c.md")
        try await bench.compare("verify", "--checklist", "c.md", "--session", "s1", masked: false)
        try await bench.compare(
            "coverage", "definitions", "--sources", "definitions", "--require", "seen", masked: false)
        try bench.tool.write(
            "# Eggs\n\n```sql\nSELECT count(*) FROM records\n```\n\n- every 5m\n- when value > 10\n- notify http://127.0.0.1:9/\n",
            to: "alerts/a.md")
        try await bench.compare("alerts", "run", "--json", "alerts")
        try await bench.compare("alerts", "check", "alerts", masked: false)
        for format in ["text", "markdown", "csv", "json"] {
            try await bench.compare("boards", "print", "LogBoards/recipes.md", "--limit", "3", "--format", format)
        }
        try await bench.compare("boards", "check", "LogBoards", masked: false)
    }

    @Test("Prints a collector's board by its ID") func printsRemoteBoard() async throws {
        let bench = try await Bench(records: 20)
        defer { bench.end() }
        for format in ["text", "markdown", "csv", "json"] {
            let file = try await bench.tool.run(
                "boards", "print", "LogBoards/recipes.md", "--store", "a.sqlite", "--definitions", "definitions",
                "--format", format)
            let id = try await bench.remote(["boards", "print", "recipes", "--format", format])
            #expect(Bench.numbered(id.output) == Bench.numbered(file.output) && id.errors == file.errors, "\(id)")
            #expect(id.status == 1)
        }
        let wrong = try await bench.remote(["boards", "print", "recpies"])
        #expect(wrong.status == 2 && wrong.errors.contains("did you mean `recipes`?"), "\(wrong)")
        try bench.tool.write("# A\n```sql chrt=line\nSELECT 1\n```\n", to: "LogBoards/faulty.md")
        let faulty = try await bench.remote(["boards", "print", "faulty"])
        #expect(faulty.status == 2 && faulty.errors.contains("a block has no setting `chrt`"), "\(faulty)")
    }

    @Test("`import` and `erase` work the same over a collector") func importsAndErasesRemotely() async throws {
        let bench = try await Bench(records: 10)
        defer { bench.end() }
        let known = "0123456789abcdef0123456789abcdef0123456789abcdef"
        let lines = [
            #"{"tag":"b.c","uid":"\#(known)-11","attributes":{"n":9223372036854775807}}"#,
            #"{"tag":"b.c","uid":"foreign"}"#, #"{"tag":"b.d"}"#,
        ]
        try bench.tool.write(lines.joined(separator: "\n"), to: "r.ndjson")
        for (expected, target) in [
            ("stored 3, already known 0\n", "b.sqlite"), ("stored 0, already known 3\n", "b.sqlite"),
        ] {
            #expect(try await bench.tool.run("import", "--store", target, "r.ndjson").output == expected)
            #expect(try await bench.remote(["import", "r.ndjson"], key: "manage").output == expected)
        }
        // Each store derives a digest's name with its own key.
        let sql = """
            SELECT CASE tag WHEN 'b.c' THEN uid END, tag, attributes FROM records WHERE tag LIKE 'b.%' ORDER BY 1
            """
        let beside = try await bench.tool.run("query", "--store", "b.sqlite", "--format", "csv", sql)
        #expect(try await bench.remote(["query", "--format", "csv", sql]).output == beside.output)
        let wrong = try await bench.remote(["import", "-"], key: "manage", input: "{\"tag\":\"b.e\"}\nno\n")
        #expect(wrong.status == 2)
        #expect(wrong.errors.hasPrefix("stored 1, already known 0\nerror: -:2: "))
        // Keeps what has just arrived, but not what arrived long ago.
        let rule = ["erase", "--trust-clock", "--keep"]
        #expect(try await bench.remote(rule + ["1m b.**"], key: "manage").output == "erased 0\n")
        #expect(try await bench.remote(["erase", "--tag", "b.*"], key: "manage").output == "erased 4\n")
        #expect(try await bench.remote(rule + ["1m cart.**"], key: "manage").output == "erased 4\n")
        #expect(try await bench.remote(["erase"], key: "manage").errors.hasPrefix("error: erasing needs a condition"))
        #expect(
            try await bench.tool.run(
                "query", "--store", "a.sqlite", "--format", "csv",
                "SELECT count(*) FROM records WHERE tag NOT LIKE 'daybook.%'"
            )
            .output
                == "count(*)\n6\n")
    }

    @Test("A key allows only what it was made for") func remoteKeysAreLimited() async throws {
        let bench = try await Bench(records: 3)
        defer { bench.end() }
        for (key, purpose) in [("ingest", "send records"), ("metrics", "read metrics")] {
            for words in [["export"], ["query", "SELECT 1"], ["tail", "--no-follow"]] {
                let answer = try await bench.remote(words, key: key)
                #expect(answer.status == 2)
                #expect(answer.output.isEmpty)
                #expect(
                    answer.errors
                        == "error: This key may only \(purpose); make one with `daybook keys add --for read`.\n")
            }
        }
        // A key that never existed is not explained, whatever it looks like.
        let made = try bench.tool.contents(of: "ingest.key").dropLast()
        for text in ["x", "dbk_00000000_\(String(repeating: "0", count: 48))", "\(made.dropLast())g"] {
            try bench.tool.write(text, to: "unknown.key")
            let answer = try await bench.remote(["export"], key: "unknown")
            #expect(answer.errors.hasSuffix("does not know this key.\n"), "\(answer.errors)")
        }
        #expect(try await bench.remote(["export", "--show-private"]).errors.contains("cannot show private values"))
        #expect(try await bench.remote(["erase", "--tag", "recipe.show"]).errors.contains("This key can only read."))
        #expect(
            try await bench.remote(["import", "-"], input: "{\"tag\":\"a.b\"}").errors
                .contains("This key can only read."))
        let shown = try await bench.remote(["query", "--show-private", "SELECT mail FROM recipe__show"], key: "manage")
        #expect(shown.output.contains("user1@example.com"))
        _ = try await bench.serve.line(containing: "showed private values in the answer to: SELECT mail")
        let both = try await bench.remote(["export", "--store", "a.sqlite"])
        #expect(both.errors.hasPrefix("error: --store and --collector exclude each other"))
        #expect(
            try await bench.tool.run("export", "--key", "k").errors.hasPrefix("error: --key belongs to --collector"))
        #expect(
            try await bench.tool.run("export", "--collector", bench.address).errors.hasPrefix(
                "error: a collector needs a key"))
    }

    @Test("Alerts give the same over a collector as over its store") func remoteAlertsMatchLocal() async throws {
        let bench = try await Bench(records: 10)
        defer { bench.end() }
        let store = try SQLiteStore(path: bench.tool.directory.appending(path: "b.sqlite").path)
        let now = PipelineClock.system.wall()
        let rows = ["shop.pay", "shop.pay", "shop.view", "noise.a"].enumerated().map { number, tag in
            RecordRow(
                uid: UUID().uuidString, time: now - 60_000_000_000, kind: .event, level: 9, tag: tag,
                attributes: #"{"plan":"\#(number == 0 ? "free" : "paid")"}"#)
        }
        try await store.append(RecordBatch(rows: rows))
        await store.close()
        let serve = try bench.tool.start(
            "serve", "--port", "0", "--store", "b.sqlite", "--keys", "keys.json", mergingErrors: true)
        defer { serve.end() }
        let address = try await String(serve.line(beginning: "Inspector: ").prefix { $0 != "#" })
        let items = [
            "- [ ] shop.pay per plan\n- [ ] shop.refund\n- [ ] never noise.**\n- [ ] shop.view after shop.pay",
            "- [ ] shop.* at least 3", "- [ ] shop.pay per plan, email where plan = \"paid\"",
            // More events than a filter has terms.
            (0..<300).map { "- [ ] never category_\($0).event_with_a_long_name" }.joined(separator: "\n"),
        ]
        for (number, items) in items.enumerated() {
            try bench.tool.write(
                "# Watch \(number)\n```checklist\n\(items)\n```\n- every 1m\n- over 10m\n", to: "alerts/\(number).md")
        }
        let local = try await bench.tool.run("alerts", "run", "alerts", "--store", "b.sqlite")
        let remote = try await bench.tool.run(
            "alerts", "run", "alerts", "--collector", address, "--key-file", "read.key")
        #expect(remote.output == local.output, "\(remote) \(local)")
        #expect(local.output.contains("holds  Watch 0 (shop.refund)") && local.output.contains("quiet  Watch 1"))
        #expect(!remote.output.contains("failed") && remote.status == local.status)
    }

    @Test("Refuses a filter that the API cannot express instead of widening it") func refusesWiderFilter() throws {
        // A predicate is code.
        var judged = RecordFilter(.field(.session, "s"))
        judged.predicate = RecordPredicate(name: "p") { _ in false }
        #expect(throws: StoreError.self) { try judged.parameters() }
        let long = FilterExpression.any((0..<300).map { .tag("category_\($0).event_with_a_long_name") })
        #expect(throws: StoreError.self) { try RecordFilter(long).parameters() }
        let expired = try #require(
            RetentionRule.expired([RetentionRule(age: 1), try RetentionRule("7d a,%.**")], now: 5).first)
        #expect(try expired.parameters().map(\.name) == ["filter", "received_before", "own"])
    }

    @Test("A broken connection resumes where it was") func resumesBrokenConnection() async throws {
        let store = MemoryStore()
        try await store.append(
            RecordBatch(rows: (1...2_500).map { RecordRow(uid: "u\($0)", time: 1, kind: .event, level: 9, tag: "a.b") })
        )
        let transport = FlakyTransport(store)
        let pauses = Mutex<[Duration]>([])
        var client = CollectorClient(address: try #require(try Self.address()), transport: transport)
        client.pause = { pause in pauses.withLock { $0.append(pause) } }
        client.jitter = { 0.5 }
        let said = Mutex("")
        client.console = Console(output: { Issue.record("\($0)") }, errors: { text in said.withLock { $0 += text } })
        let recording = Recording.source(CollectorRecords(client: client), RecordFilter(), name: "it")
        var numbers: [Int64] = []
        try await recording.forEachRecord { _, place in numbers.append(place.number) }
        #expect(numbers == Array(1...2_500))
        #expect(pauses.withLock { $0 }.count == transport.failures.withLock { $0 })
        transport.failsForEver.withLock { $0 = true }
        pauses.withLock { $0 = [] }
        said.withLock { $0 = "" }
        await #expect(throws: StoreError.self) { try await CollectorRecords(client: client).head() }
        #expect(pauses.withLock { $0 }.map { $0 / .milliseconds(500) } == [1, 2, 4, 8, 10])
        // Reported once, however often it retries.
        #expect(said.withLock { $0 }.hasPrefix("retrying: The collector at http://collector.example/… cannot be"))
        #expect(said.withLock { $0 }.split(separator: "\n").count == 1)
        pauses.withLock { $0 = [] }
        // Something that may have been done is not repeated.
        var filter = RecordFilter()
        filter.narrow(by: .field(.session, "s"))
        await #expect(throws: StoreError.self) { try await CollectorRecords(client: client).erase(filter) }
        #expect(pauses.withLock { $0 } == [])
    }

    @Test("The guide lists every command that takes `--collector`") func guideListsRemoteCommands() throws {
        let guide = try String(
            contentsOf: URL(fileURLWithPath: #filePath).appending(path: "../../../docs/guides/run.md").standardized,
            encoding: .utf8)
        let section = try #require(guide.split(separator: "## From another machine\n\n").last)
        let names = try #require(section.split(separator: "\n").first).matches(of: /`([^`]+)`/).map { String($0.1) }
        let remote = Command.all.filter { $0.options.contains { $0.name == "collector" } }.map(\.name)
        #expect(Set(names) == Set(remote + ["funnel", "retention", "path"]))
    }

    private static func address() throws -> CollectorAddress? {
        var arguments = Arguments()
        arguments.values = ["collector": ["http://collector.example/logs/#token=\(AccessToken().text)"]]
        return try CollectorAddress(arguments, environment: [:])
    }
}

/// Answers from an inspector without a socket; every second request breaks.
private final class FlakyTransport: HTTPTransport {
    let failures = Mutex(0)
    let failsForEver = Mutex(false)
    private let count = Mutex(0)
    private let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number % 2 == 0 || failsForEver.withLock({ $0 }) {
            failures.withLock { $0 += 1 }
            throw URLError(.networkConnectionLost)
        }
        let components = try #require(URLComponents(url: request.url, resolvingAgainstBaseURL: false))
        #expect(components.path.hasPrefix("/logs/api/v1/"))
        let token = try #require(request.headers["Authorization"]?.dropFirst("Bearer ".count))
        let inspector = InspectorHandler(
            store: store, definitions: .init(), checklists: [], token: try #require(AccessToken(text: String(token))),
            notices: LiveNotices())
        let response = await inspector.respond(
            to: .init(
                head: .init(
                    method: request.method, path: String(components.path.dropFirst("/logs".count)),
                    query: (components.queryItems ?? []).map { ($0.name, $0.value ?? "") },
                    headers: ["authorization": "Bearer \(token)"]), body: request.body))
        guard case .bytes(let body) = response.body else { throw URLError(.badServerResponse) }
        return TransportResponse(status: response.status, headers: [:], body: body)
    }
}
