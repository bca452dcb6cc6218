import DaybookBase
import DaybookTesting
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Kills collectors in the middle of their commits (promises C1 and C2).
public enum CollectorKillTrials {
    /// The address of a new, empty store.
    /// - Parameter directory: An empty folder that lasts as long as the store is used.
    public typealias StoreMaker = @Sendable (_ directory: String) throws -> String

    /// Stores in files.
    public static let sqlite: StoreMaker = { "sqlite:\($0)/store.sqlite" }

    /// Kills a collector `trials` times, with a new store every twenty kills, and compares each store with what was
    /// acknowledged: all of it, once, and nothing that was never sent.
    ///
    /// Senders behave like the client: they resend what was not acknowledged, in new batches, until it is. With more
    /// than one collector, each request goes to any of them; one is killed and restarted while the others continue.
    /// - Parameters:
    ///   - daybook: The program.
    ///   - collectors: How many run side by side on one store.
    ///   - senders: How many send at once, each with its own stream.
    /// - Throws: When the program cannot be started, or a store cannot be made.
    public static func run(
        _ daybook: URL, trials: Int, on makeStore: @escaping StoreMaker = sqlite, collectors: Int = 1, senders: Int = 4
    ) async throws -> TrialTally {
        var tally = TrialTally()
        while tally.trials < trials {
            let directory = TemporaryDirectory.inMemory()
            defer { directory.remove() }
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

    /// Sends to collectors until one is killed, a moment after some acknowledgements, in the middle of whatever it
    /// does. Then sends a little more to the others.
    private static func load(_ collectors: [DoomedCollector], killing victim: Int, _ streams: [SendingStream]) async {
        let countdown = Countdown(from: Int.random(in: 1...40))
        let rest = Countdown(from: Int.random(in: 1...8))
        let moment = UInt32.random(in: 0...3_000)
        await withTaskGroup { group in
            for stream in streams {
                group.addTask {
                    for _ in 0..<10_000 where collectors.count == 1 || !rest.isOver {
                        let isAnswered = await stream.sendOnce(to: collectors.randomElement()?.port)
                        // The only collector was killed.
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
        // Ends a collector that never came up or that senders could not reach.
        collectors[victim].kill()
    }
}

/// Tells one of many steps that it is the last.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .relaxed) <= 0 }

    /// Whether this step reaches zero.
    @discardableResult
    func step() -> Bool { left.subtract(1, ordering: .relaxed) == 0 }
}
