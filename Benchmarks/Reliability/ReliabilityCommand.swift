import DaybookDatabases
import DaybookFuzzing
import DaybookOTLP
import DaybookSimulation
import DaybookStore
import DaybookTrials
import Foundation

/// The requested trial and its amount.
struct ReliabilityCommand {
    static let usage = """
        usage: Reliability COMMAND
          kill [--trials 10000]          kill a logging process
          collector [--trials 1000] [--store sqlite|postgresql|clickhouse] [--collectors 1]
                                         kill a collector in the middle of its commits, or one of some side by side
                                         on one store; DAYBOOK_BINARY names it
          delivery [--trials 1000] [--store sqlite|postgresql|clickhouse]
                                         kill a logging process, its collector or both, with a network between them that
                                         loses, cuts and repeats; DAYBOOK_BINARY names the collector
          cluster [--trials 1000]        kill nodes, the keeper and collectors of a replicated ClickHouse cluster while
                                         senders send; DAYBOOK_BINARY names the collector
          columns [--trials 100]         kill an embedded store that appends, indexes and erases, and flip bits in its columns:
                                         answers from columns stay those of the statements, and nothing erased is left
          power-loss [--images 20000]    open what a loss of power may leave of the disk
          syscalls                       fail every file operation of a journal's life
          full-disk [--cycles 100]       fill and free a small real disk (needs root)
          bit-flips                      flip every bit and cut at every byte
          model [--operations 10000]     random operations beside a list
          clock [--trials 500]           clocks that jump by ten years, and second writers
          hostile [--mutations 50000] [--store sqlite|postgresql|clickhouse]
                                         damaged requests of every format at a collector's ingest, honest ones in between
          fuzz [--seconds 30] [--target NAME] [--input FILE]
                                         hostile input for each decoder and file, so many seconds each, or one input again;
                                         what fails is made small and written into .build-fuzz-failures
          simulate [--seconds 600]       random schedules of clients, a collector and all who use and attack it, one seed
                                         after the other
        Every command but kill, collector, delivery, syscalls and bit-flips takes --seed N (default 1), to repeat a run.
        Ends with 0 if every promise was kept, with 1 otherwise.
        """

    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ reason: String) { description = "\(reason)\n\(ReliabilityCommand.usage)" }
    }

    private let name: String
    private let amount: Int
    private let seed: UInt64
    private let store: String
    private let collectors: Int
    private let target: String?
    private let input: String?
    private let rest: [String]

    /// The option for the amount, and its default, by command.
    private static let amounts = [
        "kill": ("--trials", 10_000), "collector": ("--trials", 1_000),
        "delivery": ("--trials", 1_000), "cluster": ("--trials", 1_000), "power-loss": ("--images", 20_000),
        "columns": ("--trials", 100),
        "full-disk": ("--cycles", 100),
        "model": ("--operations", 10_000), "clock": ("--trials", 500), "fuzz": ("--seconds", 30),
        "hostile": ("--mutations", 50_000), "simulate": ("--seconds", 600),
        "syscalls": ("", 0), "bit-flips": ("", 0),
    ]

    /// - Throws: ``Misuse``.
    init(_ arguments: some Sequence<String>) throws {
        var words = Array(arguments)[...]
        guard let name = words.popFirst() else { throw Misuse("a command is missing") }
        self.name = name
        // Processes that this program starts in order to kill them.
        if ["writer", "sender", "column-writer", "fuzz-target", "fuzz-input"].contains(name) {
            (amount, seed, store, collectors, rest) = (0, 0, "", 0, Array(words))
            (target, input) = (nil, nil)
            return
        }
        guard let (option, usual) = Self.amounts[name] else { throw Misuse("unknown command \(name)") }
        var amount = usual
        var seed: UInt64 = 1
        var store = "sqlite"
        var collectors = 1
        var (target, input) = (String?.none, String?.none)
        while let word = words.popFirst() {
            if ["collector", "delivery", "hostile"].contains(name), word == "--store" {
                store = words.popFirst() ?? ""
                continue
            }
            if name == "fuzz", ["--target", "--input"].contains(word) {
                if word == "--target" { target = words.popFirst() } else { input = words.popFirst() }
                continue
            }
            guard let number = words.popFirst().flatMap({ Int($0) }), number > 0 else {
                throw Misuse("\(word) needs a number above 0")
            }
            switch word {
            case option: amount = number
            case "--seed": seed = UInt64(number)
            case "--collectors" where name == "collector": collectors = number
            default: throw Misuse("unknown option \(word)")
            }
        }
        (self.amount, self.seed, self.store, self.collectors, rest) = (amount, seed, store, collectors, [])
        (self.target, self.input) = (target, input)
    }

    /// - Throws: ``Misuse``, or a system error.
    func run() async throws -> TrialTally {
        switch name {
        case "writer":
            guard rest.count == 2, let first = Int64(rest[1]) else { throw Misuse("writer DIRECTORY FIRST") }
            KillTrials.write(directory: rest[0], first: first)
        case "column-writer":
            guard rest.count == 2, let seed = UInt64(rest[1]) else { throw Misuse("column-writer STORE SEED") }
            try await ColumnTrials.write(rest[0], seed: seed)
            exit(0)
        case "sender":
            try await DeliveryWriter.run(rest) { OTLPOutput(endpoint: $0, compression: .none) }
            exit(0)
        case "kill": return try KillTrials.run(ownProgram, ["writer"], trials: amount)
        case "collector": return try await killCollectors()
        case "delivery":
            return try await withStores { [amount, ownProgram] daybook, makeStore in
                try await DeliveryKillTrials.run(daybook, ownProgram, ["sender"], trials: amount, on: makeStore)
            }
        case "cluster":
            let cluster = try ClickHouseCluster(replicas: 2)
            defer { cluster.remove() }
            return try await ClusterKillTrials.run(builtDaybook(), kills: amount, seed: seed, on: cluster)
        case "columns":
            return try await ColumnTrials.run(ownProgram, ["column-writer"], trials: amount, seed: seed)
        case "power-loss": return PowerLossTrials.run(images: amount, seed: seed)
        case "syscalls": return SyscallTrials.run()
        case "full-disk":
            guard let tally = FullDiskTrials.run(cycles: amount) else {
                throw Misuse("a small disk cannot be made: that needs root and mount")
            }
            return tally
        case "bit-flips": return try DamageTrials.bitFlips()
        case "model":
            var tally = TrialTally()
            var next = seed
            while tally.trials < amount {
                tally += ModelTrials.run(operations: min(200, amount - tally.trials), seed: next)
                next += 1
            }
            return tally
        case "clock": return ClockTrials.run(trials: amount, seed: seed)
        case "hostile": return try await sendHostileRequests()
        case "simulate": return try await SimulationTrials.run(from: seed, for: .seconds(amount))
        case "fuzz-target", "fuzz-input": return try await fuzzInThisProcess()
        default: return try await fuzz()
        }
    }

    /// Where to write inputs that cause a failure.
    private var fuzzing: FuzzCommand {
        FuzzCommand(program: ownProgram, folder: URL(fileURLWithPath: ".build-fuzz-failures"))
    }

    private func named(_ name: String) throws -> FuzzTarget {
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            throw Misuse("there is no target \(name); there are \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
        }
        return target
    }

    private func fuzz() async throws -> TrialTally {
        var tally = TrialTally()
        if let target, let input {
            tally.trials = 1
            let reason = try await FuzzRun.one(Array(Data(contentsOf: URL(fileURLWithPath: input))), on: named(target))
            tally.expect(reason == nil, reason ?? "")
            return tally
        }
        print("seed \(seed)")
        for target in try target.map({ [try named($0)] }) ?? FuzzTarget.all {
            tally.trials += 1
            guard let failure = try await fuzzing.run(target, seed: seed, seconds: Double(amount)) else { continue }
            tally.expect(false, "\(failure)")
        }
        return tally
    }

    /// What ``fuzz()`` starts: `NAME SEED SECONDS TRACE`, or `NAME INPUT`.
    private func fuzzInThisProcess() async throws -> TrialTally {
        var tally = TrialTally()
        let target = try named(rest.first ?? "")
        if name == "fuzz-input", rest.count == 2 {
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: rest[1])))
            let reason = try await FuzzRun.one(bytes, on: target)
            tally.expect(reason == nil, reason ?? "")
            return tally
        }
        guard rest.count == 4, let seed = UInt64(rest[1]), let seconds = Double(rest[2]) else {
            throw Misuse("fuzz-target NAME SEED SECONDS TRACE")
        }
        do {
            let run = FuzzRun(target, seed: seed, trace: URL(fileURLWithPath: rest[3]))
            tally.trials = try await run.run(.seconds(seconds))
            print("\(target): \(tally.trials) inputs")
        } catch var failure as FuzzFailure {
            try fuzzing.write(&failure)
            tally.expect(false, "\(failure)")
        }
        return tally
    }

    private func sendHostileRequests() async throws -> TrialTally {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-hostile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store: any EventStore
        var server: AnyObject?
        switch self.store {
        case "sqlite": store = try SQLiteStore(path: folder.appending(path: "records.sqlite").path)
        case "postgresql":
            let engine = try PostgreSQLServer()
            (store, server) = (try PostgreSQLStore(address: engine.makeDatabase()), engine)
        case "clickhouse":
            let engine = try ClickHouseCluster()
            (store, server) = (try ClickHouseStore(address: engine.makeDatabase()), engine)
        default: throw Misuse("--store takes sqlite, postgresql or clickhouse")
        }
        let tally = try await HostileRequestTrials.run(mutations: amount, seed: seed, on: store)
        await store.close()
        (server as? PostgreSQLServer)?.remove()
        (server as? ClickHouseCluster)?.remove()
        return tally
    }

    private var ownProgram: URL { URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL }

    private func killCollectors() async throws -> TrialTally {
        guard store != "sqlite" || collectors == 1 else { throw Misuse("one collector writes to a SQLite file") }
        return try await withStores { [amount, collectors] daybook, makeStore in
            try await CollectorKillTrials.run(daybook, trials: amount, on: makeStore, collectors: collectors)
        }
    }

    private func builtDaybook() throws -> URL {
        guard let program = ProcessInfo.processInfo.environment["DAYBOOK_BINARY"] else {
            throw Misuse("DAYBOOK_BINARY names the built daybook")
        }
        return URL(fileURLWithPath: program)
    }

    /// Runs `body` with the built program and a factory of empty stores on the requested server.
    private func withStores(
        _ body: (URL, @escaping CollectorKillTrials.StoreMaker) async throws -> TrialTally
    ) async throws -> TrialTally {
        let daybook = try builtDaybook()
        switch store {
        case "sqlite": return try await body(daybook, CollectorKillTrials.sqlite)
        case "postgresql":
            let server = try PostgreSQLServer()
            defer { server.remove() }
            return try await body(daybook) { _ in try server.makeDatabase() }
        case "clickhouse":
            let cluster = try ClickHouseCluster()
            defer { cluster.remove() }
            return try await body(daybook) { _ in try cluster.makeDatabase() }
        default: throw Misuse("--store takes sqlite, postgresql or clickhouse")
        }
    }
}
