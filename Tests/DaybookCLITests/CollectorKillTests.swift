import DaybookProcesses
import DaybookTrials
import Testing

/// Short forms of `Reliability collector` and `Reliability delivery`; `make test-long` runs more of each.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CollectorKillTests {
    @Test("Kills neither lose nor duplicate acknowledged records") func survivesKills() async throws {
        let trials = TestLength.trials(20, long: 200)
        let tally = try await CollectorKillTrials.run(BuiltProduct.daybook, trials: trials)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == trials)
    }

    @Test("Killing both ends of a lossy network keeps the accounts exact") func accountsSurviveKills() async throws {
        let trials = TestLength.trials(8, long: 40)
        let tally = try await DeliveryKillTrials.run(
            BuiltProduct.daybook, BuiltProduct.url("LossySender"), [], trials: trials)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == trials)
    }

    /// A single collector, and two side by side of which one is killed.
    @Test(
        "Over PostgreSQL, kills neither lose nor duplicate acknowledged records",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)),
        arguments: [
            (collectors: 1, trials: TestLength.trials(12, long: 140)),
            (collectors: 2, trials: TestLength.trials(10, long: 60)),
        ])
    func survivesPostgreSQLKills(collectors: Int, trials: Int) async throws {
        let tally = try await CollectorKillTrials.run(
            BuiltProduct.daybook, trials: trials, on: { _ in try PostgreSQLServer.shared.get().makeDatabase() },
            collectors: collectors)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == trials)
    }

    @Test(
        "Over ClickHouse, kills neither lose nor duplicate acknowledged records",
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)),
        arguments: [
            (collectors: 1, trials: TestLength.trials(3, long: 12)),
            (collectors: 2, trials: TestLength.trials(3, long: 12)),
        ])
    func survivesClickHouseKills(collectors: Int, trials: Int) async throws {
        let tally = try await CollectorKillTrials.run(
            BuiltProduct.daybook, trials: trials, on: { _ in try ClickHouseCluster.shared.get().makeDatabase() },
            collectors: collectors)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == trials)
    }

    /// Kills nodes, their keeper and collectors.
    @Test(
        "In a replicated cluster, kills neither lose nor duplicate records",
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)),
        .enabled(if: ZooKeeper.isInstalled, Comment(rawValue: ZooKeeper.absence)),
        .enabled(if: TestLength.isLong, "four servers are for make test-long"))
    func survivesClusterKills() async throws {
        let cluster = try await offPool { try ClickHouseCluster(replicas: 2) }
        let tally = try await ClusterKillTrials.run(BuiltProduct.daybook, kills: 40, seed: 1, on: cluster)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials >= 40)
        try await offPool { cluster.remove() }
    }
}
