import DaybookTesting
import Foundation
import Synchronization
import Testing

@testable import Daybook

struct RouteTransformTests {
    private final class Seen: Output {
        let id: String
        let records = Mutex<[Record]>([])
        init(_ id: String) { self.id = id }
        func write(_ record: Record) { records.withLock { $0.append(record) } }
    }

    @Test func anInlineRoutesTransformChangesItsOutputAlone() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let (crash, plain, stored) = (Seen("crash"), Seen("plain"), CollectingOutput())
        let pipeline = try Pipeline(directory: directory.url) {
            Route(
                "app.**", to: crash, timing: .inline,
                transform: Map("app.**") { record, tail in
                    record.message = "[\(tail ?? "")] \(record.message ?? "")"
                    record.sequence = 99
                })
            Route("**", to: plain, timing: .inline)
            Route("**", to: stored)
        }
        pipeline.log("app.start").info("hello")
        await pipeline.shutdown(deadline: .seconds(5))
        #expect(crash.records.withLock { $0.map(\.message) } == ["[start] hello"])
        #expect(crash.records.withLock { $0.map(\.sequence) } == stored.records.map(\.sequence))
        #expect(plain.records.withLock { $0.map(\.message) } == ["hello"])
        #expect(stored.records.map(\.message) == ["hello"])
    }

    private struct Dropping: Filter {
        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            if record.level >= .warning {
                emit(record)
                emit(Record(time: 0, kind: .message, level: .info, tag: "second"))
            }
        }
    }

    @Test func aTransformMayDropAndASecondRecordDoesNotCount() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let seen = Seen("seen")
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: seen, timing: .inline, transform: Dropping())
        }
        pipeline.log("app").info("dropped")
        pipeline.log("app").error("kept")
        await pipeline.shutdown(deadline: .seconds(5))
        #expect(seen.records.withLock { $0.map(\.message) } == ["kept"])
    }

    @Test func transformsOfOneOutputsRoutesApplyByTheirPatternsInOrder() throws {
        let seen = Seen("seen")
        let table = try RoutingTable([
            .route(Route("a.**", to: seen, transform: Map("**") { record, _ in record.attributes["a"] = 1 })),
            .route(Route("**", to: seen, transform: Map("**") { record, _ in record.attributes["all"] = 2 })),
            .route(Route("**", to: Seen("other"))),
        ])
        let transform = try #require(table.transforms[0])
        let record = Record(time: 0, kind: .message, level: .info, tag: "b.x")
        #expect(transform.transformed(record)?.attributes == ["all": 2])
        var other = record
        other.tag = "a.x"
        #expect(transform.transformed(other)?.attributes == ["a": 1, "all": 2])
        #expect(table.transforms[1] == nil)
    }
}
