/// `attributes` and `context` are `jsonb`, `time` nanoseconds since 1970.
enum PostgreSQLRecordReading: RecordReading {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        // Microseconds are the finest that the type has. The division rounds down before 1970 too.
        "_time": "timestamptz 'epoch' + (time - mod(mod(time, 1000) + 1000, 1000)) / 1000 * interval '1 microsecond'",
        "_version": "context ->> 'service.version'",
    ]

    static let category = "nullif(left(tag, greatest(strpos(tag, '.') - 1, 0)), '')"
    static let event = "substr(tag, strpos(tag, '.') + 1)"

    static func value(of column: WarehouseColumn) -> String {
        let key = SQLDialect.postgresql.literal(column.key)
        let text =
            switch column.place {
            case .attributes: "(attributes ->> \(key))"
            case .context: "coalesce(context ->> \(key), attributes ->> \(key))"
            }
        switch column.type {
        case .text, .word: return text
        case .boolean: return "CASE \(text) WHEN 'true' THEN true WHEN 'false' THEN false END"
        case .smallint, .integer, .bigint: return whole(text)
        case .real, .double: return fraction(text)
        case .date: return "CASE WHEN \(text) ~ '^\(day)(T|$)' THEN left(\(text), 10)::date END"
        case .timestamp:
            return "CASE WHEN \(text) ~ '^\(moment)\(offset)$' THEN \(text)::timestamptz AT TIME ZONE 'UTC' "
                + "WHEN \(text) ~ '^\(moment)$' THEN \(text)::timestamp END"
        case .timestamptz:
            return "CASE WHEN \(text) ~ '^\(moment)\(offset)$' THEN \(text)::timestamptz "
                + "WHEN \(text) ~ '^\(moment)$' THEN \(text)::timestamp AT TIME ZONE 'UTC' END"
        }
    }

    /// A cast that fails would make every query of the view fail, so each is guarded; only CASE promises an order.
    private static func whole(_ text: String) -> String {
        "CASE WHEN \(text) ~ '^-?[0-9]{1,19}(\\.0+)?$' THEN CASE WHEN \(text)::numeric "
            + "BETWEEN -9223372036854775808 AND 9223372036854775807 THEN \(text)::numeric::bigint END END"
    }

    /// Too small for a double is zero, too large is NULL. What is longer than any double's digits is no number.
    private static func fraction(_ text: String) -> String {
        "CASE WHEN \(text) ~ '^-?[0-9]+(\\.[0-9]+)?$' AND length(\(text)) <= 1100 THEN CASE "
            + "WHEN abs(\(text)::numeric) < 1e-307 THEN 0 "
            + "WHEN abs(\(text)::numeric) < 1.797e308 THEN \(text)::double precision END "
            + "WHEN \(text) IN ('NaN', 'Infinity', '-Infinity') THEN \(text)::double precision END"
    }

    /// A day that exists, of the years 0001 to 9999: 29 February in leap years only.
    private static let day =
        "(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        + "|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])"
        + "|(?:[02468][048]|[13579][26])00)-02-29)"
    /// RFC 3339 without its offset.
    private static let moment = day + "[T ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?"
    private static let offset = "(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])"
}
