extension ColumnType {
    /// The names of the built-in types, without the `!`.
    static let builtInNames = [
        "smallint", "integer", "bigint", "real", "double", "boolean", "string", "date", "timestamp", "timestamptz",
    ]

    /// The built-in type called `name` (without `!`), or `nil`.
    init?(builtIn name: String, limit: Int?) {
        switch name {
        case "smallint": self = .smallint
        case "integer": self = .integer
        case "bigint": self = .bigint
        case "real": self = .real
        case "double": self = .double
        case "boolean": self = .boolean
        case "string": self = .string(limit: limit)
        case "date": self = .date
        case "timestamp": self = .timestamp
        case "timestamptz": self = .timestamptz
        default: return nil
        }
    }

    /// The type's name without `!` and limit: `bigint`, `string`, `SearchOrder`.
    public var name: String {
        switch self {
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double: "double"
        case .boolean: "boolean"
        case .string: "string"
        case .date: "date"
        case .timestamp: "timestamp"
        case .timestamptz: "timestamptz"
        case .custom(let name): name
        }
    }

    /// The greatest length in UTF-8 bytes that the definition allows, or `nil`.
    public var limit: Int? {
        if case .string(let limit) = self { limit } else { nil }
    }

    /// Whether this is the team's own type.
    public var isCustom: Bool {
        if case .custom = self { true } else { false }
    }

    /// As a definition spells it: `!bigint`, `!string 256`, `SearchOrder`.
    public var source: String {
        switch self {
        case .custom(let name): name
        case .string(let limit?): "!string \(limit)"
        default: "!\(name)"
        }
    }

    /// Whether a value is a day or a moment.
    var isDateLike: Bool {
        switch self {
        case .date, .timestamp, .timestamptz: true
        default: false
        }
    }
}
