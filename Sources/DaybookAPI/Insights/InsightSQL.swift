import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

extension Insight {
    /// The statement that answers the insight, readable and runnable by people.
    /// - Parameter now: Nanoseconds since 1970; `last` counts back from it.
    package func sql(_ dialect: StoreDialect, now: Int64) -> String {
        let dialect = SQLDialect(rawValue: dialect.rawValue) ?? .sqlite
        return InsightSQL(insight: self, now: now, conditions: InsightConditions(dialect: dialect)).text
    }

    /// The time range in nanoseconds since 1970: `since` inclusive, `until` exclusive. `last` ends now. An open end
    /// excludes implausible times, unless `since` is implausible.
    package func bounds(now: Int64) -> (since: Int64, until: Int64) {
        let plausible = PlausibleTime.range(at: now)
        let since = last.map { now - $0 + 1 } ?? self.since ?? plausible.lowerBound
        let open = since < plausible.upperBound ? plausible.upperBound : .max
        let end = last == nil ? self.until ?? open : min(self.until ?? .max, now + 1)
        return (max(since, 0), min(end, Self.latest))
    }

    /// The year 2255, so that sums of times fit 64 bits whatever senders report.
    private static let latest: Int64 = 9_000_000_000_000_000_000

    package static let nanosecondsOfDay: Int64 = 86_400_000_000_000
}

/// Composes statements; engines differ only in JSON and dates. Each part reads the previous one once, because
/// ClickHouse runs it as often as it is read.
private struct InsightSQL {
    let insight: Insight
    let now: Int64
    let conditions: InsightConditions

    var text: String {
        switch insight.question {
        case .funnel(let steps): funnel(steps)
        case .retention(let first, let returning, let periods): retention(first, returning, periods)
        case .path(let step, let length, let top): path(step, length, top)
        }
    }

    /// Columns that divide people: with a version, a path through the steps stays within one version.
    private var version: [String] { insight.isByVersion ? ["app_version"] : [] }
    private var selectedVersion: [String] { insight.isByVersion ? ["\(conditions.version) AS app_version"] : [] }
    private var person: String { conditions.person(insight.joining) }
    private var sorted: String { "PARTITION BY \(list(["person"] + version)) ORDER BY at, place" }

    private func list(_ columns: [String]) -> String { columns.joined(separator: ", ") }

    /// PostgreSQL evaluates a column each time it is named, and masked columns are expensive. `OFFSET 0` keeps the
    /// subquery separate, so that they are computed once per record.
    private func source(_ tags: String?, since: Int64, until: Int64) -> String {
        let plain = (["kind = 'event'"] + [tags].compactMap(\.self) + ["time >= \(since)", "time < \(until)"])
            .joined(separator: "\n        AND ")
        var parts = ["\(person) IS NOT NULL"]
        if !insight.versions.isEmpty {
            let names = insight.versions.map(conditions.dialect.literal)
            parts.append("\(conditions.version) IN (\(list(names)))")
        }
        let read = parts.joined(separator: "\n        AND ")
        guard conditions.dialect == .postgresql else {
            return "FROM records\n    WHERE \(plain)\n        AND \(read)"
        }
        return "FROM (SELECT * FROM records\n    WHERE \(plain)\n    OFFSET 0) AS records\n    WHERE \(read)"
    }

    private func period(_ time: String) -> String {
        let local = insight.zone == 0 ? time : "\(time) + \(Int64(insight.zone) * 1_000_000_000)"
        let day = conditions.quotient(local, Insight.nanosecondsOfDay)
        // 1970 began on a Thursday.
        return insight.period == .week ? conditions.quotient("\(day) + 3", 7) : day
    }

    /// The date of a day number, or of a week's first day.
    private func date(_ period: String) -> String {
        conditions.date(insight.period == .week ? "\(period) * 7 - 3" : period)
    }

    // MARK: Funnel

