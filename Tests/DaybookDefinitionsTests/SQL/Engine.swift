import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookDefinitions

struct Engine {
    let dialect: SQLDialect
    private let command: [String]

    /// Runs a script that must succeed; returns one row a line, cells separated by tabs, NULL as `\N`.
    @discardableResult
    func run(_ script: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> String {
        let result = try ProcessResult.run(command, input: script)
        try #require(result.status == 0, "\(result.output)", sourceLocation: sourceLocation)
        return result.output
    }

    /// Runs a script that must fail; returns the engine's message.
    func refusal(of script: String) throws -> String {
        let result = try ProcessResult.run(command, input: script)
        try #require(result.status != 0, "the script was accepted")
        return result.output
    }

    /// Why there is no engine for the dialect here, or `nil`.
    static func absence(of dialect: SQLDialect) -> String? {
        switch dialect {
        case .sqlite: nil
        case .postgresql, .redshift: PostgreSQLServer.tools == nil ? PostgreSQLServer.absence : nil
        case .clickhouse:
            hasClickHouse ? nil : "chdb, ClickHouse in a Python process, is not installed: run `make setup`"
        }
    }

    private static let python = packageRoot.appending(path: ".venv/bin/python").path
    private static let hasClickHouse = (try? ProcessResult.run([python, "-c", "import chdb"]).status) == 0

    /// The dialects that can run here. Redshift has no engine outside its cloud; its scripts are a subset of
    /// PostgreSQL's and run on PostgreSQL.
    static let present = SQLDialect.allCases.filter { absence(of: $0) == nil }

    private static func psql(_ address: String) -> [String] {
        let options = "PGOPTIONS=-c client_min_messages=warning -c timezone=Asia/Tokyo"
        let tools = PostgreSQLServer.tools ?? ""
        return ["env", options, "\(tools)/psql", "-X", "-q", "-A", "-t", "-F", "\t", "-P", "null=\\N"]
            + ["-v", "ON_ERROR_STOP=1", "-d", address, "-f", "-"]
    }

    /// Gives `body` an empty database. PostgreSQL's is on the shared server; others are removed afterwards.
    static func with<Result>(_ dialect: SQLDialect, _ body: (Engine) throws -> Result) throws -> Result {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let script = fixtures.appending(path: "SQL/engine.py").path
        switch dialect {
        case .sqlite:
            return try body(Engine(dialect: dialect, command: ["python3", script, "sqlite", folder.path]))
        case .clickhouse:
            return try body(Engine(dialect: dialect, command: [python, script, "clickhouse", folder.path]))
        case .postgresql, .redshift:
            let server = try PostgreSQLServer.shared.get()
            return try body(Engine(dialect: dialect, command: psql(try server.makeDatabase())))
        }
    }
}
