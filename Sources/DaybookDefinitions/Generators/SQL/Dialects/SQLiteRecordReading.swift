/// `attributes` and `context` are texts of JSON objects, `time` nanoseconds since 1970.
enum SQLiteRecordReading: RecordReading {
    static let envelope = [
        "_id": "id", "_uid": "uid", "_session": "session", "_installation": "installation", "_level": "level",
        // `time` split so that the nanoseconds stay positive before 1970 too. `||` binds closer than `%`.
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
            // `json_extract` makes 1 of a true value.
            return "CASE \(kind) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(\(value) AS TEXT) END"
        case .boolean: return "CASE \(kind) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
        case .smallint, .integer, .bigint:
            // What is no 64-bit integer is a real number, and its cast is another one.
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

    /// Whether a text begins with a day that exists: reckoning with it makes another of 31 February, as of 24 o'clock.
    private static func isDay(_ text: String) -> String {
        "date(substr(\(text), 1, 10), '+0 days') = substr(\(text), 1, 10)"
    }
}
