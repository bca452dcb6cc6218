import DaybookTrials
import Foundation
import Testing

/// The quick forms of the trials that `swift run -c release Reliability` runs at length.
struct ReliabilityTests {
    @Test func lossOfPowerTakesNothingThatWasSynced() {
        let tally = PowerLossTrials.run(images: 300, seed: 1)
        #expect(tally.isClean && tally.trials == 300, "\(tally)")
    }

    @Test func anyFailedOperationOfALifeIsSurvived() {
        let tally = SyscallTrials.run(errors: [ENOSPC])
        #expect(tally.isClean && tally.trials > 60, "\(tally)")
    }

    @Test(.enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func fillingAndFreeingARealDiskLosesNothing() throws {
        let tally = try #require(FullDiskTrials.run(cycles: 20))
        #expect(tally.isClean && tally.trials == 20, "\(tally)")
    }

    @Test(arguments: UInt64(1)...10)
    func randomOperationsAgreeWithAList(seed: UInt64) {
        let tally = ModelTrials.run(operations: 50, seed: seed)
        #expect(tally.isClean && tally.trials == 50, "\(tally)")
    }

    @Test func clocksThatJumpAndSecondWritersLoseNothing() {
        let tally = ClockTrials.run(trials: 30, seed: 1)
        #expect(tally.isClean && tally.trials == 30, "\(tally)")
    }
}
