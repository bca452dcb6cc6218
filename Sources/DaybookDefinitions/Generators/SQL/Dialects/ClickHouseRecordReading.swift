/// `attributes` and `context` are `String`s of JSON objects, `time` nanoseconds since 1970 as `Int64`.
enum ClickHouseRecordReading: RecordReading {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        "_time": "fromUnixTimestamp64Nano(time, 'UTC')",
        "_version": "JSONExtract(context, 'service.version', 'Nullable(String)')",
    ]

    static let category = "nullIf(substring(tag, 1, greatest(toInt64(position(tag, '.')) - 1, 0)), '')"
    static let event = "substring(tag, position(tag, '.') + 1)"

    static func value(of column: WarehouseColumn) -> String {
        switch column.type {
        case .smallint, .integer, .bigint: extracted(column, "Nullable(Int64)")
        case .real, .double: "toFloat64OrNull(\(extracted(column, "Nullable(String)")))"
        case .boolean: extracted(column, "Nullable(Bool)")
        case .text, .word: extracted(column, "Nullable(String)")
        case .date: "toDate32OrNull(substring(\(extracted(column, "Nullable(String)")), 1, 10))"
        case .timestamp, .timestamptz:
            "parseDateTime64BestEffortOrNull(\(extracted(column, "Nullable(String)")), 6, 'UTC')"
        }
    }

    private static func extracted(_ column: WarehouseColumn, _ type: String) -> String {
        let key = SQLDialect.clickhouse.literal(column.key)
        let own = "JSONExtract(attributes, \(key), '\(type)')"
        return switch column.place {
        case .attributes: own
        case .context: "coalesce(JSONExtract(context, \(key), '\(type)'), \(own))"
        }
    }
}
