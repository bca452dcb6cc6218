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
struct InsightSQL {
    let insight: Insight
    let now: Int64
    let conditions: InsightConditions

    var text: String { insight.parameter == nil ? whole : mostFrequent }

    /// The answer for all values of the parameter.
    private var whole: String {
        switch insight.question {
        case .funnel(let steps): funnel(steps)
        case .retention(let first, let returning, let periods): retention(first, returning, periods)
        case .path(let step, let length): path(step, length)
        case .count(let step): count(step)
        case .measure(let number, let step): insight.isInBuckets ? buckets(number, of: step) : measure(number, of: step)
        case .differ(let first, let second, let columns): difference(first, second, columns)
        }
    }

    /// The answer for the most frequent values of the parameter.
    private var mostFrequent: String {
        let weight = insight.weight
        let counted = weight.condition.map { "CASE WHEN \($0.column) = \($0.value) THEN \(weight.column) ELSE 0 END" }
        return """
            WITH answer AS (
            \(whole)
            ),
            weighed AS (
                SELECT *, sum(\(counted ?? weight.column)) OVER (PARTITION BY app_value) AS weight FROM answer
            ),
            ranked AS (
                SELECT *, dense_rank() OVER (ORDER BY weight DESC, app_value) AS nth FROM weighed
            ),
            numbered AS (
                SELECT *, max(nth) OVER () AS all_values FROM ranked
            )
            SELECT \(list(insight.answered + [Insight.allValues]))
            FROM numbered
            WHERE nth <= \(insight.top)
            ORDER BY \(list(["nth"] + insight.answered))
            """
    }

    /// Columns that divide people: with a version, a path through the steps stays within one version.
    var version: [String] { insight.isByVersion ? ["app_version"] : [] }
    var selectedVersion: [String] { insight.isByVersion ? ["\(conditions.version) AS app_version"] : [] }
    /// The column that divides answers by a parameter.
    var value: [String] { insight.parameter == nil ? [] : ["app_value"] }
    var selectedValue: [String] { insight.parameter.map { ["\(conditions.label($0)) AS app_value"] } ?? [] }
    /// All that divides answers, in the order of ``Insight/dividing``.
    var groups: [String] { version + value + (insight.period == nil ? [] : ["period"]) }
    var shownGroups: [String] {
        version + value + (insight.period.map { ["\(date("period")) AS \($0.rawValue)"] } ?? [])
    }
    var person: String { conditions.person(insight.joining) }
    private var sorted: String { "PARTITION BY \(list(["person"] + version)) ORDER BY at, place" }

    func list(_ columns: [String]) -> String { columns.joined(separator: ", ") }

    /// PostgreSQL evaluates a column each time it is named, and masked columns are expensive. `OFFSET 0` keeps the
    /// subquery separate, so that they are computed once per record.
    /// - Parameter condition: What is read from the records besides. Default: that somebody did it.
    func source(_ tags: String?, since: Int64, until: Int64, _ condition: String? = nil) -> String {
        let kinds = insight.readsAllKinds ? [] : ["kind = 'event'"]
        let plain = (kinds + [tags].compactMap(\.self) + ["time >= \(since)", "time < \(until)"])
            .joined(separator: "\n        AND ")
        var parts = [condition ?? "\(person) IS NOT NULL"]
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

    func period(_ time: String) -> String {
        let local = insight.zone == 0 ? time : "\(time) + \(Int64(insight.zone) * 1_000_000_000)"
        let day = conditions.quotient(local, Insight.nanosecondsOfDay)
        // 1970 began on a Thursday.
        return insight.period == .week ? conditions.quotient("\(day) + 3", 7) : day
    }

    /// The date of a day number, or of a week's first day.
    func date(_ period: String) -> String {
        conditions.date(insight.period == .week ? "\(period) * 7 - 3" : period)
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
        let isFirst = conditions.holds(first)
        let origin = insight.parameter.map { parameter in
            ",\n        CASE WHEN \(isFirst) THEN \(conditions.place(labelled: parameter)) END AS origin"
        }
        let value = conditions.label(ofPlace: "min(origin) OVER (PARTITION BY person)")
        return """
            WITH events AS (
                SELECT \(person) AS person, \(period("time")) AS period,
                    CASE WHEN \(isFirst) THEN 1 ELSE 0 END AS begins,
                    CASE WHEN \(conditions.holds(returning)) THEN 1 ELSE 0 END AS comes_back\(origin ?? "")
                \(source(conditions.tags(of: [first, returning]), since: since, until: bounds.until))
            ),
            periods AS (
                SELECT person, period, max(begins) AS began, max(comes_back) AS came_back\(
                    origin == nil ? "" : ", min(origin) AS origin")
                FROM events GROUP BY person, period
            ),
            persons AS (
                SELECT person, period, came_back,
                    min(CASE WHEN began = 1 THEN period END) OVER (PARTITION BY person) AS cohort\(
                        origin == nil ? "" : ",\n        \(value) AS app_value")
                FROM periods
            )
            SELECT \(origin == nil ? "" : "app_value, ")\(date("cohort")) AS \(insight.period?.rawValue ?? "day"), period - cohort AS age, count(*) AS people
            FROM persons
            WHERE (period = cohort OR period > cohort AND came_back = 1) AND period - cohort <= \(periods)\(begins)
            GROUP BY \(list(self.value + ["cohort", "period"]))
            ORDER BY \(list(["cohort"] + self.value + ["period"]))
            """
    }

    // MARK: Path

    private func path(_ step: Insight.Step, _ length: Int) -> String {
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
        let selected = ["\(person) AS person"] + selectedVersion + selectedValue
        let all = groups.isEmpty ? "" : "PARTITION BY \(list(groups))"
        let tagged = conditions.tags(of: [step])
        return """
            WITH events AS (
                SELECT \(list(selected + ["time AS at", "id AS place", "tag AS name"])),
                    CASE WHEN \(conditions.holds(step)) THEN 1 ELSE 0 END AS begins
                \(source(InsightConditions.notOwn, since: bounds.since, until: bounds.until))
                    AND \(person) \(conditions.dialect == .clickhouse ? "GLOBAL IN" : "IN") (
                        SELECT \(person) \(source(tagged, since: bounds.since, until: bounds.until)))
            ),
            followed AS (
                SELECT \(list(["person"] + groups + ["at", "begins"])),
                    \(following.joined(separator: ",\n        "))
                FROM events WINDOW later AS (\(sorted)\(followerFrame))
            ),
            paths AS (
                SELECT \(list(["person"] + groups + limited)) FROM followed WHERE begins = 1
            ),
            counted AS (
                SELECT \(list(groups + nexts)), count(*) AS times, count(DISTINCT person) AS people
                FROM paths GROUP BY \(list(groups + nexts))
            )
            SELECT \(list(groups + nexts + ["times", "people", "all_times"]))
            FROM (
                SELECT \(list(groups + nexts)), times, people, sum(times) OVER (\(all)) AS all_times,
                    row_number() OVER (\(all) ORDER BY times DESC, \(list(nexts.map { "coalesce(\($0), '')" }))) AS nth
                FROM counted) AS ranked
            WHERE nth <= \(insight.top)
            ORDER BY \(list(groups + ["times DESC"] + nexts.map { "coalesce(\($0), '')" }))
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
