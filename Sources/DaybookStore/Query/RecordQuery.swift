/// Which page of records is asked for. The filter's conditions can be set on it directly: `query.text = "egg"`.
@dynamicMemberLookup
public struct RecordQuery: Sendable, Hashable {
    /// Newest first (the default) or oldest first, by arrival.
    public enum Order: Sendable { case newestFirst, oldestFirst }

    /// Which records.
    public var filter = RecordFilter()
    public var order: Order = .newestFirst
    /// Only records that arrived before this number (exclusive).
    public var before: Int64?
    /// Only records that arrived after this number (exclusive).
    public var after: Int64?
    /// At most this many rows, 1–1,000. Default 100.
    public var limit = 100
    /// How long to look before answering with what was found. Default 150 ms. At least one small step is always made.
    public var budget: Duration = .milliseconds(150)

    /// All records, newest first, 100 a page.
    public init() {}

    public subscript<Value>(dynamicMember path: WritableKeyPath<RecordFilter, Value>) -> Value {
        get { filter[keyPath: path] }
        set { filter[keyPath: path] = newValue }
    }

    /// The same query from ``RecordSlice/next`` on.
    public func resumed(at next: Int64) -> RecordQuery {
        var query = self
        switch order {
        case .newestFirst: query.before = next
        case .oldestFirst: query.after = next
        }
        return query
    }

    /// ``limit`` brought into 1–1,000.
    package var rowLimit: Int { min(max(limit, 1), 1_000) }
}

/// A page of records, or the part of it that was found in time.
public struct RecordSlice: Sendable, Hashable {
    public var records: [StoredRecord]
    /// From where to go on, see ``RecordQuery/resumed(at:)``; `nil` when everything has been looked at.
    public var next: Int64?
    /// Whether time ran out before the page was full: more of this page may be found from ``next`` on.
    public var isPartial: Bool
    /// How far the store has been looked through, in arrival numbers.
    public var progress: Progress

    /// A slice.
    public init(records: [StoredRecord], next: Int64?, isPartial: Bool, progress: Progress) {
        self.records = records
        self.next = next
        self.isPartial = isPartial
        self.progress = progress
    }
}

/// How much of what was to be looked through has been, in arrival numbers.
public struct Progress: Sendable, Hashable {
    public var done: Int64
    public var total: Int64

    /// `done` of `total`.
    public init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }
}
