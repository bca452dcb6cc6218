import DaybookBase

/// One side of a comparison: what an expression may answer with, as far as comparisons differ.
struct SQLOperand: Equatable {
    /// By what SQLite turns the other side into a number or a text.
    enum Affinity: Equatable { case none, number, text }

    /// Every kind of value that it may have besides NULL; `nil` where that is not known.
    var kinds: [SQLKind]?
    var affinity = Affinity.none
    /// As it is written, for messages.
    var written = ""
    /// Of the column, if it is one, in lower case.
    var name: String?
    /// Whether no column is in it.
    var isConstant = false
    /// Whether capitals are compared as small letters.
    var isCaseless = false
    /// The columns of events whose values it shows: some statements read stand-ins in the place of private ones.
    var shown: Set<String> = []
    /// The parts of `(a, b)`.
    var parts: [SQLOperand] = []

    static let unknown = SQLOperand()
    static let null = SQLOperand(kinds: [], written: "NULL", isConstant: true)

    init(
        kinds: [SQLKind]? = nil, affinity: Affinity = .none, written: String = "", name: String? = nil,
        isConstant: Bool = false
    ) {
        self.kinds = kinds
        self.affinity = affinity
        self.written = written
        self.name = name
        self.isConstant = isConstant
    }

    /// The one kind that it has.
    var only: SQLKind? { kinds?.count == 1 ? kinds?[0] : nil }
    var isNull: Bool { kinds?.isEmpty == true && isConstant }
    var isNumber: Bool { kinds?.isEmpty == false && kinds?.allSatisfy(\.isNumber) == true }
    var isText: Bool { kinds?.isEmpty == false && kinds?.allSatisfy { !$0.isNumber } == true }

    /// The same with every kind changed; unknown where one is not known then.
    func mapped(_ body: (SQLKind) -> SQLKind?) -> SQLOperand {
        var operand = self
        let mapped = kinds?.map(body)
        operand.kinds = mapped?.contains(nil) == true ? nil : mapped?.compactMap(\.self)
        operand.affinity = .none
        operand.parts = []
        return operand
    }

    /// What is one of several, as of the branches of a CASE or of the arms of a UNION.
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

/// A kind of value.
enum SQLKind: Hashable {
    /// A number; of a point in time its unit.
    case number(SQLUnit?)
    /// The severity number.
    case level
    /// This number.
    case literal(Double)
    /// This text.
    case text(String)
    /// A time as a text.
    case form(SQLForm)
    /// The digits of a number.
    case digits
    /// The JSON of a value, texts in quotation marks.
    case json
    /// The JSON object that a record keeps its attributes or its context in.
    case object
    /// A text without capitals, or without small letters.
    case small, capital
    case anyText
    /// A type of its own for times.
    case moment

    var isNumber: Bool {
        switch self {
        case .number, .level, .literal: true
        default: false
        }
    }
}
