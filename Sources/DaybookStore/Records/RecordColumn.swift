import DaybookBase

/// The columns of `records`, in the order in which stores write and read them.
package enum RecordColumn: Int, CaseIterable, Sendable {
    case id, uid, time, kind, level, tag, message, module, attributes, context, session, installation
    case traceID, spanID, parentSpanID, duration, file, function, line

    package var name: String {
        switch self {
        case .traceID: "trace_id"
        case .spanID: "span_id"
        case .parentSpanID: "parent_span_id"
        default: "\(self)"
        }
    }

    package static let names = allCases.map(\.name).joined(separator: ", ")
}

/// A result row with the columns of ``RecordColumn/names``.
package protocol RecordCells {
    /// `nil` for NULL.
    func text(_ column: RecordColumn) -> String?
    /// `nil` for NULL.
    func integer(_ column: RecordColumn) -> Int64?
    /// The JSON of a column, normalized.
    func json(_ column: RecordColumn) -> String
}

extension RecordCells {
    @inlinable package var record: StoredRecord {
        var row = RecordRow(
            uid: text(.uid) ?? "", time: integer(.time) ?? 0,
            kind: text(.kind).flatMap { Kind(rawValue: $0) } ?? .message,
            level: Int(integer(.level) ?? 0), tag: text(.tag) ?? "", attributes: json(.attributes),
            context: json(.context))
        row.message = text(.message)
        row.module = text(.module)
        row.session = text(.session)
        row.installation = text(.installation)
        row.traceID = text(.traceID)
        row.spanID = text(.spanID)
        row.parentSpanID = text(.parentSpanID)
        row.duration = integer(.duration)
        row.file = text(.file)
        row.function = text(.function)
        row.line = integer(.line).map { Int(clamping: $0) }
        return StoredRecord(id: integer(.id) ?? 0, row: row)
    }
}
