import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Counts records over time and by value. Both answers stay within the store's budget; counts of partial answers add
/// up.
struct VolumeAPI: Sendable {
    private static let mostBuckets: Int64 = 1_000
    /// Time for counting records outside the buckets.
    private static let outsidePatience = Duration.seconds(1)
    /// Most values that a histogram distinguishes.
    private static let mostValues = 20

    private static let ofHistogram: Set = ["buckets", "by", "values", "start", "width", "after", "before"]
    private static let ofFacets: Set = ["fields", "limit", "after", "before"]

    private static func names(_ own: Set<String>) -> Set<String> {
        own.union(FilterParameters.names).union(["run"])
    }

    private let store: any EventStore
    private let filters: FilterReading
    private let runs: RunsAPI

    init(store: any EventStore, filters: FilterReading, runs: RunsAPI) {
        (self.store, self.filters, self.runs) = (store, filters, runs)
    }

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/histogram", parameters: Self.names(Self.ofHistogram)) {
                try await histogram(runs.narrowed($0.query))
            },
            HTTPRoute("GET", "/api/v1/facets", parameters: Self.names(Self.ofFacets)) {
                try await facets(runs.narrowed($0.query))
            },
        ]
    }

    func histogram(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var (buckets, start, width) = (Int64(96), Int64?.none, Int64?.none)
        var (after, before) = (Int64?.none, Int64?.none)
        var by = FacetQuery.Field.kind
        var values: Set<ExactText>?
        var reader = ParameterReader(parameters, filters)
        try reader.read(own: Self.ofHistogram) {
            name, value throws(Problem) in
            switch name {
            case "buckets": buckets = try FilterParameters.number(name, value, in: 1...Self.mostBuckets)
            case "by": by = try Self.field(name, value)
            case "values": values = try Self.values(value)
            case "start": start = try FilterParameters.number(name, value, in: Int64.min...Int64.max)
            case "width": width = try FilterParameters.number(name, value, in: 1...Int64.max)
            case "after": after = try FilterParameters.number(name, value, in: 0...Int64.max)
            default: before = try FilterParameters.number(name, value, in: 0...Int64.max)
            }
        }
        guard (start == nil) == (width == nil) else {
            throw Problem(
                .badRequest, "start and width belong together; \(start == nil ? "start" : "width") is missing.")
        }
        if let start { try checkUnit(of: start) }
        let filter = reader.filter.filter
        var query: HistogramQuery
        var outside: Int64?
        if let start, let width {
            query = HistogramQuery(filter: filter, start: start, width: width, count: Int(buckets))
        } else {
            let bounds = try await bounds(of: filter)
            let scale = HistogramScale(bounds.times, most: Int(buckets))
            query = HistogramQuery(filter: filter, start: scale.start, width: scale.width, count: scale.count)
            if bounds.leavesOut { outside = try await outsideCount(of: query) }
        }
        query.split = try Self.split(by, values)
        tellOfPrivate([by], filter.sight)
        query.after = after
        query.before = before
        let histogram = try await store.histogram(query)
        return Envelope.success(
            HistogramAnswer.form, HistogramAnswer(histogram, of: query, outside: outside ?? 0))
    }

    /// Rejects current times in seconds, milliseconds or microseconds, because the unit of `width` would be ambiguous.
    private func checkUnit(of start: Int64) throws(Problem) {
        let read = ReadTime.nanoseconds(of: start)
        guard read != start, PlausibleTime.range(at: filters.now()).contains(read) else { return }
        throw Problem(
            .badRequest, "start and width are nanoseconds, not another unit: start=\(read), and width likewise.")
    }

    private static func field(_ name: String, _ value: String) throws(Problem) -> FacetQuery.Field {
        if let field = FacetQuery.Field(rawValue: value) { return field }
        let names = FacetQuery.Field.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.badRequest, "\(name) takes \(names), or attributes.NAME for a parameter, not “\(value)”.")
    }

    private static func values(_ text: String) throws(Problem) -> Set<ExactText> {
        guard case .array(let items)? = try? JSONReader.value(of: Array(text.utf8)), items.count <= mostValues,
            items.allSatisfy({ $0.text != nil })
        else {
            throw Problem(.badRequest, "values is a JSON array of at most \(mostValues) texts, not “\(text)”.")
        }
        return Set(items.compactMap { $0.text.map { ExactText($0) } })
    }

    /// Kinds and levels have few values; other fields may have as many values as records.
    private static func split(_ field: FacetQuery.Field, _ values: Set<ExactText>?) throws(Problem)
        -> HistogramQuery.Split
    {
        if let values { return .values(values, of: field) }
        switch field {
        case .kind: return .kind
        case .level: return .level
        default:
            throw Problem(
                .badRequest,
                "With by=\(field.rawValue) a histogram needs values, the ones to tell apart: values=[\"…\"]; facets "
                    + "has the most frequent.")
        }
    }

    private func tellOfPrivate(_ fields: [FacetQuery.Field], _ sight: Sight) {
        let names = fields.filter { !FacetQuery.Field.allCases.contains($0) }.map(\.rawValue)
        guard !names.isEmpty, sight == .whole else { return }
        filters.disclosure.tell("showed counts by \(names.joined(separator: ", "))")
    }

    /// The histogram's range: the filter's times, limited to the store's records. At an open end, implausible times are
    /// ignored unless there are no others.
    private func bounds(of filter: RecordFilter) async throws -> (times: ClosedRange<Int64>, leavesOut: Bool) {
        guard let all = try await store.timeBounds(within: nil) else { return (0...0, false) }
        let plausible = PlausibleTime.range(at: filters.now())
        let asked = filter.expression.times
        let since = asked.since ?? min(plausible.lowerBound, asked.until ?? .max)
        let until = asked.until ?? max(plausible.upperBound, asked.since ?? .min)
        let known = since < until ? try await store.timeBounds(within: since..<until) : nil
        let start = max(asked.since ?? all.lowerBound, all.lowerBound)
        let end = min(asked.until.map { max($0, .min + 1) - 1 } ?? all.upperBound, all.upperBound)
        let times = known ?? start...max(start, end)
        // A range beyond 64 bits of nanoseconds keeps its later part.
        let (earliest, isBeyond) = times.upperBound.subtractingReportingOverflow(.max - 1)
        let kept = isBeyond ? times : max(times.lowerBound, earliest)...max(times.upperBound, earliest)
        return (kept, start < kept.lowerBound || end > kept.upperBound)
    }

    /// Matching records outside the buckets, counted for ``outsidePatience``.
    private func outsideCount(of query: HistogramQuery) async throws -> Int64 {
        var ends: [FilterExpression] = [.term(.until(query.start))]
        if let end = query.end { ends.append(.term(.since(end))) }
        var outside = FacetQuery(filter: query.filter, fields: [.kind])
        outside.filter.narrow(by: .any(ends))
        var count: Int64 = 0
        let end = ContinuousClock.now + Self.outsidePatience
        // If elapsed time could reveal hidden values, a fixed number of parts is counted.
        var parts = outside.filter.steps(within: outside.budget).map { _ in 8 }
        repeat {
            let facets = try await store.facets(outside)
            for kind in facets.values[.kind] ?? [] { count.add(clamping: kind.count) }
            outside.before = facets.next
            try Task.checkCancellation()
            parts = parts.map { $0 - 1 }
        } while outside.before != nil && parts.map { $0 > 0 } ?? (ContinuousClock.now < end)
        return count
    }

    func facets(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = FacetQuery()
        var reader = ParameterReader(parameters, filters)
        try reader.read(own: Self.ofFacets) { name, value throws(Problem) in
            switch name {
            case "limit": query.limit = Int(try FilterParameters.number(name, value, in: 1...1_000))
            case "after": query.after = try FilterParameters.number(name, value, in: 0...Int64.max)
            case "before": query.before = try FilterParameters.number(name, value, in: 0...Int64.max)
            default:
                query.fields = []
                for part in value.split(separator: ",") {
                    let field = try Self.field(name, String(part))
                    if !query.fields.contains(field) { query.fields.append(field) }
                }
                guard query.fields.count <= Self.mostValues else {
                    throw Problem(.badRequest, "fields is at most \(Self.mostValues) names, with commas.")
                }
            }
        }
        query.filter = reader.filter.filter
        tellOfPrivate(query.fields, query.filter.sight)
        return Envelope.success(
            FacetsAnswer.form, FacetsAnswer(try await store.facets(query), of: query.fields))
    }
}

