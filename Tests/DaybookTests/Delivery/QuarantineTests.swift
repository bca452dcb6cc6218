import DaybookBase
import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct QuarantineTests {
    private let directory = TemporaryDirectory.current

    /// Refuses records with odd numbers until fixed; can name them in its answer.
    private final class Picky: BatchOutput {
        let id = "picky"
        let isMended = Mutex(false)
        let taken = Mutex<[Record]>([])
        let names: Bool

        init(naming: Bool = false) { names = naming }

        func send(_ batch: Batch) async -> Delivery {
            let records = batch.records
            let bad =
                isMended.withLock { $0 } ? [] : records.indices.filter { ([records[$0]].numbers.first ?? 0) % 2 == 1 }
            if !bad.isEmpty, !names { return .refused(reason: "odd") }
            taken.withLock { $0 += records.indices.filter { !bad.contains($0) }.map { records[$0] } }
            return bad.isEmpty ? .delivered : .reject(bad + [1_000, -1], reason: "odd")
        }

        var numbers: [Int] { taken.withLock { $0 }.numbers }
    }

    private static func pipeline(
        _ directory: TemporaryDirectory, _ output: Picky, _ change: (inout PipelineOptions) -> Void = { _ in }
    ) throws -> Pipeline<EmptyContext> {
        try Pipeline(directory: directory.url, options: quietOptions(change)) { Route("**", to: output) }
    }

    @Test("Quarantined records keep reason and context across launches until resent", arguments: [false, true])
    func quarantineSurvivesLaunch(naming: Bool) async throws {
        let output = Picky(naming: naming)
        let first = try Self.pipeline(directory, output)
        first.log("work").number(0..<10)
        first.log("work").start("a span").end(["n": 11])
        try await first.flush(deadline: .seconds(60))
        let before = try #require(await first.ledgers()["picky"])
        #expect((before.accepted, before.delivered, before.quarantined, before.pending) == (11, 5, 6, 0))
        #expect(before.dropped.isEmpty)
        await first.shutdown(deadline: .seconds(60))

        let second = try Self.pipeline(directory, output)
        let found = try #require(await second.ledgers()["picky"])
        #expect((found.accepted, found.recovered, found.quarantined, found.pending) == (6, 6, 6, 0))
        let kept = try await second.quarantinedRecords(output: "picky")
        #expect(kept.numbers == [1, 3, 5, 7, 9, 11])
        #expect(kept.map(\.kind) == Array(repeating: .message, count: 5) + [.span])
        #expect(kept.allSatisfy { $0.attributes["daybook.refused"] == "odd" && $0.tag == "work" })
        #expect(kept.allSatisfy { $0.context["session.id"] == .string(first.sessionID) })
        #expect(try await second.quarantinedRecords(output: "picky", limit: 2).numbers == [1, 3])
        output.isMended.withLock { $0 = true }
        #expect(try await second.resendQuarantined(output: "picky") == 6)
        try await second.flush(deadline: .seconds(60))
        let after = try #require(await second.ledgers()["picky"])
        #expect((after.accepted, after.recovered, after.delivered, after.quarantined) == (6, 6, 6, 0))
        #expect(after.pending == 0 && after.dropped.isEmpty)
        #expect(try await second.quarantinedRecords(output: "picky").isEmpty)
        await second.shutdown(deadline: .seconds(60))
        #expect(Set(output.numbers) == Set(0..<10).union([11]) && output.numbers.count == 11)
        #expect(
            output.taken.withLock { $0 }.suffix(6).allSatisfy { $0.context["session.id"] == .string(first.sessionID) })
    }

    /// Accepts nothing yet.
    private struct Waiting: BatchOutput {
        let id = "picky"
        func send(_ batch: Batch) async -> Delivery { .retry(after: nil, reason: "later") }
    }

    @Test("A death before the cursor advances leaves refused records in quarantine once") func quarantineSurvivesDeath()
        async throws
    {
        let (directory, before) = (directory.subdirectory("after"), directory.subdirectory("before"))
        let logging = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: Waiting()) }
        logging.log().number(0..<10)
        await logging.shutdown(deadline: .zero)
        try FileManager.default.copyItem(at: directory.url, to: before.url)
        let dying = try Self.pipeline(directory, Picky(naming: true))
        try await dying.flush(deadline: .seconds(60))
        await dying.shutdown(deadline: .seconds(60))
        // The journal from before the refusal, with the quarantine from after it.
        let quarantine = try #require(
            FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.first { $0.lastPathComponent == "quarantine" })
        let place = quarantine.path.dropFirst(directory.url.path.count)
        try FileManager.default.copyItem(atPath: quarantine.path, toPath: before.url.path + place)

        let next = try Self.pipeline(before, Picky(naming: true))
        next.log().number([11])
        try await next.flush(deadline: .seconds(60))
        #expect(try await next.quarantinedRecords(output: "picky").numbers == [1, 3, 5, 7, 9, 11])
        let ledger = try #require(await next.ledgers()["picky"])
        #expect((ledger.accepted, ledger.delivered, ledger.quarantined, ledger.pending) == (11, 5, 6, 0))
        #expect(ledger.recovered == 10 && ledger.dropped.isEmpty)
        await next.shutdown(deadline: .seconds(60))
    }

    @Test("Records discarded from quarantine count as rejected") func discardCountsRejected() async throws {
        let pipeline = try Self.pipeline(directory, Picky())
        pipeline.log().number(0..<10)
        try await pipeline.flush(deadline: .seconds(60))
        #expect(try await pipeline.discardQuarantined(output: "picky") == 5)
        #expect(try await pipeline.discardQuarantined(output: "picky") == 0)
        let ledger = try #require(await pipeline.ledgers()["picky"])
        #expect((ledger.accepted, ledger.delivered, ledger.quarantined, ledger.pending) == (10, 5, 0, 0))
        #expect(ledger.dropped == [.rejected: 5])
        await #expect(throws: PipelineError.self) { try await pipeline.resendQuarantined(output: "other") }
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(try await pipeline.quarantinedRecords(output: "picky").isEmpty)
        #expect(await pipeline.ledgers()["picky"] == ledger)
    }

    @Test("The quarantine is bounded in bytes and counts what it evicts") func quarantineIsBounded() async throws {
        let pipeline = try Self.pipeline(directory, Picky(naming: true)) { options in
            options.journal.segmentBytes = 64 << 10
            options.journal.maximumFrameBytes = 8 << 10
            options.quarantine.bytes = 0
        }
        for number in 0..<1000 { pipeline.log().number([2 * number + 1], padding: 500) }
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["picky"])
        let kept = try await pipeline.quarantinedRecords(output: "picky", limit: 10_000).numbers
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(kept == Array(stride(from: 2 * (1000 - kept.count) + 1, to: 2000, by: 2)) && kept.count > 50)
        #expect(ledger.quarantined == UInt64(kept.count) && ledger.dropped == [.rejected: 1000 - UInt64(kept.count)])
        #expect(ledger.accepted == 1000 && ledger.pending == 0)
    }

    @Test("Quarantines the one record that a transform left in its batch") func quarantinesTheSurvivor() async throws {
        struct OnlySeven: Filter {
            func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
                if [record].numbers == [7] { emit(record) }
            }
        }
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) {
            Route("**", to: Picky(), batch: neverByItself, transform: OnlySeven())
        }
        pipeline.log().number(0..<10)
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["picky"])
        #expect(try await pipeline.quarantinedRecords(output: "picky").numbers == [7])
        #expect((ledger.accepted, ledger.quarantined, ledger.dropped) == (10, 1, [.transformed: 9]))
        await pipeline.shutdown(deadline: .seconds(60))
    }
}
