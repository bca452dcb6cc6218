import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

/// The policy `dropBelow`: important records displace others.
@Suite(.temporaryDirectory) struct RecordPriorityTests {
    private let directory = TemporaryDirectory.current

    @Test("A record's level sets its priority", arguments: zip(Level.allCases, [0, 0, 1, 2, 3, 3]))
    func levelIsPriority(level: Level, priority: Int) {
        #expect(FrameFlags.priority(of: level) == .priority(priority))
    }

    /// - Parameter isEarly: whether the output's lane has collected the first records before the journal is full.
    @Test("A full journal refuses lower levels and keeps errors", arguments: [false, true])
    func fullJournalKeepsErrors(isEarly: Bool) async throws {
        let output = GatedOutput()
        let options = quietOptions { options in
            options.journal.segmentBytes = 64 << 10
            options.journal.maximumFrameBytes = 8 << 10
            options.journal.capBytes = 4 * 64 << 10
            options.journal.policy = .dropBelow(.error)
        }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("**", to: output, batch: neverByItself)
        }
        let padding = String(repeating: "x", count: 1000)
        for number in 0..<1000 {
            // The drain thread reads for its lanes after it has answered.
            if isEarly, number == 40 { for _ in 0..<2 { _ = await pipeline.ledgers() } }
            // What the drain thread does when scheduled: the ring goes to the log, and the log meets its cap.
            if number % 40 == 0 { pipeline.core.journal.housekeep() }
            let attributes: Attributes = ["n": .int(Int64(number)), "padding": .string(padding)]
            if number % 50 == 0 {
                pipeline.log().message(.error, "m", attributes)
            } else {
                pipeline.log().message(.info, "m", attributes)
            }
        }
        output.open()
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = try #require(await pipeline.ledgers()["gated"])
        await pipeline.shutdown(deadline: .seconds(60))
        let errors = output.records.filter { $0.level == .error }
        // An error displaces the oldest segments, until there is room for what the ring holds before it: all that the cap
        // allows at worst, some 240 records, without those that the lane has collected. Lower levels find no room.
        #expect(errors.numbers.suffix(14) == Array(stride(from: 300, to: 1000, by: 50))[...])
        if isEarly { #expect(output.records.numbers.starts(with: 0..<40)) }
        #expect((output.records.filter { $0.level == .info }.numbers.last ?? 0) < 500)
        #expect(ledger.accepted == 1000 && ledger.delivered == UInt64(output.records.count))
        #expect(ledger.dropped.keys.elementsEqual([.diskLimit]) && ledger.lost + ledger.delivered == 1000)
    }
}
