/// `attributes` and `context` are `String`s of JSON objects, `time` nanoseconds since 1970 as `Int64`.
enum ClickHouseRecordReading: RecordReading {
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
        // `JSONExtract` makes numbers of truth values and texts, truth values of numbers, and 0 of 0.5.
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
        // For a day that the type does not have it takes the nearest.
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
