import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A `daybook serve` that is there to be killed.
final class DoomedCollector: Sendable {
    private let process: Process
    /// Where it listens; `nil` where it did not start.
    let address: URL?

    /// Starts it on a free port, and waits until it says where it listens.
    init(_ daybook: URL, _ store: String) async throws {
        let process = Process()
        process.executableURL = daybook
        process.arguments = ["serve", "--port", "0", "--store", store]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        let line = try await offPool { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }
        address = URL(string: String(line.dropFirst("Inspector: ".count).prefix { $0 != "#" }))
    }

    var port: UInt16? { address?.port.map(UInt16.init) }

    func kill() { sendKill(to: process.processIdentifier) }

    /// Kills it, and waits for its end.
    func end() async throws {
        kill()
        try await offPool { [process] in process.waitUntilExit() }
    }

    /// Asks a store by the program itself.
    /// - Returns: The first column of every row.
    static func query(_ daybook: URL, _ store: String, _ sql: String) async throws -> [String] {
        let process = Process()
        process.executableURL = daybook
        process.arguments = ["query", "--store", store, "--format", "csv", "--limit", "1000000", sql]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = try await offPool {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").dropFirst().map { line in String(line.prefix { $0 != "," }) }
    }
}
