/// A query for a page of records.
public struct RecordQuery: Sendable, Hashable {
    /// Newest first (the default) or oldest first, by arrival.
    public enum Order: Sendable { case newestFirst, oldestFirst }

    public var filter = RecordFilter()
    public var order: Order = .newestFirst
    /// Only records with a smaller arrival number (exclusive).
    public var before: Int64?
    /// Only records with a larger arrival number (exclusive).
    public var after: Int64?
    /// Most rows, 1–1,000. Default 100.
    public var limit = 100
    /// Approximate bytes of records; at least one record is returned. Default ``AnswerBounds/bytes``.
    public var bytes = AnswerBounds.bytes
    /// How long to search before returning a partial page; at least one small step is made. Default 150 ms.
    public var budget: Duration = .milliseconds(150)

    /// Creates a query for all records, newest first, 100 per page.
    public init() {}

    /// Adds a condition that records must meet as well.
    public mutating func narrow(by condition: FilterExpression) { filter.narrow(by: condition) }

    /// The same query, continued from ``RecordPage/next``.
    public func resumed(at next: Int64) -> RecordQuery {
        var query = self
        switch order {
        case .newestFirst: query.before = next
        case .oldestFirst: query.after = next
        }
        return query
    }

    package var rowLimit: Int { min(max(limit, 1), 1_000) }
}

/// A page of records, or the part of it within the limits of time and size.
public struct RecordPage<Position: Sendable & Hashable>: Sendable, Hashable {
    public var records: [StoredRecord]
    /// Where to continue, by the query's `resumed(at:)`; `nil` when everything has been read.
    public var next: Position?
    /// Whether time or size ran out before the page was full: continue from ``next`` to fill it.
    public var isPartial: Bool
    public var progress: SearchProgress
    /// Bytes of the records' texts as the reader sees them.
    private(set) var bytes: Int

    public init(records: [StoredRecord], next: Position?, isPartial: Bool, progress: SearchProgress) {
        self.records = records
        self.next = next
        self.isPartial = isPartial
        self.progress = progress
        bytes = records.reduce(0) { $0 + $1.row.bytes }
    }

    package init(_ page: PageBuilder, next: Position?, progress: SearchProgress) {
        self.init(
            records: page.records, next: next, isPartial: next != nil && (!page.isFull || page.isCut),
            progress: progress)
        bytes = page.taken
    }
}

/// A page by arrival; its position is an arrival number.
public typealias RecordSlice = RecordPage<Int64>

/// A page by time.
public typealias TimeSlice = RecordPage<TimePlace>

/// How much of a query has been read: in arrival numbers, or for a ``TimeSlice`` in thousandths of its time range.
public struct SearchProgress: Sendable, Hashable {
    public var done: Int64
    public var total: Int64

    public init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }
}

/// Arrival numbers from `lower` (inclusive) to `upper` (exclusive).
package struct ArrivalRange: Hashable, Sendable {
    package var lower: Int64
    package var upper: Int64

    package init(lower: Int64, upper: Int64) {
        self.lower = lower
        self.upper = upper
    }

    package var isEmpty: Bool { lower >= upper }
}

/// Walks arrival numbers in ranges, from one end, until the budget is spent. Pure apart from the given clock.
package struct RecordWalk {
    package let whole: ArrivalRange
    package let isNewestFirst: Bool
    package private(set) var rest: ArrivalRange
    /// Arrival numbers in the next range, at most.
    private(set) var size: Int64
    /// Numbers beyond ``rest`` that are left to the next answer.
    private var beyond: Int64 = 0
    /// `nil` if steps, not time, bound the walk.
    private var deadline: ContinuousClock.Instant?
    private let budget: Duration

    package init(
        after: Int64?, before: Int64?, head: Int64, isNewestFirst: Bool, budget: Duration,
        now: ContinuousClock.Instant = .now
    ) {
        // Clamped to the head, so no sum overflows.
        let lower = min(max(after ?? 0, 0), max(head, 0)) + 1
        let upper = max(min(before ?? .max, head + 1), 1)
        whole = ArrivalRange(lower: lower, upper: max(lower, upper))
        rest = whole
        self.isNewestFirst = isNewestFirst
        self.budget = budget
        deadline = now.advanced(by: budget)
        size = 4_096
    }

    /// Bounds the walk by numbers instead of time; see ``RecordFilter/steps(within:)``.
    package mutating func end(after steps: Int64) {
        deadline = nil
        beyond = max(rest.upper - rest.lower - steps, 0)
        if isNewestFirst { rest.lower += beyond } else { rest.upper -= beyond }
    }

    package func next() -> ArrivalRange? {
        if rest.isEmpty { return nil }
        return isNewestFirst
            ? ArrivalRange(lower: max(rest.lower, rest.upper - size), upper: rest.upper)
            : ArrivalRange(lower: rest.lower, upper: min(rest.upper, rest.lower + size))
    }

    /// Notes that a range has been read, starting at `start`.
    package mutating func pass(
        _ range: ArrivalRange, since start: ContinuousClock.Instant, now: ContinuousClock.Instant = .now
    ) {
        if isNewestFirst { rest.upper = range.lower } else { rest.lower = range.upper }
        // Adapts the range: large while cheap, to run few statements, but never long.
        if now - start < budget / 16, size < 1 << 20 { size *= 2 }
        if now - start > budget / 4, size > 1_024 { size /= 2 }
    }

    /// The part of a range that was read when reading stopped at record `id`.
    package func part(of range: ArrivalRange, through id: Int64) -> ArrivalRange {
        isNewestFirst ? .init(lower: id, upper: range.upper) : .init(lower: range.lower, upper: id + 1)
    }

    /// Skips an empty range at the near end.
    package mutating func skip(_ range: ArrivalRange) {
        guard !range.isEmpty else { return }
        if isNewestFirst { rest.upper = range.lower } else { rest.lower = range.upper }
    }

    package func isLate(now: ContinuousClock.Instant = .now) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Where to continue; `nil` at the end.
    package var position: Int64? {
        rest.isEmpty && beyond == 0 ? nil : isNewestFirst ? rest.upper : rest.lower - 1
    }

    package var progress: SearchProgress {
        SearchProgress(
            done: (whole.upper - whole.lower) - max(rest.upper - rest.lower, 0) - beyond,
            total: whole.upper - whole.lower)
    }
}