/// Buckets with widths of clock and calendar, at round times (UTC). They stay fixed while records arrive, and from a
/// minute on can be answered from the store's counts.
struct HistogramScale: Equatable {
    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// Nanoseconds, ascending.
    private static let widths: [Int64] =
        [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].flatMap { [$0, 2 * $0, 5 * $0] }
        + [1, 2, 5, 10, 15, 30].map { $0 * second } + [1, 2, 5, 10, 15, 30].map { $0 * minute }
        + [1, 2, 3, 6, 12].map { $0 * hour } + [1, 2, 7, 14, 28, 91, 182, 364, 728, 1_820, 3_640].map { $0 * day }

    /// Nanoseconds since 1970.
    let start: Int64
    /// Nanoseconds.
    let width: Int64
    let count: Int

    /// The narrowest buckets that cover the times; equal parts if no listed width does.
    /// - Parameters:
    ///   - times: Nanoseconds since 1970; the range must be shorter than `Int64`'s.
    ///   - most: Most buckets, at least 1.
    init(_ times: ClosedRange<Int64>, most: Int) {
        for width in Self.widths {
            let first = Self.number(of: times.lowerBound, width)
            let count = Self.number(of: times.upperBound, width) - first + 1
            let (start, overflows) = first.multipliedReportingOverflow(by: width)
            guard count <= most, !overflows else { continue }
            self.init(start: start, width: width, count: Int(count))
            return
        }
        let width = (times.upperBound - times.lowerBound) / Int64(most) + 1
        self.init(start: times.lowerBound, width: width, count: most)
    }

    private init(start: Int64, width: Int64, count: Int) {
        self.start = start
        self.width = width
        self.count = count
    }

    /// Rounds down, also before 1970.
    private static func number(of time: Int64, _ width: Int64) -> Int64 {
        time / width - (time % width < 0 ? 1 : 0)
    }
}
