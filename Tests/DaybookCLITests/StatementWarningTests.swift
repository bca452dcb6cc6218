import DaybookBase
import DaybookDefinitions
import DaybookTestTraits
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Everything that reads a statement warns the same: `alerts check`, `alerts run`, `boards check`, `boards print`,
/// `query` and the SQL screen.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct StatementWarningTests {
    private let tool = Tool()
    private static let conditions = [
        ("records", "level >= 'error'"), ("records", "time > unixepoch() - 3600"), ("records", "time > 1795696124"),
        ("records", "time / 1000000000 > strftime('%s', 'now')"), ("records", "date(time, 'unixepoch') = '2026-11-26'"),
        ("records", "kind = 'Error'"), ("records", "attributes -> '$.x' = 'y'"),
        ("records", "context ->> 'service.version' = '1.0'"), ("records", "(level, tag) = ('error', 'a.b')"),
        ("messages", "_time > '2026-11-26 10:00'"), ("messages", "_time > '2026-11-26T10:00:00+09:00'"),
        ("messages", "_version = 4.9"), ("messages", "strftime('%H', _time) = 11"), ("a__b", "mail = 'x@y.z'"),
        ("records", "attributes ->> 'mail' LIKE 'x%'"), ("records", "level >= 17 AND tag = 'a.b'"),
        ("a__b", "mail IS NOT NULL"),
    ]

    private func prepare() async throws {
        try tool.write("{}", to: "daybook.json")
        try tool.write("# a\n\n## b\n\n- mail: !string 64 [private]\n", to: "LogDefinitions/a.md")
        try tool.write(#"{"kind":"event","tag":"a.b","attributes":{"mail":"x@y.z"}}"# + "\n", to: "records.ndjson")
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite")
        _ = try await serve.line(beginning: "Inspector: ")
        serve.end()
        let imported = try await tool.run("import", "--store", "s.sqlite", "records.ndjson")
        #expect(imported.status == 0, "\(imported)")
    }

    /// What follows `warning: ` in each line, for warnings without a location.
    private func messages(_ errors: String) -> [String] {
        errors.split(separator: "\n").compactMap { line in
            line.range(of: "warning: ").map { String(line[$0.upperBound...]).replacing(#/^[0-9]+:[0-9]+: /#, with: "") }
        }
    }

    @Test("Every command gives the same warnings for a statement") func statementWarningsAgree() async throws {
        try await prepare()
        let statements = Self.conditions.map { "SELECT count(*) AS n FROM \($0.0) WHERE \($0.1)" }
        let alerts = statements.enumerated().map { index, sql in
            "# A\(index)\n\n```sql\n\(sql)\n```\n\n- every 5m\n- when value > 10\n- notify ${HOOK}\n"
        }
        let blocks = statements.enumerated().map { index, sql in "## B\(index)\n\n```sql\n\(sql)\n```\n" }
        try tool.write(alerts.joined(separator: "\n"), to: "LogAlerts/a.md")
        try tool.write("# B\n\n" + blocks.joined(separator: "\n"), to: "LogBoards/b.md")

        let definitions = try DefinitionsSource(tool.directory.appending(path: "LogDefinitions").path)
            .soundDefinitions()
        let tables = StatementTables(dialect: .sqlite, definitions: definitions)
        let expected = statements.map { tables.warnings(of: $0, masking: MaskingPolicy(definitions)).map(\.message) }
        #expect(expected.map(\.count) == Array(repeating: 1, count: statements.count - 2) + [0, 0])
        for words in [
            ["alerts", "check", "LogAlerts"], ["alerts", "check", "LogAlerts", "--store", "s.sqlite"],
            ["alerts", "run", "LogAlerts", "--store", "s.sqlite"], ["boards", "check", "LogBoards"],
            ["boards", "check", "LogBoards", "--store", "s.sqlite"], ["boards", "print", "b", "--store", "s.sqlite"],
        ] {
            let result = try await tool.run(words)
            #expect(messages(result.errors) == expected.flatMap(\.self), "\(words): \(result)")
        }
        for (sql, expected) in zip(statements, expected) {
            for format in ["table", "csv", "json", "ndjson"] {
                let result = try await tool.run("query", "--store", "s.sqlite", "--format", format, sql)
                #expect(result.status == 0 && messages(result.errors) == expected, "\(sql): \(result)")
            }
        }
        // With access to the values, they are compared.
        let seen = try await tool.run(
            "query", "--store", "s.sqlite", "--show-private", "SELECT count(*) AS n FROM a__b WHERE mail = 'x@y.z'")
        #expect(seen.errors == "" && seen.output.contains("1"), "\(seen)")
    }

    @Test("The inspector gives the same warnings for a statement") func screenWarningsAgree() async throws {
        try await prepare()
        let definitions = try DefinitionsSource(tool.directory.appending(path: "LogDefinitions").path)
            .soundDefinitions()
        let tables = StatementTables(dialect: .sqlite, definitions: definitions)
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite")
        defer { serve.end() }
        let line = try await serve.line(beginning: "Inspector: ")
        let address = try #require(line.firstMatch(of: /http:\/\/[^\/\s]+/)).0
        let token = try #require(line.firstMatch(of: /token=([^&\s]+)/)).1
        for (table, condition) in Self.conditions {
            let sql = "SELECT count(*) AS n FROM \(table) WHERE \(condition)"
            for isShown in [false, true] {
                var request = URLRequest(
                    url: try #require(URL(string: "\(address)/api/v1/sql\(isShown ? "?private=show" : "")")))
                request.httpMethod = "POST"
                request.httpBody = try JSONEncoder().encode(["sql": sql])
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                let (data, _) = try await URLSession.shared.data(for: request)
                let answer = try JSONReader.value(of: Array(data))
                let found = try #require(answer["data"]["warnings"].list)
                let expected = tables.warnings(of: sql, masking: isShown ? nil : MaskingPolicy(definitions))
                #expect(found.compactMap { $0["message"].text } == expected.map(\.message), "\(sql)")
                #expect(found.compactMap { $0["column"].int } == expected.map(\.column), "\(sql)")
            }
        }
    }
}
