import DaybookBase
import DaybookCollector

extension ExportLogsRequest {
    package func json() -> [UInt8] {
        JSONMessageWriter.bytes([
            "resourceLogs": .array(
                resources.map { resource in
                    [
                        "resource": JSONMessageWriter.resource(resource.resource),
                        "scopeLogs": .array(
                            resource.scopes.map { scope in
                                [
                                    "scope": JSONMessageWriter.scope(scope.scope),
                                    "logRecords": .array(scope.records.map(JSONMessageWriter.logRecord)),
                                ]
                            }),
                    ]
                })
        ])
    }
}

extension ExportTraceRequest {
    package func json() -> [UInt8] {
        JSONMessageWriter.bytes([
            "resourceSpans": .array(
                resources.map { resource in
                    [
                        "resource": JSONMessageWriter.resource(resource.resource),
                        "scopeSpans": .array(
                            resource.scopes.map { scope in
                                [
                                    "scope": JSONMessageWriter.scope(scope.scope),
                                    "spans": .array(scope.spans.map(JSONMessageWriter.span)),
                                ]
                            }),
                    ]
                })
        ])
    }
}

private enum JSONMessageWriter {
    static func bytes(_ object: Attributes) -> [UInt8] { Array(JSONWriter.text(object).utf8) }

    static func resource(_ attributes: Attributes) -> Value { ["attributes": pairs(attributes)] }

    static func scope(_ scope: InstrumentationScope) -> Value {
        [
            "name": .string(scope.name), "version": .string(scope.version),
            "attributes": pairs(scope.attributes),
        ]
    }

    static func logRecord(_ record: LogRecord) -> Value {
        var object: Attributes = [
            "timeUnixNano": text(record.time), "observedTimeUnixNano": text(record.observedTime),
            "severityNumber": .int(Int64(record.severityNumber)),
            "severityText": .string(record.severityText),
            "attributes": pairs(record.attributes),
            "droppedAttributesCount": .int(Int64(record.droppedAttributes)),
            "traceId": .string(record.traceID ?? ""), "spanId": .string(record.spanID ?? ""),
            "eventName": .string(record.eventName),
        ]
        if let body = record.body { object["body"] = anyValue(body) }
        return .object(object)
    }

    static func span(_ span: Span) -> Value {
        [
            "traceId": .string(span.traceID ?? ""), "spanId": .string(span.spanID ?? ""),
            "parentSpanId": .string(span.parentSpanID ?? ""), "traceState": .string(span.traceState),
            "name": .string(span.name), "kind": .int(Int64(span.kind)),
            "startTimeUnixNano": text(span.start), "endTimeUnixNano": text(span.end),
            "attributes": pairs(span.attributes),
            "droppedAttributesCount": .int(Int64(span.droppedAttributes)),
            "events": .array(
                span.events.map { event in
                    [
                        "timeUnixNano": text(event.time), "name": .string(event.name),
                        "attributes": pairs(event.attributes),
                    ]
                }),
            "links": .array(
                span.links.map { link in
                    [
                        "traceId": .string(link.traceID ?? ""), "spanId": .string(link.spanID ?? ""),
                        "attributes": pairs(link.attributes),
                    ]
                }),
            "status": [
                "code": .int(Int64(span.status.rawValue)), "message": .string(span.statusMessage),
            ],
        ]
    }

    private static func text(_ number: UInt64) -> Value { .string(String(number)) }

    private static func pairs(_ attributes: Attributes) -> Value {
        .array(attributes.elements.map { ["key": .string($0.key), "value": anyValue($0.value)] })
    }

    private static func anyValue(_ value: Value) -> Value {
        switch value {
        case .null: [:]
        case .string: ["stringValue": value]
        case .bool: ["boolValue": value]
        case .int(let integer): ["intValue": .string(String(integer))]
        case .double: ["doubleValue": value]
        case .bytes(let data): ["bytesValue": .string(Base64.encode(data))]
        case .array(let values): ["arrayValue": ["values": .array(values.map(anyValue))]]
        case .object(let attributes): ["kvlistValue": ["values": pairs(attributes)]]
        }
    }
}
