import DaybookBase

/// A ``RecordFilter`` as a condition of SQL that holds wherever the filter does.
package struct FilterSQL {
    /// Empty where every record matches.
    package let condition: String
    /// One for each question mark.
    package let values: [SQLValue]
    /// Judges the whole filter but for when records arrived, where SQL cannot; `nil` where the condition is all there is.
    package let match: FilterMatch?

    package init(_ filter: RecordFilter, _ dialect: FilterDialect) {
        let isMasked = filter.sight != .whole
        var parts = filter.expression.conjuncts.map { FilterCondition($0, dialect, isMasked: isMasked) }
        match = filter.predicate != nil || !parts.allSatisfy(\.isExact) ? FilterMatch(filter) : nil
        if let time = filter.receivedBefore { parts.append(FilterCondition(dialect.received(time))) }
        condition = parts.compactMap(\.sql).joined(separator: " AND ")
        values = parts.flatMap(\.values)
    }

    /// The condition behind others: empty, or with an AND before it.
    package var continuation: String { condition.isEmpty ? "" : " AND \(condition)" }

    /// The condition with literals for its question marks.
    package func text(_ literal: (SQLValue) -> String) -> String {
        FilterTermSQL(condition, values).written(literal).sql
    }
}

extension FilterExpression {
    /// The expression as a condition with literals; `nil` where the engine has no words for all of it.
    package func sql(_ dialect: FilterDialect, _ literal: @escaping @Sendable (SQLValue) -> String) -> String? {
        var dialect = dialect
        dialect.literal = literal
        let condition = FilterCondition(self, dialect, isMasked: false)
        return condition.isExact ? condition.sql ?? "1 = 1" : nil
    }
}

/// A ``FilterExpression`` as a condition of SQL that holds wherever the expression does.
private struct FilterCondition {
    /// `nil` where SQL cannot narrow.
    private(set) var sql: String?
    /// One for each question mark.
    private(set) var values: [SQLValue] = []
    /// Whether it holds nowhere else.
    private(set) var isExact = true
    /// How many conditions are nested.
    private var depth = 0
    /// Engines' parsers give up at some depth, SQLite's at about 30; what is deeper is left to code.
    private static let deepest = 8

    init(_ term: FilterTermSQL) { take(term) }

    /// - Parameter isMasked: whether the asker sees records masked: what masking may change narrows, and is not exact.
    init(_ expression: FilterExpression, _ dialect: FilterDialect, isMasked: Bool) {
        switch expression {
        case .term(let term):
            take(dialect.condition(term))
            if isMasked, term.asksForMasked { isExact = false }
        case .not(let part):
            let part = FilterCondition(part, dialect, isMasked: isMasked)
            // What is left out has to be known exactly.
            guard part.isExact else {
                isExact = false
                return
            }
            sql = part.sql.map(dialect.negated) ?? "1 = 0"
            (values, depth) = (part.values, part.depth + 1)
        case .all(let parts):
            let parts = parts.map { FilterCondition($0, dialect, isMasked: isMasked) }
            join(parts.filter { $0.sql != nil }, by: " AND ")
            isExact = parts.allSatisfy(\.isExact)
        case .any(let parts):
            let parts = parts.map { FilterCondition($0, dialect, isMasked: isMasked) }
            isExact = parts.allSatisfy(\.isExact)
            // An alternative without a condition may be any record.
            if parts.isEmpty { sql = "1 = 0" } else if parts.allSatisfy({ $0.sql != nil }) { join(parts, by: " OR ") }
        }
        if depth > Self.deepest { (sql, values, isExact, depth) = (nil, [], false, 0) }
    }

    private mutating func take(_ term: FilterTermSQL?) {
        (sql, values, isExact) = (term?.sql, term?.values ?? [], term?.isExact ?? false)
    }

    private mutating func join(_ parts: [FilterCondition], by word: String) {
        guard !parts.isEmpty else { return }
        sql = "(" + parts.compactMap(\.sql).joined(separator: word) + ")"
        values = parts.flatMap(\.values)
        depth = (parts.map(\.depth).max() ?? 0) + 1
    }
}

