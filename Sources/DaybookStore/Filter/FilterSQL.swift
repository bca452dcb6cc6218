import DaybookBase

/// A ``RecordFilter`` as an SQL condition that holds for every match, and possibly for more.
package struct FilterSQL {
    /// Empty if every record may match.
    package let condition: String
    package let values: [SQLValue]
    /// Tests the filter, without its arrival condition; `nil` if the SQL is exact.
    package let match: FilterMatch?

    package init(_ filter: RecordFilter, _ dialect: FilterDialect) {
        let isMasked = filter.sight != .whole
        var parts = filter.expression.conjuncts.map { FilterCondition($0, dialect, isMasked: isMasked) }
        match = filter.predicate != nil || !parts.allSatisfy(\.isExact) ? FilterMatch(filter) : nil
        if let time = filter.receivedBefore { parts.append(FilterCondition(dialect.received(time))) }
        condition = parts.compactMap(\.sql).joined(separator: " AND ")
        values = parts.flatMap(\.values)
    }

    /// The condition to append to others: empty, or starting with AND.
    package var continuation: String { condition.isEmpty ? "" : " AND \(condition)" }

    package func text(_ literal: (SQLValue) -> String) -> String {
        FilterTermSQL(condition, values).written(literal).sql
    }
}

extension FilterExpression {
    /// The expression with literals; `nil` if the engine cannot express all of it.
    package func sql(_ dialect: FilterDialect, _ literal: @escaping @Sendable (SQLValue) -> String) -> String? {
        var dialect = dialect
        dialect.literal = literal
        let condition = FilterCondition(self, dialect, isMasked: false)
        return condition.isExact ? condition.sql ?? "1 = 1" : nil
    }
}

private struct FilterCondition {
    /// `nil` if SQL cannot narrow.
    private(set) var sql: String?
    private(set) var values: [SQLValue] = []
    /// Whether it holds for matches only.
    private(set) var isExact = true
    private var depth = 0
    /// Parsers limit nesting, SQLite's at about 30; deeper conditions are tested in code.
    private static let deepest = 8

    init(_ term: FilterTermSQL) { take(term) }

    /// - Parameter isMasked: Whether the reader sees masked records; conditions on maskable values then are not exact.
    init(_ expression: FilterExpression, _ dialect: FilterDialect, isMasked: Bool) {
        switch expression {
        case .term(let term):
            take(dialect.condition(term))
            if isMasked, term.asksForMasked { isExact = false }
        case .not(let part):
            let part = FilterCondition(part, dialect, isMasked: isMasked)
            // Only an exact condition can be negated.
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
            // Without a condition for one alternative, any record may match.
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
    /// The condition of a term; `nil` if SQL cannot narrow.
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
    /// The column of `records` with exactly this text; `nil` if the field covers more than one column's text.
    package func column(_ dialect: FilterDialect) -> String? {
        switch self {
        case .name, .device: nil
        case .version: dialect.version
        case .trace: "trace_id"
        case .tag, .kind, .session, .installation, .module, .file, .function, .uid, .message: rawValue
        }
    }
}

/// A term as an SQL condition that holds for every match, and possibly for more. Each question mark is one parameter.
package struct FilterTermSQL {
    package var sql: String
    package var values: [SQLValue]
    /// Whether it holds for matches only.
    package var isExact: Bool

    package init(_ sql: String, _ values: [SQLValue] = [], isExact: Bool = true) {
        self.sql = sql
        self.values = values
        self.isExact = isExact
    }

    /// With literals instead of parameters, the only place for external text.
    fileprivate func written(_ literal: (SQLValue) -> String) -> FilterTermSQL {
        guard !values.isEmpty else { return self }
        var parts = sql.split(separator: "?", omittingEmptySubsequences: false)[...]
        var text = String(parts.removeFirst())
        for (part, value) in zip(parts, values) { text += literal(value) + part }
        return FilterTermSQL(text, isExact: isExact)
    }
}

package struct FilterDialect: Sendable {
    package var version: String
    package var tags: @Sendable (_ pattern: TagPattern) -> FilterTermSQL
    /// The condition is false or NULL.
    package var negated: @Sendable (_ condition: String) -> String
    /// Tag, message or attributes contain a text; `nil` if only code can tell.
    package var occurrence: @Sendable (_ text: String) -> FilterTermSQL?
    package var received: @Sendable (_ time: Int64) -> FilterTermSQL
    /// A term about a column, or about a pattern of text; `nil` if the engine cannot narrow.
    package var term: @Sendable (_ term: FilterTerm) -> FilterTermSQL?
    /// Formats literals. Default: parameters stay question marks.
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

    /// A store's dialect: texts are folded, and tags compared by bytes.
    /// - Parameters:
    ///   - hasDot: Whether a text contains a dot.
    ///   - suffix: A text from a character on, whose number (from 1) is the parameter.
    ///   - contains: Whether a folded column contains the parameter, a folded text; `nil` if only code can tell.
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
                // Tags with the prefix "a.b." sort from it up to "a.b/", since `/` follows `.`.
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

package enum SQLValue: Hashable {
    case integer(Int64)
    case text(String)
}
