/// A query for a page by the records' own times, then by arrival. Lists what several devices recorded in one hour
/// together, whenever it was imported.
public struct TimeQuery: Sendable, Hashable {
    public var filter: RecordFilter
    /// Latest first (the default) or earliest first.
    public var order: RecordQuery.Order
    /// Only records before this position (exclusive).
    public var before: TimePlace?
    /// Only records after this position (exclusive).
    public var after: TimePlace?
    /// Only records with a larger arrival number (exclusive).
    public var arrivedAfter: Int64?
    /// Only records with a smaller arrival number (exclusive).
    public var arrivedBefore: Int64?
    /// Most rows, 1–1,000. Default 100.
    public var limit = 100
    /// How long to search before returning a partial page; at least one small step is made. Default 150 ms.
    public var budget: Duration = .milliseconds(150)

    /// Creates a query for all matching records, 100 per page.
    public init(filter: RecordFilter = .init(), order: RecordQuery.Order = .newestFirst) {
        self.filter = filter
        self.order = order
    }

    /// The same query, continued from ``RecordPage/next``.
    public func resumed(at next: TimePlace) -> TimeQuery {
        var query = self
        switch order {
        case .newestFirst: query.before = next
        case .oldestFirst: query.after = next
        }
        return query
    }

    package var rowLimit: Int { min(max(limit, 1), 1_000) }

    func holds(_ place: TimePlace) -> Bool {
        if let before, place >= before { return false }
        if let after, place <= after { return false }
        return place.id > arrivedAfter ?? .min && place.id < arrivedBefore ?? .max
    }
}

/// A record's position by time.
public struct TimePlace: Sendable, Hashable, Comparable {
    /// Nanoseconds since 1970.
    public var time: Int64
    /// The arrival number.
    public var id: Int64

    public init(time: Int64, id: Int64) {
        self.time = time
        self.id = id
    }

    public static func < (left: Self, right: Self) -> Bool { (left.time, left.id) < (right.time, right.id) }
}

extension StoredRecord {
    public var place: TimePlace { TimePlace(time: row.time, id: id) }
}

extension EventStore {
    /// A full page by time, however long it takes.
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func page(_ query: TimeQuery) async throws -> [StoredRecord] {
        var rest = query
        var records: [StoredRecord] = []
        while true {
            let slice = try await slice(rest)
            records += slice.records
            guard slice.isPartial, let next = slice.next else { return records }
            try Task.checkCancellation()
            rest = rest.resumed(at: next)
            rest.limit = max(query.rowLimit - records.count, 1)
        }
    }
}

/// Walks records by time, in quickly read stretches, until the budget is spent.
package struct TimeWalk {
    /// A stretch as an SQL condition and order; both ends are excluded.
    package struct Stretch {
        package let condition: String
        package let order: String
    }

    private let query: TimeQuery
    private let filter: FilterSQL
    private let bounds: ClosedRange<Int64>
    private let literal: (Int64) -> String
    private let deadline: ContinuousClock.Instant
    /// See ``RecordFilter/steps(within:)``.
    private let steps: Int?
    private var rest: TimeQuery
    private var size = 4_096

    /// - Parameters:
    ///   - bounds: The earliest and latest record times.
    ///   - literal: A number as the engine's literal.
    package init(
        _ query: TimeQuery, _ filter: FilterSQL, bounds: ClosedRange<Int64>, literal: @escaping (Int64) -> String
    ) {
        self.query = query
        self.filter = filter
        self.bounds = bounds
        self.literal = literal
        rest = query
        deadline = .now.advanced(by: query.budget)
        steps = query.filter.steps(within: query.budget).map { Int($0) }
        if let steps { size = min(steps, 16_384) }
    }

    /// - Parameters:
    ///   - last: The position of a stretch's `count`th record, matching or not; `nil` if there are fewer.
    ///   - rows: Passes up to `limit` records that meet the filter's SQL to `take`, until it returns `false`.
    package mutating func slice<Failure: Error>(
        last: (_ stretch: Stretch, _ count: Int) throws(Failure) -> TimePlace?,
        rows: (_ stretch: Stretch, _ limit: Int, _ take: (StoredRecord) -> Bool) throws(Failure) -> Void
    ) throws(Failure) -> TimeSlice {
        var page = PageBuilder(query)
        var walked = 0
        while true {
            let start = ContinuousClock.now
            // Without a condition, the first records are the page.
            let end = filter.condition.isEmpty && filter.match == nil ? nil : try last(stretch(of: rest), size)
            var part = rest
            if let end { part = part.ending(with: end) }
            let match = filter.match
            try rows(stretch(of: part), match == nil ? page.room : .max) { record in
                !((match?.matches(record.row) ?? true) && page.add(record))
            }
            if page.isFull, let last = page.records.last { return slice(page, next: last.place) }
            guard let end else { return slice(page, next: nil) }
            rest = rest.resumed(at: end)
            let now = ContinuousClock.now
            walked += size
            if steps.map({ walked >= $0 }) ?? (now >= deadline) { return slice(page, next: end) }
            if steps != nil { continue }
            if now - start < query.budget / 16, size < 1 << 20 { size *= 2 }
            if now - start > query.budget / 4, size > 1_024 { size /= 2 }
        }
    }

    private func stretch(of query: TimeQuery) -> Stretch {
        var conditions: [String] = []
        for (place, sign) in [(query.before, "<"), (query.after, ">")] {
            guard let place else { continue }
            // The first comparison can use the index on time.
            let (time, id) = (literal(place.time), literal(place.id))
            conditions.append("time \(sign)= \(time) AND (time \(sign) \(time) OR id \(sign) \(id))")
        }
        if let number = query.arrivedAfter { conditions.append("id > \(literal(number))") }
        if let number = query.arrivedBefore { conditions.append("id < \(literal(number))") }
        let direction = query.order == .newestFirst ? "DESC" : "ASC"
        return Stretch(
            condition: conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND "),
            order: "ORDER BY time \(direction), id \(direction)")
    }

    private func slice(_ page: PageBuilder, next: TimePlace?) -> TimeSlice {
        let (first, last) = (Double(bounds.lowerBound), Double(bounds.upperBound))
        let lower = max(query.after.map { Double($0.time) } ?? first, first)
        let upper = min(query.before.map { Double($0.time) } ?? last, last)
        var share = 1.0
        if let next, upper > lower {
            let place = Double(next.time)
            share = (query.order == .newestFirst ? upper - place : place - lower) / (upper - lower)
        }
        let done = Int64(min(max(share, 0), 1) * 1_000)
        return TimeSlice(page, next: next, progress: SearchProgress(done: done, total: 1_000))
    }
}

extension TimeQuery {
    fileprivate func ending(with place: TimePlace) -> TimeQuery {
        var query = self
        switch order {
        case .newestFirst: query.after = TimePlace(time: place.time, id: place.id - 1)
        case .oldestFirst: query.before = TimePlace(time: place.time, id: place.id + 1)
        }
        return query
    }
}
