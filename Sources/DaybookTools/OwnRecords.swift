import DaybookBase

/// The collector's own records: of alerts, violations, refused requests and the like. They are no records of the app, and
/// are not counted, judged, shown or exported as such unless somebody asks for them. This is the one place that knows them.
package enum OwnRecords {
    /// The tags of all of them.
    package static let pattern = WireName.ownPrefix + "**"

    /// The tags that there are.
    package static let tags = [
        "daybook.alert", "daybook.alerts.read", "daybook.ingest.refused", "daybook.ingest.unread", "daybook.inspector",
        "daybook.keys.read", "daybook.ledger", "daybook.retention.erased", "daybook.serve.certificate",
        "daybook.serve.exposed", "daybook.serve.started", "daybook.serve.stopping", "daybook.store",
        "daybook.store.damaged", "daybook.store.index", "daybook.store.log", "daybook.store.quota",
        "daybook.unreadable", "daybook.violation",
    ]

    /// Those that an app's pipeline makes of itself, and sends.
    package static let ofApps = ["daybook.ledger", "daybook.unreadable"]

    /// Whether a tag, or a pattern of tags, is one of the collector's own: those that ``pattern`` matches.
    package static func have(_ tag: String) -> Bool {
        tag.utf8.elementsEqual(WireName.ownPrefix.utf8.dropLast()) || tag.utf8.starts(with: WireName.ownPrefix.utf8)
    }
}

extension TagPattern {
    /// Whether a record with this tag is meant where records are judged: one of the collector's own only by a pattern that
    /// asks for such, as `daybook.alert` and `daybook.**` do and `**` does not.
    package func judges(_ tag: String) -> Bool {
        matches(tag) && (!OwnRecords.have(tag) || OwnRecords.have(text))
    }
}
