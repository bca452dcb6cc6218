import DaybookDefinitions

/// The statements of funnels.
extension InsightSQL {
    /// A person's events in order. A way never leads past an excluded event.
    private var ordered: String {
        "PARTITION BY \(list(["person"] + version + section)) ORDER BY at, place"
    }

    private var section: [String] { insight.excluded == nil ? [] : ["section"] }

    /// Each part `step2`, `step3`… computes, for each event of that step, the latest start of a path to it.
    func funnel(_ steps: [Insight.Step]) -> String {
        var parts = events(steps)
        parts += insight.isInAnyOrder ? anyOrder(steps.count) : stepByStep(steps.count)
        return parts.joined(separator: ",\n") + "\n" + medians
    }

    /// The steps' events.
    private func events(_ steps: [Insight.Step]) -> [String] {
        let bounds = insight.bounds(now: now)
        var marks: [String]
        if insight.isInAnyOrder {
            let cases = steps.enumerated().map { "WHEN \(conditions.holds($1)) THEN \($0 + 1)" }
            marks = ["CASE \(cases.joined(separator: "\n        ")) END AS matched"]
        } else {
            marks = steps.enumerated().map { "CASE WHEN \(conditions.holds($1)) THEN 1 END AS is_step\($0 + 1)" }
        }
        if let parameter = insight.parameter {
            // With the value of the event that a way begins with.
            marks.append("\(conditions.place(labelled: parameter)) AS origin")
        }
        if let excluded = insight.excluded {
            marks.append("CASE WHEN \(conditions.holds(excluded)) THEN 1 END AS is_excluded")
        }
        let events = """
            WITH events AS (
                SELECT \(list(["\(person) AS person"] + selectedVersion + ["time AS at", "id AS place"])),
                    \(marks.joined(separator: ",\n        "))
                \(source(conditions.tags(of: insight.events), since: bounds.since, until: bounds.until))
            )
            """
        guard insight.excluded != nil else { return [events] }
        return [
            events,
            """
            sections AS (
                SELECT *, count(is_excluded) OVER (PARTITION BY \(list(["person"] + version)) ORDER BY at, place
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS section
                FROM events
            )
            """,
        ]
    }

    private var source: String { insight.excluded == nil ? "events" : "sections" }

    // MARK: Step by step

    private func stepByStep(_ count: Int) -> [String] {
        let common = ["person"] + version + section + ["at", "place"]
        let parts = (1...count).map { step in
            let earlier = (1..<step).flatMap { ["begun\($0)"] + (value.isEmpty ? [] : ["origin\($0)"]) }
            let flags = step < count ? (step + 1...count).map { "is_step\($0)" } : []
            let kept = list(common + earlier + flags)
            guard step > 1 else {
                let origin = value.isEmpty ? "" : ", CASE WHEN is_step1 = 1 THEN origin END AS origin1"
                return """
                    step1 AS (
                        SELECT \(kept), CASE WHEN is_step1 = 1 THEN at END AS begun1\(origin) FROM \(source)
                    )
                    """
            }
            let latest = "max(begun\(step - 1)) OVER earlier"
            let condition = "is_step\(step) = 1" + (insight.within.map { " AND at - \(latest) <= \($0)" } ?? "")
            let origin =
                value.isEmpty
                ? "" : ",\n        CASE WHEN \(condition) THEN max(origin\(step - 1)) OVER earlier END AS origin\(step)"
            return """
                step\(step) AS (
                    SELECT \(kept),
                        CASE WHEN \(condition) THEN \(latest) END AS begun\(step)\(origin)
                    FROM step\(step - 1)
                    WINDOW earlier AS (\(ordered) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                )
                """
        }
        return parts + (isDivided ? divided(count) : reached(count))
    }

    private var isDivided: Bool { insight.period != nil || insight.parameter != nil }

    private func numbers(_ count: Int) -> String {
        (1...count).map { $0 == 1 ? "SELECT 1 AS step" : "SELECT \($0)" }.joined(separator: " UNION ALL ")
    }

