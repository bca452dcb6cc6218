import DaybookBase
import Foundation

/// Kills nodes, the keeper and the collectors of a replicated ClickHouse cluster while senders send.
public enum ClusterKillTrials {
    /// What is killed together, and how long the keeper stays down.
    struct Plan {
        var nodes: [Int] = []
        var collector: Int?
        var hasKeeper = false
        /// Acknowledgements before the kill.
        var acknowledgements: Int
        /// Microseconds after the last of them.
        var moment: UInt32
        var keepersRest: UInt32

        var count: Int { nodes.count + (collector == nil ? 0 : 1) + (hasKeeper ? 1 : 0) }

        /// At least one node of each shard stays up.
        init(on cluster: ClickHouseCluster, collectors: Int, _ random: inout SeededGenerator) {
            acknowledgements = .random(in: 1...4, using: &random)
            moment = .random(in: 0...50_000, using: &random)
            keepersRest = .random(in: 0...500_000, using: &random)
            let shards = Dictionary(grouping: cluster.nodes, by: cluster.shard).sorted { $0.key < $1.key }
            let some = Int.random(in: 0...shards.count, using: &random)
            nodes = shards.shuffled(using: &random).prefix(some).compactMap { $0.value.randomElement(using: &random) }
            hasKeeper = Int.random(in: 0..<5, using: &random) == 0
            if count == 0 || Bool.random(using: &random) { collector = .random(in: 0..<collectors, using: &random) }
        }
    }

    /// Kills by a plan that `seed` repeats, with a new store every twenty kills, and compares each store with what was
    /// acknowledged: all of it, once.
    ///
    /// While nodes are down, a killed collector has to start again and commits have to continue. Only then are the
    /// nodes started again.
    /// - Parameters:
    ///   - daybook: The program.
    ///   - kills: How many processes are killed, at least.
    ///   - cluster: One with replicas.
    ///   - collectors: How many run side by side.
    ///   - senders: How many send at once, each with its own stream.
    /// - Throws: When a program cannot be started.
    public static func run(
        _ daybook: URL, kills: Int, seed: UInt64, on cluster: ClickHouseCluster, collectors: Int = 2, senders: Int = 4
    ) async throws -> TrialTally {
        var tally = TrialTally()
        var random = SeededGenerator(seed: seed)
        while tally.trials < kills {
            let store = try await offPool { try cluster.makeDatabase() }
            let load = ClusterLoad(senders: senders)
            do {
                for _ in 0..<collectors { load.add(try await DoomedCollector(daybook, store)) }
                try await withThrowingTaskGroup { group in
                    for stream in load.streams { group.addTask { await load.send(stream) } }
                    defer { load.stop() }
                    let last = min(tally.trials + 20, kills)
                    while tally.trials < last {
                        let plan = Plan(on: cluster, collectors: collectors, &random)
                        try await carryOut(plan, daybook, store, cluster, load, &tally)
                        tally.trials += plan.count
                    }
                }
            } catch {
                for collector in load.collectors { try? await collector.end() }
                throw error
            }
            for collector in load.collectors { try await collector.end() }
            try await offPool { try cluster.replicate(store) }
            // Without the collectors' own records of failures to store.
            let uids = try await DoomedCollector.query(daybook, store, "SELECT uid FROM records WHERE kind = 'message'")
            SendingStream.compare(uids, load.streams, store, &tally)
            try await offPool { try cluster.drop(store) }
        }
        return tally
    }

    private static func carryOut(
        _ plan: Plan, _ daybook: URL, _ store: String, _ cluster: ClickHouseCluster, _ load: ClusterLoad,
        _ tally: inout TrialTally
    ) async throws {
        let begun = load.acknowledgements
        await load.go(on: plan.acknowledgements, from: begun, "with every node up", &tally)
        try await offPool {
            usleep(plan.moment)
            for node in plan.nodes { try cluster.stop(node: node) }
            if plan.hasKeeper { try cluster.keeper?.stop() }
        }
        if let victim = plan.collector {
            try await load.collectors[victim].end()
            let heir = try await DoomedCollector(daybook, store)
            tally.expect(heir.address != nil, "\(store): a collector does not start while nodes \(plan.nodes) are down")
            load.replace(victim, with: heir)
        }
        if plan.hasKeeper {
            try await offPool {
                usleep(plan.keepersRest)
                try cluster.keeper?.start()
            }
        }
        // Requests in flight when they died may be acknowledged without them.
        await load.go(
            on: load.streams.count + 1, from: load.acknowledgements, "while nodes \(plan.nodes) are down", &tally
        ) { tally in
            let standing = try? await offPool { try cluster.standing(of: store, without: plan.nodes) }
            tally.note("\(store): commits wait while nodes \(plan.nodes) are down. \(standing?.text ?? "")")
            // All nodes with a claim are down, so commits must wait for one of them. The same if nodes that were down
            // before have not caught up yet.
            return standing?.lacksClaims ?? false
        }
        try await offPool { for node in plan.nodes { try cluster.start(node: node) } }
    }
}

