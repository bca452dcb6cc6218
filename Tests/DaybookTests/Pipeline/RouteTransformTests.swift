import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct RouteTransformTests {
    private let directory = TemporaryDirectory.current

    /// Masks the user's name and drops records called "hidden".
    private struct Mask: Filter {
        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            guard record.message != "hidden" else { return }
            var record = record
            if record.attributes["user"] != nil { record.attributes["user"] = "•••" }
            emit(record)
        }
    }

    @Test("A transform affects only the output of its route") func transformAffectsOneRoute() async throws {
        let (seen, masked, whole) = (RecordingOutput(), CollectingOutput(id: "masked"), CollectingOutput(id: "whole"))
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: seen, transform: Mask())
            Route("**", to: masked, transform: Mask())
            Route("**", to: whole)
        }
        pipeline.log("a.b").info("one", ["user": "hanako", "n": 1])
        pipeline.log("a.b").info("hidden", ["user": "taro"])
        pipeline.log("a.b").measure("three") {}
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        await pipeline.shutdown(deadline: .seconds(60))

        #expect(whole.records.map(\.message) == ["one", "hidden", "three"])
        #expect(whole.records[0].attributes["user"] == "hanako")
        for records in [masked.records, seen.records] {
            #expect(records.map(\.message) == ["one", "three"])
            #expect(records[0].attributes == ["user": "•••", "n": 1])
            #expect(records.map(\.kind) == [.message, .span])
            #expect(records.map(\.sequence) == [whole.records[0].sequence, whole.records[2].sequence])
        }
        for id in [masked.id, seen.id] {
            #expect(ledgers[id]?.accepted == 3)
            #expect(ledgers[id]?.delivered == 2)
            #expect(ledgers[id]?.dropped == [.transformed: 1])
        }
    }

    @Test("A batch emptied by its transform is not sent") func emptiedBatchNotSent() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output, transform: Mask()) }
        for _ in 0..<10 { pipeline.log("a.b").info("hidden") }
        try await pipeline.flush(deadline: .seconds(60))
        let ledger = await pipeline.ledgers()["collecting"]
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.batches.isEmpty)
        #expect(ledger?.dropped == [.transformed: 10])
        #expect(ledger?.pending == 0)
    }
}
