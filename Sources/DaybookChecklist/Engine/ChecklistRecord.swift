/// A record as a checklist sees it. Any record type can conform; the engine knows no other.
public protocol ChecklistRecord {
    /// The record's tag: `category.event`.
    var tag: String { get }
    /// A number that identifies the record to a reader: its sequence or arrival number.
    var number: Int64 { get }
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    var time: Int64 { get }
    /// What the record has in a column: the event's own first, then the common ones, then `_session`,
    /// `_installation` and `_level` (the severity's number); `nil` if it has nothing or null there.
    func value(of column: String) -> ChecklistValue?
    /// What the record has in a common column, one of its context; `nil` if it has nothing or null there.
    func commonValue(of column: String) -> ChecklistValue?
}
