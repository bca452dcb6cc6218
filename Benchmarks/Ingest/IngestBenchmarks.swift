import DaybookCollector
import DaybookOTLP
import DaybookStore
import DaybookTesting
import Foundation

/// Measures the way of a record through the collector: decoding alone, raw inserts into the same tables, and the real
/// `daybook serve` with its clients beside it on the same cores.
///
/// Each client is a stream of its own, as an installation is, and sends gzip batches of 512 records, one after another.
/// The bodies are made before the clock starts.
struct IngestBenchmarks {
    static let usage = """
        usage: IngestBenchmarks [--daybook PATH] [--records 204800] [--rounds 3] [--decode-only | --slow-clients 1000]
          --daybook   the built program; by default the one beside this one
        """

    struct Misuse: Error, CustomStringConvertible { let description: String }

    private var daybook = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("daybook").path
    private var records = 204_800
    private var rounds = 3
    private var isDecodeOnly = false
    private var slowClients: Int?

    /// - Throws: ``Misuse``.
    init(_ arguments: some Sequence<String>) throws {
        var words = Array(arguments)[...]
        while let word = words.popFirst() {
            if word == "--decode-only" {
                isDecodeOnly = true
                continue
            }
            guard let value = words.popFirst() else { throw Misuse(description: Self.usage) }
            switch (word, Int(value)) {
            case ("--daybook", _): daybook = value
            case ("--records", let number?) where number >= 2_048: records = number
            case ("--slow-clients", let number?) where number > 0: slowClients = number
            case ("--rounds", let number?) where number > 0: rounds = number
            default: throw Misuse(description: Self.usage)
            }
        }
    }

    func run() throws {
        if let slowClients {
            try SlowClients(daybook: daybook, count: slowClients).run()
            return
        }
        let clients = (0..<4).map { SampleRequests(client: $0, count: records / 512 / 4) }
        decode(clients)
        if isDecodeOnly { return }
        let raw = try insert(clients)
        print("end to end over HTTP, gzip, batches of 512, commit before the answer:")
        for count in [1, 4] {
            // One client sends all four streams, so that both rows store the same records.
            let shares = count == 4 ? clients.map { [$0] } : [clients]
            let runs = try (0..<rounds).map { _ in try CollectorRun.measure(daybook, shares) }
            let median = runs.sorted { $0.rate < $1.rate }[rounds / 2]
            print(
                "  \(count) client\(count == 1 ? " " : "s"): \(Int(median.rate)) records/s, "
                    + "\(Ratio.text(median.rate / raw)) of raw, collector CPU \(Ratio.text(median.microseconds)) µs a record, "
                    + "RSS at most \(median.peakMegabytes) MB")
        }
    }

    /// Protobuf to rows, on one thread.
    private func decode(_ clients: [SampleRequests]) {
        var times: [Double] = []
        let bodies = clients.flatMap(\.bodies)
        let count = bodies.count * 512
        for _ in 0..<rounds {
            let start = ProcessorTime.now
            var rows = 0
            for body in bodies {
                guard let batches = try? LogMapping.batches(of: .init(protobuf: body), now: 0) else { continue }
                rows += batches.reduce(0) { $0 + $1.rows.count }
            }
            times.append(ProcessorTime.now - start)
            precondition(rows == count, "a body was not decoded")
        }
        let seconds = times.sorted()[rounds / 2]
        let bytes = bodies.reduce(0) { $0 + $1.count } / count
        print(
            "decode alone: \(Int(Double(count) / seconds)) records/s of one core, "
                + "\(Int(seconds / Double(count) * 1e9)) ns a record of \(bytes) bytes")
    }

    /// The same rows into the same tables by SQLite alone; the rate on the clock.
    private func insert(_ clients: [SampleRequests]) throws -> Double {
        let rows = try clients.flatMap(\.bodies)
            .flatMap { try LogMapping.batches(of: .init(protobuf: $0), now: 0).flatMap(\.rows) }
        var runs: [(wall: Double, cpu: Double)] = []
        for _ in 0..<rounds {
            let folder = try TemporaryDirectory()
            defer { folder.remove() }
            let path = folder.path + "/raw.sqlite"
            // The collector's own tables and indexes.
            _ = try SQLiteStore(path: path)
            let limit = try RawInsertion(path: path)
            let start = ContinuousClock.now
            let work = ProcessorTime.now
            try limit.insert(rows)
            runs.append(((ContinuousClock.now - start).inSeconds, ProcessorTime.now - work))
        }
        let median = runs.sorted { $0.wall < $1.wall }[rounds / 2]
        let rate = Double(rows.count) / median.wall
        print(
            "raw SQLite insert, same tables and indexes, 4,096 rows a commit: \(Int(rate)) rows/s, "
                + "CPU \(Ratio.text(median.cpu / Double(rows.count) * 1e6)) µs a row")
        return rate
    }
}

/// Two digits behind the point.
enum Ratio {
    static func text(_ value: Double) -> String { String(format: "%.2f", value) }
}

/// Seconds of processor time of this process.
enum ProcessorTime {
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
