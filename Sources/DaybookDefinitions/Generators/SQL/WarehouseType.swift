/// A column's type in a warehouse, after classification and declared values.
enum WarehouseType: Hashable {
    case smallint
    case integer
    case bigint
    case real
    case double
    case boolean
    /// At most `limit` bytes of UTF-8, if known.
    case text(limit: Int?)
    /// One of few texts; `longest` is in bytes.
    case word(longest: Int)
    case date
    case timestamp
    case timestamptz

    /// The hexadecimal digits that replace a sensitive value.
    static let hash = WarehouseType.text(limit: 32)

    init(_ column: Column) {
        if column.classification == .sensitive {
            self = .hash
            return
        }
        switch column.type {
        case .smallint: self = .smallint
        case .integer: self = .integer
        case .bigint: self = .bigint
        case .real: self = .real
        case .double: self = .double
        case .boolean: self = .boolean
        case .string(let limit): self = .text(limit: limit)
        case .date: self = .date
        case .timestamp: self = .timestamp
        case .timestamptz: self = .timestamptz
        case .custom:
            let longest = column.values.map(\.value.utf8.count).max()
            self = longest.map { .word(longest: $0) } ?? .text(limit: nil)
        }
    }

    /// The type that holds the values of both, for columns of one name in several events.
    func joined(with other: WarehouseType) -> WarehouseType {
        switch (self, other) {
        case _ where self == other: return self
        case (.word(let a), .word(let b)): return .word(longest: max(a, b))
        case (.text(let a?), .text(let b?)): return .text(limit: max(a, b))
        default:
            if let a = numberRank, let b = other.numberRank, a / 10 == b / 10 { return a > b ? self : other }
            return .text(limit: nil)
        }
    }

    /// Ranks numeric types: the tens separate integers from reals, the units give the width.
    var numberRank: Int? {
        switch self {
        case .smallint: 10
        case .integer: 11
        case .bigint: 12
        case .real: 20
        case .double: 21
        default: nil
        }
    }

    /// Of an integer type narrower than 64 bits.
    var wholeRange: ClosedRange<Int64>? {
        switch self {
        case .smallint: Int64(Int16.min)...Int64(Int16.max)
        case .integer: Int64(Int32.min)...Int64(Int32.max)
        default: nil
        }
    }

    /// The greatest `real`, or else `double`, in SQL.
    var greatest: String { self == .real ? "3.4028235e38" : "1.7976931348623157e308" }

    /// The least normal `real`, or else `double`, in SQL.
    var least: String { self == .real ? "1.2e-38" : "1e-307" }

    var isText: Bool {
        switch self {
        case .text, .word: true
        default: false
        }
    }

    /// For names and comments: the type's name in definitions.
    var name: String {
        switch self {
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double: "double"
        case .boolean: "boolean"
        case .text, .word: "string"
        case .date: "date"
        case .timestamp: "timestamp"
        case .timestamptz: "timestamptz"
        }
    }

    func spelled(in dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: sqlite
        case .postgresql: postgresql
        case .redshift: redshift
        case .clickhouse: clickhouse
        }
    }

    private var sqlite: String {
        switch self {
        case .smallint, .integer, .bigint, .boolean: "INTEGER"
        case .real, .double: "REAL"
        case .text, .word, .date, .timestamp, .timestamptz: "TEXT"
        }
    }

    /// `text`, because limits count bytes, `varchar(n)` counts characters, and both cost the same.
    private var postgresql: String {
        switch self {
        case .double: "double precision"
        case .text, .word: "text"
        default: name
        }
    }

    /// `varchar(n)` counts bytes, at most 65,535 (Redshift, *Character types*).
    private var redshift: String {
        switch self {
        case .double: "double precision"
        case .text(let limit): "varchar(\(min(max(limit ?? 65535, 1), 65535)))"
        // Room for future values, since growing it alters the table.
        case .word(let longest): "varchar(\(min(max(longest, 256), 65535)))"
        default: name
        }
    }

    private var clickhouse: String {
        switch self {
        case .smallint: "Nullable(Int16)"
        case .integer: "Nullable(Int32)"
        case .bigint: "Nullable(Int64)"
        case .real: "Nullable(Float32)"
        case .double: "Nullable(Float64)"
        case .boolean: "Nullable(Bool)"
        case .text: "Nullable(String)"
        case .word: "LowCardinality(Nullable(String))"
        case .date: "Nullable(Date32)"
        case .timestamp, .timestamptz: "Nullable(DateTime64(6, 'UTC'))"
        }
    }
}
