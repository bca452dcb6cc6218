import DaybookBase
import Foundation

/// A real PostgreSQL server for tests that listens only on a socket in its own folder. Safe to share between threads.
public final class PostgreSQLServer: Sendable {
    /// Why there is none here.
    public static let absence = "PostgreSQL's initdb and pg_ctl are not installed"

    /// The folder of `initdb` and `pg_ctl`.
    public static let tools: String? = {
        // Debian's, and Homebrew's on either kind of Mac, which does not link them.
        let versions = [
            ("/usr/lib/postgresql", ""), ("/opt/homebrew/opt", "postgresql@"), ("/usr/local/opt", "postgresql@"),
        ]
        .flatMap { place, prefix in
            ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).filter { $0.hasPrefix(prefix) }
                .sorted().reversed().map { "\(place)/\($0)/bin" }
        }
        return (versions + ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"])
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    /// Shared by all tests of this process. The first use starts it, which blocks; it ends with the process.
    public static let shared = Result { try PostgreSQLServer() }

    private let folder: String
    private let tools: String
    private let options: String
    private let watch: ServerWatch
    private let databases = Atomic(0)

    /// Starts a server and blocks until it answers.
    /// - Parameter isDurable: Whether a COMMIT waits for the disk, as servers do by default.
    /// - Throws: ``Program/Failure``.
    public init(isDurable: Bool = false) throws {
        guard let tools = Self.tools else { throw Program.Failure(description: Self.absence) }
        self.tools = tools
        folder = Program.serverFolder(named: "daybook-pg")
        options = "-c listen_addresses= \(isDurable ? "" : "-c fsync=off ")-c max_connections=600 -k \(folder)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        watch = try ServerWatch(files: ["\(folder)/data/postmaster.pid"], signal: SIGQUIT, folder: folder)
        if getuid() == 0 { try Program.run(["chown", "postgres", folder]) }
        try Program.run(
            Program.unprivileged(as: "postgres")
                + ["\(tools)/initdb", "-D", "\(folder)/data", "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync"])
        try start()
    }

    /// Starts it again.
    /// - Throws: ``Program/Failure``.
    public func start() throws {
        try Program.run(
            Program.unprivileged(as: "postgres")
                + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/log", "-o", options, "-w", "start"])
    }

    /// Stops it as in a crash.
    /// - Throws: ``Program/Failure``.
    public func stop() throws {
        try Program.run(
            Program.unprivileged(as: "postgres")
                + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
    }

    /// Stops it and removes its files.
    public func remove() { watch.end() }

    /// The address of a new, empty database owned by an unprivileged role.
    /// - Throws: ``Program/Failure``.
    public func makeDatabase() throws -> String {
        let number = databases.add(1, ordering: .relaxed)
        let statements = [
            "DO $$ BEGIN CREATE ROLE daybook LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
            "CREATE DATABASE d\(number) OWNER daybook TEMPLATE template0",
        ]
        try Program.run(
            ["\(tools)/psql", "-q", address("test", "postgres")] + statements.flatMap { ["-c", $0] })
        return address("daybook", "d\(number)")
    }

    /// The same database as the server's owner.
    public func ownersAddress(of address: String) -> String { address.replacing("//daybook@", with: "//test@") }

    private func address(_ user: String, _ database: String) -> String {
        "postgres://\(user)@/\(database)?host=\(folder)"
    }
}
