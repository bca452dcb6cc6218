import Foundation

/// Other ways to log the same event, measured in the same run.
///
/// Rivals are programs in a folder given on the command line, so that none becomes a dependency. A program gets a count
/// and a folder to write to, warms up, and logs the sample event (`SampleEvent.swift`) that often. For each of its ways
/// to log it prints a name, a tab, and the median nanoseconds of a call on the caller's thread.
struct RivalRows {
    private let options: BenchmarkOptions
    private let programs: URL

    /// In seconds. A slower program is killed and left out.
    private static let patience: TimeInterval = 120
    private static let count = 100_000

    init(_ options: BenchmarkOptions, programs: URL) {
        self.options = options
        self.programs = programs
    }

    func run() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: programs.path).sorted()
            .filter { FileManager.default.isExecutableFile(atPath: programs.appendingPathComponent($0).path) }
        let rows = try CallRows.rows(in: try folder("ours"))
        guard let limit = rows.first(where: { $0.id == "limit" }), let typed = rows.first(where: { $0.id == "typed" })
        else { return }
        print("\n| Rival | ns per call | × limit | × our typed event |\n|---|---:|---:|---:|")
        for name in names {
            var figures: [String: [(own: Double, limit: Double, typed: Double)]] = [:]
            var order: [String] = []
            for repetition in 0..<max(3, options.repetitions / 3) {
                // In turns, so that a busy machine slows down both.
                let limit = Measurement.of(limit.count, stretch: limit.stretch, limit.perform).hot
                let typed = Measurement.of(typed.count, stretch: typed.stretch, typed.perform).hot
                for (row, figure) in try answers(of: name, in: try folder("\(name)-\(repetition)")) {
                    if figures[row] == nil { order.append(row) }
                    figures[row, default: []].append((figure, limit, typed))
                }
            }
            if order.isEmpty { print("| \(name) | did not answer | – | – |") }
            for row in order {
                let measured = figures[row] ?? []
                print(
                    "| \(row) | \(measured.map(\.own).median.text(0)) "
                        + "| \(measured.map { $0.own / $0.limit }.median.text(1)) "
                        + "| \(measured.map { $0.own / $0.typed }.median.text(1)) |")
            }
        }
    }

    private func folder(_ name: String) throws -> URL {
        let url = options.directory.appendingPathComponent("rivals-\(name)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// A program's lines; empty if it fails or times out.
    private func answers(of name: String, in folder: URL) throws -> [(row: String, nanoseconds: Double)] {
        let process = Process()
        process.executableURL = programs.appendingPathComponent(name)
        process.arguments = ["\(Self.count)", folder.path]
        let output = folder.appendingPathComponent("answer")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        let end = Date(timeIntervalSinceNow: Self.patience)
        while process.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.05) }
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return [] }
        return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let figure = Double(parts[1]), figure > 0 else { return nil }
            return (String(parts[0]), figure)
        }
    }
}
