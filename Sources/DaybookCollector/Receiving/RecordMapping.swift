import DaybookBase
import DaybookOTLP
import DaybookStore

/// Log records as rows. The rules are in docs/formats/otlp.md.
package struct LogMapping: RecordSink {
    private let now: Int64
    private var assembly = BatchAssembly(.logs)
    private var making = RowMaking()

    private init(now: Int64) { self.now = now }

    /// The batches of a request in protobuf, ready to be stored.
    /// - Parameter now: the time of records without one, in nanoseconds since 1970.
    /// - Throws: `OTLPError`.
    package static func batches(ofProtobuf body: [UInt8], now: Int64) throws(OTLPError) -> [RecordBatch] {
        var mapping = LogMapping(now: now)
        try ExportLogsRequest.read(protobuf: body, into: &mapping)
        return mapping.assembly.finish()
    }

    package mutating func begin(resource: Attributes) { assembly.begin(resource: resource) }

    package mutating func begin(scope: InstrumentationScope, count: Int) {
        assembly.begin(scope: scope, count: count)
        making.begin(assembly.scope)
    }

    package mutating func take(_ record: WireLogRecord) {
        var details: [Attributes.Element] = []
        if record.droppedAttributes > 0 {
            details.append(.init("otel.dropped_attributes_count", .int(Int64(record.droppedAttributes))))
        }
        let sorted = making.sort(record.attributes, details: details)
        let eventName = record.eventName.isEmpty ? sorted.eventName : record.eventName
        let sentTime = record.time != 0 ? record.time : record.observedTime
        var row = RecordRow(
            uid: sorted.uid?.string ?? "", time: sentTime != 0 ? Int64(clamping: sentTime) : now,
            kind: sorted.kind ?? (eventName != nil ? .event : sorted.isException ? .error : .message),
            level: sorted.severity ?? Self.level(of: record),
            tag: (sorted.tag ?? eventName).map { making.text($0) } ?? assembly.scope.tag)
        making.fill(&row, with: sorted, of: assembly.scope)
        row.message = Self.message(of: record)
        row.traceID = record.traceID
        row.spanID = record.spanID
        if sorted.uid == nil { row.uid = RecordRow.digest(of: row, sentTime: sentTime, position: assembly.position) }
        assembly.add(row)
    }

    private static func message(of record: WireLogRecord) -> String? {
        switch record.body {
        case nil, .null?: nil
        case .string(let text)?: text.string
        case let value?: JSONWriter.text(record.attributes.value(value))
        }
    }

    /// The severity number; where there is none, that of a well-known severity text.
    private static func level(of record: WireLogRecord) -> Int {
        if (1...24).contains(record.severityNumber) { return Int(record.severityNumber) }
        if record.severityText.isEmpty { return 0 }
        return switch record.severityText.string.lowercased() {
        case "trace", "verbose": 1
        case "debug": 5
        case "info", "information", "notice": 9
        case "warn", "warning": 13
        case "error", "err": 17
        case "fatal", "critical", "alert", "emergency": 21
        default: 0
        }
    }
}

/// Spans as rows. The rules are in docs/formats/otlp.md.
struct TraceMapping: RecordSink {
    private let now: Int64
    private var assembly = BatchAssembly(.traces)
    private var making = RowMaking()

    private init(now: Int64) { self.now = now }

    /// The batches of a request in protobuf, ready to be stored.
    /// - Parameter now: the time of spans without a start, in nanoseconds since 1970.
    /// - Throws: `OTLPError`.
    static func batches(ofProtobuf body: [UInt8], now: Int64) throws(OTLPError) -> [RecordBatch] {
        var mapping = TraceMapping(now: now)
        try ExportTraceRequest.read(protobuf: body, into: &mapping)
        return mapping.assembly.finish()
    }

    mutating func begin(resource: Attributes) { assembly.begin(resource: resource) }

    mutating func begin(scope: InstrumentationScope, count: Int) {
        assembly.begin(scope: scope, count: count)
        making.begin(assembly.scope)
    }

    mutating func take(_ span: WireSpan) {
        let sorted = making.sort(span.attributes, details: Self.details(of: span))
        let name = span.name.isEmpty ? nil : making.text(span.name)
        var row = RecordRow(
            uid: sorted.uid?.string ?? "", time: span.start != 0 ? Int64(clamping: span.start) : now,
            kind: sorted.kind ?? (sorted.isRequest ? .request : .span),
            level: sorted.severity ?? Int((span.status == .error ? Level.error : Level.info).rawValue),
            tag: sorted.tag.map { making.text($0) } ?? name ?? assembly.scope.tag)
        making.fill(&row, with: sorted, of: assembly.scope)
        row.message = name
        row.traceID = span.traceID
        row.spanID = span.spanID
        row.parentSpanID = span.parentSpanID
        row.duration = span.start != 0 && span.end >= span.start ? Int64(clamping: span.end - span.start) : nil
        if sorted.uid == nil { row.uid = RecordRow.digest(of: row, sentTime: span.start, position: assembly.position) }
        assembly.add(row)
    }

    /// What a span has and a row has no column for, under the names that OpenTelemetry gives them in systems without.
    private static func details(of span: WireSpan) -> [Attributes.Element] {
        var details: [Attributes.Element] = []
        func add(_ key: String, _ value: Value) { details.append(.init(key, value)) }
        let kinds = ["internal", "server", "client", "producer", "consumer"]
        if kinds.indices.contains(Int(span.kind) - 1), span.kind != 1 {
            add("span.kind", .string(kinds[Int(span.kind) - 1]))
        }
        if span.status != .unset { add("otel.status_code", span.status == .ok ? "OK" : "ERROR") }
        if !span.statusMessage.isEmpty { add("otel.status_description", .string(span.statusMessage.string)) }
        if !span.traceState.isEmpty { add("otel.trace_state", .string(span.traceState.string)) }
        if span.droppedAttributes > 0 {
            add("otel.dropped_attributes_count", .int(Int64(span.droppedAttributes)))
        }
        if !span.events.isEmpty {
            add(
                "otel.events",
                .array(
                    span.events.map { event in
                        [
                            "name": .string(event.name),
                            "time": .string(
                                Timestamp(nanoseconds: Int64(clamping: event.time)).rfc3339(fractionDigits: 9)),
                            "attributes": .object(event.attributes),
                        ]
                    }))
        }
        if !span.links.isEmpty {
            add(
                "otel.links",
                .array(
                    span.links.map { link in
                        [
                            "trace_id": link.traceID.map { .string($0) } ?? .null,
                            "span_id": link.spanID.map { .string($0) } ?? .null,
                            "attributes": .object(link.attributes),
                        ]
                    }))
        }
        return details
    }
}
