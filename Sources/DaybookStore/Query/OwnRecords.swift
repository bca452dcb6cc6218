import DaybookBase

/// The collector's own records: of alerts, violations, refused requests and the like. They are no records of the app, and
/// are not counted, judged, shown or exported as such unless somebody asks for them. This is the one place that knows them.
package enum OwnRecords {
    /// The tags of all of them.
    package static let pattern = WireName.ownPrefix + "**"

    /// Whether a tag is one of the collector's own.
    package static func have(_ tag: String) -> Bool { tag.hasPrefix(WireName.ownPrefix) }
}

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
