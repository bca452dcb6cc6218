import DaybookTesting
import Foundation
import Synchronization
import Testing

@testable import DaybookCollector

/// A real PostgreSQL server for the tests of a suite: it listens on a socket in its own folder only.
final class PostgreSQLServer: Sendable {
    /// That of the suite that runs.
    @TaskLocal static var current: PostgreSQLServer?

    /// Why there can be none here.
    static let absence = "PostgreSQL's initdb and pg_ctl are not installed"

    /// The folder of `initdb` and `pg_ctl`.
    static let tools: String? = {
        let versions = "/usr/lib/postgresql"
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []).sorted().reversed()
        return (folders.map { "\(versions)/\($0)/bin" } + ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"])
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    private let folder: String
    private let tools: String
    private let databases = Atomic(0)

    /// Starts a server; blocks until it answers.
    init() throws {
        tools = try #require(Self.tools)
        // A socket's path has at most 107 bytes, and the server does not run as root.
        folder = "/tmp/daybook-pg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if getuid() == 0 { try Program.run(["chown", "postgres", folder]) }
        try Program.run(
            Program.unprivileged
                + ["\(tools)/initdb", "-D", "\(folder)/data", "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync"])
        try start()
    }

    func start() throws {
        let options = "-c listen_addresses= -c fsync=off -c max_connections=200 -k \(folder)"
        try Program.run(
            Program.unprivileged
                + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/log", "-o", options, "-w", "start"])
    }

    func stop() throws {
        try Program.run(
            Program.unprivileged + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
    }

    func remove() {
        try? stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The address of a new, empty database that belongs to a role without powers.
    func makeDatabase() throws -> String {
        let number = databases.wrappingAdd(1, ordering: .relaxed).newValue
        let connection = try PostgreSQLConnection(address("test", "postgres"))
        try connection.run(
            """
            DO $$ BEGIN CREATE ROLE daybook LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
            """)
        try connection.run("CREATE DATABASE d\(number) OWNER daybook TEMPLATE template0")
        return address("daybook", "d\(number)")
    }

    /// As the server's owner.
    func ownersAddress(of address: String) -> String { address.replacing("//daybook@", with: "//test@") }

    private func address(_ user: String, _ database: String) -> String {
        "postgres://\(user)@/\(database)?host=\(folder)"
    }
}

/// Starts a server for a suite and stops it afterwards.
struct PostgreSQLTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let server = try await offPool { try PostgreSQLServer() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await PostgreSQLServer.$current.withValue(server, operation: function))
        } catch {
            result = .failure(error)
        }
        try await offPool { server.remove() }
        try result.get()
    }
}

extension Trait where Self == PostgreSQLTrait {
    /// The suite's tests have a PostgreSQL server: ``PostgreSQLServer/current``.
    static var postgreSQL: Self { PostgreSQLTrait() }
}
