import DaybookBase
import DaybookTools

/// The singular fields of protobuf messages, named as in JSON. Of duplicates the last counts, and they are reported as
/// in JSON.
enum MessageFields: String {
    case resourceLogs, resourceSpans, resource, entityRef, scopeLogs, scopeSpans, scope
    case keyValue, logRecord, span, status, spanEvent, spanLink

    /// A bit per field number, compared for every field read.
    @inline(__always)
    private var bits: UInt64 {
        switch self {
        case .resourceLogs, .resourceSpans, .scopeLogs, .scopeSpans: 0b1010
        case .resource: 0b100
        case .entityRef, .keyValue: 0b110
        case .scope, .spanEvent: 0b1_0110
        case .status: 0b1110
        case .spanLink: 0b110_1110
        case .logRecord: 0b1_1111_1011_1110
        case .span: 0b1_1101_0101_1111_1110
        }
    }

    /// By number, from 1; empty for repeated fields.
    private var names: [StaticString] {
        switch self {
        case .resourceLogs, .resourceSpans: ["resource", "", "schemaUrl"]
        case .scopeLogs, .scopeSpans: ["scope", "", "schemaUrl"]
        case .resource: ["", "droppedAttributesCount"]
        case .entityRef: ["schemaUrl", "type"]
        case .scope: ["name", "version", "", "droppedAttributesCount"]
        case .keyValue: ["key", "value"]
        case .logRecord:
            [
                "timeUnixNano", "severityNumber", "severityText", "name", "body", "", "droppedAttributesCount", "flags",
                "traceId", "spanId", "observedTimeUnixNano", "eventName",
            ]
        case .span:
            [
                "traceId", "spanId", "traceState", "parentSpanId", "name", "kind", "startTimeUnixNano",
                "endTimeUnixNano", "", "droppedAttributesCount", "", "droppedEventsCount", "", "droppedLinksCount",
                "status", "flags",
            ]
        case .status: ["deprecatedCode", "message", "code"]
        case .spanEvent: ["timeUnixNano", "name", "", "droppedAttributesCount"]
        case .spanLink: ["traceId", "spanId", "traceState", "", "droppedAttributesCount", "flags"]
        }
    }

    /// Notes a field of a message.
    /// - Parameters:
    ///   - given: a bit per field seen.
    ///   - unread: counts duplicates.
    @inline(__always)
    func note(_ field: ProtobufReader.Field, _ given: inout UInt64, _ unread: inout Unread) {
        let bit = field.number < 64 ? 1 << UInt64(field.number) & bits : 0
        if given & bit != 0 { add(field.number, &unread) }
        given |= bit
    }

    @inline(never)
    private func add(_ number: Int, _ unread: inout Unread) {
        unread.add(namesOf: ["\(rawValue).\(names[number - 1])"])
    }
}
