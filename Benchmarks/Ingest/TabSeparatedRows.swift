import DaybookStore

/// Rows as text for PostgreSQL's `COPY` and for ClickHouse: the store's columns in order, separated by tabs.
enum TabSeparatedRows {
    /// - Parameters:
    ///   - size: Rows of a batch; arrival numbers run from 1 through all batches.
    ///   - hasContextColumns: Whether the version and device of a row's context follow the other columns.
    static func batches(of rows: [RecordRow], size: Int, hasContextColumns: Bool = false) -> [[UInt8]] {
        stride(from: 0, to: rows.count, by: size).map { start in
            var bytes: [UInt8] = []
            for (place, row) in rows[start..<min(start + size, rows.count)].enumerated() {
                var texts: [String?] = [
                    String(start + place + 1), row.uid, String(row.time), row.kind.rawValue, String(row.level), row.tag,
                    row.message, row.module, row.attributes, row.context, row.session, row.installation, row.traceID,
                    row.spanID, row.parentSpanID, row.duration.map { String($0) }, row.file, row.function,
                    row.line.map { String($0) },
                ]
                if hasContextColumns {
                    let fields = ContextFields(row.context)
                    texts += [fields.version, fields.device]
                }
                for (column, text) in texts.enumerated() {
                    if column > 0 { bytes.append(UInt8(ascii: "\t")) }
                    append(text, to: &bytes)
                }
                bytes.append(UInt8(ascii: "\n"))
            }
            return bytes
        }
    }

    private static func append(_ text: String?, to bytes: inout [UInt8]) {
        guard let text else {
            bytes += Array("\\N".utf8)
            return
        }
        for unit in text.utf8 {
            switch unit {
            case UInt8(ascii: "\\"): bytes += Array("\\\\".utf8)
            case UInt8(ascii: "\t"): bytes += Array("\\t".utf8)
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            case UInt8(ascii: "\r"): bytes += Array("\\r".utf8)
            default: bytes.append(unit)
            }
        }
    }
}
