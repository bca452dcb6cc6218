/// A query for a page of records.
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
    /// About how many bytes of records to return; at least one record is always returned. Default
    /// ``AnswerBounds/bytes``.
    public var bytes = AnswerBounds.bytes
    /// How long to search before returning what was found. Default 150 ms. At least one small step is always made.
    public var budget: Duration = .milliseconds(150)

    /// Creates a query for all records, newest first, 100 per page.
    public init() {}

    /// Asks, of the records so far, for those that meet a condition as well.
    public mutating func narrow(by condition: FilterExpression) { filter.narrow(by: condition) }

    /// The same query, continued from ``RecordSlice/next``.
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

/// A page of records, or the part of it that fits into the limits of time and size.
public struct RecordSlice: Sendable, Hashable {
    public var records: [StoredRecord]
    /// Where to continue, see ``RecordQuery/resumed(at:)``; `nil` when everything has been read.
    public var next: Int64?
    /// Whether time or size ran out before the page was full: more may be found from ``next`` on.
    public var isPartial: Bool
    /// How much of the store has been read, in arrival numbers.
    public var progress: SearchProgress
    /// Bytes of what the asker sees of the records' texts.
    private(set) var bytes: Int

    /// A slice.
    public init(records: [StoredRecord], next: Int64?, isPartial: Bool, progress: SearchProgress) {
        self.records = records
        self.next = next
        self.isPartial = isPartial
        self.progress = progress
        bytes = records.reduce(0) { $0 + $1.row.bytes }
    }
}

extension RecordSlice {
    /// The answer of a store.
    package init(_ page: PageFilling, next: Int64?, progress: SearchProgress) {
        self.init(
            records: page.records, next: next, isPartial: next != nil && (!page.isFull || page.isCut),
            progress: progress)
        bytes = page.taken
    }
}

/// How much of what is to be read has been read: in arrival numbers, or for a ``TimeSlice`` in thousandths of its time.
public struct SearchProgress: Sendable, Hashable {
    public var done: Int64
    public var total: Int64

    /// `done` of `total`.
    public init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }
}

/// Arrival numbers from `lower` on, up to and without `upper`.
package struct ArrivalRange: Hashable, Sendable {
    package var lower: Int64
    package var upper: Int64

    package init(lower: Int64, upper: Int64) {
        self.lower = lower
        self.upper = upper
    }

    package var isEmpty: Bool { lower >= upper }
}

/// Goes through the arrival numbers in ranges, from one end, for as long as the budget lasts.
///
/// Pure but for the clock that it is given.
package struct RecordWalk {
    /// All that is to be gone through.
    package let whole: ArrivalRange
    package let isNewestFirst: Bool
    /// What remains.
    package private(set) var rest: ArrivalRange
    /// How many arrival numbers the next range has at most.
    private(set) var size: Int64
    /// How many there are behind ``rest`` that another answer goes through.
    private var beyond: Int64 = 0
    /// `nil` where the way is as long as it was made.
    private var deadline: ContinuousClock.Instant?
    private let budget: Duration

    /// - Parameters:
    ///   - after: only larger numbers.
    ///   - before: only smaller numbers.
    ///   - head: the largest number there is.
    package init(
        after: Int64?, before: Int64?, head: Int64, isNewestFirst: Bool, budget: Duration,
        now: ContinuousClock.Instant = .now
    ) {
        // No number is beyond the head, so none overflows.
        let lower = min(max(after ?? 0, 0), max(head, 0)) + 1
        let upper = max(min(before ?? .max, head + 1), 1)
        whole = ArrivalRange(lower: lower, upper: max(lower, upper))
        rest = whole
        self.isNewestFirst = isNewestFirst
        self.budget = budget
        deadline = now.advanced(by: budget)
        size = 4_096
    }

    /// Ends after so many numbers, however long that takes; see ``RecordFilter/steps(within:)``.
    package mutating func end(after steps: Int64) {
        deadline = nil
        beyond = max(rest.upper - rest.lower - steps, 0)
        if isNewestFirst { rest.lower += beyond } else { rest.upper -= beyond }
    }

    /// The next range to look at; `nil` at the end.
    package func next() -> ArrivalRange? {
        if rest.isEmpty { return nil }
        return isNewestFirst
            ? ArrivalRange(lower: max(rest.lower, rest.upper - size), upper: rest.upper)
            : ArrivalRange(lower: rest.lower, upper: min(rest.upper, rest.lower + size))
    }

    /// Tells that everything before `range`'s far end has been looked at, in the time since `start`.
    package mutating func pass(
        _ range: ArrivalRange, since start: ContinuousClock.Instant, now: ContinuousClock.Instant = .now
    ) {
        if isNewestFirst { rest.upper = range.lower } else { rest.lower = range.upper }
        // Ranges grow while they are cheap, so that few statements go through much, and one never takes long.
        if now - start < budget / 16, size < 1 << 20 { size *= 2 }
        if now - start > budget / 4, size > 1_024 { size /= 2 }
    }

    /// The part of a range that was looked at when its record `id` was the last one.
    package func part(of range: ArrivalRange, through id: Int64) -> ArrivalRange {
        isNewestFirst ? .init(lower: id, upper: range.upper) : .init(lower: range.lower, upper: id + 1)
    }

    /// Leaves out a range at the near end that has nothing to look at.
    package mutating func skip(_ range: ArrivalRange) {
        guard !range.isEmpty else { return }
        if isNewestFirst { rest.upper = range.lower } else { rest.lower = range.upper }
    }

    package func isLate(now: ContinuousClock.Instant = .now) -> Bool { deadline.map { now >= $0 } ?? false }

    /// From where to go on behind what has been passed; `nil` at the end.
    package var position: Int64? {
        rest.isEmpty && beyond == 0 ? nil : isNewestFirst ? rest.upper : rest.lower - 1
    }

    package var progress: SearchProgress {
        SearchProgress(
            done: (whole.upper - whole.lower) - max(rest.upper - rest.lower, 0) - beyond,
            total: whole.upper - whole.lower)
    }
}
