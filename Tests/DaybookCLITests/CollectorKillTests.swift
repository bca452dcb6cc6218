import DaybookProcesses
import DaybookTrials
import Testing

/// The short forms of the commands `Reliability collector` and `Reliability delivery`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CollectorKillTests {
    @Test func twoHundredKillsLoseNothingAcknowledgedAndDoubleNothing() async throws {
        let tally = try await CollectorKillTrials.run(BuiltProduct.url("daybook"), trials: 200)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == 200)
    }

    @Test func fortyKillsOfBothEndsOfALossyNetworkLeaveTheAccountsExact() async throws {
        let tally = try await DeliveryKillTrials.run(
            BuiltProduct.url("daybook"), BuiltProduct.url("LossySender"), [], trials: 40)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == 40)
    }

    /// One collector, and two side by side of which one is killed.
    @Test(
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)),
        arguments: [(collectors: 1, trials: 140), (collectors: 2, trials: 60)])
    func killsOverPostgreSQLLoseNothingAcknowledgedAndDoubleNothing(collectors: Int, trials: Int) async throws {
        let tally = try await CollectorKillTrials.run(
            BuiltProduct.url("daybook"), trials: trials, on: { _ in try PostgreSQLServer.shared.get().makeDatabase() },
            collectors: collectors)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == trials)
    }

    @Test(
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)),
        arguments: [(collectors: 1, trials: 6), (collectors: 2, trials: 6)])
    func killsOverClickHouseLoseNothingAcknowledgedAndDoubleNothing(collectors: Int, trials: Int) async throws {
        let tally = try await CollectorKillTrials.run(
            BuiltProduct.url("daybook"), trials: trials, on: { _ in try ClickHouseCluster.shared.get().makeDatabase() },
            collectors: collectors)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == trials)
    }
}
