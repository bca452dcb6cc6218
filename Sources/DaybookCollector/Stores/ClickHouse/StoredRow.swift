import Daybook
import DaybookStore

/// The columns of `stored_records` in one order, for writing and for reading.
enum StoredRow {
    static let names =
        "id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, "
        + "trace_id, span_id, parent_span_id, duration, file, function, line"

    /// What INSERT says; the last two are read from the context once, for filters and sums.
    static let insertion = "(\(names), version, device) FORMAT RowBinary"

    static func append(_ row: RecordRow, id: Int64, _ fields: ContextFields, to binary: inout RowBinary) {
        binary.append(id)
        binary.append(row.uid)
        binary.append(row.time)
        binary.append(row.kind.rawValue)
        binary.append(Int16(clamping: row.level))
        binary.append(row.tag)
        binary.append(nullable: row.message)
        binary.append(nullable: row.module)
        binary.append(row.attributes)
        binary.append(row.context)
        for text in [row.session, row.installation, row.traceID, row.spanID, row.parentSpanID] {
            binary.append(nullable: text)
        }
        binary.append(nullable: row.duration)
        binary.append(nullable: row.file)
        binary.append(nullable: row.function)
        binary.append(nullable: row.line.map(Int64.init))
        binary.append(nullable: fields.version)
        binary.append(nullable: fields.device)
    }

    static func record(_ rows: ClickHouseRows, _ row: Int) -> StoredRecord {
        func text(_ column: Int) -> String { rows.text(row, column) ?? "" }
        var record = RecordRow(
            uid: text(1), time: rows.integer(row, 2), kind: Kind(rawValue: text(3)) ?? .message,
            level: Int(rows.integer(row, 4)), tag: text(5), attributes: text(8), context: text(9))
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