extension FilterDialect {
    /// The condition of a term; `nil` where SQL cannot narrow.
    fileprivate func condition(_ term: FilterTerm) -> FilterTermSQL? {
        let condition = known(term)
        return literal.map { condition?.written($0) } ?? condition
    }

    private func known(_ term: FilterTerm) -> FilterTermSQL? {
        switch term {
        case .text(let text): return occurrence(text)
        case .level(let levels):
            var bounds: [(String, Int64)] = []
            if levels.lowerBound != .min { bounds.append((">=", Int64(levels.lowerBound))) }
            if levels.upperBound != .max { bounds.append(("<=", Int64(levels.upperBound))) }
            return Self.compared("level", bounds)
        case .since(let time): return FilterTermSQL("time >= ?", [.integer(time)])
        case .until(let time): return FilterTermSQL("time < ?", [.integer(time)])
        case .number(let measure, let range):
            let bounds = range.bounds.compactMap { bound -> (String, Int64)? in
                if case .int(let number) = bound.number { (bound.comparison, number) } else { nil }
            }
            guard bounds.count == range.bounds.count else { return nil }
            return Self.compared(measure.rawValue, bounds)
        case .field(.tag, .pattern(let pattern)):
            return pattern.tagPattern.map(tags) ?? self.term(term)
        case .field(let field, .text(let text)):
            return field.column(self).map { FilterTermSQL("\($0) = ?", [.text(text)]) } ?? self.term(term)
        case .field, .column, .has: return self.term(term)
        }
    }

