import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookDatabases

/// Two shards of two replicas. `make test-long` installs their keeper; `Reliability cluster` repeats the kills at
/// scale.
@Suite(
    .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)),
    .enabled(if: ZooKeeper.isInstalled, Comment(rawValue: ZooKeeper.absence)),
    .enabled(if: TestLength.isLong, "four servers are for make test-long"),
    .serialized, .timeLimit(.minutes(10)))
struct ClickHouseReplicaTests {
    private static let shared = Result { try ClickHouseCluster(replicas: 2) }

    private func cluster() async throws -> ClickHouseCluster { try await offPool { try Self.shared.get() } }

    private func open(_ address: String) async throws -> ClickHouseStore {
        try await offPool { try ClickHouseStore(address: address) }
    }

    private func claimIsOnEveryNode(of cluster: ClickHouseCluster, _ address: String) async throws {
        let sql = "SELECT count() FROM \(address.database).claims FINAL WHERE done = 1"
        for node in cluster.nodes {
            try await eventually("node \(node) has the claim") {
                try await offPool { try cluster.ask(node, sql) } == "1\n"
            }
        }
    }

    /// Down to the last node of four.
    @Test("Opens and commits while replicas are down", arguments: [[0], [1, 2], [0, 3], [0, 1, 2]])
    func survivesNodesDown(nodes: [Int]) async throws {
        let cluster = try await cluster()
        let address = try await offPool { try cluster.makeDatabase() }
        let before = try await open(address)
        try await before.append(.numbered("s", (0, 10), 1...10))
        try await claimIsOnEveryNode(of: cluster, address)
        try await offPool { for node in nodes { try cluster.stop(node: node) } }
        let after = try await open(address)
        // The keeper notices a missing node after three seconds; until then an insert may time out.
        try await eventually("two collectors commit without \(nodes)") {
            (try? await before.append(.numbered("s", (10, 20), 11...20))) != nil
        }
        try await eventually("a collector that starts without \(nodes) commits") {
            (try? await after.append(.numbered("s", (5, 30), 6...30))) != nil
        }
        try await offPool { for node in nodes { try cluster.start(node: node) } }
        try await eventually("all nodes have the records once") {
            let counts = try await offPool {
                let sql = "SELECT count(), uniqExact(uid) FROM \(address.database).records"
                return try cluster.nodes.map { try cluster.ask($0, sql) }
            }
            return counts.allSatisfy { $0 == "30\t30\n" }
        }
    }

    /// If a node dies during a commit, the claims on the others settle it.
    @Test("Writes commit claims to every node") func writesClaimsToEveryNode() async throws {
        let cluster = try await cluster()
        let address = try await offPool { try cluster.makeDatabase() }
        try await open(address).append(.numbered("s", (0, 10), 1...10))
        try await claimIsOnEveryNode(of: cluster, address)
    }

    @Test("Erasing removes the records from every replica") func erasesOnEveryReplica() async throws {
        let cluster = try await cluster()
        let address = try await offPool { try cluster.makeDatabase() }
        let store = try await open(address)
        try await store.append(RecordBatch(rows: (1...4).map { .sample($0) }))
        // No `insert_quorum`, which would wait for both: before ClickHouse 20.3 nothing can be deleted from the last
        // part written with it (ClickHouse, issue 7133).
        try await eventually("each replica has the rows of its shard") {
            let counts = try await offPool {
                try cluster.nodes.map { try cluster.ask($0, "SELECT count() FROM \(address.database).stored_records") }
            }
            return counts[0] == counts[1] && counts[2] == counts[3] && Set(counts).count == 2
        }
        var filter = RecordFilter()
        filter.narrow(by: .tag("recipe.show"))
        #expect(try await store.erase(filter) == 4)
        for node in cluster.nodes {
            let sql = "SELECT count() FROM \(address.database).stored_records"
            #expect(try await offPool { try cluster.ask(node, sql) } == "0\n")
        }
    }
}

extension String {
    fileprivate var database: Substring { split(separator: "/").last?.prefix { $0 != "?" } ?? "" }
}