    /// Each part `step2`, `step3`… computes, for each event of that step, the latest start of a path to it.
    private func funnel(_ steps: [Insight.Step]) -> String {
        let bounds = insight.bounds(now: now)
        let flags = steps.indices.map { "is_step\($0 + 1)" }
        let marks = zip(steps, flags).map { "CASE WHEN \(conditions.holds($0)) THEN 1 END AS \($1)" }
        var parts = [
            """
            WITH events AS (
                SELECT \(list(["\(person) AS person"] + selectedVersion + ["time AS at", "id AS place"])),
                    \(marks.joined(separator: ",\n        "))
                \(source(conditions.tags(of: steps), since: bounds.since, until: bounds.until))
            )
            """
        ]
        let common = ["person"] + version + ["at", "place"]
        for index in steps.indices {
            let begun = steps.indices.prefix(index).map { "begun\($0 + 1)" }
            let kept = list(common + begun + flags[(index + 1)...])
            let previous = index == 0 ? "events" : "step\(index)"
            if index == 0 {
                parts.append(
                    """
                    step1 AS (
                        SELECT \(kept), CASE WHEN is_step1 = 1 THEN at END AS begun1 FROM events
                    )
                    """)
                continue
            }
            let latest = "max(begun\(index)) OVER earlier"
            let limit = insight.within.map { " AND at - \(latest) <= \($0)" } ?? ""
            parts.append(
                """
                step\(index + 1) AS (
                    SELECT \(kept),
                        CASE WHEN is_step\(index + 1) = 1\(limit) THEN \(latest) END AS begun\(index + 1)
                    FROM \(previous)
                    WINDOW earlier AS (\(sorted) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                )
                """)
        }
        parts += reached(steps.count)
        return parts.joined(separator: ",\n") + "\n" + medians
    }

