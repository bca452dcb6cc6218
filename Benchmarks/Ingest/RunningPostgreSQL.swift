import Foundation

/// A real PostgreSQL server with its own settings, so that a COMMIT waits for the disk; it listens on a socket in its own
/// folder only.
final class RunningPostgreSQL {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let folders: [String] = {
        let versions = "/usr/lib/postgresql"
        let found = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []).sorted().reversed()
        return found.map { "\(versions)/\($0)/bin" } + ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"]
    }()

    private let process = Process()
    private let folder: String

    /// Starts a server and waits until it answers; `nil` where PostgreSQL's `initdb` is not installed.
    init?() throws {
        guard let tools = Self.folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") })
        else { return nil }
        // A socket's path has at most 107 bytes, and the server does not run as root.
        folder = "/tmp/daybook-bench-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if getuid() == 0 { try Self.run(["chown", "postgres", folder]) }
        try Self.run(
            Self.unprivileged + ["\(tools)/initdb", "-D", "\(folder)/data", "-U", "bench", "-A", "trust", "-E", "UTF8"])
        // The server itself, not `pg_ctl`: Foundation would wait for what that leaves behind.
        Self.prepare(
            process,
            Self.unprivileged + ["\(tools)/postgres", "-D", "\(folder)/data", "-c", "listen_addresses=", "-k", folder])
        try process.run()
        let end = ContinuousClock.now + .seconds(60)
        while (try? RawCopy(address("template1"))) == nil {
            guard process.isRunning, ContinuousClock.now < end else {
                stop()
                throw Failure(description: "PostgreSQL did not start")
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// The address of a database; `template1` is there from the beginning.
    func address(_ database: String) -> String { "postgres://bench@/\(database)?host=\(folder)" }

    /// Ends the server, and the connections that are left.
    func stop() {
        process.interrupt()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static var unprivileged: [String] {
        getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        prepare(process, command)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")) failed: \(process.terminationStatus)")
        }
    }

    private static func prepare(_ process: Process, _ command: [String]) {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
    }
}
