import DaybookTesting
import DaybookTrials
import Foundation

/// A real `daybook serve` on a free loopback port.
final class RunningCollector {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// The kernel's figures for a process (proc(5)).
    struct Usage {
        /// Processor time.
        var seconds: Double
        var residentMegabytes: Int
        var peakMegabytes: Int
    }

    let port: UInt16
    /// For the inspector's API.
    let token: String
    private let process = Process()
    private let folder: TemporaryDirectory

    /// - Parameters:
    ///   - store: Its address; a SQLite file by default.
    ///   - options: Further options of `serve`.
    init(_ daybook: String, store: String? = nil, options: [String] = []) throws {
        folder = try TemporaryDirectory()
        process.executableURL = URL(fileURLWithPath: daybook)
        process.arguments =
            ["serve", "--port", "0", "--store", store ?? "sqlite:\(folder.path)/store.sqlite"] + options
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        guard let colon = line.lastIndex(of: ":"),
            let port = UInt16(line[line.index(after: colon)...].prefix { $0.isNumber })
        else {
            process.terminate()
            folder.remove()
            throw Failure(description: "the collector did not start: \(line)")
        }
        self.port = port
        token = String(line.split(separator: "#token=").last?.prefix { !$0.isWhitespace } ?? "")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        folder.remove()
    }

    func usage() throws -> Usage {
        let number = process.processIdentifier
        let stat = try String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
        // After the name in parentheses, user and system time are the 12th and 13th fields.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let ticks = (Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)
        let status = try String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)
        func megabytes(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return (line?.split(whereSeparator: \.isWhitespace).dropLast().last.flatMap { Int($0) } ?? 0) >> 10
        }
        return Usage(
            seconds: ticks / Double(sysconf(Int32(_SC_CLK_TCK))), residentMegabytes: megabytes("VmRSS:"),
            peakMegabytes: megabytes("VmHWM:"))
    }
}
