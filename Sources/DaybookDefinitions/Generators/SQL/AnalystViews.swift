import DaybookBase
import DaybookTools

extension SQLViews {
    /// All views of a store, a collector's or an app's: of events, `activity_log`, `violations`, and those for
    /// analysts.
    package static func ofStore(_ definitions: Definitions, dialect: SQLDialect) -> [SQLView] {
        overRecords(definitions, dialect: dialect)
            + overRecords(violation, eventsAs: "violations", dialect: dialect) + ofAnalysts(dialect)
    }

    /// A collector's counts of events that violate their definitions.
    private static let violation = Definitions.load([
        (
            path: "daybook.md",
            bytes: Array(
                """
                # daybook
                ## violation
                An event that is not what its definition says
                - event: !string 1024
                - violation: !string 64
                - column: !string 1024?
                - count: !bigint
                - message: !string 4096
                - example: !string 1024
                    - The uid of the first such record
                """.utf8)
        )
    ]).0

    /// The views for analysts, whatever a team has defined: `messages`, `errors`, `requests`, `spans`, `installations`,
    /// and `sessions` if the store has none. All read only `records`.
    /// - Parameter dialect: The store's.
    package static func ofAnalysts(_ dialect: SQLDialect) -> [SQLView] {
        guard let expressions = dialect.recordExpressions else { return [] }
        return [messages(dialect, expressions), errors(dialect, expressions), requests(dialect, expressions)]
            + [spans(dialect), installations(dialect)] + (dialect == .sqlite ? [sessions] : [])
    }

    /// Names of numeric columns; in no view is one of them text.
    private static let numbers: Set = [
        "_id", "_level", "id", "level", "line", "start_time", "end_time", "duration_ms", "status_code", "count",
        "sessions",
        "versions", "errors", "first_time", "last_time",
    ]

    private typealias Columns = [(name: String, expression: String, comment: String)]

    /// Fields of every record, named as in events' views, plus those that readers of logs want.
    private static func fields(_ dialect: SQLDialect, _ expressions: any RecordExpressions.Type) -> Columns {
        let names = Level.allCases.sorted(by: >).map { "WHEN level >= \($0.rawValue) THEN '\($0.name)'" }
        let line = dialect == .clickhouse ? "toString(line)" : "CAST(line AS text)"
        return SQLEnvelope.all.compactMap { item in expressions.envelope[item.name].map { (item.name, $0, "") } } + [
            ("level_name", "CASE \(names.joined(separator: " ")) END", "trace to fatal"), ("tag", "tag", ""),
            ("module", "module", ""), ("message", "message", ""),
            ("source", "file || coalesce(':' || \(line), '')", "file and line"), ("function", "function", ""),
        ]
    }

    private static func messages(_ dialect: SQLDialect, _ expressions: any RecordExpressions.Type) -> SQLView {
        SQLView(
            name: "messages", comment: "What was logged in words",
            columns: fields(dialect, expressions) + [("attributes", "attributes", "JSON")], numbers: numbers,
            source: "records", condition: "kind = 'message'", dialect: dialect)
    }

    private static func errors(_ dialect: SQLDialect, _ expressions: any RecordExpressions.Type) -> SQLView {
        SQLView(
            name: "errors", comment: "Errors, and all that is as severe",
            columns: fields(dialect, expressions) + [
                ("kind", "kind", ""),
                ("error_type", dialect.recordText(WireName.exceptionType, in: "attributes"), ""),
                ("error_message", dialect.recordText(WireName.exceptionMessage, in: "attributes"), ""),
                ("attributes", "attributes", "JSON"),
            ], numbers: numbers,
            source: "records", condition: "kind = 'error' OR level >= \(Level.error.rawValue)", dialect: dialect)
    }

    private static func requests(_ dialect: SQLDialect, _ expressions: any RecordExpressions.Type) -> SQLView {
        SQLView(
            name: "requests", comment: "HTTP requests",
            columns: fields(dialect, expressions) + [
                ("method", dialect.recordText(WireName.httpMethod, in: "attributes"), ""),
                ("url", dialect.recordText("url.full", in: "attributes"), ""),
                ("status_code", statusCode(dialect, expressions), ""),
                ("error_type", dialect.recordText("error.type", in: "attributes"), "why there was no answer"),
                ("duration_ms", milliseconds(dialect), ""), ("attributes", "attributes", "JSON"),
            ], numbers: numbers,
            source: "records", condition: "kind = 'request'", dialect: dialect)
    }

    /// Some senders write the number as text.
    private static func statusCode(_ dialect: SQLDialect, _ expressions: any RecordExpressions.Type) -> String {
        let key = "http.response.status_code"
        let text = dialect.recordText(key, in: "attributes")
        let digits =
            switch dialect {
            case .sqlite: "CASE WHEN \(text) GLOB '[1-9][0-9][0-9]' THEN CAST(\(text) AS INTEGER) END"
            case .postgresql, .redshift: "CASE WHEN \(text) ~ '^[1-9][0-9]{2}$' THEN \(text)::bigint END"
            case .clickhouse: "if(match(ifNull(\(text), ''), '^[1-9][0-9]{2}$'), toInt64OrNull(\(text)), NULL)"
            }
        return "coalesce(\(expressions.value(key, of: .integer, in: "attributes")), \(digits))"
    }

