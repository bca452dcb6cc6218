import DaybookProcesses
import Foundation

/// A `daybook serve` to be killed.
final class DoomedCollector: Sendable {
    private let process: ChildProcess
    /// Its address; `nil` if it did not start.
    let address: URL?

    /// Starts it on a free port and waits until it reports its address.
    init(_ daybook: URL, _ store: String) async throws {
        let pipe = Pipe()
        process = try ChildProcess(
            daybook, ["serve", "--port", "0", "--store", store], output: .pipe(pipe), errors: .null)
        let line = try await offPool { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }
        address = URL(string: String(line.dropFirst("Inspector: ".count).prefix { $0 != "#" }))
    }

    var port: UInt16? { address?.port.map(UInt16.init) }

    func kill() { process.send(SIGKILL) }

    func end() async throws {
        kill()
        _ = try await offPool { [process] in process.wait() }
    }

    /// Queries a store with the program itself.
    /// - Returns: The first column of every row.
    static func query(_ daybook: URL, _ store: String, _ sql: String) async throws -> [String] {
        let pipe = Pipe()
        let process = try ChildProcess(
            daybook, ["query", "--store", store, "--format", "csv", "--limit", "1000000", sql], output: .pipe(pipe))
        let text = try await offPool {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.wait()
            return String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").dropFirst().map { line in String(line.prefix { $0 != "," }) }
    }
}
