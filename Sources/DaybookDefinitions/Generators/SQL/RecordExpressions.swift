/// How a dialect reads the table `records`.
///
/// A column's value fits the corresponding table column in every dialect: a value of another type or out of range is
/// NULL, and a text column shows any value as text. No value or tag makes a query fail, or the insertion of its result
/// into a table.
protocol RecordExpressions {
    /// The envelope's expressions, by the names of ``SQLEnvelope``.
    static var envelope: [String: String] { get }
    /// The tag up to its first dot, empty without one, and the rest. Never NULL.
    static var category: String { get }
    static var event: String { get }
    /// The member `key` of the JSON object in the column `object`, or NULL.
    static func value(_ key: String, of type: WarehouseType, in object: String) -> String
}

extension RecordExpressions {
    /// Regular expressions for RFC 3339's time and offset.
    static var clock: String { "[T ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?" }
    static var offset: String { "(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])" }

    static func value(of column: WarehouseColumn) -> String {
        let own = value(column.key, of: column.type, in: "attributes")
        return switch column.place {
        case .attributes: own
        case .context: "coalesce(\(value(column.key, of: column.type, in: "context")), \(own))"
        }
    }
}

extension SQLDialect {
    /// `nil` for a dialect without a table `records`.
    var recordExpressions: (any RecordExpressions.Type)? {
        switch self {
        case .sqlite: SQLiteRecordExpressions.self
        case .postgresql: PostgreSQLRecordExpressions.self
        case .clickhouse: ClickHouseRecordExpressions.self
        case .redshift: nil
        }
    }

    /// The member `key` of a JSON column of `records` as text, or NULL.
    package func recordText(_ key: String, in object: String) -> String {
        recordExpressions?.value(key, of: .text(limit: nil), in: object) ?? "NULL"
    }

    /// The app's version in a row of `records`, or NULL.
    package var recordVersion: String { recordExpressions?.envelope["_version"] ?? "NULL" }
}

/// `attributes` and `context` are JSON texts, `time` is nanoseconds since 1970.
enum SQLiteRecordExpressions: RecordExpressions {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        // `time` is split so that the nanoseconds stay positive before 1970. `||` binds more tightly than `%`.
        "_time":
            "strftime('%Y-%m-%dT%H:%M:%S', (time - (time % 1000000000 + 1000000000) % 1000000000) / 1000000000, "
            + "'unixepoch') || '.' || substr('00000000' || ((time % 1000000000 + 1000000000) % 1000000000), -9) || 'Z'",
        "_version": value("service.version", of: .text(limit: nil), in: "context"),
    ]

    static let category = "substr(tag, 1, max(instr(tag, '.') - 1, 0))"
    static let event = "substr(tag, instr(tag, '.') + 1)"

    static func value(_ key: String, of type: WarehouseType, in object: String) -> String {
        let path = SQLDialect.sqlite.literal("$.\"\(key)\"")
        let (value, kind) = ("json_extract(\(object), \(path))", "json_type(\(object), \(path))")
        switch type {
        case .text, .word:
            // `json_extract` turns true into 1.
            return "CASE \(kind) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(\(value) AS TEXT) END"
        case .boolean: return "CASE \(kind) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
        case .smallint, .integer, .bigint:
            // A number beyond 64 bits is real, and casting changes it.
            return "CASE WHEN \(kind) IN ('integer', 'real') AND \(value) = CAST(\(value) AS INTEGER) "
                + (type.wholeRange.map { "AND \(value) BETWEEN \($0.lowerBound) AND \($0.upperBound) " } ?? "")
                + "THEN CAST(\(value) AS INTEGER) END"
        case .real, .double:
            return "CASE WHEN \(kind) IN ('integer', 'real') "
                + "AND \(value) BETWEEN -\(type.greatest) AND \(type.greatest) THEN CAST(\(value) AS REAL) "
                + "WHEN \(value) = 'Infinity' THEN 9e999 WHEN \(value) = '-Infinity' THEN -9e999 END"
        case .date:
            return "CASE WHEN \(kind) = 'text' AND \(isDay(value)) AND substr(\(value), 11, 1) IN ('', 'T') "
                + "THEN substr(\(value), 1, 10) END"
        case .timestamp, .timestamptz:
            return "CASE WHEN \(kind) = 'text' AND \(isDay(value)) AND substr(\(value), 11, 1) IN ('T', ' ') "
                + "AND time(substr(\(value), 12, 8), '+0 days') = substr(\(value), 12, 8) "
                + "AND julianday(\(value)) IS NOT NULL THEN \(value) END"
        }
    }

    /// Whether a text begins with an existing day: date arithmetic normalizes 31 February and 24:00.
    private static func isDay(_ text: String) -> String {
        "date(substr(\(text), 1, 10), '+0 days') = substr(\(text), 1, 10)"
    }
}

