import DaybookTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CollectorKillTests {
    /// The short form of the command `Reliability collector`.
    @Test func twoHundredKillsLoseNothingAcknowledgedAndDoubleNothing() async throws {
        let tally = try await CollectorKillTrials.run(BuiltProduct.url("daybook"), trials: 200)
        #expect(tally.isClean, "\(tally)")
        #expect(tally.trials == 200)
    }
}