    /// Who reached which step, and the fastest time. Without periods, there is one row per person before steps become
    /// rows, which keeps them few.
    private func reached(_ count: Int) -> [String] {
        let numbers = (1...count).map { $0 == 1 ? "SELECT 1 AS step" : "SELECT \($0)" }.joined(separator: " UNION ALL ")
        func ofStep(_ name: String) -> String {
            "CASE step \((1...count).map { "WHEN \($0) THEN \(name)\($0)" }.joined(separator: " ")) END"
        }
        guard insight.period != nil else {
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
                        SELECT \(list(version + ["step", "\(ofStep("way")) AS took"]))
                        FROM people_ways CROSS JOIN (\(numbers)) AS numbers) AS all_steps
                    WHERE took IS NOT NULL
                )
                """,
            ]
        }
        let groups = version + ["period", "step", "person"]
        return [
            """
            ways AS (
                SELECT \(list(["person"] + version + ["step", "at"])), \(ofStep("begun")) AS begun
                FROM step\(count) CROSS JOIN (\(numbers)) AS numbers
            )
            """,
            """
            persons AS (
                SELECT \(list(groups)), min(way) AS took
                FROM (SELECT \(list(["person"] + version + ["\(period("begun")) AS period", "step", "at - begun AS way"]))
                    FROM ways WHERE begun IS NOT NULL) AS found
                GROUP BY \(list(groups))
            )
            """,
        ]
    }

    /// The lower median.
    private var medians: String {
        let groups = version + (insight.period == nil ? [] : ["period"]) + ["step"]
        let shown =
            version + (insight.period.map { ["\(date("period")) AS \($0.rawValue)"] } ?? [])
            + ["step", "people", "took AS median_nanoseconds"]
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

    // MARK: Retention

    /// Searches all plausible times for a person's first period, so that an earlier visitor does not appear new.
    private func retention(_ first: Insight.Step, _ returning: Insight.Step, _ periods: Int) -> String {
        let bounds = insight.bounds(now: now)
        func periodNumber(_ time: Int64) -> Int64 {
            let day = (time + Int64(insight.zone) * 1_000_000_000) / Insight.nanosecondsOfDay
            return insight.period == .week ? (day + 3) / 7 : day
        }
        let isOfAll = insight.since == nil && insight.last == nil
        let begins = isOfAll ? "" : " AND cohort >= \(periodNumber(bounds.since))"
        let since = min(bounds.since, max(PlausibleTime.range(at: now).lowerBound, 0))
        return """
            WITH events AS (
                SELECT \(person) AS person, \(period("time")) AS period,
                    CASE WHEN \(conditions.holds(first)) THEN 1 ELSE 0 END AS begins,
                    CASE WHEN \(conditions.holds(returning)) THEN 1 ELSE 0 END AS comes_back
                \(source(conditions.tags(of: [first, returning]), since: since, until: bounds.until))
            ),
            periods AS (
                SELECT person, period, max(begins) AS began, max(comes_back) AS came_back
                FROM events GROUP BY person, period
            ),
            persons AS (
                SELECT person, period, came_back,
                    min(CASE WHEN began = 1 THEN period END) OVER (PARTITION BY person) AS cohort
                FROM periods
            )
            SELECT \(date("cohort")) AS \(insight.period?.rawValue ?? "day"), period - cohort AS age, count(*) AS people
            FROM persons
            WHERE (period = cohort OR period > cohort AND came_back = 1) AND period - cohort <= \(periods)\(begins)
            GROUP BY cohort, period
            ORDER BY cohort, period
            """
    }

    // MARK: Path

    private func path(_ step: Insight.Step, _ length: Int, _ top: Int) -> String {
        let bounds = insight.bounds(now: now)
        let numbers = Array(1...length)
        let following = numbers.flatMap {
            ["\(follower("name", $0)) AS name\($0)", "\(follower("at", $0)) AS at\($0)"]
        }
        let limited = numbers.map { number in
            insight.within.map { "CASE WHEN at\(number) - at <= \($0) THEN name\(number) END AS next\(number)" }
                ?? "name\(number) AS next\(number)"
        }
        let nexts = numbers.map { "next\($0)" }
        let all = version.isEmpty ? "" : "PARTITION BY app_version"
        let tagged = conditions.tags(of: [step])
        return """
            WITH events AS (
                SELECT \(list(["\(person) AS person"] + selectedVersion + ["time AS at", "id AS place", "tag AS name"])),
                    CASE WHEN \(conditions.holds(step)) THEN 1 ELSE 0 END AS begins
                \(source(InsightConditions.notOwn, since: bounds.since, until: bounds.until))
                    AND \(person) \(conditions.dialect == .clickhouse ? "GLOBAL IN" : "IN") (
                        SELECT \(person) \(source(tagged, since: bounds.since, until: bounds.until)))
            ),
            followed AS (
                SELECT \(list(["person"] + version + ["at", "begins"])),
                    \(following.joined(separator: ",\n        "))
                FROM events WINDOW later AS (\(sorted)\(followerFrame))
            ),
            paths AS (
                SELECT \(list(["person"] + version + limited)) FROM followed WHERE begins = 1
            ),
            counted AS (
                SELECT \(list(version + nexts)), count(*) AS times, count(DISTINCT person) AS people
                FROM paths GROUP BY \(list(version + nexts))
            )
            SELECT \(list(version + nexts + ["times", "people", "all_times"]))
            FROM (
                SELECT \(list(version + nexts)), times, people, sum(times) OVER (\(all)) AS all_times,
                    row_number() OVER (\(all) ORDER BY times DESC, \(list(nexts.map { "coalesce(\($0), '')" }))) AS nth
                FROM counted) AS ranked
            WHERE nth <= \(top)
            ORDER BY \(list(version + ["times DESC"] + nexts.map { "coalesce(\($0), '')" }))
            """
    }

    /// ClickHouse's function, chosen because older versions have it too, is limited to the frame, and returns an empty
    /// value beyond it.
    private func follower(_ column: String, _ number: Int) -> String {
        conditions.dialect == .clickhouse
            ? "leadInFrame(toNullable(CAST(\(column) AS \(column == "at" ? "Int64" : "String"))), \(number)) OVER later"
            : "lead(\(column), \(number)) OVER later"
    }

    private var followerFrame: String {
        conditions.dialect == .clickhouse ? " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING" : ""
    }
}
