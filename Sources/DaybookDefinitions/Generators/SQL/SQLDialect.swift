import DaybookBase

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

    /// The most columns of a table or view; `nil` without a limit.
    ///
    /// Sources: SQLite, *Limits*, `SQLITE_MAX_COLUMN`; PostgreSQL, *Appendix K, Limits*; Redshift, *CREATE TABLE*.
    var columnLimit: Int? {
        switch self {
        case .sqlite: 2000
        case .postgresql, .redshift: 1600
        case .clickhouse: nil
        }
    }

    /// Whether DDL can be rolled back. Redshift cannot alter a column's type in a transaction.
    var isTransactional: Bool { self == .sqlite || self == .postgresql }

    /// Whether stores of this kind have a table `records` for views to read.
    public var hasRecords: Bool { self != .redshift }

    /// The default shape for a warehouse of this kind.
    public var defaultShape: SQLShape { hasRecords ? .views : .wide }

    /// A quoted identifier, so that reserved words are safe.
    func identifier(_ name: String) -> String { "\"" + SQLDialect.doubled(name, "\"") + "\"" }

    package func literal(_ text: String) -> String {
        switch self {
        case .sqlite, .postgresql: "'" + SQLDialect.doubled(text, "'") + "'"
        case .clickhouse: "'" + SQLDialect.doubled(SQLDialect.doubled(text, "\\"), "'") + "'"
        // Whether a backslash escapes depends on the cluster's age and settings, so avoid it.
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

/// What is created in a warehouse.
public enum SQLShape: String, Sendable, Hashable, CaseIterable {
    /// In a Daybook store: a typed view per event and the wide view `activity_log`, all over the table `records`.
    case views
    /// In a team's own warehouse: the wide table `activity_log`, and a typed view per event over it.
    case wide
    /// In a team's own warehouse: a table per event.
    case tables
}

/// Names of tables, views and columns, the same in every dialect.
public enum SQLName {
    /// The wide view or table.
    static let activityLog = "activity_log"

    /// The name of an event's view or table: the tag with `__` for its dots, `recipe_search__search`, shortened to 63
    /// bytes.
    public static func event(tag: String) -> String {
        shortened(tag.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "__"))
    }

    /// A name of at most 63 bytes, PostgreSQL's limit, so that it is the same in every store: a longer one becomes its
    /// beginning, `_`, and 8 hexadecimal digits (32-bit FNV-1a of the whole name, RFC 9923).
    public static func shortened(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        var prefix = ""
        for character in name {
            if prefix.utf8.count + character.utf8.count > 54 { break }
            prefix.append(character)
        }
        return prefix + "_" + String(FNV1a.short(name.utf8), radix: 16).zeroPadded(to: 8)
    }

    /// Case-folded for comparison: SQLite and Redshift ignore ASCII case, so names must differ otherwise everywhere.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