    private func ofStep(_ name: String, _ count: Int) -> String {
        "CASE step \((1...count).map { "WHEN \($0) THEN \(name)\($0)" }.joined(separator: " ")) END"
    }

    /// Who reached which step, and the fastest time: one row per person before steps become rows, which keeps them few.
    private func reached(_ count: Int) -> [String] {
        let ways = (1...count).map { "min(at - begun\($0)) AS way\($0)" }
        return [
            """
            people_ways AS (
                SELECT \(list(version + ["person"] + ways))
                FROM step\(count) GROUP BY \(list(version + ["person"]))
            )
            """,
            """
            persons AS (
                SELECT * FROM (
                    SELECT \(list(version + ["step", "\(ofStep("way", count)) AS took"]))
                    FROM people_ways CROSS JOIN (\(numbers(count))) AS numbers) AS all_steps
                WHERE took IS NOT NULL
            )
            """,
        ]
    }

    /// Who reached which step in which period, or from which value.
    private func divided(_ count: Int) -> [String] {
        let origin = value.isEmpty ? [] : ["\(ofStep("origin", count)) AS origin"]
        return [
            """
            ways AS (
                SELECT \(list(["person"] + version + ["step", "at", "\(ofStep("begun", count)) AS begun"] + origin))
                FROM step\(count) CROSS JOIN (\(numbers(count))) AS numbers
            )
            """, persons("begun IS NOT NULL"),
        ]
    }

    /// The fastest ways.
    private func persons(_ condition: String) -> String {
        let value = value.isEmpty ? [] : ["\(conditions.label(ofPlace: "origin")) AS app_value"]
        let period = insight.period == nil ? [] : ["\(period("begun")) AS period"]
        let groups = groups + ["step", "person"]
        return """
            persons AS (
                SELECT \(list(groups)), min(way) AS took
                FROM (SELECT \(list(["person"] + version + value + period + ["step", "at - begun AS way"]))
                    FROM ways WHERE \(condition)) AS found
                GROUP BY \(list(groups))
            )
            """
    }

    // MARK: In any order

    /// For each event the latest one of each step, the latest first: the window that has so many steps begins there.
    private func anyOrder(_ count: Int) -> [String] {
        let last = value.isEmpty ? "at" : "origin"
        let latest = (1...count).map { "max(CASE WHEN matched = \($0) THEN \(last) END) OVER so_far AS last\($0)" }
        let begun = value.isEmpty ? "latest_one" : conditions.time(ofPlace: "latest_one")
        let within = insight.within.map { "at - begun <= \($0)" } ?? "begun IS NOT NULL"
        return [
            """
            latest AS (
                SELECT \(list(["person"] + version + ["at", "place", "matched"])),
                    \(latest.joined(separator: ",\n        "))
                FROM \(source)
                WINDOW so_far AS (\(ordered) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
            )
            """,
            """
            ways AS (
                SELECT \(list(["person"] + version + ["at", "\(begun) AS begun", "latest_one AS origin"])),
                    row_number() OVER (PARTITION BY place ORDER BY latest_one DESC) AS step
                FROM (
                    SELECT \(list(["person"] + version + ["at", "place", "\(ofStep("last", count)) AS latest_one"]))
                    FROM latest CROSS JOIN (\(numbers(count))) AS numbers
                    WHERE matched IS NOT NULL) AS all_steps
                WHERE latest_one IS NOT NULL
            )
            """, persons(within),
        ]
    }

    // MARK: Medians

    /// The lower median.
    private var medians: String {
        let groups = groups + ["step"]
        let shown = shownGroups + ["step", "people", "took AS median_nanoseconds"]
        return """
            SELECT \(list(shown))
            FROM (
                SELECT \(list(groups)), took, row_number() OVER (PARTITION BY \(list(groups)) ORDER BY took) AS nth,
                    count(*) OVER (PARTITION BY \(list(groups))) AS people
                FROM persons) AS ranked
            WHERE 2 * nth - people BETWEEN 0 AND 1
            ORDER BY \(list((1...groups.count).map(String.init)))
            """
    }
}
