import DaybookBase
import DaybookTools

extension RecordRow {
    package var isOwn: Bool { OwnRecords.have(tag) }
}

extension RecordFilter {
    /// The filter without the collector's own records, unless it asks for them.
    package var withoutOwn: RecordFilter {
        expression.asksForOwn ? self : narrowed(by: .not(.tag(OwnRecords.pattern)))
    }
}
