import DaybookBase
import DaybookStore
import DaybookTools

/// Counts records over time, within the store's budget; counts of partial answers add up.
package struct HistogramQuestion: Sendable {
    private static let own: Set = ["buckets", "by", "values", "start", "width", "after", "before"]
    static let names = own.union(FilterParameters.namesWithRun)
    private static let mostBuckets: Int64 = 1_000
    /// Time for counting records outside the buckets.
    private static let outsidePatience = Duration.seconds(1)
    /// Most values that a histogram distinguishes.
    private static let mostValues = 20

    private let filters: FilterContext
    private let store: any EventStore

    package init(_ filters: FilterContext, of store: any EventStore) { (self.filters, self.store) = (filters, store) }

    /// - Throws: ``StoreError``, or ``Problem`` that names the parameter and its valid values.
    package func answer(_ parameters: Parameters) async throws -> HistogramAnswer {
        var (buckets, start, width) = (Int64(96), Int64?.none, Int64?.none)
        var (after, before) = (Int64?.none, Int64?.none)
        var by = FacetQuery.Field.kind
        var values: Set<ExactText>?
        var reader = try await ParameterReader(narrowing: parameters, filters, in: store)
        try reader.read(own: Self.own) { name, value throws(Problem) in
            switch name {
            case "buckets": buckets = try FilterParameters.number(name, value, in: 1...Self.mostBuckets)
            case "by": by = try FacetQuery.Field(parameter: name, value)
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
        filters.tell(ofPrivate: [by], filter.sight)
        (query.after, query.before) = (after, before)
        return HistogramAnswer(try await store.histogram(query), of: query, outside: outside ?? 0)
    }

    /// Rejects current times in seconds, milliseconds or microseconds, because the unit of `width` would be ambiguous.
    private func checkUnit(of start: Int64) throws(Problem) {
        let read = ReadTime.nanoseconds(of: start)
        guard read != start, PlausibleTime.range(at: filters.now()).contains(read) else { return }
        throw Problem(
            .badRequest, "start and width are nanoseconds, not another unit: start=\(read), and width likewise.")
    }

    private static func values(_ text: String) throws(Problem) -> Set<ExactText> {
        guard case .array(let items)? = try? JSONReader.value(of: Array(text.utf8)), items.count <= mostValues,
            items.allSatisfy({ $0.text != nil })
        else {
            throw Problem(.badRequest, "values is a JSON array of at most \(mostValues) texts, not “\(text)”.")
        }
        return Set(items.compactMap { $0.text.map { ExactText($0) } })
    }

    /// Other fields may have as many values as records.
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

    /// The histogram's range: the filter's times, limited to the store's records. Open ends exclude implausible times,
    /// unless there are no others.
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
        // If elapsed time could reveal hidden values, the number of parts is fixed.
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
}
