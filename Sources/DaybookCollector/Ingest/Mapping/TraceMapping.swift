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
                assembly.add(spans.spans, of: scope) { record, position, workspace in
                    row(of: record, scope: scope, &workspace, position: position, now: now)
                }
            }
        }
        return assembly.batches
    }

    private static func row(
        of span: Span, scope: SenderScope, _ workspace: inout MappingWorkspace, position: Int, now: Int64
    ) -> RecordRow {
        let attributes = RecordAttributes(span.attributes, contextKeys: scope.contextKeys, &workspace)
        addDetails(of: span, to: &workspace.own)
        let name = span.name.isEmpty ? nil : span.name
        var row = RecordRow(
            uid: attributes.uid ?? "", time: span.start != 0 ? Int64(clamping: span.start) : now,
            kind: attributes.kind ?? (attributes.isRequest ? .request : .span),
            level: attributes.severity ?? Int((span.status == .error ? Level.error : Level.info).rawValue),
            tag: attributes.tag ?? name ?? (scope.name.isEmpty ? "otlp" : scope.name))
        attributes.fill(&row, scope: scope, &workspace)
        row.message = name
        row.traceID = span.traceID
        row.spanID = span.spanID
        row.parentSpanID = span.parentSpanID
        row.duration = span.start != 0 && span.end >= span.start ? Int64(clamping: span.end - span.start) : nil
        if attributes.uid == nil { row.uid = RecordRow.digest(of: row, sentTime: span.start, position: position) }
        return row
    }

    /// What a span has and a row has no column for, under the names that OpenTelemetry gives them in systems without.
    private static func addDetails(of span: Span, to attributes: inout [Attributes.Element]) {
        func add(_ key: String, _ value: Value) { attributes.append(.init(key, value)) }
        let kinds = ["internal", "server", "client", "producer", "consumer"]
        if kinds.indices.contains(Int(span.kind) - 1), span.kind != 1 {
            add("span.kind", .string(kinds[Int(span.kind) - 1]))
        }
        if span.status != .unset { add("otel.status_code", span.status == .ok ? "OK" : "ERROR") }
        if !span.statusMessage.isEmpty { add("otel.status_description", .string(span.statusMessage)) }
        if !span.traceState.isEmpty { add("otel.trace_state", .string(span.traceState)) }
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
    }
}
