/// How a dialect reads the table `records`. A value that is not of its column's type is NULL (SQLite shows it as it is);
/// no value makes a query fail.
protocol RecordReading {
    /// The envelope's expressions, by the names of ``SQLEnvelope``.
    static var envelope: [String: String] { get }
    /// The part of the tag before its first dot, and the rest.
    static var category: String { get }
    static var event: String { get }
    static func value(of column: WarehouseColumn) -> String
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
