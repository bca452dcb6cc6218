import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// A process limit (`ulimit`) on files or descriptors is an error to report, like a full disk.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct LimitTests {
    private let directory = TemporaryDirectory.current

    /// No file at all, no room for the ring or a segment, and few descriptors.
    @Test(
        "Process limits cause errors, not the end of the process",
        arguments: ["-f 0", "-f 100", "-f 2200", "-f 4000", "-n 5", "-n 7", "-n 9", "-n 12"])
    func processLimitsAreErrors(limit: String) async throws {
        let numbers = try await offPool {
            try KillTrials.killed(
                URL(filePath: "/bin/sh"),
                [
                    "-c", "ulimit \(limit); exec \"$0\" \"$@\"", BuiltProduct.url("CrashWriter").path, directory.path,
                    "0",
                ],
                after: 4_000)
        }
        #expect(numbers.count >= 4_000, "the process ended by itself")
    }
}
