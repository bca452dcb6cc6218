/// A value that a test compares: from a record's column, or from a checklist.
public enum ChecklistValue: Sendable, Hashable {
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    /// An array or an object, as JSON text. It is present, but equals nothing that a checklist can contain.
    case structure(String)

    /// Equality; an integer equals a number of the same size.
    func equals(_ other: ChecklistValue) -> Bool {
        switch (self, other) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.text(let left), .text(let right)): left == right
        case (.structure, _), (_, .structure): false
        default: order(against: other) == .same
        }
    }

    enum Order {
        case before, same, after
    }

    /// The order of two numbers, or of two texts (by Unicode scalars, so that RFC 3339 times sort by time); `nil` if
    /// unordered: different types, booleans, NaN.
    func order(against other: ChecklistValue) -> Order? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.number(let left), .number(let right)): left.isNaN || right.isNaN ? nil : Self.order(left, right)
        case (.integer(let left), .number(let right)): Self.order(left, right)
        case (.number(let left), .integer(let right)): Self.order(right, left).map(Self.reversed)
        case (.text(let left), .text(let right)): left == right ? .same : (left < right ? .before : .after)
        default: nil
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Order {
        left < right ? .before : (left == right ? .same : .after)
    }

    /// Exact: converting to `Double` would make 2⁵³ + 1 equal to 2⁵³.
    private static func order(_ left: Int64, _ right: Double) -> Order? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return .before }
        if right < -0x1p63 { return .after }
        let whole = Int64(right)  // towards zero
        let wholeOrder = order(left, whole)
        guard wholeOrder == .same else { return wholeOrder }
        return order(Double(whole), right)
    }

    private static func reversed(_ order: Order) -> Order {
        switch order {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }

    var typeName: String {
        switch self {
        case .boolean: "a boolean"
        case .integer, .number: "a number"
        case .text: "a text"
        case .structure: "an array or an object"
        }
    }

    var isType: Reason.Code {
        switch self {
        case .boolean: .aBoolean
        case .integer, .number: .aNumber
        case .text: .aText
        case .structure: .aStructure
        }
    }

    var isNotType: Reason.Code {
        switch self {
        case .boolean: .notBoolean
        case .integer, .number: .notNumber
        case .text: .notText
        case .structure: .notStructure
        }
    }

    /// A normal form in which equal values are equal keys: a whole number becomes an integer.
    var key: ChecklistValue {
        guard case .number(let number) = self, number >= -0x1p63, number < 0x1p63 else { return self }
        let whole = Int64(number)
        return Double(whole) == number ? .integer(whole) : self
    }
}

extension ChecklistValue: CustomStringConvertible {
    /// The value as written in a checklist.
    public var description: String {
        switch self {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .text(let value): "\"" + value.tellingEscapes + "\""
        case .structure(let json): json
        }
    }
}

/// A record as a checklist sees it. Any record type can conform; the engine uses no other interface.
public protocol ChecklistRecord {
    /// The record's tag: `category.event`.
    var tag: String { get }
    /// A number that identifies the record to a reader: its sequence or arrival number.
    var number: Int64 { get }
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    var time: Int64 { get }
    /// Whether ``time`` is known. Default: it is.
    var hasTime: Bool { get }
    /// The record's value in a column: its own first, then the common ones, then `_session`, `_installation` and
    /// `_level` (the severity's number); `nil` if it has none or null.
    func value(of column: String) -> ChecklistValue?
    /// The record's value in a common column, from its context; `nil` if it has none or null.
    func commonValue(of column: String) -> ChecklistValue?
}

extension ChecklistRecord {
    public var hasTime: Bool { true }
}
