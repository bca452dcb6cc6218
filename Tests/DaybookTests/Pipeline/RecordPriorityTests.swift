import DaybookJournal
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

/// The policy `dropBelow`: important records displace others.
struct RecordPriorityTests {
    @Test("A record's level sets its priority", arguments: zip(Level.allCases, [0, 0, 1, 2, 3, 3]))
    func levelIsPriority(level: Level, priority: Int) {
        #expect(FrameFlags.priority(of: level) == .priority(priority))
    }

    @Test("A full journal refuses lower levels and keeps errors") func fullJournalKeepsErrors() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
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
        // Errors cost at most the oldest segment, or what of it was not yet delivered: up to three of the first
        // errors. Lower levels find no room.
        #expect(errors.numbers.suffix(17) == Array(stride(from: 150, to: 1000, by: 50))[...])
        #expect((output.records.filter { $0.level == .info }.numbers.last ?? 0) < 500)
        #expect(ledger.accepted == 1000 && ledger.delivered == UInt64(output.records.count))
        #expect(ledger.dropped.keys.elementsEqual([.diskLimit]) && ledger.lost + ledger.delivered == 1000)
    }
}
