import DaybookSimulation
import DaybookTrials
import Testing

/// Random schedules of clients, a collector, its users and its attackers; `make simulate` runs more.
@Suite(.serialized, .timeLimit(.minutes(20))) struct SimulationTests {
    /// A planted fault must be found within these seeds.
    private static let seeds: ClosedRange<UInt64> = 1...40

    @Test("Every random schedule keeps every promise") func schedulesKeepPromises() async throws {
        // Long runs use new seeds each time; a failure names its seed.
        let first = TestLength.isLong ? UInt64.random(in: 1_000...1_000_000_000) : 1
        let tally = try await SimulationTrials.run(from: first, for: .seconds(TestLength.trials(8, long: 600)))
        #expect(tally.isClean, "\(tally)")
    }

    @Test("A seed that once failed keeps every promise", arguments: SimulationTrials.keptSeeds) func keptSeedsStayFixed(
        _ seed: UInt64
    ) async throws {
        var tally = TrialTally()
        try await SimulationTrials.run(seed, &tally)
        #expect(tally.isClean, "\(tally)")
    }

    @Test("A planted fault is found", arguments: PlantedFault.allCases) func findsPlantedFault(_ fault: PlantedFault)
        async throws
    {
        let broken = try #require(try await SimulationTrials.found(in: Self.seeds) { $0.planted = fault })
        #expect(fault.breaks.contains(broken.promise), "\(broken)")
    }

    @Test("The same seed produces the same trace") func seedFixesTrace() async throws {
        let trace = try await World.run(World.Settings(seed: 3))
        #expect(try await World.run(World.Settings(seed: 3)) == trace)
        #expect(try await World.run(World.Settings(seed: 4)) != trace)
    }
}
