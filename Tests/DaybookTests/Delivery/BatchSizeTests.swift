import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct BatchSizeTests {
    private let directory = TemporaryDirectory.current

    /// Accepts batches of at most `most` records.
    private final class LimitedOutput: BatchOutput {
        let id = "limited"
        let most: Int
        let answer: Delivery
        let batches = Mutex<[(count: Int, bytes: Int, isTaken: Bool)]>([])

        /// - Parameter answer: To larger batches.
        init(most: Int, answer: Delivery = .refused(reason: "status 413")) {
            self.most = most
            self.answer = answer
        }

        func send(_ batch: Batch) async -> Delivery {
            let isTaken = batch.count <= most
            batches.withLock { $0.append((batch.count, batch.bytes, isTaken)) }
            return isTaken ? .delivered : answer
        }
    }

    /// Keeps every second record, every third and so on.
    private struct Every: Filter {
        let second: Int

        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            if [record].numbers.allSatisfy({ $0 % second == 0 }) { emit(record) }
        }
    }

    private func launch(
        _ directory: TemporaryDirectory, _ output: some BatchOutput, _ limits: BatchLimits = BatchLimits(),
        records: Int = 3_000
    ) async throws {
        let options = quietOptions { $0.backoff = Backoff(initial: .zero, maximum: .zero) }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("**", to: output, batch: limits)
        }
        await pipeline.suspend()
        pipeline.log().number(0..<records, padding: 100)
        pipeline.resume()
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = await pipeline.ledgers()[output.id]
        #expect(ledger?.pending == 0 && ledger?.lost == 0 && ledger?.quarantined == 0)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A pipeline sends 3,000 records to a server limited to 100 in 31 requests") func convergesThroughPipeline()
        async throws
    {
        for launchNumber in 0..<3 {
            let output = LimitedOutput(most: 100)
            try await launch(directory, output)
            let batches = output.batches.withLock { $0 }
            #expect(batches.count <= 31, "launch \(launchNumber): \(batches.map(\.count))")
            #expect(batches.count { !$0.isTaken } <= 1)
            let taken: Int = batches.filter(\.isTaken).map(\.count).reduce(0, +)
            #expect(taken == 3_000)
        }
    }

    @Test(
        "Batch limits hold while a backlog is sent",
        arguments: [
            BatchLimits(count: 10), BatchLimits(count: 1), BatchLimits(count: 100), BatchLimits(bytes: 5_000),
            BatchLimits(count: 40, bytes: 5_000),
        ])
    func limitsHoldForBacklog(limits: BatchLimits) async throws {
        let output = LimitedOutput(most: .max)
        try await launch(directory, output, limits, records: 500)
        for batch in output.batches.withLock({ $0 }) {
            #expect(batch.count <= limits.count && (batch.bytes <= limits.bytes || batch.count == 1))
        }
    }

    @Test("Backlog batches grow once the server has accepted one") func backlogGrowsAfterSuccess() async throws {
        for (name, limits) in ["a": BatchLimits(), "b": BatchLimits(count: 10, backlogBytes: 1 << 20)] {
            let output = LimitedOutput(most: .max)
            try await launch(directory.subdirectory(name), output, limits)
            let counts = output.batches.withLock { $0.map(\.count) }
            #expect(counts[0] == limits.count)
            #expect(counts.max() ?? 0 > 1_000, "\(counts)")
        }
    }

    @Test("Batches grow on a route whose transform thins them") func pipelineGrowsUnderTransform() async throws {
        let output = LimitedOutput(most: 100)
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, transform: Every(second: 2))
        }
        await pipeline.suspend()
        pipeline.log().number(0..<6_000, padding: 20)
        pipeline.resume()
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        let taken = output.batches.withLock { $0.filter(\.isTaken).map(\.count) }
        #expect(taken.reduce(0, +) == 3_000)
        #expect(taken.max() ?? 0 > 60, "\(taken)")
    }

    @Test("A receiver that refuses everything is paused although a transform drops records", arguments: [2, 3, 7])
    func pausesUnderTransform(second: Int) async throws {
        let output = CollectingOutput(id: "refusing", answers: Array(repeating: .refused(reason: "no"), count: 100))
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: BatchLimits(count: 1), transform: Every(second: second))
        }
        pipeline.log().number(0..<200)
        try? await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["refusing"])
        #expect(ledger.quarantined == 7 && ledger.pending > 0, "\(ledger)")
        await pipeline.shutdown(deadline: .zero)
    }

    @Test(
        "Batch limits hold after the receiver refuses a batch",
        arguments: [
            BatchLimits(bytes: 5_000), BatchLimits(count: 40, bytes: 5_000), BatchLimits(count: 7, bytes: 20_000),
        ])
    func limitsHoldAfterRefusal(limits: BatchLimits) async throws {
        let output = LimitedOutput(most: 9)
        try await launch(directory, output, limits, records: 500)
        for batch in output.batches.withLock({ $0 }) {
            #expect(batch.count <= limits.count && (batch.bytes <= limits.bytes || batch.count == 1))
        }
    }

    @Test("Remembers the size at which a server breaks the connection") func learnsFromBrokenConnection() async throws {
        for launchNumber in 0..<2 {
            let output = LimitedOutput(most: 100, answer: .noAnswer(reason: "reset"))
            // A failed attempt ends the flush. Without a delay, the remaining records are sent at once.
            try await launch(directory, output, BatchLimits(delay: .zero))
            let batches = output.batches.withLock { $0 }
            #expect(batches.filter(\.isTaken).map(\.count).reduce(0, +) == 3_000)
            #expect(batches.count { !$0.isTaken } <= 4, "launch \(launchNumber): \(batches.map(\.count))")
        }
    }

    @Test("The learned batch size survives a kill") func sizeSurvivesKill() async throws {
        let output = LimitedOutput(most: 100)
        let (journal, rest) = (directory.subdirectory("journal").url, directory.subdirectory("rest").url)
        let pipeline = try Pipeline(directory: journal, options: quietOptions()) { Route("**", to: output) }
        await pipeline.suspend()
        pipeline.log().number(0..<1_000, padding: 100)
        pipeline.resume()
        try await pipeline.flush(deadline: .seconds(60))
        try await snapshot(of: journal, to: rest)
        await pipeline.shutdown(deadline: .seconds(60))
        let later = LimitedOutput(most: 100)
        let next = try Pipeline(directory: rest, options: quietOptions()) { Route("**", to: later) }
        await next.suspend()
        next.log().number(0..<1_000, padding: 100)
        next.resume()
        try await next.flush(deadline: .seconds(60))
        await next.shutdown(deadline: .seconds(60))
        #expect(later.batches.withLock { $0.allSatisfy(\.isTaken) })
    }
}
