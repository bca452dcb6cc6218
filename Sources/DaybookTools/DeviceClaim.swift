/// How the collector stores what a sender says in a name that is not its own: as a device's claim. Records of runs and of
/// the collector itself are written by its API and by itself alone; whoever reads them knows by the tag which these are.
package enum DeviceClaim {
    /// What the tag of a claim begins with.
    package static let prefix = "device."
    /// The `service.name` of the collector's own records, and what stands in its place.
    package static let collector = "daybook"
    package static let service = prefix + collector

    /// The tag that a sender's record gets; `nil` where it may have its own.
    package static func tag(_ tag: String, isRun: Bool) -> String? {
        guard isRun && !isClaim(tag) || OwnRecords.have(tag) else { return nil }
        return prefix + tag
    }

    /// Whether a record of the kind *run* is a device's.
    package static func isClaim(_ tag: String) -> Bool { tag.hasPrefix(prefix) }

    /// Whether a device may mark a run so: where it starts and where it finishes. Signing off is for people.
    package static func mayMark(_ tag: String) -> Bool {
        ["start", "finish"].contains(tag.split(separator: ".").last)
    }
}
