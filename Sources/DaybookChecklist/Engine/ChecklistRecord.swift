/// A record as a checklist sees it. Any record type can conform; the engine knows no other.
public protocol ChecklistRecord {
    /// The record's tag: `category.event`.
    var tag: String { get }
    /// A number that identifies the record to a reader: its sequence or arrival number.
    var number: Int64 { get }
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    var time: Int64 { get }
}
