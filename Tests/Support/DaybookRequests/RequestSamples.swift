import DaybookBase
import DaybookCollector
import DaybookOTLP

/// Requests with every field and every kind of value.
package enum RequestSamples {
    package static let everyValue: Attributes = [
        "null": nil, "bool": true, "no": false, "int": -42, "big": .int(.max), "small": .int(.min), "double": 0.1,
        "whole": 3.0, "infinite": .double(-.infinity), "text": "日本語 \"quoted\"\n", "empty": "",
        "bytes": .bytes([0, 255, 7, 9]), "array": [1, "two", [3.5, nil], .bytes([])],
        "object": ["inner": ["deep": [true]], "other": 1], "nothing": [], "none": [:],
    ]

    package static var logs: ExportLogsRequest {
        var record = LogRecord()
        record.time = 1_763_632_931_204_000_001
        record.observedTime = UInt64(Int64.max)
        record.severityNumber = 17
        record.severityText = "ERROR"
        record.body = .object(everyValue)
        record.attributes = everyValue
        record.droppedAttributes = 3
        record.traceID = "0102030405060708090a0b0c0d0e0f10"
        record.spanID = "a1b2c3d4e5f60718"
        record.eventName = "recipe.search"
        let scope = InstrumentationScope(name: "app", version: "1.0", attributes: ["daybook.interval.after": 9])
        return ExportLogsRequest(resources: [
            ResourceLogs(
                resource: ["service.name": "demo"],
                scopes: [ScopeLogs(scope: scope, records: [record, LogRecord()]), ScopeLogs()]),
            ResourceLogs(),
        ])
    }

    package static var traces: ExportTraceRequest {
        var span = Span()
        span.traceID = "0102030405060708090a0b0c0d0e0f10"
        span.spanID = "a1b2c3d4e5f60718"
        span.parentSpanID = "b1b2c3d4e5f60718"
        span.traceState = "a=b"
        span.name = "GET /recipes"
        span.kind = 3
        span.start = 10
        span.end = 25
        span.attributes = everyValue
        span.droppedAttributes = 1
        var event = Span.Event()
        event.time = 12
        event.name = "retry"
        event.attributes = ["n": 1]
        var link = Span.Link()
        link.traceID = span.traceID
        link.spanID = span.parentSpanID
        link.attributes = ["why": "batch"]
        span.events = [event, Span.Event()]
        span.links = [link]
        span.status = .error
        span.statusMessage = "timed out"
        return ExportTraceRequest(resources: [
            ResourceSpans(
                resource: ["service.name": "demo"],
                scopes: [ScopeSpans(scope: InstrumentationScope(name: "http"), spans: [span, Span()])])
        ])
    }
}
