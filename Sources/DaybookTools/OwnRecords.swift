import DaybookBase

/// The collector's own records: of alerts, violations, refused requests and the like. They are not the app's, and are
/// not counted, judged, shown or exported unless requested. Only this type knows them.
package enum OwnRecords {
    /// Matches all of their tags.
    package static let pattern = WireName.ownPrefix + "**"

    package static let tags = [
        "daybook.alert", "daybook.alerts.read", "daybook.ingest.refused", "daybook.ingest.unread", "daybook.inspector",
        "daybook.keys.read", "daybook.ledger", "daybook.retention.erased", "daybook.serve.certificate",
        "daybook.serve.exposed", "daybook.serve.started", "daybook.serve.stopping", "daybook.store",
        "daybook.store.damaged", "daybook.store.index", "daybook.store.log", "daybook.store.quota",
        "daybook.unreadable", "daybook.violation",
    ]

    /// Those about itself that an app's pipeline sends.
    package static let ofApps = ["daybook.ledger", "daybook.unreadable"]

    /// Whether a tag or tag pattern is the collector's own, as ``pattern`` matches.
    package static func have(_ tag: String) -> Bool {
        tag.utf8.elementsEqual(WireName.ownPrefix.utf8.dropLast()) || tag.utf8.starts(with: WireName.ownPrefix.utf8)
    }
}

extension TagPattern {
    /// Whether the pattern matches a tag for judging. The collector's own tags require a pattern for them, such as
    /// `daybook.alert` and `daybook.**`, but not `**`.
    package func judges(_ tag: String) -> Bool {
        matches(tag) && (!OwnRecords.have(tag) || OwnRecords.have(text))
    }
}
