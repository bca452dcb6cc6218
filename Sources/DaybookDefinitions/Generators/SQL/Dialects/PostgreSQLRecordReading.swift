/// `attributes` and `context` are `jsonb`, `time` nanoseconds since 1970.
enum PostgreSQLRecordReading: RecordReading {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        // Microseconds are the finest that the type has. The division rounds down before 1970 too.
        "_time": "timestamptz 'epoch' + (time - mod(mod(time, 1000) + 1000, 1000)) / 1000 * interval '1 microsecond'",
        "_version": "context ->> 'service.version'",
    ]

    static let category = "left(tag, greatest(strpos(tag, '.') - 1, 0))"
    static let event = "substr(tag, strpos(tag, '.') + 1)"

    static func value(_ key: String, of type: WarehouseType, in object: String) -> String {
        let key = SQLDialect.postgresql.literal(key)
        let text = "(\(object) ->> \(key))"
        let kind = "jsonb_typeof(\(object) -> \(key))"
        // A cast that fails would make every query of the view fail, so each is guarded; only CASE promises an order.
        switch type {
        case .text, .word: return text
        case .boolean:
            return "CASE \(object) -> \(key) WHEN 'true'::jsonb THEN true WHEN 'false'::jsonb THEN false END"
        case .smallint, .integer, .bigint:
            let range = type.wholeRange ?? Int64.min...Int64.max
            return "CASE WHEN \(kind) = 'number' AND \(text) ~ '^-?[0-9]{1,19}(\\.0+)?$' THEN CASE WHEN "
                + "\(text)::numeric BETWEEN \(range.lowerBound) AND \(range.upperBound) THEN "
                + "\(text)::numeric::bigint END END"
        case .real, .double: return fraction(text, kind, greatest: type.greatest, least: type.least)
        case .date:
            return "CASE WHEN \(text) ~ '^\(day)(T|$)' THEN left(\(text), 10)::date END"
        case .timestamp:
            return "CASE WHEN \(text) ~ '^\(moment)\(offset)$' THEN \(text)::timestamptz AT TIME ZONE 'UTC' "
                + "WHEN \(text) ~ '^\(moment)$' THEN \(text)::timestamp END"
        case .timestamptz:
            return "CASE WHEN \(text) ~ '^\(moment)\(offset)$' THEN \(text)::timestamptz "
                + "WHEN \(text) ~ '^\(moment)$' THEN \(text)::timestamp AT TIME ZONE 'UTC' END"
        }
    }

    /// Too small for the type is zero, too large is NULL. What is longer than any double's digits is no number.
    private static func fraction(_ text: String, _ kind: String, greatest: String, least: String) -> String {
        "CASE WHEN \(kind) = 'number' THEN CASE WHEN length(\(text)) <= 1100 THEN CASE "
            + "WHEN abs(\(text)::numeric) < \(least) THEN 0 "
            + "WHEN abs(\(text)::numeric) <= \(greatest) THEN \(text)::double precision END END "
            + "WHEN \(text) IN ('NaN', 'Infinity', '-Infinity') THEN \(text)::double precision END"
    }

    /// A day that exists, of the years 0001 to 9999: 29 February in leap years only.
    private static let day =
        "(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        + "|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])"
        + "|(?:[02468][048]|[13579][26])00)-02-29)"
    private static let moment = day + clock
}
