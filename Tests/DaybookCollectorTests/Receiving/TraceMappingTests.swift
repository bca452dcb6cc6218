import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTrials
import Testing

@Suite struct TraceMappingTests {
    private let collector: Collector

    init() throws { collector = try Collector() }

    private func row(_ span: Span) async throws -> RecordRow {
        await collector.send(
            ExportTraceRequest(resources: [ResourceSpans(scopes: [ScopeSpans(spans: [span])])]))
        return try #require(try await collector.rows().last)
    }

    @Test("A span fills all its columns") func mapsSpan() async throws {
        var span = Span()
        span.name = "load menu"
        span.traceID = "0102030405060708090a0b0c0d0e0f10"
        span.spanID = "0102030405060708"
        span.parentSpanID = "1102030405060708"
        span.start = 1_000
        span.end = 3_500
        span.attributes = ["daybook.tag": "menu.load", "items": 3, "session.id": "s"]
        let row = try await row(span)
        #expect(row.kind == .span && row.tag == "menu.load" && row.message == "load menu" && row.level == 9)
        #expect(row.time == 1_000 && row.duration == 2_500)
        #expect(row.traceID == span.traceID && row.spanID == span.spanID && row.parentSpanID == span.parentSpanID)
        #expect(row.session == "s")
        #expect(row.attributes == #"{"items":3}"#)
    }

    @Test("A span of an HTTP exchange is a request") func httpSpanIsRequest() async throws {
        var span = Span()
        span.name = "GET"
        span.kind = 3
        span.attributes = ["http.request.method": "GET", "url.full": "https://api.example/recipes"]
        let row = try await row(span)
        #expect(row.kind == .request && row.tag == "GET")
        #expect(
            row.attributes
                == #"{"http.request.method":"GET","url.full":"https://api.example/recipes","span.kind":"client"}"#)
    }

    @Test("Keeps a span's status, events and links") func keepsStatusAndLinks() async throws {
        var span = Span()
        span.status = .error
        span.statusMessage = "timed out"
        var event = Span.Event()
        event.time = 1_000_000_000
        event.name = "retry"
        span.events = [event]
        span.links = [Span.Link()]
        let row = try await row(span)
        #expect(row.level == 17)
        #expect(
            row.attributes
                == #"{"otel.status_code":"ERROR","otel.status_description":"timed out","#
                + #""otel.events":[{"name":"retry","time":"1970-01-01T00:00:01.000000000Z","attributes":{}}],"#
                + #""otel.links":[{"trace_id":null,"span_id":null,"attributes":{}}]}"#)
    }

    @Test("A span has the severity that its sender gives", arguments: [(1, 1), (13, 13), (24, 24), (0, 9), (25, 9)])
    func spanKeepsSeverity(sent: Int64, level: Int) async throws {
        var span = Span()
        span.attributes = ["daybook.severity": .int(sent)]
        let row = try await row(span)
        #expect(row.level == level)
        #expect((row.attributes == "{}") == (sent == level))
    }

    @Test("A span that ends before it starts has no duration") func invertedSpanHasNoDuration() async throws {
        var span = Span()
        span.start = 5
        span.end = 3
        #expect(try await row(span).duration == nil)
    }

    @Test("Logs and traces of one interval are both stored once") func logsAndTracesStoredOnce() async throws {
        for _ in 0..<2 {
            await collector.send(Sender.logs(after: 0, through: 4, [1, 3]))
            await collector.send(Sender.traces(after: 0, through: 4, [2, 4]))
        }
        #expect(try await collector.rows().map(\.kind) == [.event, .event, .span, .span])
    }
}