    private static func milliseconds(_ dialect: SQLDialect) -> String {
        dialect == .postgresql ? "duration::double precision / 1000000" : "duration / 1000000.0"
    }

    private static func spans(_ dialect: SQLDialect) -> SQLView {
        SQLView(
            name: "spans", comment: "What took time: spans and requests",
            columns: [
                ("id", "id", "order of arrival"), ("name", "coalesce(message, tag)", ""),
                ("kind", "kind", "span or request"), ("start_time", "time", "nanoseconds since 1970"),
                (
                    "end_time",
                    "CASE WHEN duration >= 0 THEN CASE WHEN time <= 9223372036854775807 - duration "
                        + "THEN time + duration END END",
                    "nanoseconds since 1970"
                ),
                ("duration_ms", milliseconds(dialect), ""), ("trace_id", "trace_id", ""),
                ("span_id", "span_id", ""), ("parent_span_id", "parent_span_id", ""), ("session", "session", ""),
                ("installation", "installation", ""), ("version", dialect.recordVersion, "the app's"),
                ("status", dialect.recordText("otel.status_code", in: "attributes"), "OK, ERROR or nothing"),
                ("level", "level", "severity, 1 to 24"),
            ],
            numbers: numbers, source: "records", condition: "kind IN ('span', 'request')", dialect: dialect)
    }

    private static func installations(_ dialect: SQLDialect) -> SQLView {
        SQLView(
            name: "installations", comment: "Who sent records",
            columns: [
                ("installation", "installation", ""), ("count", "count(*)", "records"),
                ("sessions", "count(DISTINCT session)", ""),
                ("versions", "count(DISTINCT \(dialect.recordVersion))", "different ones"),
                ("errors", "sum(CASE WHEN level >= 17 THEN 1 ELSE 0 END)", "records of level 17 and more"),
                ("first_time", dialect.firstTime, "nanoseconds since 1970"),
                ("last_time", dialect.lastTime, "nanoseconds since 1970"),
            ],
            numbers: numbers, source: "records", condition: "installation IS NOT NULL\nGROUP BY installation",
            dialect: dialect)
    }

    /// As in PostgreSQL and ClickHouse stores. SQLite takes bare columns next to a single `max` from the row that has
    /// it.
    private static var sessions: SQLView {
        let device =
            "coalesce(\(SQLDialect.sqlite.recordText("device.model.name", in: "r.context")), "
            + "\(SQLDialect.sqlite.recordText("device.model.identifier", in: "r.context")))"
        let text = SQLDialect.sqlite.recordText("service.version", in: "r.context")
        return SQLView(
            name: "sessions", comment: "Visits",
            columns: [
                ("session", "s.session", ""), ("installation", "r.installation", "of the latest record"),
                ("version", text, "of the latest record"), ("device", device, "of the latest record"),
                ("count", "s.count", "records"), ("errors", "s.errors", "records of level 17 and more"),
                ("first_time", "f.first_time", "nanoseconds since 1970"),
                ("last_time", "s.last_time", "nanoseconds since 1970"),
            ],
            numbers: numbers,
            source: """
                (SELECT session, \(SQLDialect.sqlite.lastTime) AS last_time, id AS latest, count(*) AS count,
                        sum(CASE WHEN level >= 17 THEN 1 ELSE 0 END) AS errors
                    FROM records WHERE session IS NOT NULL GROUP BY session) AS s
                JOIN (SELECT session, \(SQLDialect.sqlite.firstTime) AS first_time
                    FROM records WHERE session IS NOT NULL GROUP BY session) AS f
                    ON f.session = s.session
                JOIN records AS r ON r.id = s.latest
                """,
            condition: nil, dialect: .sqlite)
    }
}

extension SQLDialect {
    /// The first plausible time of records; one before 2010 only if there is no other. NULL if all are more than a day
    /// in the future.
    var firstTime: String {
        let plausible = "time >= \(PlausibleTime.earliest) AND time < \(latest)"
        return "coalesce(min(CASE WHEN \(plausible) THEN time END), min(CASE WHEN time < \(latest) THEN time END))"
    }

    /// The last time of records that is at most a day in the future.
    var lastTime: String { "max(CASE WHEN time < \(latest) THEN time END)" }

    private var latest: String {
        let now =
            switch self {
            case .sqlite: "unixepoch()"
            case .postgresql, .redshift: "extract(epoch FROM now())::bigint"
            case .clickhouse: "toInt64(toUnixTimestamp(now()))"
            }
        return "\(now) * 1000000000 + \(PlausibleTime.tolerance)"
    }
}
