/// The SQL of one kind of warehouse.
public enum SQLDialect: String, Sendable, Hashable, CaseIterable {
    /// SQLite 3.38 or later.
    case sqlite
    /// PostgreSQL 12 or later.
    case postgresql
    /// Amazon Redshift.
    case redshift
    /// ClickHouse 22 or later.
    case clickhouse

    /// The most columns that a table or a view can have, or `nil` where there is no such limit.
    ///
    /// Sources: SQLite, *Limits*, `SQLITE_MAX_COLUMN`; PostgreSQL, *Appendix K, Limits*; Redshift, *CREATE TABLE*.
    var columnLimit: Int? {
        switch self {
        case .sqlite: 2000
        case .postgresql, .redshift: 1600
        case .clickhouse: nil
        }
    }

    /// Whether a change of tables and views can be undone as a whole. Redshift cannot alter a column's type inside a
    /// transaction block.
    var isTransactional: Bool { self == .sqlite || self == .postgresql }

    /// Whether the store of this kind has a table `records` that views can read.
    public var hasRecords: Bool { self != .redshift }

    /// What a warehouse of this kind gets where nothing else is asked for.
    public var defaultShape: SQLShape { hasRecords ? .views : .wide }

    /// A name in quotation marks, so that no word is reserved.
    func identifier(_ name: String) -> String { "\"" + SQLDialect.doubled(name, "\"") + "\"" }

    /// A text literal.
    func literal(_ text: String) -> String {
        switch self {
        case .sqlite, .postgresql: "'" + SQLDialect.doubled(text, "'") + "'"
        case .clickhouse: "'" + SQLDialect.doubled(SQLDialect.doubled(text, "\\"), "'") + "'"
        // Whether a backslash escapes depends on the cluster's age and settings: there is none.
        case .redshift: "'" + SQLDialect.doubled(String(text.map { $0 == "\\" ? "/" : $0 }), "'") + "'"
        }
    }

    private static func doubled(_ text: String, _ mark: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            result.append(scalar)
            if scalar == mark { result.append(mark) }
        }
        return String(result)
    }
}

/// What is made in a warehouse.
public enum SQLShape: String, Sendable, Hashable, CaseIterable {
    /// In a Daybook store: a typed view per event and the wide view `activity_log`, all over the table `records`.
    case views
    /// In a team's own warehouse: the wide table `activity_log`, and a typed view per event over it.
    case wide
    /// In a team's own warehouse: a table per event.
    case tables
}
