import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

/// What a dead second writer left arrives under its original names, so that a receiver recognises duplicates.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AdoptedRecordTests {
    private let directory = TemporaryDirectory.current

    private static func pipeline(
        _ directory: TemporaryDirectory, _ output: some BatchOutput,
        now: some Output = ClosureOutput(id: "now") { _ in }
    ) throws -> Pipeline<EmptyContext> {
        try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: output, batch: BatchLimits(count: 10, delay: .seconds(36_000)))
            Route("now.**", to: now)
        }
    }

    @Test("Adopted records keep the stream and number they were sent under") func adoptedKeepIdentity() async throws {
        let first = try Self.pipeline(directory, GatedOutput(id: "out"))
        let sent = GatedOutput(id: "out")
        let second = try Self.pipeline(directory, sent)
        second.log().number(0..<10)
        // Sent and perhaps stored, but the sender dies before the answer.
        let underWay = await sent.next()
        second.log().number(10..<25)
        await second.shutdown(deadline: .zero)
        await first.shutdown(deadline: .zero)

        let output = CollectingOutput(id: "out")
        let third = try Self.pipeline(directory, output)
        third.log().number(100..<103)
        try await eventually("28 records are accepted") { await third.ledgers()["out"]?.accepted == 28 }
        try await third.flush(deadline: .seconds(60))
        third.log().number(103..<105)
        try await third.flush(deadline: .seconds(60))
        let ledger = try #require(await third.ledgers()["out"])
        await third.shutdown(deadline: .seconds(60))
        let adopted = output.batches.filter { $0.stream == underWay.stream }
        let names = adopted.flatMap { batch in batch.items.map(\.sequence) }
        #expect(Array(names.prefix(10)) == underWay.items.map(\.sequence))
        #expect(adopted.flatMap(\.records).numbers == Array(0..<25))
        #expect(zip(names, names.dropFirst()).allSatisfy { $0 < $1 })
        // The intervals follow each other within the stream and hold exactly their records.
        #expect(zip(adopted, adopted.dropFirst()).allSatisfy { $0.through == $1.after })
        for batch in output.batches {
            #expect(batch.items.allSatisfy { batch.after < $0.sequence && $0.sequence <= batch.through })
        }
        let own = output.batches.filter { $0.stream != underWay.stream }
        #expect(Set(own.map(\.stream)).count == 1 && own.flatMap(\.records).numbers == Array(100..<105))
        #expect(zip(own, own.dropFirst()).allSatisfy { $0.through <= $1.after })
        #expect((ledger.accepted, ledger.delivered, ledger.pending) == (30, 30, 0))
    }

    @Test("An immediate output does not receive adopted records again") func immediateSkipsAdopted() async throws {
        /// Blocks in its first record.
        final class Stuck: Output {
            let id = "now"
            let gate = DispatchSemaphore(value: 0)
            func write(_ record: Record) { gate.wait() }
        }
        let stuck = Stuck()
        let first = try Self.pipeline(directory, GatedOutput(id: "out"))
        let second = try Self.pipeline(directory, GatedOutput(id: "out"), now: stuck)
        second.log("now").number(0..<5)
        await second.shutdown(deadline: .zero)
        stuck.gate.signal()
        await first.shutdown(deadline: .zero)

        let seen = Mutex<[Record]>([])
        let output = CollectingOutput(id: "out")
        let third = try Self.pipeline(
            directory, output, now: ClosureOutput(id: "now") { record in seen.withLock { $0.append(record) } })
        try await eventually("five records are accepted") { await third.ledgers()["out"]?.accepted == 5 }
        third.log("now").number(7..<8)
        try await third.flush(deadline: .seconds(60))
        let ledger = try #require(await third.ledgers()["now"])
        await third.shutdown(deadline: .seconds(60))
        for _ in 0..<5 { stuck.gate.signal() }
        #expect(seen.withLock { $0 }.numbers == [7])
        #expect(output.records.numbers == [0, 1, 2, 3, 4, 7])
        #expect(ledger.delivered == 1 && ledger.pending == 0)
        #expect(ledger.dropped[.processEnded] == ledger.accepted - 1)
    }
}
