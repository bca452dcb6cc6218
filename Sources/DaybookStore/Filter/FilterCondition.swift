import DaybookBase

/// A ``FilterExpression`` as a condition of SQL that holds wherever the expression does.
struct FilterCondition {
    /// `nil` where SQL cannot narrow.
    private(set) var sql: String?
    /// One for each question mark.
    private(set) var values: [SQLValue] = []
    /// Whether it holds nowhere else.
    private(set) var isExact = true
    /// How many conditions stand within one another.
    private var depth = 0
    /// Engines' parsers give up at some depth, SQLite's at about 30; what is deeper is left to code.
    private static let deepest = 8

    /// - Parameter isMasked: whether the asker sees records masked: what masking may change narrows, and is not exact.
    init(_ expression: FilterExpression, _ dialect: FilterDialect, isMasked: Bool) {
        switch expression {
        case .term(let term):
            add(term, dialect)
            if isMasked, term.asksForMasked { isExact = false }
        case .not(let part):
            let part = FilterCondition(part, dialect, isMasked: isMasked)
            // What is left out has to be known exactly.
            guard part.isExact, let sql = part.sql else {
                isExact = false
                return
            }
            self.sql = dialect.negated(sql)
            values = part.values
            depth = part.depth + 1
        case .all(let parts):
            let parts = parts.map { FilterCondition($0, dialect, isMasked: isMasked) }
            let known = parts.filter { $0.sql != nil }
            isExact = parts.allSatisfy(\.isExact)
            sql = known.isEmpty ? nil : "(" + known.compactMap(\.sql).joined(separator: " AND ") + ")"
            values = known.flatMap(\.values)
            depth = (known.map(\.depth).max() ?? 0) + 1
        case .any(let parts):
            let parts = parts.map { FilterCondition($0, dialect, isMasked: isMasked) }
            isExact = parts.allSatisfy(\.isExact)
            guard parts.allSatisfy({ $0.sql != nil }) else { return }
            sql = "(" + parts.compactMap(\.sql).joined(separator: " OR ") + ")"
            values = parts.flatMap(\.values)
            depth = (parts.map(\.depth).max() ?? 0) + 1
        }
        if depth > Self.deepest { (sql, values, isExact, depth) = (nil, [], false, 0) }
    }

    private mutating func add(_ term: FilterTerm, _ dialect: FilterDialect) {
        switch term {
        case .level(let levels):
            add(levels.lowerBound == .min ? nil : "level >= ?", .integer(Int64(levels.lowerBound)))
            add(levels.upperBound == .max ? nil : "level <= ?", .integer(Int64(levels.upperBound)))
            if sql == nil { sql = "1 = 1" }
        case .since(let time): add("time >= ?", .integer(time))
        case .until(let time): add("time < ?", .integer(time))
        case .number(let measure, let range):
            for (comparison, number) in range.bounds {
                if case .int(let number) = number { add("\(measure.rawValue) \(comparison) ?", .integer(number)) }
            }
        case .field(let field, .text(let text)) where field.column(dialect) != nil:
            add("\(field.column(dialect) ?? "") = ?", .text(text))
        case .text(let text):
            let search = SearchText(text)
            guard let parts = dialect.occurrence(of: search) else {
                isExact = false
                return
            }
            (sql, values) = parts
        case .field, .column, .has:
            guard let known = dialect.term(term) else {
                isExact = false
                return
            }
            (sql, values, isExact) = (known.sql, known.values, known.isExact)
        }
    }

    private mutating func add(_ condition: String?, _ value: SQLValue) {
        guard let condition else { return }
        sql = sql.map { "\($0) AND \(condition)" } ?? condition
        values.append(value)
    }
}

/// What an engine makes of a term that is its own matter: a condition that holds wherever the term does.
package struct FilterTermSQL {
    package var sql: String
    /// One for each question mark.
    package var values: [SQLValue]
    /// Whether it holds nowhere else.
    package var isExact: Bool

    package init(_ sql: String, _ values: [SQLValue], isExact: Bool = true) {
        self.sql = sql
        self.values = values
        self.isExact = isExact
    }
}

extension FilterField {
    /// The column of `records` that an exact text is compared with; `nil` where it is more than that.
    package func column(_ dialect: FilterDialect) -> String? {
        switch self {
        case .name, .device: nil
        case .version: dialect.version
        case .trace: "trace_id"
        case .tag, .kind, .session, .installation, .module, .file, .function, .uid, .message: rawValue
        }
    }
}