/// `attributes` and `context` are `jsonb`, `time` is nanoseconds since 1970.
enum PostgreSQLRecordExpressions: RecordExpressions {
    private static let time = "greatest(time, -9223372036854775000)"

    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        // The type has microseconds. The division rounds down before 1970, too; the earliest time has no whole
        // microsecond below it, hence the `greatest`.
        "_time":
            "timestamptz 'epoch' + (\(time) - mod(mod(\(time), 1000) + 1000, 1000)) / 1000 * interval '1 microsecond'",
        "_version": "context ->> 'service.version'",
    ]

    static let category = "left(tag, greatest(strpos(tag, '.') - 1, 0))"
    static let event = "substr(tag, strpos(tag, '.') + 1)"

    static func value(_ key: String, of type: WarehouseType, in object: String) -> String {
        let key = SQLDialect.postgresql.literal(key)
        let text = "(\(object) ->> \(key))"
        let kind = "jsonb_typeof(\(object) -> \(key))"
        // A failing cast fails every query of the view, so each is guarded; only CASE guarantees evaluation order.
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

    /// Below the type's range: zero; above: NULL. A text longer than any double's digits is not a number.
    private static func fraction(_ text: String, _ kind: String, greatest: String, least: String) -> String {
        "CASE WHEN \(kind) = 'number' THEN CASE WHEN length(\(text)) <= 1100 THEN CASE "
            + "WHEN abs(\(text)::numeric) < \(least) THEN 0 "
            + "WHEN abs(\(text)::numeric) <= \(greatest) THEN \(text)::double precision END END "
            + "WHEN \(text) IN ('NaN', 'Infinity', '-Infinity') THEN \(text)::double precision END"
    }

    /// An existing day of the years 0001 to 9999: 29 February in leap years only.
    private static let day =
        "(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        + "|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])"
        + "|(?:[02468][048]|[13579][26])00)-02-29)"
    private static let moment = day + clock
}

/// `attributes` and `context` are JSON in `String`, `time` is nanoseconds since 1970 in `Int64`.
enum ClickHouseRecordExpressions: RecordExpressions {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        "_time": "fromUnixTimestamp64Nano(time, 'UTC')",
        "_version": "JSONExtract(context, 'service.version', 'Nullable(String)')",
    ]

    static let category = "substring(tag, 1, greatest(toInt64(position(tag, '.')) - 1, 0))"
    static let event = "substring(tag, position(tag, '.') + 1)"

    static func value(_ key: String, of type: WarehouseType, in object: String) -> String {
        let key = SQLDialect.clickhouse.literal(key)
        let kind = "JSONType(\(object), \(key))"
        func extracted(_ type: String) -> String { "JSONExtract(\(object), \(key), 'Nullable(\(type))')" }
        // `JSONExtract` converts Booleans and texts to numbers, numbers to Booleans, and 0.5 to 0.
        func whole(_ type: String) -> String {
            "multiIf(\(kind) IN ('Int64', 'UInt64'), \(extracted(type)), "
                + "\(kind) = 'Double' AND \(extracted("Float64")) = \(extracted(type)), \(extracted(type)), NULL)"
        }
        let text = extracted("String")
        switch type {
        case .text, .word: return text
        case .boolean: return "if(\(kind) = 'Bool', \(extracted("Bool")), NULL)"
        case .smallint: return "toInt64(\(whole("Int16")))"
        case .integer: return "toInt64(\(whole("Int32")))"
        case .bigint: return whole("Int64")
        case .real, .double:
            let number = "toFloat64OrNull(\(text))"
            return "multiIf(\(kind) != 'String', if(abs(\(number)) <= \(type.greatest), \(number), NULL), "
                + "\(text) IN ('NaN', 'Infinity', '-Infinity'), \(number), NULL)"
        // A day out of the type's range becomes the nearest one.
        case .date:
            return "if(\(isDay(text)) AND substring(\(text), 11, 1) IN ('', 'T'), "
                + "toDate32OrNull(substring(\(text), 1, 10)), NULL)"
        case .timestamp, .timestamptz:
            let pattern = SQLDialect.clickhouse.literal("^.{10}\(clock)\(offset)?$")
            return "if(\(isDay(text)) AND match(ifNull(\(text), ''), \(pattern)), "
                + "parseDateTime64BestEffortOrNull(\(text), 6, 'UTC'), NULL)"
        }
    }

    private static func isDay(_ text: String) -> String {
        "toString(toDate32OrNull(substring(\(text), 1, 10))) = substring(\(text), 1, 10)"
    }
}
