import DaybookBase
import DaybookStore
import DaybookTools

extension Insight {
    /// A store's answer: from columns if it has them, otherwise by the statement.
    /// - Parameters:
    ///   - columns: `nil` without columns.
    ///   - sql: The insight's statement.
    ///   - policy: For columns; the statements are masked already.
    package func answer(
        from columns: (any ColumnarStore)?, or statements: any StatementRunner, _ sql: String, limits: QueryLimits,
        _ policy: MaskingPolicy?, now: Int64, progress: @escaping @Sendable (SearchProgress) -> Void = { _ in }
    ) async throws -> QueryResult {
        guard let columns else { return try await statements.query(sql, limits: limits) }
        var answer = try await columns.fold(limit: limits.time, progress: progress) { source throws(StoreError) in
            try self.answer(from: source, now: now, FoldSight(masking: policy))
        }
        answer.cut(to: limits)
        return answer
    }

    /// The answer, computed from columns: the rows of the statement ``sql(_:now:)``.
    /// - Parameter now: Nanoseconds since 1970; `last` counts back from it.
    /// - Throws: ``StoreError``.
    package func answer(
        from source: any ColumnSource, now: Int64, _ sight: FoldSight = FoldSight()
    ) throws(StoreError) -> QueryResult {
        let bounds = bounds(now: now)
        let rows = try rows(from: source, bounds.since..<max(bounds.since, bounds.until), now, sight)
        let answer = QueryResult(columns: answered, rows: rows, isTruncated: false)
        return parameter == nil ? answer : mostFrequent(answer)
    }

    /// The answer for all values of the parameter.
    private func rows(
        from source: any ColumnSource, _ times: Range<Int64>, _ now: Int64, _ sight: FoldSight
    ) throws(StoreError) -> [[QueryResult.Cell]] {
        switch question {
        case .funnel:
            return isInAnyOrder
                ? try funnel(source, times, sight, AnyOrderFold.self)
                : try funnel(source, times, sight, OrderedFunnelFold.self)
        case .retention(_, _, let periods):
            return try retention(source, times, periods, now, sight)
        case .path(_, let length): return try path(source, times, length, sight)
        case .count: return try TallyFold(self, times: times, source, sight).count()
        case .measure(let number, _):
            let fold = TallyFold(self, times: times, source, sight)
            return isInBuckets ? try fold.buckets(of: number) : try fold.measure(number)
        case .differ(_, _, let columns):
            return try DifferenceFold(self, by: columns, times: times, sight).answer(from: source)
        }
    }

    // MARK: Funnel

    private struct FunnelGroup: Hashable {
        var version: Int32
        var division: Int64
        var step: Int16
    }

    private func funnel<Fold: FunnelFold>(
        _ source: any ColumnSource, _ times: Range<Int64>, _ sight: FoldSight, _ fold: Fold.Type
    ) throws(StoreError) -> [[QueryResult.Cell]] {
        var (versions, values) = (TextNumbers(), TextNumbers())
        var groups: [FunnelGroup: [Int64]] = [:]
        var count = 0
        try OrderedEvents<Fold>(self, times: times, source, sight).run { counted throws(StoreError) in
            let versionNumbers = counted.people.versions.texts.map { Int32(versions.number(of: $0)) }
            let valueNumbers = counted.values.texts.map { Int64(values.number(of: $0)) }
            counted.fold.forEach { way in
                let version = versionNumbers[Int(counted.people.versionsOfPeople[Int(way.person)])]
                let period = way.division & ~0xFFFF_FFFF
                let division = period | valueNumbers[FunnelDivision.value(way.division)]
                groups[FunnelGroup(version: version, division: division, step: way.step), default: []].append(way.took)
                count += 1
            }
            try sight.bounds.check(answer: count)
        }
        let clock = Periods(self)
        let rows = groups.map { group, times -> [QueryResult.Cell] in
            var cells: [QueryResult.Cell] = isByVersion ? [.text(versions.texts[Int(group.version)])] : []
            if parameter != nil { cells.append(.text(values.texts[FunnelDivision.value(group.division)])) }
            if let clock { cells.append(.text(clock.date(FunnelDivision.period(group.division)))) }
            let median = times.sorted()[(times.count + 1) / 2 - 1]
            return cells + [.integer(Int64(group.step) + 1), .integer(Int64(times.count)), .integer(median)]
        }
        return rows.sorted(by: QueryResult.precedes)
    }

