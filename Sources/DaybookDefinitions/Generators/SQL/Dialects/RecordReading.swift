/// How a dialect reads the table `records`.
///
/// What a column shows fits the column of a table for the same definitions, in every dialect: a value that is not of
/// its column's type or beyond its range is NULL, and a column of text shows any value as text. Neither a value nor a
/// tag makes a query fail, or the filling of a table with its answer.
protocol RecordReading {
    /// The envelope's expressions, by the names of ``SQLEnvelope``.
    static var envelope: [String: String] { get }
    /// The part of the tag before its first dot, empty where it has none, and the rest. Never NULL.
    static var category: String { get }
    static var event: String { get }
    /// The member `key` of the JSON object in the column `object`, or NULL.
    static func value(_ key: String, of type: WarehouseType, in object: String) -> String
}

extension RecordReading {
    /// Regular expressions for what RFC 3339 has behind the day, and behind the time.
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
    /// `nil` for a dialect whose warehouses have no table `records`.
    var recordReading: (any RecordReading.Type)? {
        switch self {
        case .sqlite: SQLiteRecordReading.self
        case .postgresql: PostgreSQLRecordReading.self
        case .clickhouse: ClickHouseRecordReading.self
        case .redshift: nil
        }
    }
}
