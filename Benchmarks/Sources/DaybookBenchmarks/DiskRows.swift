import Daybook
import DaybookTesting
import Foundation

/// What a pipeline adds to an app's launch, and what it writes to disk, which wears flash.
struct DiskRows {
    private let options: BenchmarkOptions
    private let scale: Scale

    init(_ options: BenchmarkOptions, _ scale: Scale) {
        self.options = options
        self.scale = scale
    }

    func run() async throws {
        try await open(records: 0, "an empty directory")
        try await open(records: 200, "a directory with 200 records that wait")
        try await write(every: 5, count: 6, "quiet app: 6 records in 30 s")
        try await write(every: 0.1, count: 300, "busy app: 10 records a second for 30 s")
    }

    private func pipeline(_ name: String, _ files: FaultyFileSystem) throws -> Pipeline<EmptyContext> {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.report = { _ in }
        return try Pipeline(
            store: .directory(options.directory.appendingPathComponent(name), files: files), options: pipelineOptions
        ) {
            Route("**", to: RefusingOutput("otlp"))
        }
    }

    /// Times `Pipeline(…)` on the caller's thread, and counts its syncs.
    private func open(records: Int, _ name: String) async throws {
        var times: [Double] = []
        var syncs = 0
        for index in 0..<9 {
            let folder = "open-\(records)-\(index)"
            if records > 0 {
                let before = try pipeline(folder, FaultyFileSystem())
                for index in 0..<records { before.log("app.search").post(Sample.event(index)) }
                await before.shutdown(deadline: .zero)
            }
            let files = FaultyFileSystem()
            let start = ContinuousClock.now
            let opened = try pipeline(folder, files)
            times.append((ContinuousClock.now - start).milliseconds)
            syncs += files.calls.count { $0.operation == .sync && !$0.path.hasSuffix("installation") }
            await opened.shutdown(deadline: .zero)
        }
        // Background work has started, so a sync may be its.
        printFigure(
            "open a pipeline on \(name)", "\(times.median.text(2)) ms, \(syncs) syncs in 9 opens", target: "≤ 2 ms",
            isMet: times.median <= 2)
    }

    /// Bytes this process wrote according to the system, including stores to mappings, and syncs.
    private func write(every pause: Double, count: Int, _ name: String) async throws {
        let files = FaultyFileSystem()
        let pipeline = try pipeline("wear-\(count)", files)
        let log = pipeline.log("app.search")
        let count = options.isQuick ? max(count / 10, 2) : count
        log.post(Sample.event(0))
        try await Task.sleep(for: .seconds(2))
        let before = (Self.writtenBytes, files.calls.count { $0.operation == .sync })
        for index in 0..<count {
            try await Task.sleep(for: .seconds(options.isQuick ? min(pause, 1) : pause))
            log.post(Sample.event(index))
        }
        try await Task.sleep(for: .seconds(1.5))
        let syncs = files.calls.count { $0.operation == .sync } - before.1
        let bytes = Self.writtenBytes.flatMap { after in before.0.map { after - $0 } }
        await pipeline.shutdown(deadline: .zero)
        printFigure(
            "written by a " + name,
            "\(bytes.map { "\($0 / count) bytes a record" } ?? "not known here"), \(syncs) syncs")
    }

    /// `write_bytes` of `/proc/self/io`: pages this process has dirtied (Linux, `proc_pid_io(5)`).
    private static var writtenBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        return line.flatMap { Int($0.drop { !$0.isNumber }) }
    }
}