    // MARK: Retention

    private func retention(
        _ source: any ColumnSource, _ times: Range<Int64>, _ periods: Int, _ now: Int64, _ sight: FoldSight
    ) throws(StoreError) -> [[QueryResult.Cell]] {
        // An earlier visitor is not new, even if the answer begins later.
        let start = min(times.lowerBound, max(PlausibleTime.range(at: now).lowerBound, 0))
        let clock = Periods(self)
        let isOfAll = self.since == nil && last == nil
        let first = isOfAll ? Int32.min : clock?.number(of: times.lowerBound) ?? .min
        let counts = try RetentionFold(self, times: start..<times.upperBound, source, sight).counts(periods: periods)
        var rows: [[QueryResult.Cell]] = []
        for (cohort, people) in counts.people where cohort.first >= first {
            let value = parameter == nil ? [] : [QueryResult.Cell.text(counts.values[Int(cohort.value)])]
            for (age, count) in people.enumerated() where count > 0 {
                let date = QueryResult.Cell.text(clock?.date(cohort.first) ?? "")
                rows.append(value + [date, .integer(Int64(age)), .integer(count)])
            }
        }
        return rows.sorted(by: QueryResult.precedes)
    }

    // MARK: Path

    private func path(
        _ source: any ColumnSource, _ times: Range<Int64>, _ length: Int, _ sight: FoldSight
    ) throws(StoreError) -> [[QueryResult.Cell]] {
        var (versions, values, tags) = (TextNumbers(), TextNumbers(), TextNumbers())
        var counts: [PathFold.Path: (times: Int64, people: Int64)] = [:]
        try OrderedEvents<PathFold>(self, times: times, source, sight).run { counted throws(StoreError) in
            let versionNumbers = counted.people.versions.texts.map { Int32(versions.number(of: $0)) }
            let valueNumbers = counted.values.texts.map { Int32(values.number(of: $0)) }
            let tagNumbers = counted.tags.texts.map { Int32(tags.number(of: $0)) }
            var fold = counted.fold
            fold.forEach { path, person, times in
                var path = path
                path.version = versionNumbers[Int(counted.people.versionsOfPeople[person])]
                path.value = valueNumbers[Int(path.value)]
                for place in 0..<length where path[place] >= 0 { path[place] = tagNumbers[Int(path[place])] }
                counts[path, default: (0, 0)].times += times
                counts[path, default: (0, 0)].people += 1
            }
            // A path takes eight times as much as a time.
            try sight.bounds.check(answer: 8 * counts.count)
        }
        // Of equally frequent ones the first in the order of their names, as SQL orders texts.
        let order =
            [-1] + tags.texts.indices.sorted { tags.texts[$0].utf8.lexicographicallyPrecedes(tags.texts[$1].utf8) }
        var ranks = [Int](repeating: 0, count: order.count)
        for (rank, number) in order.enumerated() { ranks[number + 1] = rank }
        func sortKey(_ path: PathFold.Path) -> [Int] { (0..<length).map { ranks[Int(path[$0]) + 1] } }
        var rows: [[QueryResult.Cell]] = []
        for own in Dictionary(grouping: counts, by: { [$0.key.version, $0.key.value] }).values {
            let total = own.reduce(0) { $0 + $1.value.times }
            let sorted = own.sorted { left, right in
                if left.value.times != right.value.times { return left.value.times > right.value.times }
                return sortKey(left.key).lexicographicallyPrecedes(sortKey(right.key))
            }
            for (path, count) in sorted.prefix(top) {
                let names = (0..<length).map { place -> QueryResult.Cell in
                    path[place] < 0 ? .null : .text(tags.texts[Int(path[place])])
                }
                rows.append(
                    (isByVersion ? [.text(versions.texts[Int(path.version)])] : [])
                        + (parameter == nil ? [] : [.text(values.texts[Int(path.value)])]) + names
                        + [.integer(count.times), .integer(count.people), .integer(total)])
            }
        }
        return rows
    }
}

extension QueryResult {
    /// Orders rows by their cells, as SQL does.
    static func precedes(_ left: [Cell], _ right: [Cell]) -> Bool {
        for (left, right) in zip(left, right) where left != right {
            switch (left, right) {
            case (.integer(let left), .integer(let right)): return left < right
            case (.text(let left), .text(let right)): return left.utf8.lexicographicallyPrecedes(right.utf8)
            default: return false
            }
        }
        return false
    }
}
