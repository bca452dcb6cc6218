/// What a warehouse keeps in a column: the column's type, or what classification and declared values make of it.
enum WarehouseType: Hashable {
    case smallint
    case integer
    case bigint
    case real
    case double
    case boolean
    /// At most `limit` bytes of UTF-8, where one is known.
    case text(limit: Int?)
    /// One of few texts, the longest of which has so many bytes.
    case word(longest: Int)
    case date
    case timestamp
    case timestamptz

    /// The hexadecimal digits that take a sensitive value's place.
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

    /// The type that holds what either holds, for columns of one name in several events.
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

    /// Orders the number types: the tens tell whole numbers from others, the units the width.
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

    /// The numbers of a type of whole numbers narrower than 64 bits.
    var wholeRange: ClosedRange<Int64>? {
        switch self {
        case .smallint: Int64(Int16.min)...Int64(Int16.max)
        case .integer: Int64(Int32.min)...Int64(Int32.max)
        default: nil
        }
    }

    /// The greatest number of `real`, or else of `double`, as SQL writes it.
    var greatest: String { self == .real ? "3.4028235e38" : "1.7976931348623157e308" }

    /// Below this a number of `real`, or else of `double`, has not all its digits.
    var least: String { self == .real ? "1.2e-38" : "1e-307" }

    var isText: Bool {
        switch self {
        case .text, .word: true
        default: false
        }
    }

    /// A word for names and comments: that of the definition's types.
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

    /// The type of a table's column.
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

    /// A limit counts bytes, `varchar(n)` characters, and `text` costs the same.
    private var postgresql: String {
        switch self {
        case .double: "double precision"
        case .text, .word: "text"
        default: name
        }
    }

    /// `varchar(n)` counts bytes here, at most 65,535 (Redshift, *Character types*).
    private var redshift: String {
        switch self {
        case .double: "double precision"
        case .text(let limit): "varchar(\(min(max(limit ?? 65535, 1), 65535)))"
        // Room for values that are added later: making it larger is a change of the table.
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
