import Daybook
import DaybookStore

/// The columns of `records` in one order, for writing and for reading.
enum RecordReading {
    static let names =
        "id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, "
        + "trace_id, span_id, parent_span_id, duration, file, function, line"

    static func record(_ result: PostgreSQLResult, _ row: Int) -> StoredRecord {
        func text(_ column: Int) -> String { result.text(row, column) ?? "" }
        var record = RecordRow(
            uid: text(1), time: result.integer(row, 2), kind: Kind(rawValue: text(3)) ?? .message,
            level: Int(result.integer(row, 4)), tag: text(5), attributes: result.bytes(row, 8, PostgreSQLJSON.text),
            context: result.bytes(row, 9, PostgreSQLJSON.text))
        record.message = result.text(row, 6)
        record.module = result.text(row, 7)
        record.session = result.text(row, 10)
        record.installation = result.text(row, 11)
        record.traceID = result.text(row, 12)
        record.spanID = result.text(row, 13)
        record.parentSpanID = result.text(row, 14)
        record.duration = result.optionalInteger(row, 15)
        record.file = result.text(row, 16)
        record.function = result.text(row, 17)
        record.line = result.optionalInteger(row, 18).map { Int(clamping: $0) }
        return StoredRecord(id: result.integer(row, 0), row: record)
    }
}
