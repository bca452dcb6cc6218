import DaybookBase

extension RecordRow {
    /// Whether the collector made the record itself.
    package var isOwn: Bool { OwnRecords.have(tag) }
}

extension RecordFilter {
    /// The filter without the collector's own records, unless its tag asks for them.
    package var withoutOwn: RecordFilter {
        if let tag, OwnRecords.have(tag) { return self }
        var filter = self
        var own = RecordFilter()
        own.tag = OwnRecords.pattern
        filter.excluding.append(own)
        return filter
    }
}
