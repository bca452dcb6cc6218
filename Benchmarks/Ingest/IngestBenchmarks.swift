import Daybook
import DaybookCollector
import DaybookDatabases
import DaybookOTLP
import DaybookStore
import DaybookTesting
import DaybookTrials
import Foundation

/// Measures a record's way through the collector: decoding alone, raw inserts into the same tables, and the real
/// `daybook serve` with clients on the same cores.
///
/// Each client is a stream of its own, like an installation, and sends gzip batches of 512 records in turn. The bodies
/// are made before the clock starts.
struct IngestBenchmarks {
    static let usage = """
        usage: IngestBenchmarks [--daybook PATH] [--records 204800] [--rounds 3] [--store sqlite|postgresql|clickhouse]
                                [--decode-only | --slow-clients 1000 | --statements 16 | --greedy-senders 2
                                 | --attacks 60 | --history 10000000
                                 | --insights 10000000 [--in FOLDER] [--question INSIGHT]
                                 | --masking 500000 [--in FOLDER] [--question STATEMENT]]
          --daybook   the built program; by default the one beside this one
          --store     measures this one alone
          --statements  times a client beside so many hostile statements at once
          --attacks   times four senders beside all known attacks at once, for so many seconds; 1 where a promise is not kept
          --history   reads so many records through the inspector's API, and asks funnels of them; they take some 450 bytes
                      each of the folder for temporary files
          --insights  asks funnels, retention and paths of so many records, from columns; --in keeps the store in a folder,
                      --question asks this one alone; with --store, over a server of its own
          --masking   the processor time of statements over so many records, and of the same ones masked
        """

    struct Misuse: Error, CustomStringConvertible { let description: String }

