import DaybookBase
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.timeLimit(.minutes(1))) struct ReachabilityTests {
    /// Tells what the test says.
    private final class Told: Reachability {
        private let changed = Mutex<(@Sendable (Bool) -> Void)?>(nil)
        func start(_ changed: @escaping @Sendable (Bool) -> Void) {
            changed(false)
            self.changed.withLock { $0 = changed }
        }
        func tell(_ isOnline: Bool) { changed.withLock { $0 }?(isOnline) }
    }

    private struct Local: BatchOutput {
        let id = "local"
        let needsNetwork = false
        let collecting = CollectingOutput()
        func send(_ batch: Batch) async -> Delivery { await collecting.send(batch) }
    }

    @Test func withoutNetworkNothingIsSentUntilThereIsOne() async throws {
        let reachability = Told()
        let remote = GatedOutput()
        let local = Local()
        let pipeline = try Pipeline(store: .memory(), options: quietOptions { $0.reachability = reachability }) {
            Route("**", to: remote)
            Route("**", to: local)
        }
        pipeline.log().number(0..<3)
        // It ends at once: the remote output cannot come further, and the local one is done.
        await #expect(throws: FlushError.self) { try await pipeline.flush(deadline: .seconds(3600)) }
        #expect(remote.begunCount == 0)
        #expect(local.collecting.records.numbers == [0, 1, 2])
        reachability.tell(true)
        remote.open()
        try await pipeline.flush(deadline: .seconds(30))
        #expect(remote.records.numbers == [0, 1, 2])
        await pipeline.shutdown(deadline: .seconds(1))
    }
}
