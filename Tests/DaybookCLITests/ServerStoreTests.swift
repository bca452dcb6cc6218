import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The store commands over a real PostgreSQL server and a real ClickHouse cluster of two shards.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct ServerStoreTests {
    private let tool = Tool()
    private let alert = """
        # Errors

        ```sql
        SELECT count(*) FROM records WHERE kind = 'error'
        ```

        - every 1s
        - when value > 0

        """

    private let records = """
        {"tag":"recipe.search","uid":"u-1","context":{"service.version":"4.12.0"},"installation":"i1","attributes":{"word":"卵焼き","note":"Bearer abcdefghijklmnopqrstuvwxyz012345"}}
        {"tag":"app.error","kind":"error","level":"error","message":"line\\nbreak","installation":"i2"}

        """

    @Test(
        "Every command works over PostgreSQL",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)))
    func worksOverPostgreSQL() async throws {
        try await walk(try await offPool { try PostgreSQLServer.shared.get().makeDatabase() }, copiedBy: "pg_dump")
    }

    @Test(
        "Every command works over ClickHouse",
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)))
    func worksOverClickHouse() async throws {
        try await walk(try await offPool { try ClickHouseCluster.shared.get().makeDatabase() }, copiedBy: "BACKUP")
    }

    private func walk(_ store: String, copiedBy word: String) async throws {
        try tool.write(records, to: "a.ndjson")
        try tool.write(alert, to: "alerts/errors.md")
        try tool.write("# recipe\n\n## search\n\n## never\n", to: "LogDefinitions/recipe.md")
        let early = try await tool.run("query", "--store", store, "SELECT 1")
        #expect(early.status == 2 && early.errors.contains("`daybook serve`"), "\(early.errors)")

        #expect(try await tool.run("import", "--store", store, "a.ndjson").output == "stored 2, already known 0\n")
        #expect(try await tool.run("import", "--store", store, "a.ndjson").output == "stored 0, already known 2\n")
        let exported = try await tool.run("export", "--store", store, "--filter", "卵").output
        #expect(exported.contains(#""uid": "u-1""#) && exported.split(separator: "\n").count == 1)
        let query = "SELECT tag, count(*) AS n FROM records GROUP BY tag ORDER BY tag"
        #expect(
            try await tool.run("query", "--store", store, "--format", "csv", query).output
                == "tag,n\napp.error,1\nrecipe.search,1\n")
        // An older ClickHouse has no insights.
        if word == "pg_dump" {
            let count = ["count", "recipe.search joining installation", "--by", "note", "--store", store]
            let masked = try await tool.run(count).output
            #expect(
                masked.contains("note") && masked.contains("[redacted]") && !masked.contains("abcdefgh"), "\(masked)")
            #expect(try await tool.run(count + ["--show-private"]).output.contains("Bearer abcdefgh"))
        }
        let writing = try await tool.run("query", "--store", store, "DROP TABLE records")
        #expect(writing.status == 2 && writing.errors.contains("Only reading is allowed"))
        let coverage = try await tool.run("coverage", "--store", store, "--require", "seen")
        #expect(coverage.status == 1 && coverage.output.contains("4.12.0: 1"), "\(coverage)")
        let backup = try await tool.run("backup", "--store", store, "b.sqlite")
        #expect(backup.status == 2 && backup.errors.contains(word), "\(backup.errors)")
        let alerts = try await tool.run("alerts", "run", "--store", store, "alerts")
        #expect(alerts.status == 1 && alerts.output == "holds  Errors  value 1.0\n", "\(alerts)")

        // Arrivals are printed, and the alert's schedule runs. ClickHouse numbers may have gaps.
        let tail = try tool.start("tail", "--store", store, "--lines", "1", "--format", "ndjson", "--own-records")
        defer { tail.end() }
        #expect(try await tail.line(beginning: #"{"id": 2"#).contains("app.error"))
        let serve = try tool.start("serve", "--port", "0", "--store", store, "--alerts", "alerts")
        defer { serve.end() }
        let base = try await serve.line(beginning: "Inspector: ").prefix { $0 != "#" }
        #expect(try await tail.line(containing: "daybook.alert").contains(#""status":"firing""#))
        var request = URLRequest(url: try #require(URL(string: base + "v1/events")))
        request.httpMethod = "POST"
        request.setValue("application/x-ndjson", forHTTPHeaderField: "content-type")
        let answer = try await URLSession.shared.upload(for: request, from: Data(#"{"tag":"late.one"}"#.utf8))
        #expect((answer.1 as? HTTPURLResponse)?.statusCode == 200)
        #expect(try await tail.line(containing: "late.one").hasPrefix(#"{"id": "#))

        #expect(try await tool.run("erase", "--store", store, "--installation", "i1").output == "erased 1\n")
        #expect(try await tool.run("erase", "--store", store).status == 2)
        let left = try await tool.run("export", "--store", store, "--format", "line").output
        #expect(left.split(separator: "\n").count == 2 && !left.contains("recipe.search"), "\(left)")
        let own = try await tool.run("export", "--store", store, "--format", "line", "--own-records").output
        // The collector may or may not have recorded the undefined event's violation yet.
        let told = own.split(separator: "\n").filter { !$0.contains("daybook.violation") }
        #expect(told.count == 3 && own.contains("daybook.alert"), "\(own)")
    }
}