    private var daybook = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("daybook-cli").path
    private var records = 204_800
    private var rounds = 3
    private var stores: Set = ["sqlite", "postgresql", "clickhouse"]
    private var isDecodeOnly = false
    private var slowClients: Int?
    private var statements: Int?
    private var greedySenders: Int?
    private var attacks: Int?
    private var history: Int?
    private var insights: Int?
    private var masking: Int?
    private var folder: String?
    private var question: String?

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
            case ("--store", _) where stores.contains(value): stores = [value]
            case ("--records", let number?) where number >= 32_768: records = number
            case ("--slow-clients", let number?) where number > 0: slowClients = number
            case ("--statements", let number?) where number > 0: statements = number
            case ("--greedy-senders", let number?) where number > 0: greedySenders = number
            case ("--attacks", let number?) where number > 0: attacks = number
            case ("--history", let number?) where number >= 4_096: history = number
            case ("--insights", let number?) where number >= 8_192: insights = number
            case ("--masking", let number?) where number >= 8_192: masking = number
            case ("--in", _): folder = value
            case ("--question", _): question = value
            case ("--rounds", let number?) where number > 0: rounds = number
            default: throw Misuse(description: Self.usage)
            }
        }
    }

    func run() async throws {
        if let insights {
            let questions = InsightQuestions(rows: insights, folder: folder, only: question)
            switch stores {
            case ["postgresql"]: return try await questions.runOverPostgreSQL()
            case ["clickhouse"]: return try await questions.runOverClickHouse()
            default: return try await questions.run()
            }
        }
        if let masking { return try await MaskingCosts(rows: masking, folder: folder, only: question).run() }
        if let history {
            for store in stores.sorted() {
                try await HistoryReading(daybook: daybook, rows: history, kind: store).run()
            }
            return
        }
        if let slowClients {
            try SlowClients(daybook: daybook, count: slowClients).run()
            return
        }
        if let statements {
            try HostileStatements(daybook: daybook, count: statements).run()
            return
        }
        if let greedySenders {
            try GreedySenders(daybook: daybook, count: greedySenders).run()
            return
        }
        if let attacks {
            try await Attacks(daybook: daybook, seconds: attacks).run()
            return
        }
        let clients = (0..<4).map { SampleRequests(client: $0, count: records / 512 / 4) }
        try decode(clients)
        if isDecodeOnly { return }
        let rows = try clients.flatMap(\.bodies)
            .flatMap { try OTLPRequest.batches(ofProtobuf: $0, .logs, now: 0).flatMap(\.rows) }
        let requests = clients.map(\.compressed)
        // One client sends all four streams, so that both rows store the same records.
        let few = [[requests.flatMap(\.self)], requests]
        if stores.contains("sqlite") {
            try await index(rows)
            let raw = try RawRates { try insert(rows, perCommit: $0) }
            try collect(few, of: raw) { try CollectorRun.measure(daybook, $0) }
        }
        if stores.contains("postgresql") { try collectIntoPostgreSQL(rows, few) }
        if stores.contains("clickhouse") { try collectIntoClickHouse() }
    }

    private func collectIntoPostgreSQL(_ rows: [RecordRow], _ loads: [[[[UInt8]]]]) throws {
        guard PostgreSQLServer.tools != nil else {
            print("PostgreSQL: skipped, for \(PostgreSQLServer.absence)")
            return
        }
        let server = try PostgreSQLServer(isDurable: true)
        defer { server.remove() }
        let raw = try RawRates { try copy(rows, server, perCommit: $0) }
        try collect(loads, of: raw) {
            try CollectorRun.measure(daybook, $0, store: try server.makeDatabase())
        }
    }

    /// Its commits wait for many batches, so peak throughput takes many clients: 64 streams, which the rows with fewer
    /// clients store too.
    private func collectIntoClickHouse() throws {
        guard ClickHouseCluster.program != nil else {
            print("ClickHouse: skipped, for \(ClickHouseCluster.absence)")
            return
        }
        let cluster = try ClickHouseCluster()
        defer { cluster.remove() }
        let clients = (0..<64).map { SampleRequests(client: $0, count: records / 512 / 64) }
        let rows = try clients.flatMap(\.bodies)
            .flatMap { try OTLPRequest.batches(ofProtobuf: $0, .logs, now: 0).flatMap(\.rows) }
        let requests = clients.map(\.compressed)
        let few = (0..<4).map { first in stride(from: first, to: 64, by: 4).flatMap { requests[$0] } }
        let raw = RawRates(large: try insert(rows, cluster))
        try collect([few, requests], of: raw) {
            try CollectorRun.measure(daybook, $0, store: try cluster.makeDatabase())
        }
    }

    /// - Parameter loads: What the clients send, for each row of the table.
    private func collect(
        _ loads: [[[[UInt8]]]], of raw: RawRates, _ measure: ([[[UInt8]]]) throws -> CollectorRun
    ) throws {
        print("end to end over HTTP, gzip, batches of 512, commit before the answer:")
        for load in loads {
            let runs = try (0..<rounds).map { _ in try measure(load) }
            let median = runs.sorted { $0.rate < $1.rate }[rounds / 2]
            print(
                "  \(load.count) client\(load.count == 1 ? "" : "s"): \(Int(median.rate)) records/s, "
                    + "\(raw.ratios(median.rate, isAlone: load.count == 1)), collector CPU \(Ratio.text(median.microseconds)) µs a record, "
                    + "RSS at most \(median.peakMegabytes) MB")
        }
    }

    /// Protobuf to records, and to rows with their JSON, on one thread.
    private func decode(_ clients: [SampleRequests]) throws {
        let bodies = clients.flatMap(\.bodies)
        try time("decode alone, records with their texts where they are", bodies) { body in
            var count = RecordCount()
            try OTLPRequest.read(protobuf: body, into: &count)
            return count.records
        }
        try time("decode and mapping, rows ready to be stored", bodies) { body in
            try OTLPRequest.batches(ofProtobuf: body, .logs, now: 0).reduce(0) { $0 + $1.rows.count }
        }
    }

    private func time(_ name: String, _ bodies: [[UInt8]], _ read: ([UInt8]) throws -> Int) throws {
        var times: [Double] = []
        let count = bodies.count * 512
        for _ in 0..<rounds {
            let start = ProcessorTime.now
            let records = try bodies.reduce(0) { $0 + (try read($1)) }
            times.append(ProcessorTime.now - start)
            guard records == count else { throw Misuse(description: "a body was not decoded") }
        }
        let seconds = times.sorted()[rounds / 2]
        let bytes = bodies.reduce(0) { $0 + $1.count } / count
        print(
            "\(name): \(Int(Double(count) / seconds)) records/s of one core, "
                + "\(Int(seconds / Double(count) * 1e9)) ns a record of \(bytes) bytes")
    }

    /// The same rows into the same tables by SQLite alone; the rate in wall time.
    private func insert(_ rows: [RecordRow], perCommit size: Int) throws -> Double {
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
            try limit.insert(rows, perCommit: size)
            runs.append(((ContinuousClock.now - start).inSeconds, ProcessorTime.now - work))
        }
        let median = runs.sorted { $0.wall < $1.wall }[rounds / 2]
        let rate = Double(rows.count) / median.wall
        print(
            "raw SQLite insert, same tables and indexes, \(size) rows a commit: \(Int(rate)) rows/s, "
                + "CPU \(Ratio.text(median.cpu / Double(rows.count) * 1e6)) µs a row")
        return rate
    }

    /// Builds the search index of an unindexed store, with nothing else running.
    private func index(_ rows: [RecordRow]) async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let path = folder.path + "/indexed.sqlite"
        let store = try SQLiteStore(path: path)
        for start in stride(from: 0, to: rows.count, by: 4_096) {
            try await store.append(RecordBatch(rows: Array(rows[start..<min(start + 4_096, rows.count)])))
        }
        await store.settleIndex()
        await store.close()
        var times: [Double] = []
        for _ in 0..<rounds {
            for suffix in ["-index", "-index-wal", "-index-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            let work = ProcessorTime.now
            let store = try SQLiteStore(path: path)
            await store.settleIndex()
            times.append(ProcessorTime.now - work)
            await store.close()
        }
        // The last, incomplete segment has no index.
        let microseconds = times.sorted()[rounds / 2] / Double((rows.count + 1) / 32_768 * 32_768) * 1e6
        print("search index alone: \(Ratio.text(microseconds)) µs of processor time a record")
    }

    /// The same rows into the same tables by `COPY` alone; the rate in wall time.
    private func copy(_ rows: [RecordRow], _ server: PostgreSQLServer, perCommit size: Int) throws -> Double {
        let batches = TabSeparatedRows.batches(of: rows, size: size)
        let times = try (0..<rounds).map { _ in
            let address = try server.makeDatabase()
            _ = try PostgreSQLStore(address: address)
            let limit = try RawCopy(address)
            let start = ContinuousClock.now
            try limit.insert(batches)
            return (ContinuousClock.now - start).inSeconds
        }
        let rate = Double(rows.count) / times.sorted()[rounds / 2]
        print("raw PostgreSQL COPY, same tables and indexes, \(size) rows a commit: \(Int(rate)) rows/s")
        return rate
    }

    /// The same rows into the same tables by `INSERT` alone; the rate in wall time.
    private func insert(_ rows: [RecordRow], _ cluster: ClickHouseCluster) throws -> Double {
        let size = 65_536
        let batches = TabSeparatedRows.batches(of: rows, size: size, hasContextColumns: true)
        let times = try (0..<rounds).map { _ in
            let address = try cluster.makeDatabase()
            _ = try ClickHouseStore(address: address)
            let database = address.split(separator: "/").last?.prefix { $0 != "?" } ?? ""
            let insertion = Array("INSERT INTO \(database).all_stored_records FORMAT TabSeparated\n".utf8)
            let start = ContinuousClock.now
            for batch in batches { try cluster.run(insertion + batch) }
            return (ContinuousClock.now - start).inSeconds
        }
        let rate = Double(rows.count) / times.sorted()[rounds / 2]
        print("raw ClickHouse INSERT on two shards, same tables, \(size) rows each: \(Int(rate)) rows/s")
        return rate
    }
}

