/// The columns of `records` in one order, for writing and for reading.
package enum RecordColumns {
    package static let names =
        "id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, "
        + "trace_id, span_id, parent_span_id, duration, file, function, line"

    static let insertion = "INSERT INTO records(\(names)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

    /// The record of a statement's present row, whose columns are ``names``.
    static func record(_ statement: SQLiteStatement) -> StoredRecord {
        var row = RecordRow(
            uid: statement.text(1), time: statement.integer(2), kind: .init(rawValue: statement.text(3)) ?? .message,
            level: Int(statement.integer(4)), tag: statement.text(5), attributes: statement.text(8),
            context: statement.text(9))
        row.message = statement.optionalText(6)
        row.module = statement.optionalText(7)
        row.session = statement.optionalText(10)
        row.installation = statement.optionalText(11)
        row.traceID = statement.optionalText(12)
        row.spanID = statement.optionalText(13)
        row.parentSpanID = statement.optionalText(14)
        row.duration = statement.optionalInteger(15)
        row.file = statement.optionalText(16)
        row.function = statement.optionalText(17)
        row.line = statement.optionalInteger(18).map { Int(clamping: $0) }
        return StoredRecord(id: statement.integer(0), row: row)
    }
}
