import Daybook

/// The category under which a record stands in the system's log: of an event its category, of anything else its tag.
///
/// The system never frees a category, so that a process gets a bounded number; what comes later stands under
/// ``overflow``. A value: its owner guards it.
package struct SystemLogCategories: Sendable {
    /// As many as a hand-written app has, many times over.
    package static let limit = 256
    package static let overflow = "other"

    private var known: Set<String> = []

    package init() {}

    /// The category of a record.
    package mutating func category(of record: Record) -> String {
        let name = Self.name(of: record)
        if known.contains(name) { return name }
        guard known.count < Self.limit else { return Self.overflow }
        known.insert(name)
        return name
    }

    private static func name(of record: Record) -> String {
        guard record.kind == .event, let dot = record.tag.lastIndex(of: "."), dot > record.tag.startIndex else {
            return record.tag
        }
        return String(record.tag[..<dot])
    }
}
