import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookInspector
import DaybookStore
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// The API, `daybook coverage`, `daybook export` and SQL count the same for a store, without the collector's own
/// records.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct CountAgreementTests {
    private let tool = Tool()
    private static let markdown = "# feed\n\n## show\n\n## tap\n"

    private static let rows: [RecordRow] = (0..<300).map { number in
        let tags = [
            "feed.show", "feed.tap", "feed.shoe", "daybook.alert", "feed.show", "daybook.violation", "daybooks.x",
        ]
        let versions = ["1.2", "1.3", "1.3", nil]
        var row = RecordRow(
            uid: "count-\(number)", time: 1_795_166_531_000_000_000 + Int64(number) * 1_000_000_000, kind: .event,
            level: 9, tag: tags[number % tags.count], attributes: "{}")
        row.context = versions[number % versions.count].map { "{\"service.version\":\"\($0)\"}" } ?? "{}"
        return row
    }

    @Test("Every way of counting records agrees on SQLite") func countsAgree() async throws {
        try await compare(tool, "sqlite:\(tool.directory.appending(path: "s.sqlite").path)")
    }

    @Test(
        "Every way of counting records agrees on PostgreSQL",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func countsAgreeOnPostgreSQL() async throws {
        try await compare(tool, try await offPool { try PostgreSQLServer.shared.get().makeDatabase() })
    }

    @Test(
        "Every way of counting records agrees on ClickHouse",
        .enabled(if: ClickHouseOfToday.python != nil, Comment(rawValue: ClickHouseOfToday.absence)))
    func countsAgreeOnClickHouse() async throws {
        let server = try await offPool { try ClickHouseOfToday() }
        defer { server.remove() }
        try await compare(tool, try await offPool { try server.makeDatabase() })
    }

    private func compare(_ tool: Tool, _ address: String) async throws {
        try tool.write(Self.markdown, to: "LogDefinitions/feed.md")
        let definitions = Definitions.load([(path: "feed.md", bytes: Array(Self.markdown.utf8))]).0
        let store = try await offPool { try StoreAddress.open(address, access: .readWrite) }
        try await store.createViews(of: definitions)
        try await store.append(RecordBatch(rows: Self.rows))

        var expected: [String: Int] = [:]
        var byVersion: [String: [String: Int]] = [:]
        for (number, row) in Self.rows.enumerated() where !row.tag.hasPrefix("daybook.") {
            expected[row.tag, default: 0] += 1
            byVersion[row.tag, default: [:]][["1.2", "1.3", "1.3", ""][number % 4], default: 0] += 1
        }

        let api = CountingAPI(store: store, definitions: definitions)
        #expect(try await api.facets() == expected)
        #expect(try await api.histogram() == expected.values.reduce(0, +))
        let tags = try await api.tags()
        #expect(tags.mapValues { $0.values.reduce(0, +) } == expected)
        #expect(tags == byVersion)

        let (seen, undefined) = try await coverage(tool, address)
        #expect(seen == byVersion.filter { ["feed.show", "feed.tap"].contains($0.key) })
        #expect(undefined == expected.filter { !["feed.show", "feed.tap"].contains($0.key) })

        // A run's counts are those of its rows.
        for (after, before) in [(100, 200), (0, 150), (250, 301)] {
            let run = [("after", "\(after)"), ("before", "\(before)")]
            let own = Self.rows[after..<before - 1].filter { !$0.tag.hasPrefix("daybook.") }
            #expect(try await api.records(run) == own.count)
            #expect(try await api.facets(run) == Dictionary(grouping: own, by: \.tag).mapValues(\.count))
            #expect(try await api.histogram(run) == own.count)
        }

        let export = try await tool.run("export", "--store", address)
        var exported: [String: Int] = [:]
        for line in export.output.split(separator: "\n") {
            let record = try Value(json: String(line))
            exported[try #require(record["tag"].text), default: 0] += 1
        }
        #expect(exported == expected)

        let example = "SELECT tag, count(*) AS n FROM records WHERE substr(tag, 1, 8) <> 'daybook.' GROUP BY tag"
        #expect(try await counts(tool, address, example) == expected)
        let log = "SELECT event_category || '.' || event_name AS tag, count(*) AS n FROM activity_log GROUP BY 1"
        #expect(try await counts(tool, address, log) == expected)
        for event in ["show", "tap"] {
            let view = "SELECT 'feed.\(event)' AS tag, count(*) AS n FROM feed__\(event)"
            #expect(try await counts(tool, address, view) == ["feed.\(event)": expected["feed.\(event)"]])
        }
    }

    /// How often `daybook coverage` saw each event, by version, and which it calls undefined.
    private func coverage(
        _ tool: Tool, _ address: String
    ) async throws -> (seen: [String: [String: Int]], undefined: [String: Int]) {
        let result = try await tool.run("coverage", "--store", address, "--require", "seen", "--json")
        let report = try Value(json: result.output)
        var seen: [String: [String: Int]] = [:]
        for event in try #require(report["events"].list) {
            let sightings = try #require(event["seen"].list)
            seen[try #require(event["event"].text)] = sightings.countedBy("version")
        }
        return (seen, try #require(report["undefined"].list).countedBy("event"))
    }

    /// A result's second column by its first.
    private func counts(_ tool: Tool, _ address: String, _ sql: String) async throws -> [String: Int] {
        let result = try await tool.run("query", "--store", address, "--format", "json", sql)
        #expect(result.status == 0, "\(result.errors)")
        let answer = try Value(json: result.output)
        var counts: [String: Int] = [:]
        for row in try #require(answer["rows"].list) {
            counts[try #require(row[0].text)] = try #require(row.list?.last.int)
        }
        return counts
    }
}

private struct CountingAPI {
    private let handler: InspectorHandler
    private let token = AccessToken()

    init(store: any EventStore, definitions: Definitions) {
        handler = InspectorHandler(
            store: store, definitions: definitions, checklists: [], token: token, notices: LiveNotices())
    }

    private func data(_ path: String, _ query: [(name: String, value: String)] = []) async throws -> Value {
        let head = HTTPRequest.Head(
            method: "GET", path: "/api/v1/" + path, query: query, headers: ["authorization": "Bearer \(token.text)"])
        guard case .bytes(let bytes) = await handler.respond(to: HTTPRequest(head: head, body: [])).body else {
            return [:]
        }
        let object = try JSONReader.value(of: bytes)
        let data = try #require(object["data"], "\(object)")
        // The store is small enough for one part.
        #expect(data["next"] == .null || data["next"] == nil)
        return data
    }

    func facets(_ run: [(String, String)] = []) async throws -> [String: Int] {
        let values = try #require(try await data("facets", [("fields", "tag")] + run)["values"])
        return try #require(values["tag"].list).countedBy("value")
    }

    func records(_ run: [(String, String)]) async throws -> Int {
        try #require(try await data("records", [("limit", "1000")] + run)["records"].list).count
    }

    func histogram(_ run: [(String, String)] = []) async throws -> Int {
        let counts = try #require(try await data("histogram", run)["counts"].members)
        return counts.values.flatMap { $0.list ?? [] }.reduce(0) { $0 + ($1.int ?? 0) }
    }

    /// By tag and version.
    func tags() async throws -> [String: [String: Int]] {
        var tags: [String: [String: Int]] = [:]
        for tag in try #require(try await data("tags")["tags"].list) {
            let versions = try #require(tag["versions"].list)
            tags[try #require(tag["tag"].text)] = versions.countedBy("version")
        }
        return tags
    }
}

extension [Value] {
    /// Each object's number by its name; empty for objects without one.
    fileprivate func countedBy(_ name: String) -> [String: Int] {
        reduce(into: [:]) { $0[$1[name].text ?? "", default: 0] += $1["count"].int ?? 0 }
    }
}
