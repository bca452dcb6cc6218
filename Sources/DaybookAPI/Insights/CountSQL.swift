import DaybookDefinitions

/// The statements of counts and measures.
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
}

extension Insight {
    /// Of a measure, in hundredths.
    package static let percentiles = [50, 90, 95, 99]
}