/// Senders that run until stopped, each to any of the collectors. Safe to share between threads.
private final class ClusterLoad: Sendable {
    let streams: [SendingStream]
    /// Longer than the keeper and the servers take to notice a dead node and to abort an insert that waits for it.
    private static let pause: Duration = .seconds(45)

    private let running = Mutex<[DoomedCollector]>([])
    private let isOver = Atomic(false)
    private let acknowledged = Atomic(0)

    init(senders: Int) { streams = (0..<senders).map { _ in SendingStream() } }

    var collectors: [DoomedCollector] { running.withLock { $0 } }
    /// The number of acknowledged requests.
    var acknowledgements: Int { acknowledged.load(ordering: .relaxed) }

    func add(_ collector: DoomedCollector) { running.withLock { $0.append(collector) } }

    func replace(_ place: Int, with collector: DoomedCollector) { running.withLock { $0[place] = collector } }

    func stop() { isOver.store(true, ordering: .relaxed) }

    func send(_ stream: SendingStream) async {
        while !isOver.load(ordering: .relaxed) {
            let before = stream.acknowledged
            _ = await stream.sendOnce(to: collectors.randomElement()?.port)
            if stream.acknowledged > before {
                acknowledged.add(1, ordering: .relaxed)
            } else {
                // Like a client, which waits longer.
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Waits for acknowledgements.
    /// - Parameter mayWait: Whether commits have a reason to wait; asked when none has come for a while.
    func go(
        on count: Int, from begun: Int, _ state: String, _ tally: inout TrialTally,
        unless mayWait: (inout TrialTally) async -> Bool = { _ in false }
    ) async {
        let hasGoneOn = { self.acknowledgements >= begun + count }
        do {
            try await eventually("commits go on \(state)", within: Self.pause, hasGoneOn)
            return
        } catch {
            if await mayWait(&tally) { return }
        }
        do {
            try await eventually("commits go on \(state)", within: .seconds(120) - Self.pause, hasGoneOn)
        } catch {
            tally.expect(false, "\(error)")
        }
    }
}

extension ClickHouseCluster {
    /// Waits until each node of a store has everything that its shard has.
    fileprivate func replicate(_ store: String) throws {
        let database = Self.database(of: store)
        let isOurs = "database = '\(database)'"
        for node in nodes {
            try eventuallyOnThread("node \(node) has what the others have", within: .seconds(120)) {
                let log = try ask(
                    node,
                    "SELECT countIf(is_readonly OR is_session_expired OR log_pointer <= log_max_index AND log_max_index > 0) "
                        + "FROM system.replicas WHERE \(isOurs)")
                let queue = try ask(
                    node, "SELECT count() FROM system.replication_queue WHERE \(isOurs) AND type = 'GET_PART'")
                return log == "0\n" && queue == "0\n"
            }
        }
    }

    /// A store's claims on the nodes that are up: whether some are on none of them yet, and what the servers say.
    fileprivate func standing(of store: String, without down: [Int]) throws -> (lacksClaims: Bool, text: String) {
        let isOurs = "database = '\(Self.database(of: store))' AND table = 'claims'"
        var (wanted, present): (Set<Substring>, Set<Substring>) = ([], [])
        var text = ""
        for node in nodes where !down.contains(node) {
            let queue = "SELECT new_part_name FROM system.replication_queue WHERE \(isOurs) AND type = 'GET_PART'"
            wanted.formUnion(try ask(node, queue).split(separator: "\n"))
            present.formUnion(try ask(node, "SELECT name FROM system.parts WHERE \(isOurs)").split(separator: "\n"))
            text +=
                try "Node \(node): "
                + ask(
                    node,
                    "SELECT is_readonly, is_session_expired, log_max_index, log_pointer, active_replicas FROM system.replicas WHERE \(isOurs)"
                )
                + ask(
                    node,
                    "SELECT type, new_part_name, source_replica, last_exception FROM system.replication_queue WHERE \(isOurs) LIMIT 3"
                )
        }
        return (!wanted.subtracting(present).isEmpty, text)
    }

    fileprivate func drop(_ store: String) throws {
        for node in nodes { _ = try ask(node, "DROP DATABASE IF EXISTS \(Self.database(of: store))") }
    }

    private static func database(of store: String) -> Substring {
        store.split(separator: "/").last?.prefix { $0 != "?" } ?? ""
    }
}