/// Rows a second of the raw insert: in large commits, and in those of a single sender that waits for each response.
private struct RawRates {
    private let large: Double
    private let single: Double?

    init(large: Double) { (self.large, single) = (large, nil) }

    /// - Parameter measure: Inserts with the given number of rows a commit.
    init(_ measure: (Int) throws -> Double) rethrows {
        (large, single) = (try measure(4_096), try measure(512))
    }

    func ratios(_ rate: Double, isAlone: Bool) -> String {
        let ratio = "\(Ratio.text(rate / large)) of raw"
        guard isAlone, let single else { return ratio }
        return ratio + ", \(Ratio.text(rate / single)) of raw in commits of 512"
    }
}

/// Reads everything of a record and keeps nothing.
private struct RecordCount: RecordSink {
    private(set) var records = 0
    private(set) var bytes = 0

    mutating func begin(resource: Attributes, beside: Attributes) {}

    mutating func begin(scope: InstrumentationScope, count: Int) {}

    mutating func take(_ record: WireLogRecord) {
        records += 1
        bytes += record.eventName.bytes.count
        for attribute in record.attributes.elements {
            bytes += attribute.key.bytes.count
            if case .string(let text) = attribute.value { bytes += text.bytes.count }
        }
    }
}

enum Ratio {
    static func text(_ value: Double) -> String { String(format: "%.2f", value) }
}

/// This process's processor time in seconds.
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
