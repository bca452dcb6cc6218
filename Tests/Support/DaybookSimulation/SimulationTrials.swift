import DaybookTrials

/// Runs schedules, seed after seed, each twice with different private values.
public enum SimulationTrials {
    /// Seeds that once broke a promise; always run.
    package static let keptSeeds: [UInt64] = [6, 9, 26, 30, 34]

    /// Runs seeds from `seed` on for a time, at least one.
    /// - Returns: What they broke; after the first failure, a few more are run.
    public static func run(from seed: UInt64, for time: Duration) async throws -> TrialTally {
        let end = ContinuousClock.now + time
        var tally = TrialTally()
        var next = seed
        repeat {
            try await run(next, &tally)
            next += 1
        } while ContinuousClock.now < end && tally.bad < 5
        return tally
    }

    /// Runs one seed.
    /// - Throws: An error of the system.
    package static func run(_ seed: UInt64, _ tally: inout TrialTally) async throws {
        tally.trials += 1
        do {
            try await World.runTwice(World.Settings(seed: seed))
        } catch let broken as BrokenPromise {
            tally.expect(false, "\(broken)")
        }
    }

    /// The first promise that one of some seeds breaks with a fault; `nil` for none.
    /// - Parameter change: What differs from an ordinary schedule.
    package static func found(
        in seeds: ClosedRange<UInt64>, _ change: (inout World.Settings) -> Void
    ) async throws -> BrokenPromise? {
        for seed in seeds {
            var settings = World.Settings(seed: seed)
            change(&settings)
            do {
                try await World.runTwice(settings)
            } catch let broken as BrokenPromise {
                return broken
            }
        }
        return nil
    }
}
