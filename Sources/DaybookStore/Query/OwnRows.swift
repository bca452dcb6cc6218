import DaybookBase
import DaybookTools

extension RecordRow {
    /// Whether the collector made the record itself.
    package var isOwn: Bool { OwnRecords.have(tag) }
}

extension RecordFilter {
    /// The filter without the collector's own records, unless its tag or its expression asks for them.
    package var withoutOwn: RecordFilter {
        if tag.map(OwnRecords.have) ?? expression?.asksForOwn ?? false { return self }
        var filter = self
        var own = RecordFilter()
        own.tag = OwnRecords.pattern
        filter.excluding.append(own)
        return filter
    }
}
