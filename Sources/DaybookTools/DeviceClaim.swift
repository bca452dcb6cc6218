/// Rewrites names that a sender must not use as claims of a device. Records of runs and of the collector itself are
/// written only by its API and by itself; readers recognize them by their tags.
package enum DeviceClaim {
    /// The prefix of a claim's tag.
    package static let prefix = "device."
    /// The `service.name` of the collector's own records, and its replacement in others.
    package static let collector = "daybook"
    package static let service = prefix + collector

    /// The tag for a sender's record; `nil` if it may keep its own.
    package static func tag(_ tag: String, isRun: Bool) -> String? {
        guard isRun && !isClaim(tag) || OwnRecords.have(tag) else { return nil }
        return prefix + tag
    }

    /// Whether a record of the kind *run* is a device's.
    package static func isClaim(_ tag: String) -> Bool { tag.hasPrefix(prefix) }

    /// Whether a device may send this run mark: start and finish. Sign-off is for people.
    package static func mayMark(_ tag: String) -> Bool {
        ["start", "finish"].contains(tag.split(separator: ".").last)
    }
}
