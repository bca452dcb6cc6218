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

    private let tools: String
    private let folder: String

    /// Starts a server; `nil` where PostgreSQL's `initdb` is not installed.
    init?() throws {
        guard let tools = Self.folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") })
        else { return nil }
        self.tools = tools
        // A socket's path has at most 107 bytes, and the server does not run as root.
        folder = "/tmp/daybook-bench-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if getuid() == 0 { try Self.run(["chown", "postgres", folder]) }
        try Self.run(
            Self.unprivileged + ["\(tools)/initdb", "-D", "\(folder)/data", "-U", "bench", "-A", "trust", "-E", "UTF8"])
        try Self.run(
            Self.unprivileged + [
                "\(tools)/pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/log", "-o",
                "-c listen_addresses= -k \(folder)", "-w", "start",
            ])
    }

    /// The address of a database; `template1` is there from the beginning.
    func address(_ database: String) -> String { "postgres://bench@/\(database)?host=\(folder)" }

    func stop() {
        try? Self.run(Self.unprivileged + ["\(tools)/pg_ctl", "-D", "\(folder)/data", "-m", "fast", "-w", "stop"])
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static var unprivileged: [String] {
        getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")) failed: \(process.terminationStatus)")
        }
    }
}
