import DaybookBase

/// One side of a comparison: the possible results of an expression, as far as they affect comparisons.
struct SQLOperand: Equatable {
    /// How SQLite converts the other side.
    enum Affinity: Equatable { case none, number, text }

    /// All possible kinds besides NULL; `nil` if unknown.
    var kinds: [SQLKind]?
    var affinity = Affinity.none
    /// As written, for messages.
    var written = ""
    /// The column's name in lower case, if it is one.
    var name: String?
    /// Whether it contains no column.
    var isConstant = false
    /// Whether the comparison ignores case.
    var isCaseless = false
    /// The event columns whose values it exposes; some statements see stand-ins for private ones.
    var shown: Set<String> = []
    /// The parts of `(a, b)`.
    var parts: [SQLOperand] = []

    static let unknown = SQLOperand()
    static let null = SQLOperand(kinds: [], written: "NULL", isConstant: true)

    /// The kind, if there is only one.
    var only: SQLKind? { kinds?.count == 1 ? kinds?[0] : nil }
    var isNull: Bool { kinds?.isEmpty == true && isConstant }
    var isNumber: Bool { kinds?.isEmpty == false && kinds?.allSatisfy(\.isNumber) == true }

    /// Maps every kind; unknown if one becomes `nil`.
    func mapped(_ body: (SQLKind) -> SQLKind?) -> SQLOperand {
        var operand = self
        let mapped = kinds?.map(body)
        operand.kinds = mapped?.contains(nil) == true ? nil : mapped?.compactMap(\.self)
        operand.affinity = .none
        operand.parts = []
        return operand
    }

    /// The union of operands, such as the branches of a CASE or UNION.
    static func any(of operands: [SQLOperand]) -> SQLOperand {
        guard var result = operands.first else { return .unknown }
        for other in operands.dropFirst() {
            if let kinds = result.kinds, let more = other.kinds {
                result.kinds = kinds + more.filter { !kinds.contains($0) }
            } else {
                result.kinds = nil
            }
            if result.affinity != other.affinity { result.affinity = .none }
            if result.name != other.name { result.name = nil }
            result.shown.formUnion(other.shown)
            result.isConstant = result.isConstant && other.isConstant
        }
        return result
    }
}

enum SQLKind: Hashable {
    /// A number, with its unit if it is a time.
    case number(SQLUnit?)
    /// The severity number.
    case level
    /// This number.
    case literal(Double)
    /// This text.
    case text(String)
    /// A formatted time.
    case form(SQLForm)
    /// A number's digits as text.
    case digits
    /// A JSON value, with quoted texts.
    case json
    /// The JSON object of a record's attributes or context.
    case object
    /// Text without capitals, or without small letters.
    case small, capital
    case anyText
    /// A native time type.
    case moment

    var isNumber: Bool {
        switch self {
        case .number, .level, .literal: true
        default: false
        }
    }
}
