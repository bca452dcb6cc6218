import DaybookOTLP
import DaybookTrials
import Foundation

/// What the command line asks for: one kind of trial, and how much of it.
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
          power-loss [--images 20000]    open what a loss of power may leave of the disk
          syscalls                       fail every file operation of a journal's life
          full-disk [--cycles 100]       fill and free a small real disk (needs root)
          bit-flips                      flip every bit and cut at every byte
          model [--operations 10000]     random operations beside a list
          clock [--trials 500]           clocks that jump by ten years, and second writers
          fuzz [--seconds 30]            random damage
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
    private let rest: [String]

    /// The option that says how much, and its default, by command.
    private static let amounts = [
        "kill": ("--trials", 10_000), "collector": ("--trials", 1_000),
        "delivery": ("--trials", 1_000), "power-loss": ("--images", 20_000),
        "full-disk": ("--cycles", 100),
        "model": ("--operations", 10_000), "clock": ("--trials", 500), "fuzz": ("--seconds", 30),
        "syscalls": ("", 0), "bit-flips": ("", 0),
    ]

    /// - Throws: ``Misuse``.
    init(_ arguments: some Sequence<String>) throws {
        var words = Array(arguments)[...]
        guard let name = words.popFirst() else { throw Misuse("a command is missing") }
        self.name = name
        // What this program starts of itself, to kill it.
        if name == "writer" || name == "sender" {
            (amount, seed, store, collectors, rest) = (0, 0, "", 0, Array(words))
            return
        }
        guard let (option, usual) = Self.amounts[name] else { throw Misuse("unknown command \(name)") }
        var amount = usual
        var seed: UInt64 = 1
        var store = "sqlite"
        var collectors = 1
        while let word = words.popFirst() {
            if ["collector", "delivery"].contains(name), word == "--store" {
                store = words.popFirst() ?? ""
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
    }

    /// - Throws: ``Misuse``, or what the system says.
    func run() async throws -> TrialTally {
        switch name {
        case "writer":
            guard rest.count == 2, let first = Int64(rest[1]) else { throw Misuse("writer DIRECTORY FIRST") }
            KillTrials.write(directory: rest[0], first: first)
        case "sender":
            try await DeliveryWriter.run(rest) { OTLPOutput(endpoint: $0, compression: .none) }
            exit(0)
        case "kill": return try KillTrials.run(ownProgram, ["writer"], trials: amount)
        case "collector": return try await killCollectors()
        case "delivery":
            return try await withStores { [amount, ownProgram] daybook, makeStore in
                try await DeliveryKillTrials.run(daybook, ownProgram, ["sender"], trials: amount, on: makeStore)
            }
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
        default: return try DamageTrials.fuzz(seconds: Double(amount), seed: seed)
        }
    }

    private var ownProgram: URL { URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL }

    private func killCollectors() async throws -> TrialTally {
        guard store != "sqlite" || collectors == 1 else { throw Misuse("one collector writes to a SQLite file") }
        return try await withStores { [amount, collectors] daybook, makeStore in
            try await CollectorKillTrials.run(daybook, trials: amount, on: makeStore, collectors: collectors)
        }
    }

    /// With the built program and what makes empty stores on the server that is asked for.
    private func withStores(
        _ body: (URL, @escaping CollectorKillTrials.StoreMaker) async throws -> TrialTally
    ) async throws -> TrialTally {
        guard let program = ProcessInfo.processInfo.environment["DAYBOOK_BINARY"] else {
            throw Misuse("DAYBOOK_BINARY names the built daybook")
        }
        let daybook = URL(fileURLWithPath: program)
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
