import Daybook
import DaybookStore

/// A row of `stored_records` on its way there.
enum StoredRow {
    /// What INSERT says; the last two are read from the context once, for filters and sums.
    static let insertion = "(\(RecordColumns.names), version, device) FORMAT RowBinary"

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
        binary.append(nullable: row.session)
        binary.append(nullable: row.installation)
        binary.append(nullable: row.traceID)
        binary.append(nullable: row.spanID)
        binary.append(nullable: row.parentSpanID)
        binary.append(nullable: row.duration)
        binary.append(nullable: row.file)
        binary.append(nullable: row.function)
        binary.append(nullable: row.line.map(Int64.init))
        binary.append(nullable: fields.version)
        binary.append(nullable: fields.device)
    }
}
