/// `attributes` and `context` are texts of JSON objects, `time` nanoseconds since 1970.
enum SQLiteRecordReading: RecordReading {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        // `time` split so that the nanoseconds stay positive before 1970 too. `||` binds closer than `%`.
        "_time":
            "strftime('%Y-%m-%dT%H:%M:%S', (time - (time % 1000000000 + 1000000000) % 1000000000) / 1000000000, "
            + "'unixepoch') || '.' || substr('00000000' || ((time % 1000000000 + 1000000000) % 1000000000), -9) || 'Z'",
        "_version": "json_extract(context, '$.\"service.version\"')",
    ]

    static let category = "nullif(substr(tag, 1, max(instr(tag, '.') - 1, 0)), '')"
    static let event = "substr(tag, instr(tag, '.') + 1)"

    static func value(of column: WarehouseColumn) -> String {
        let path = SQLDialect.sqlite.literal("$.\"\(column.key)\"")
        let value =
            switch column.place {
            case .attributes: "json_extract(attributes, \(path))"
            case .context: "coalesce(json_extract(context, \(path)), json_extract(attributes, \(path)))"
            }
        switch column.type {
        case .smallint, .integer, .bigint, .real, .double, .boolean: return value
        case .text, .word, .date, .timestamp, .timestamptz: return "CAST(\(value) AS TEXT)"
        }
    }
}
