import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct TaskSpanTests {
    private let directory = TemporaryDirectory.current
    private static let remote = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Another library's task-local span.
    private enum Library {
        @TaskLocal static var span: TaskSpan?
    }

    @Test("Parses the traceparent header it writes") func parsesTraceParent() throws {
        let span = try #require(SpanContext(traceParent: Self.remote))
        #expect(span.traceParent == Self.remote)
        #expect(SpanContext(traceParent: Self.remote.dropLast(2) + "00") == span)
        // Later versions may append fields.
        #expect(SpanContext(traceParent: "cc" + Self.remote.dropFirst(2) + "-more") == span)
    }

    @Test(
        "Rejects malformed traceparent headers",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "ff" + remote.dropFirst(2),
            remote + "-more",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01", remote.uppercased(), " " + remote, remote + "\n",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", remote.replacing("4bf9", with: "+bf9"),
        ])
    func rejectsBadTraceParent(text: String) { #expect(SpanContext(traceParent: text) == nil) }

    @Test("Records belong to the innermost span of either tracing library") func innermostSpanWins() async throws {
        TaskSpan.follow { Library.span }
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: output) }
        let log = pipeline.log("app")
        let remote = try #require(SpanContext(traceParent: Self.remote))
        let other = try #require(SpanContext(traceParent: Self.remote.replacing("00f067", with: "11f067")))
        await Library.$span.withValue(TaskSpan(remote)) {
            log.info("remote")
            log.measure("own") {
                log.info("own")
                Library.$span.withValue(TaskSpan(other)) { log.info("other") }
                log.info("own again")
            }
            await Task { log.info("remote in a task") }.value
        }
        log.info("none")
        await pipeline.shutdown(deadline: .seconds(60))
        let records = output.records
        let own = try #require(records.first { $0.kind == .span })
        #expect(own.parentSpanID == remote.span && own.span?.traceID == remote.traceID)
        let spans = records.filter { $0.kind == .message }.map(\.span)
        #expect(spans == [remote, own.span, other, own.span, remote, nil])
    }

    @Test("A measurement accepts times, name and failure from another clock") func takesForeignTimes() async throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(directory: directory.url, options: quietOptions()) { Route("**", to: output) }
        let log = pipeline.log("http")
        let remote = SpanContext(traceParent: Self.remote)
        let span = log.start("GET", within: remote, at: 1_000)
        span.end(["a": 1], failure: "gone", name: "GET /recipes/{id}", level: .error, at: 1_500)
        log.start("back", within: nil, at: 2_000).end([:], failure: nil, at: 1_000)
        await pipeline.shutdown(deadline: .seconds(60))
        let records = output.records
        #expect(records.map(\.message) == ["GET /recipes/{id}", "back"])
        #expect(records.map(\.time) == [1_000, 2_000])
        #expect(records.map(\.duration) == [500, 0])
        #expect(records.map(\.failure) == ["gone", nil])
        #expect(records.map(\.level) == [.error, .info])
        #expect(records[0].span?.traceID == remote?.traceID && records[0].parentSpanID == remote?.span)
        #expect(records[1].parentSpanID == nil)
    }
}
