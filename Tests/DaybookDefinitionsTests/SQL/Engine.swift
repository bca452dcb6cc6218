import Foundation
import Testing

@testable import DaybookDefinitions

/// A real database in a folder of its own.
struct Engine {
    let dialect: SQLDialect
    private let command: [String]

    /// Runs a script that must succeed, and returns the rows: one a line, cells separated by tabs, NULL as `\N`.
    @discardableResult
    func run(_ script: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> String {
        let result = try ProcessResult.run(command, input: script)
        try #require(result.status == 0, "\(result.output)", sourceLocation: sourceLocation)
        return result.output
    }

    /// Runs a script that must fail, and returns what the engine says.
    func refusal(of script: String) throws -> String {
        let result = try ProcessResult.run(command, input: script)
        try #require(result.status != 0, "the script was accepted")
        return result.output
    }

    /// Why an engine for the dialect cannot be had here, or `nil`.
    static func absence(of dialect: SQLDialect) -> String? {
        switch dialect {
        case .sqlite: nil
        case .postgresql, .redshift: PostgreSQL.tools == nil ? "PostgreSQL's initdb and pg_ctl are not installed" : nil
        case .clickhouse:
            hasClickHouse ? nil : "chdb, ClickHouse in a Python process, is not installed in .venv"
        }
    }

    private static let python = packageRoot.appending(path: ".venv/bin/python").path
    private static let hasClickHouse = (try? ProcessResult.run([python, "-c", "import chdb"]).status) == 0

    /// The dialects that can be executed here. Redshift has no engine outside its cloud: its scripts are PostgreSQL's
    /// subset, and run on PostgreSQL.
    static let present = SQLDialect.allCases.filter { absence(of: $0) == nil }

    /// Gives `body` an empty database, which is removed afterwards.
    static func with<Result>(_ dialect: SQLDialect, _ body: (Engine) throws -> Result) throws -> Result {
        try withTemporaryFolder { folder in
            let script = fixtures.appending(path: "SQL/engine.py").path
            switch dialect {
            case .sqlite:
                return try body(Engine(dialect: dialect, command: ["python3", script, "sqlite", folder.path]))
            case .clickhouse:
                return try body(Engine(dialect: dialect, command: [python, script, "clickhouse", folder.path]))
            case .postgresql, .redshift:
                return try PostgreSQL.with { try body(Engine(dialect: dialect, command: $0)) }
            }
        }
    }
}

/// A PostgreSQL server for one test: it listens on a socket in its own folder only.
private enum PostgreSQL {
    /// The folder of `initdb` and `pg_ctl`.
    static let tools: String? = {
        let versions = "/usr/lib/postgresql"
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []).sorted().reversed()
        return (folders.map { "\(versions)/\($0)/bin" } + ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"])
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    static func with<Result>(_ body: ([String]) throws -> Result) throws -> Result {
        let tools = try #require(tools)
        // A socket's path has at most 107 bytes, and the server does not run as root.
        let folder = "/tmp/daybook-pg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let isRoot = getuid() == 0
        if isRoot { try required(["chown", "postgres", folder]) }
        let user = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        try required(
            user + ["\(tools)/initdb", "-D", "\(folder)/data", "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync"])
        let options = "-c listen_addresses= -c fsync=off -k \(folder)"
        // Foundation waits for whoever has its descriptors, the server too; Python passes none on.
        let alone = ["python3", "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"]
        try required(
            alone + user
                + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/log", "-o", options, "-w", "start"])
        defer {
            _ = try? ProcessResult.run(
                user + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
        }
        return try body([
            "env", "PGOPTIONS=-c client_min_messages=warning -c timezone=Asia/Tokyo", "\(tools)/psql", "-X", "-q", "-A",
            "-t", "-F", "\t", "-P", "null=\\N", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "test", "-d", "postgres",
            "-f", "-",
        ])
    }

    private static func required(_ command: [String]) throws {
        let result = try ProcessResult.run(command)
        try #require(result.status == 0, "\(command.joined(separator: " ")): \(result.output)")
    }
}
