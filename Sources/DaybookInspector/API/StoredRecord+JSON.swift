import DaybookDefinitions
import DaybookStore

extension JSONWriter {
    /// A record: the columns of the table `records` by their names, and what is wrong by its definition.
    mutating func record(_ record: StoredRecord, violations: [Violation]) {
        let row = record.row
        object {
            $0.key("id")
            $0.integer(record.id)
            $0.key("uid")
            $0.string(row.uid)
            $0.key("time")
            $0.decimal(row.time)
            $0.key("kind")
            $0.string(row.kind.rawValue)
            $0.key("level")
            $0.integer(Int64(row.level))
            $0.key("tag")
            $0.string(row.tag)
            $0.key("message")
            $0.string(row.message)
            $0.key("module")
            $0.string(row.module)
            $0.key("attributes")
            $0.spliced(row.attributes)
            $0.key("context")
            $0.spliced(row.context)
            $0.key("session")
            $0.string(row.session)
            $0.key("installation")
            $0.string(row.installation)
            $0.key("trace_id")
            $0.string(row.traceID)
            $0.key("span_id")
            $0.string(row.spanID)
            $0.key("parent_span_id")
            $0.string(row.parentSpanID)
            $0.key("duration")
            $0.decimal(row.duration)
            $0.key("file")
            $0.string(row.file)
            $0.key("function")
            $0.string(row.function)
            $0.key("line")
            if let line = row.line { $0.integer(Int64(line)) } else { $0.null() }
            $0.key("violations")
            $0.array(of: violations) { $0.violation($1) }
        }
    }

    private mutating func violation(_ violation: Violation) {
        object {
            $0.key("kind")
            $0.string(violation.kind.rawValue)
            $0.key("column")
            $0.string(violation.column)
            $0.key("message")
            $0.string(violation.message)
        }
    }
}
