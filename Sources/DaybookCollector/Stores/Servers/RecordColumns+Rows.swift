import Daybook
import DaybookStore

extension RecordColumns {
    /// The record of an answer's row, whose columns are ``names``.
    static func record(_ rows: some AnsweredRows, _ row: Int) -> StoredRecord {
        func text(_ column: Int) -> String { rows.text(row, column) ?? "" }
        var record = RecordRow(
            uid: text(1), time: rows.integer(row, 2), kind: Kind(rawValue: text(3)) ?? .message,
            level: Int(rows.integer(row, 4)), tag: text(5), attributes: rows.json(row, 8), context: rows.json(row, 9))
        record.message = rows.text(row, 6)
        record.module = rows.text(row, 7)
        record.session = rows.text(row, 10)
        record.installation = rows.text(row, 11)
        record.traceID = rows.text(row, 12)
        record.spanID = rows.text(row, 13)
        record.parentSpanID = rows.text(row, 14)
        record.duration = rows.optionalInteger(row, 15)
        record.file = rows.text(row, 16)
        record.function = rows.text(row, 17)
        record.line = rows.optionalInteger(row, 18).map { Int(clamping: $0) }
        return StoredRecord(id: rows.integer(row, 0), row: record)
    }
}
