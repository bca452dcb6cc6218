import DaybookBase
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Collectors that are killed in the middle of their commits (promise C1 and C2).
public enum CollectorKillTrials {
    /// The address of a new, empty store.
    /// - Parameter directory: An empty folder that lasts as long as the store is used.
    public typealias StoreMaker = @Sendable (_ directory: String) throws -> String

    /// Stores in files.
    public static let sqlite: StoreMaker = { "sqlite:\($0)/store.sqlite" }

    /// Kills a collector so often, on one store for twenty kills, and compares what the store then has with what was
    /// acknowledged: all of that, once, and nothing that was never sent.
    ///
    /// Senders behave as the client does: what was not acknowledged they send again, cut anew, until it is. With more
    /// than one collector each request goes to any of them; one is killed, and started again while the others go on.
    /// - Parameters:
    ///   - daybook: the program.
    ///   - collectors: how many run side by side on one store.
    ///   - senders: how many send at once, each a stream of its own.
    /// - Throws: when the program cannot be started, or a store cannot be made.
    public static func run(
        _ daybook: URL, trials: Int, on makeStore: @escaping StoreMaker = sqlite, collectors: Int = 1, senders: Int = 4
    ) async throws -> TrialTally {
        var tally = TrialTally()
        while tally.trials < trials {
            let directory = TestDirectory()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let streams = (0..<senders).map { _ in SendingStream() }
            let store = try await offPool { try makeStore(directory.path) }
            var running = try await start(collectors, daybook, store)
            for _ in 0..<min(20, trials - tally.trials) {
                let victim = Int.random(in: running.indices)
                await load(running, killing: victim, streams)
                try await running[victim].end()
                running[victim] = try await DoomedCollector(daybook, store)
                tally.trials += 1
            }
            for collector in running { try await collector.end() }
            let uids = try await DoomedCollector.query(daybook, store, "SELECT uid FROM records")
            SendingStream.compare(uids, streams, store, &tally)
        }
        return tally
    }

    private static func start(_ count: Int, _ daybook: URL, _ store: String) async throws -> [DoomedCollector] {
        var running: [DoomedCollector] = []
        for _ in 0..<count { running.append(try await DoomedCollector(daybook, store)) }
        return running
    }

    /// Sends to collectors until one of them has been killed, after some acknowledgements and a moment, in the middle of
    /// whatever it does, and then a little more to the others.
    private static func load(_ collectors: [DoomedCollector], killing victim: Int, _ streams: [SendingStream]) async {
        let countdown = Countdown(from: Int.random(in: 1...40))
        let rest = Countdown(from: Int.random(in: 1...8))
        let moment = UInt32.random(in: 0...3_000)
        await withTaskGroup { group in
            for stream in streams {
                group.addTask {
                    for _ in 0..<10_000 where collectors.count == 1 || !rest.isOver {
                        let isAnswered = await stream.sendOnce(to: collectors.randomElement()?.port)
                        // The only collector has been killed.
                        guard isAnswered || collectors.count > 1 else { return }
                        guard isAnswered else { continue }
                        if countdown.isOver {
                            rest.step()
                        } else if countdown.step() {
                            usleep(moment)
                            collectors[victim].kill()
                        }
                    }
                }
            }
        }
        // A collector that never came up, or one that senders could not reach, ends here.
        collectors[victim].kill()
    }
}

/// Tells one of many that it is the last.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .relaxed) <= 0 }

    /// Whether this step is the one that reaches zero.
    @discardableResult
    func step() -> Bool { left.subtract(1, ordering: .relaxed) == 0 }
}
