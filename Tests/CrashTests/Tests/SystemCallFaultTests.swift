import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Promise J8 against the real system: `strace` makes system calls of a logging process fail, unknown to the code under
/// test.
@Suite(.enabled(if: SystemCallFault.isPossible, Comment(rawValue: SystemCallFault.absence)), .temporaryDirectory)
struct SystemCallFaultTests {
    private let directory = TemporaryDirectory.current

    /// Nothing arrives twice or without being logged. Unless the fault keeps data from the disk, everything logged
    /// arrives.
    @Test("Logging continues whichever system call fails", arguments: SystemCallFault.all)
    func loggingSurvivesFaults(_ fault: SystemCallFault) async throws {
        let journal = directory.path + "/journal"
        let trace = directory.path + "/trace"
        // The first syncs come late; a million records are many times what they need.
        let isEnough = { @Sendable (count: Int) in
            (count >= 1500 && Self.hasFailed(trace)) || count >= 1_000_000
        }
        let returned = try await offPool {
            try KillTrials.killed(
                URL(fileURLWithPath: SystemCallFault.program),
                fault.words(trace: trace) + [BuiltProduct.url("CrashWriter").path, journal, "0"], when: isEnough)
        }
        #expect(returned.count >= 1500)
        #expect(Self.hasFailed(trace), "nothing was made to fail")
        let arrived = try await numbers(deliveredFrom: journal)
        let set = Set(arrived)
        #expect(set.count == arrived.count, "a record arrived twice")
        // A kill may hit between the append and the report: at most one extra record per thread.
        #expect(set.subtracting(returned).count <= 2)
        if fault.keepsAll {
            let lost = Set(returned).subtracting(set)
            #expect(lost.isEmpty, "lost: \(lost.sorted().prefix(10))")
        }
    }

    private static func hasFailed(_ trace: String) -> Bool {
        (try? String(contentsOfFile: trace, encoding: .utf8).contains("(INJECTED)")) == true
    }
}
