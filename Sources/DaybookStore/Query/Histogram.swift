import DaybookBase
import DaybookTools

/// A query for counts over time.
public struct HistogramQuery: Sendable, Hashable {
    /// How to divide a bucket's records.
    public enum Split: Sendable, Hashable {
        case kind, level
        /// By these values of a field; records with another value, or none, count in ``Histogram/others``.
        case values(Set<ExactText>, of: FacetQuery.Field)

        package var field: FacetQuery.Field {
            switch self {
            case .kind: .kind
            case .level: .level
            case .values(_, let field): field
            }
        }

        /// The series of a value; `nil` for the others.
        package func series(of value: String?) -> ExactText? {
            guard case .values(let names, _) = self else { return value.map { ExactText($0) } }
            return value.map { ExactText($0.boundedName) }.flatMap { names.contains($0) ? $0 : nil }
        }
    }

    /// The records to count. Its times narrow the buckets further.
    public var filter: RecordFilter
    /// The start of the first bucket, in nanoseconds since 1970.
    public var start: Int64
    /// A bucket's width in nanoseconds, at least 1.
    public var width: Int64
    /// The number of buckets, 1–1,000; clamped.
    public var count: Int
    /// How each bucket is divided. Default: by kind.
    public var split: Split
    /// Only records with a larger arrival number (exclusive).
    public var after: Int64?
    /// Only records with a smaller arrival number. To continue, pass ``Histogram/next`` and add the counts of both
    /// answers.
    public var before: Int64?
    /// How long to count before returning a partial answer. Default 150 ms.
    public var budget: Duration = .milliseconds(150)

    public init(filter: RecordFilter = .init(), start: Int64, width: Int64, count: Int, split: Split = .kind) {
        self.filter = filter
        self.start = start
        self.width = max(width, 1)
        self.count = min(max(count, 1), 1_000)
        self.split = split
    }

    package func bucket(of time: Int64) -> Int? {
        guard time >= start, end.map({ time < $0 }) ?? true else { return nil }
        return Int((time - start) / width)
    }

    package var narrowedFilter: RecordFilter {
        filter.narrowed(by: .all([.since(start)] + [end].compactMap { $0.map { .until($0) } }))
    }

    /// `nil` if it is beyond all times. Every earlier time is within 64 bits of the start.
    package var end: Int64? {
        let (length, tooLong) = width.multipliedReportingOverflow(by: Int64(count))
        let (end, tooLate) = start.addingReportingOverflow(length)
        return tooLong || tooLate ? (start < 0 ? start + .max : nil) : end
    }
}

public struct Histogram: Sendable, Hashable {
    /// A count per bucket for each kind, level (its number as text) or value that occurs.
    public var counts: [ExactText: [Int64]]
    /// Per bucket, records with none of the listed values; empty if the query lists none.
    public var others: [Int64] = []
    /// Where to continue (``HistogramQuery/before``); `nil` when everything has been counted.
    public var next: Int64?
    /// How much of the store has been read.
    public var progress: SearchProgress

    public init(
        counts: [ExactText: [Int64]] = [:], next: Int64? = nil, progress: SearchProgress = .init(done: 0, total: 0)
    ) {
        self.counts = counts
        self.next = next
        self.progress = progress
    }

    package mutating func add(_ number: Int64, _ value: String?, bucket: Int, of query: HistogramQuery) {
        // A foreign write to the index can make a bucket out of range.
        guard (0..<query.count).contains(bucket) else { return }
        guard let series = query.split.series(of: value) else {
            if others.isEmpty { others = Array(repeating: 0, count: query.count) }
            others[bucket].add(clamping: number)
            return
        }
        counts[series, default: Array(repeating: 0, count: query.count)][bucket].add(clamping: number)
    }
}

/// Counts row by row. Belongs to one thread at a time.
package struct RowHistogram {
    private let query: HistogramQuery
    private let attribute: AttributeReader?

    package init(_ query: HistogramQuery) {
        self.query = query
        if case .attribute(let name) = query.split.field {
            attribute = AttributeReader(name, query.filter.sight)
        } else {
            attribute = nil
        }
    }

    package func add(_ row: RecordRow, to histogram: inout Histogram) {
        guard let bucket = query.bucket(of: row.time) else { return }
        histogram.add(1, attribute?.value(of: row) ?? row.value(of: query.split.field), bucket: bucket, of: query)
    }
}
