import Daybook
import DaybookTesting
import DaybookTracing
import Foundation
import Testing
import Tracing

@Suite(.serialized) struct DaybookTracerTests {
    private static let remote = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private struct Burnt: LocalizedError { var errorDescription: String? { "it is burnt" } }

    private struct Fields: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }

    /// A pipeline that collects, and a tracer that writes to it.
    private struct Fixture {
        let directory: TemporaryDirectory
        let output = CollectingOutput()
        let pipeline: Pipeline<EmptyContext>
        let tracer: DaybookTracer

        init() throws {
            directory = try TemporaryDirectory()
            pipeline = try Pipeline(directory: directory.url) { [output] in Route("**", to: output) }
            tracer = DaybookTracer(log: pipeline.log("trace"))
        }

        func records() async -> [Record] {
            await pipeline.shutdown(deadline: .seconds(5))
            directory.remove()
            return output.records
        }
    }

    @Test("A span becomes a measurement with the library's attributes") func spanBecomesMeasurement() async throws {
        let fixture = try Fixture()
        fixture.tracer.withSpan("GET", ofKind: .server) { span in
            span.attributes["http.request.method"] = "GET"
            span.attributes["http.response.status_code"] = 200
            span.attributes["share"] = 0.5
            span.attributes["cold"] = true
            span.attributes["tags"] = ["a", "b"]
            span.operationName = "GET /recipes/{id}"
            #expect(span.isRecording)
        }
        let record = try #require(await fixture.records().first)
        #expect(record.kind == .span && record.level == .info && record.tag == "trace")
        #expect(record.message == "GET /recipes/{id}")
        #expect(record.failure == nil && record.duration != nil && record.parentSpanID == nil)
        #expect(record.attributes["http.response.status_code"] == 200)
        #expect(record.attributes["share"] == 0.5 && record.attributes["cold"] == true)
        #expect(record.attributes["tags"] == ["a", "b"])
        #expect(record.attributes["span.kind"] == "server")
        #expect(record.file == "DaybookTracingTests/DaybookTracerTests.swift" && record.line != nil)
        #expect(record.function == "spanBecomesMeasurement()")
    }

    @Test("Spans, measurements and logs nest in any order") func spansNestInAnyOrder() async throws {
        let fixture = try Fixture()
        let log = fixture.pipeline.log("app")
        await fixture.tracer.withSpan("outer") { _ in
            log.info("in outer")
            log.measure("middle") {
                fixture.tracer.withSpan("inner") { _ in log.info("in inner") }
                log.info("in middle")
            }
            await withTaskGroup(of: Void.self) { group in group.addTask { log.info("in a child task") } }
        }
        log.info("outside")
        let records = await fixture.records()
        func span(_ name: String) throws -> Record { try #require(records.first { $0.message == name }) }
        let (outer, middle, inner) = try (span("outer"), span("middle"), span("inner"))
        #expect(Set([outer, middle, inner].map { $0.span?.traceID }).count == 1)
        #expect(try span("in outer").span == outer.span)
        #expect(try span("in middle").span == middle.span)
        #expect(try span("in inner").span == inner.span)
        #expect(try span("in a child task").span == outer.span)
        #expect(try span("outside").span == nil)
        func parent(_ record: Record) -> String? { record.parentSpanID.map { String($0, radix: 16) } }
        func id(_ record: Record) -> String? {
            record.span.flatMap { UInt64($0.spanID, radix: 16) }.map { String($0, radix: 16) }
        }
        #expect(parent(middle) == id(outer) && parent(inner) == id(middle) && parent(outer) == nil)
    }

    @Test("A span is propagated as a traceparent") func propagatesTraceParent() async throws {
        let fixture = try Fixture()
        var context = ServiceContext.topLevel
        fixture.tracer.extract(["traceparent": Self.remote], into: &context, using: Fields())
        var sent: [String: String] = [:]
        fixture.tracer.withSpan("serve", context: context) { span in
            fixture.tracer.inject(span.context, into: &sent, using: Fields())
        }
        var broken = ServiceContext.topLevel
        fixture.tracer.extract(["traceparent": "00-no"], into: &broken, using: Fields())
        var nothing: [String: String] = [:]
        fixture.tracer.inject(broken, into: &nothing, using: Fields())
        #expect(nothing.isEmpty)
        let record = try #require(await fixture.records().first)
        #expect(record.span?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(record.parentSpanID == 0x00f0_67aa_0ba9_02b7)
        #expect(sent["traceparent"] == record.span?.traceParent)
    }

    @Test("An error fails its span and is recorded within it") func errorFailsSpan() async throws {
        let fixture = try Fixture()
        #expect(throws: Burnt.self) {
            try fixture.tracer.withSpan("bake") { span in
                span.addEvent(SpanEvent(name: "turned", attributes: ["degrees": 180]))
                throw Burnt()
            }
        }
        let explained = fixture.tracer.startSpan("explained")
        explained.setStatus(.init(code: .error, message: "no butter"))
        explained.end()
        let records = await fixture.records()
        let span = try #require(records.first { $0.message == "bake" })
        #expect(span.level == .error && span.failure == "it is burnt")
        let event = try #require(records.first { $0.message == "turned" })
        #expect(event.kind == .message && event.span == span.span && event.attributes["degrees"] == 180)
        let error = try #require(records.first { $0.kind == .error })
        #expect(error.message == "it is burnt" && error.span == span.span)
        #expect(records.first { $0.message == "explained" }?.failure == "no butter")
    }

    @Test("Links and given instants are kept, and a second end is ignored") func keepsLinksAndInstants() async throws {
        let fixture = try Fixture()
        let first = fixture.tracer.startSpan("first")
        let second = fixture.tracer.startSpan(
            "second", at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 1_000))
        second.addLink(first, attributes: [:])
        second.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 3_500))
        second.end()
        second.addEvent("too late")
        #expect(!second.isRecording && first.isRecording)
        first.end()
        let records = await fixture.records()
        #expect(records.map(\.message) == ["second", "first"])
        #expect(records[0].time == 1_000 && records[0].duration == 2_500)
        let link = try #require(records[1].span?.traceParent)
        #expect(records[0].attributes["span.links"] == [.string(link)])
    }

    @Test("A span left open by a crash is finished by the next launch") func finishesSpanAfterCrash() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let output = CollectingOutput()
        do {
            let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
            _ = DaybookTracer(log: pipeline.log("trace")).startSpan("cut off")
            await pipeline.shutdown(deadline: .seconds(5))
        }
        let pipeline = try Pipeline(directory: directory.url) { Route("**", to: output) }
        await pipeline.shutdown(deadline: .seconds(5))
        let record = try #require(output.records.first { $0.message == "cut off" })
        #expect(record.attributes["daybook.unfinished"] == true && record.failure != nil)
    }

    @Test("The tracing system is bootstrapped in one line") func bootstrapsTracing() throws {
        // Possible only once in a process.
        InstrumentationSystem.bootstrap(DaybookTracer())
        #expect(InstrumentationSystem.tracer is DaybookTracer)
    }
}
