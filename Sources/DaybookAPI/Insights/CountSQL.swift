import DaybookDefinitions

/// The statements of counts, measures and differences.
extension InsightSQL {
    private var selected: [String] {
        selectedVersion + selectedValue + (insight.period == nil ? [] : ["\(period("time")) AS period"])
    }

    private var grouped: String { groups.isEmpty ? "" : "\nGROUP BY \(list(groups))" }

    private func events(_ step: Insight.Step, _ columns: [String]) -> String {
        let bounds = insight.bounds(now: now)
        let tags = conditions.tags(of: [step])
        return """
            WITH events AS (
                SELECT \(list(selected + columns))
                \(source(tags, since: bounds.since, until: bounds.until, conditions.holds(step)))
            )
            """
    }

    func count(_ step: Insight.Step) -> String {
        """
        \(events(step, ["\(person) AS person"]))
        SELECT \(list(shownGroups + ["count(*) AS times", "count(DISTINCT person) AS people"]))
        FROM events\(grouped)
        """
    }

    /// Percentiles are the smallest number with at least so many of a hundred at or below it.
    func measure(_ number: Insight.Number, of step: Insight.Step) -> String {
        let partition = groups.isEmpty ? "" : "PARTITION BY \(list(groups))"
        let percentiles = Insight.percentiles.map { percentile in
            let place = conditions.quotient("total * \(percentile) + 99", 100)
            return "max(CASE WHEN nth = \(place) THEN number END) AS p\(percentile)"
        }
        let numbers = ["max(total) AS times", "min(number) AS least"] + percentiles + ["max(number) AS most"]
        return """
            \(events(step, ["\(conditions.number(number)) AS number"])),
            ranked AS (
                SELECT \(list(groups + ["number"])), row_number() OVER (\(partition.isEmpty ? "" : partition + " ")ORDER BY number) AS nth,
                    count(*) OVER (\(partition)) AS total
                FROM events WHERE number IS NOT NULL
            )
            SELECT \(list(shownGroups + numbers))
            FROM ranked\(grouped)
            """
    }

    /// How many numbers are in each bucket, which is named by its lower bound.
    func buckets(_ number: Insight.Number, of step: Insight.Step) -> String {
        let bounds = NumberBuckets.bounds.map { ($0, InsightConditions.literal($0)) }
        let cases = zip(bounds, bounds.dropFirst()).map { "WHEN number < \($1.1) THEN \($0.1)" }
        let bucket =
            "CASE WHEN number >= \(bounds[0].1) THEN CASE \(cases.joined(separator: " "))"
            + " ELSE \(bounds[bounds.count - 1].1) END END"
        return """
            \(events(step, ["\(conditions.number(number)) AS number"])),
            counted AS (
                SELECT \(list(groups + ["\(conditions.double(bucket)) AS least"])) FROM events WHERE number IS NOT NULL
            )
            SELECT \(list(shownGroups + ["least", "count(*) AS times"]))
            FROM counted
            GROUP BY \(list(groups + ["least"]))
            """
    }

    /// Each record once for each column, so that the records are read once.
    func difference(_ first: Insight.Step, _ second: Insight.Step, _ columns: [String]) -> String {
        let bounds = insight.bounds(now: now)
        let sides = [(first, "is_first"), (second, "is_second")].map { step, side in
            "CASE WHEN \(conditions.holds(step)) THEN 1 ELSE 0 END AS \(side)"
        }
        let values = columns.enumerated().map { index, name in
            "\(name == Insight.version ? conditions.version + conditions.collation : conditions.label(name)) AS value\(index)"
        }
        let names = columns.map(conditions.dialect.literal)
        let cases = names.enumerated().map { "WHEN \($1) THEN value\($0)" }.joined(separator: " ")
        let (name, value) = ("name" + conditions.collation, "value" + conditions.collation)
        return """
            WITH events AS (
                SELECT \(list(sides + values))
                \(source(
                    conditions.tags(of: [first, second]), since: bounds.since, until: bounds.until,
                    "((\(conditions.holds(first))) OR (\(conditions.holds(second))))"))
            ),
            parts AS (
                SELECT name, CASE name \(cases) END AS value, is_first, is_second
                FROM events CROSS JOIN (\(names.map { "SELECT \($0) AS name" }.joined(separator: " UNION ALL "))) AS names
            ),
            counted AS (
                SELECT name, value, sum(is_first) AS of_first, sum(is_second) AS of_second FROM parts GROUP BY name, value
            ),
            compared AS (
                SELECT name, value, of_first, of_second, sum(of_first) OVER (PARTITION BY name) AS all_first,
                    sum(of_second) OVER (PARTITION BY name) AS all_second
                FROM counted
            )
            SELECT name, value, of_first, of_second, all_first, all_second
            FROM compared
            ORDER BY abs(of_first * all_second - of_second * all_first) DESC, \(name), \(value)
            LIMIT \(insight.top)
            """
    }
}

extension Insight {
    /// Of a measure, in hundredths.
    package static let percentiles = [50, 90, 95, 99]
}
