import DaybookTrials
import Foundation
import Testing

/// Quick forms of the trials that `swift run -c release Reliability` runs at length.
struct ReliabilityTests {
    @Test("A power loss takes nothing that was synced") func powerLossKeepsSynced() {
        let tally = PowerLossTrials.run(images: 300, seed: 1)
        #expect(tally.isClean && tally.trials == 300, "\(tally)")
    }

    @Test("A journal's whole life survives a fault in any system call") func trialsSurviveAnyFault() {
        let tally = SyscallTrials.run(errors: [ENOSPC])
        #expect(tally.isClean && tally.trials > 60, "\(tally)")
    }

    @Test(
        "Filling and freeing a real disk loses nothing",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func realFullDiskLosesNothing() throws {
        let tally = try #require(FullDiskTrials.run(cycles: 20))
        #expect(tally.isClean && tally.trials == 20, "\(tally)")
    }

    @Test("Random operations agree with a simple model", arguments: UInt64(1)...10)
    func agreesWithModel(seed: UInt64) {
        let tally = ModelTrials.run(operations: 50, seed: seed)
        #expect(tally.isClean && tally.trials == 50, "\(tally)")
    }

    @Test("Clock jumps and second writers lose nothing") func clockJumpsLoseNothing() {
        let tally = ClockTrials.run(trials: 30, seed: 1)
        #expect(tally.isClean && tally.trials == 30, "\(tally)")
    }
}