    private static func compared(_ column: String, _ bounds: [(comparison: String, number: Int64)]) -> FilterTermSQL {
        guard !bounds.isEmpty else { return FilterTermSQL("1 = 1") }
        return FilterTermSQL(
            bounds.map { "\(column) \($0.comparison) ?" }.joined(separator: " AND "), bounds.map { .integer($0.number) }
        )
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

/// What an engine makes of a term: a condition that holds wherever the term does. A question mark stands for one value, once.
package struct FilterTermSQL {
    package var sql: String
    /// One for each question mark.
    package var values: [SQLValue]
    /// Whether it holds nowhere else.
    package var isExact: Bool

    package init(_ sql: String, _ values: [SQLValue] = [], isExact: Bool = true) {
        self.sql = sql
        self.values = values
        self.isExact = isExact
    }

    /// With literals for its question marks. A condition with values has texts from outside only among them.
    fileprivate func written(_ literal: (SQLValue) -> String) -> FilterTermSQL {
        guard !values.isEmpty else { return self }
        var parts = sql.split(separator: "?", omittingEmptySubsequences: false)[...]
        var text = String(parts.removeFirst())
        for (part, value) in zip(parts, values) { text += literal(value) + part }
        return FilterTermSQL(text, isExact: isExact)
    }
}

/// How the engines differ in what a ``FilterSQL`` needs.
package struct FilterDialect: Sendable {
    /// The version in the column `context`.
    package var version: String
    /// That a tag matches a pattern.
    package var tags: @Sendable (_ pattern: TagPattern) -> FilterTermSQL
    /// That a condition is false or has no answer.
    package var negated: @Sendable (_ condition: String) -> String
    /// That tag, message or attributes contain a text; `nil` where only code can say.
    package var occurrence: @Sendable (_ text: String) -> FilterTermSQL?
    /// That a record arrived before a time.
    package var received: @Sendable (_ time: Int64) -> FilterTermSQL
    /// What the engine makes of a term that asks for a column, or for a form of a text; `nil` where it cannot narrow.
    package var term: @Sendable (_ term: FilterTerm) -> FilterTermSQL?
    /// Writes values in the place of question marks. Default: they stay.
    fileprivate var literal: (@Sendable (SQLValue) -> String)?

    package init(
        version: String, tags: @escaping @Sendable (_ pattern: TagPattern) -> FilterTermSQL,
        negated: @escaping @Sendable (_ condition: String) -> String,
        occurrence: @escaping @Sendable (_ text: String) -> FilterTermSQL?,
        received: @escaping @Sendable (_ time: Int64) -> FilterTermSQL = ArrivalMarks.received,
        term: @escaping @Sendable (_ term: FilterTerm) -> FilterTermSQL?
    ) {
        (self.version, self.tags, self.negated) = (version, tags, negated)
        (self.occurrence, self.received, self.term) = (occurrence, received, term)
    }

    /// A store's: texts are folded, and tags compared in the order of their bytes.
    /// - Parameters:
    ///   - hasDot: whether the text of an expression has a dot.
    ///   - suffix: the text of a column from a character on, whose number (from 1) is the question mark.
    ///   - contains: that a folded column contains a folded text, the question mark; `nil` where only code can say.
    package init(
        version: String, hasDot: @escaping @Sendable (_ text: String) -> String,
        suffix: @escaping @Sendable (_ text: String) -> String,
        negated: @escaping @Sendable (_ condition: String) -> String,
        contains: @escaping @Sendable (_ column: String, _ search: SearchText) -> String?,
        received: @escaping @Sendable (_ time: Int64) -> FilterTermSQL = ArrivalMarks.received,
        term: @escaping @Sendable (_ term: FilterTerm) -> FilterTermSQL?
    ) {
        self.init(
            version: version,
            tags: { pattern in
                let isDeep = pattern.text.hasSuffix("**")
                let head = String(pattern.text.dropLast(isDeep ? 2 : 1))
                if head.isEmpty {
                    return FilterTermSQL(isDeep ? "1 = 1" : "(tag <> '' AND NOT \(hasDot("tag")))")
                }
                // What begins with "a.b." lies between it and "a.b/", the next character.
                let end = head.dropLast() + "/"
                if isDeep {
                    return FilterTermSQL(
                        "(tag = ? OR tag >= ? AND tag < ?)",
                        [.text(String(head.dropLast())), .text(head), .text(String(end))])
                }
                return FilterTermSQL(
                    "(tag > ? AND tag < ? AND NOT \(hasDot(suffix("tag"))))",
                    [.text(head), .text(String(end)), .integer(Int64(head.unicodeScalars.count + 1))])
            }, negated: negated,
            occurrence: { text in
                let search = SearchText(text)
                let columns = ["tag", "message", "attributes"].compactMap { contains($0, search) }
                guard let attributes = columns.last else { return nil }
                let plain = SQLValue.text(String(decoding: search.plain, as: UTF8.self))
                var found = FilterTermSQL(columns.joined(separator: " OR "), columns.map { _ in plain })
                if search.quoted != search.plain {
                    found.sql += " OR \(attributes)"
                    found.values.append(.text(String(decoding: search.quoted, as: UTF8.self)))
                }
                found.sql = "(\(found.sql))"
                return found
            }, received: received, term: term)
    }

    static let sqlite = FilterDialect(
        version: "daybook_version(\(ContextTable.context))", hasDot: { "instr(\($0), '.') > 0" },
        suffix: { "substr(\($0), ?)" },
        negated: { "(\($0)) IS NOT TRUE" }, contains: { column, _ in "daybook_contains(\(column), ?)" },
        term: { term in
            let columns =
                switch term {
                case .field(.version, _), .field(.device, _): [ContextTable.context]
                case .field(let field, _): [field == .name ? "tag" : field == .trace ? "trace_id" : field.rawValue]
                default: ["attributes", ContextTable.context]
                }
            return FilterTermSQL(
                "(" + columns.map { "daybook_holds(?, \($0))" }.joined(separator: " OR ") + ")",
                columns.map { _ in .text(term.description) })
        })
}

/// A value for a question mark of a statement.
package enum SQLValue: Hashable {
    case integer(Int64)
    case text(String)
}
