import Daybook
import DaybookOTLP
import DaybookStore

/// Log records as rows. The rules are in docs/formats/otlp.md.
package enum LogMapping {
    /// The batches of a request, ready to be stored.
    /// - Parameter now: the time of records without one, in nanoseconds since 1970.
    package static func batches(of request: ExportLogsRequest, now: Int64) -> [RecordBatch] {
        var assembly = BatchAssembly()
        for resource in request.resources {
            for logs in resource.scopes {
                let scope = SenderScope(resource: resource.resource, scope: logs.scope, signal: .logs)
                assembly.add(logs.records, of: scope) { record, position, workspace in
                    row(of: record, scope: scope, &workspace, position: position, now: now)
                }
            }
        }
        return assembly.batches
    }

    private static func row(
        of record: LogRecord, scope: SenderScope, _ workspace: inout MappingWorkspace, position: Int, now: Int64
    ) -> RecordRow {
        let attributes = RecordAttributes(record.attributes, contextKeys: scope.contextKeys, &workspace)
        if record.droppedAttributes > 0 {
            workspace.own.append(.init("otel.dropped_attributes_count", .int(Int64(record.droppedAttributes))))
        }
        let eventName = record.eventName.isEmpty ? attributes.eventName : record.eventName
        let sentTime = record.time != 0 ? record.time : record.observedTime
        var row = RecordRow(
            uid: attributes.uid ?? "", time: sentTime != 0 ? Int64(clamping: sentTime) : now,
            kind: attributes.kind ?? (eventName != nil ? .event : attributes.isException ? .error : .message),
            level: attributes.severity ?? level(of: record),
            tag: attributes.tag ?? eventName ?? (scope.name.isEmpty ? "otlp" : scope.name))
        attributes.fill(&row, scope: scope, &workspace)
        row.message = message(record.body)
        row.traceID = record.traceID
        row.spanID = record.spanID
        if attributes.uid == nil { row.uid = RecordRow.digest(of: row, sentTime: sentTime, position: position) }
        return row
    }

    private static func message(_ body: Value?) -> String? {
        switch body {
        case nil, .null?: nil
        case .string(let text)?: text
        case let value?: JSONWriter.text(value)
        }
    }

    /// The severity number; where there is none, that of a well-known severity text.
    private static func level(of record: LogRecord) -> Int {
        if (1...24).contains(record.severityNumber) { return Int(record.severityNumber) }
        if record.severityText.isEmpty { return 0 }
        return switch record.severityText.lowercased() {
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
