import Daybook
import DaybookOTLP
import DaybookStore

/// Spans as rows. The rules are in docs/formats/otlp.md.
enum TraceMapping {
    /// The batches of a request, ready to be stored.
    /// - Parameter now: the time of spans without a start, in nanoseconds since 1970.
    static func batches(of request: ExportTraceRequest, now: Int64) -> [RecordBatch] {
        var assembly = BatchAssembly()
        for resource in request.resources {
            for spans in resource.scopes {
                let scope = SenderScope(resource: resource.resource, scope: spans.scope, signal: .traces)
                assembly.add(spans.spans, of: scope) { record, position, cache in
                    row(of: record, scope: scope, cache: &cache, position: position, now: now)
                }
            }
        }
        return assembly.batches
    }

    private static func row(
        of span: Span, scope: SenderScope, cache: inout ContextCache, position: Int, now: Int64
    ) -> RecordRow {
        var attributes = RecordAttributes(span.attributes, contextKeys: scope.contextKeys)
        addDetails(of: span, to: &attributes.own)
        let name = span.name.isEmpty ? nil : span.name
        var row = RecordRow(
            uid: attributes.uid ?? "", time: span.start != 0 ? Int64(clamping: span.start) : now,
            kind: attributes.kind ?? (attributes.isRequest ? .request : .span),
            level: attributes.severity ?? Int((span.status == .error ? Level.error : Level.info).rawValue),
            tag: attributes.tag ?? name ?? (scope.name.isEmpty ? "otlp" : scope.name))
        attributes.fill(&row, scope: scope, cache: &cache)
        row.message = name
        row.traceID = span.traceID
        row.spanID = span.spanID
        row.parentSpanID = span.parentSpanID
        row.duration = span.start != 0 && span.end >= span.start ? Int64(clamping: span.end - span.start) : nil
        if attributes.uid == nil { row.uid = RecordRow.digest(of: row, sentTime: span.start, position: position) }
        return row
    }

    /// What a span has and a row has no column for, under the names that OpenTelemetry gives them in systems without.
    private static func addDetails(of span: Span, to attributes: inout Attributes) {
        let kinds = ["internal", "server", "client", "producer", "consumer"]
        if kinds.indices.contains(Int(span.kind) - 1), span.kind != 1 {
            attributes["span.kind"] = .string(kinds[Int(span.kind) - 1])
        }
        if span.status != .unset { attributes["otel.status_code"] = span.status == .ok ? "OK" : "ERROR" }
        if !span.statusMessage.isEmpty { attributes["otel.status_description"] = .string(span.statusMessage) }
        if !span.traceState.isEmpty { attributes["otel.trace_state"] = .string(span.traceState) }
        if span.droppedAttributes > 0 {
            attributes["otel.dropped_attributes_count"] = .int(Int64(span.droppedAttributes))
        }
        if !span.events.isEmpty {
            attributes["otel.events"] = .array(
                span.events.map { event in
                    [
                        "name": .string(event.name),
                        "time": .string(
                            Timestamp(nanoseconds: Int64(clamping: event.time)).rfc3339(fractionDigits: 9)),
                        "attributes": .object(event.attributes),
                    ]
                })
        }
        if !span.links.isEmpty {
            attributes["otel.links"] = .array(
                span.links.map { link in
                    [
                        "trace_id": link.traceID.map { .string($0) } ?? .null,
                        "span_id": link.spanID.map { .string($0) } ?? .null,
                        "attributes": .object(link.attributes),
                    ]
                })
        }
    }
}
