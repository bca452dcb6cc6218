import DaybookTesting
import Foundation

/// What the command line asks for: one kind of trial, and how much of it.
struct ReliabilityCommand {
    static let usage = """
        usage: Reliability COMMAND
          kill [--trials 10000]          kill a logging process
          collector [--trials 1000]      kill a collector in the middle of its commits; DAYBOOK_BINARY names it
          power-loss [--images 20000]    open what a loss of power may leave of the disk
          syscalls                       fail every file operation of a journal's life
          full-disk [--cycles 100]       fill and free a small real disk (needs root)
          bit-flips                      flip every bit and cut at every byte
          model [--operations 10000]     random operations beside a list
          clock [--trials 500]           clocks that jump by ten years, and second writers
          fuzz [--seconds 30]            random damage
        Every command but kill, collector, syscalls and bit-flips takes --seed N (default 1), to repeat a run.
        Ends with 0 if every promise was kept, with 1 otherwise.
        """

    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ reason: String) { description = "\(reason)\n\(ReliabilityCommand.usage)" }
    }

    private let name: String
    private let amount: Int
    private let seed: UInt64
    private let rest: [String]

    /// The option that says how much, and its default, by command.
    private static let amounts = [
        "kill": ("--trials", 10_000), "collector": ("--trials", 1_000), "power-loss": ("--images", 20_000),
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
        if name == "writer" {
            (amount, seed, rest) = (0, 0, Array(words))
            return
        }
        guard let (option, usual) = Self.amounts[name] else { throw Misuse("unknown command \(name)") }
        var amount = usual
        var seed: UInt64 = 1
        while let word = words.popFirst() {
            guard let number = words.popFirst().flatMap({ Int($0) }), number > 0 else {
                throw Misuse("\(word) needs a number above 0")
            }
            switch word {
            case option: amount = number
            case "--seed": seed = UInt64(number)
            default: throw Misuse("unknown option \(word)")
            }
        }
        (self.amount, self.seed, rest) = (amount, seed, [])
    }

    /// - Throws: ``Misuse``, or what the system says.
    func run() async throws -> TrialTally {
        switch name {
        case "writer":
            guard rest.count == 2, let first = Int64(rest[1]) else { throw Misuse("writer DIRECTORY FIRST") }
            KillTrials.write(directory: rest[0], first: first)
        case "kill":
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
            return try KillTrials.run(program, ["writer"], trials: amount)
        case "collector":
            guard let program = ProcessInfo.processInfo.environment["DAYBOOK_BINARY"] else {
                throw Misuse("DAYBOOK_BINARY names the built daybook")
            }
            return try await CollectorKillTrials.run(URL(fileURLWithPath: program), trials: amount)
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
}
