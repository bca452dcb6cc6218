import Daybook
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
