import DaybookBase

/// A ``RecordFilter`` as a condition of SQL, but for what only code can judge: its predicate, and what the engine cannot compare as Daybook
/// does.
package struct FilterSQL {
    /// Empty where every record matches.
    package private(set) var condition: String
    /// One for each question mark.
    package private(set) var values: [SQLValue] = []
    /// What SQL does not judge: the whole filter, where it or one of its exclusions has a part that is left to code.
    package let match: FilterMatch?
    private let dialect: FilterDialect

    /// - Throws: ``StoreError``, `badStatement` for a tag pattern that is none.
    package init(_ filter: RecordFilter, _ dialect: FilterDialect) throws(StoreError) {
        self.dialect = dialect
        condition = ""
        let isMasked = filter.sight != .whole
        let expression = filter.expression.map { FilterCondition($0, dialect, isMasked: isMasked) }
        match = filter.needsCode(dialect) ? try FilterMatch(filter) : nil
        var conditions: [String] = []
        conditions += addTag(try filter.pattern(), filter.onlyTag)
        for (column, value) in [
            ("session", filter.session), ("installation", filter.installation), ("module", filter.module),
            ("file", filter.file), ("trace_id", filter.trace), ("uid", filter.uid), (dialect.version, filter.version),
        ] {
            guard let value else { continue }
            conditions.append("\(column) = ?")
            values.append(.text(value))
        }
        for (comparison, value) in [
            ("level >= ?", filter.minimumLevel.map(Int64.init)), ("time >= ?", filter.since),
            ("time < ?", filter.until),
        ] {
            guard let value else { continue }
            conditions.append(comparison)
            values.append(.integer(value))
        }
        if let time = filter.receivedBefore {
            let received = dialect.received(time)
            conditions.append(received.sql)
            values += received.values
        }
        if !filter.kinds.isEmpty {
            conditions.append("kind IN (\(filter.kinds.map { _ in "?" }.joined(separator: ",")))")
            values += filter.kinds.map { .text($0) }
        }
        if !filter.text.isEmpty, let text = dialect.occurrence(of: SearchText(filter.text)) {
            conditions.append(text.sql)
            values += text.values
        }
        if let expression, let sql = expression.sql {
            conditions.append(sql)
            values += expression.values
        }
        // An exclusion that needs code is left to it.
        for var excluded in filter.excluding {
            excluded.sight = filter.sight
            if excluded.needsCode(dialect) { continue }
            let part = try FilterSQL(excluded, dialect)
            // A comparison with an absent value is neither true nor false: the record is not what is excluded.
            conditions.append(part.condition.isEmpty ? "1 = 0" : dialect.negated(part.condition))
            values += part.values
        }
        condition = conditions.joined(separator: " AND ")
    }

    /// The condition behind others: empty, or with an AND before it.
    package var continuation: String { condition.isEmpty ? "" : " AND \(condition)" }

    /// The condition with literals for its question marks.
    package func text(_ literal: (SQLValue) -> String) -> String {
        // Names and words of the condition have no question mark: what was given from outside is among the values.
        var parts = condition.split(separator: "?", omittingEmptySubsequences: false)[...]
        var text = String(parts.removeFirst())
        for (part, value) in zip(parts, values) { text += literal(value) + part }
        return text
    }

    private mutating func addTag(_ pattern: TagPattern?, _ onlyTag: String?) -> [String] {
        if let onlyTag {
            values.append(.text(onlyTag))
            return ["tag = ?"]
        }
        guard let tag = pattern?.text else { return [] }
        let isDeep = tag.hasSuffix("**")
        let head = String(tag.dropLast(isDeep ? 2 : 1))
        if head.isEmpty { return isDeep ? [] : ["tag <> '' AND NOT \(dialect.hasDot("tag"))"] }
        // What begins with "a.b." lies between it and "a.b/", the next character.
        let end = head.dropLast() + "/"
        if isDeep {
            values += [.text(String(head.dropLast())), .text(head), .text(String(end))]
            return ["(tag = ? OR tag >= ? AND tag < ?)"]
        }
        values += [.text(head), .text(String(end)), .integer(Int64(head.unicodeScalars.count + 1))]
        return ["tag > ? AND tag < ? AND NOT \(dialect.hasDot(dialect.suffix("tag")))"]
    }
}

extension FilterDialect {
    /// That tag, message or attributes contain a text; `nil` where only code can say.
    func occurrence(of search: SearchText) -> (sql: String, values: [SQLValue])? {
        let plain = String(decoding: search.plain, as: UTF8.self)
        var parts = ["tag", "message", "attributes"].compactMap { contains($0, search) }
        guard let attributes = parts.last else { return nil }
        var values: [SQLValue] = parts.map { _ in .text(plain) }
        if search.quoted != search.plain {
            parts.append(attributes)
            values.append(.text(String(decoding: search.quoted, as: UTF8.self)))
        }
        return ("(" + parts.joined(separator: " OR ") + ")", values)
    }
}

extension RecordFilter {
    /// Whether code has a say in it.
    fileprivate func needsCode(_ dialect: FilterDialect) -> Bool {
        predicate != nil || asksForMasked || excluding.contains { $0.needsCode(dialect) }
            || expression.map { !FilterCondition($0, dialect, isMasked: sight != .whole).isExact } ?? false
            || !text.isEmpty && dialect.contains("attributes", SearchText(text)) == nil
    }
}

/// How the engines differ in what a ``FilterSQL`` needs. A question mark stands for one value, once.
package struct FilterDialect: Sendable {
    /// The version in the column `context`.
    package var version: String
    /// Whether the text of the first expression has a dot.
    package var hasDot: @Sendable (_ text: String) -> String
    /// The text from a character on, whose number (from 1) is the question mark.
    package var suffix: @Sendable (_ text: String) -> String
    /// That a condition is false or has no answer.
    package var negated: @Sendable (_ condition: String) -> String
    /// That a folded column contains a folded text, the question mark; `nil` where only code can say.
    package var contains: @Sendable (_ column: String, _ search: SearchText) -> String?
    /// That a record arrived before a time.
    package var received: @Sendable (_ time: Int64) -> FilterTermSQL
    /// What the engine makes of a term that asks for a column, or for a form of a text; `nil` where it cannot narrow.
    package var term: @Sendable (_ term: FilterTerm) -> FilterTermSQL?

    package init(
        version: String, hasDot: @escaping @Sendable (_ text: String) -> String,
        suffix: @escaping @Sendable (_ text: String) -> String,
        negated: @escaping @Sendable (_ condition: String) -> String,
        contains: @escaping @Sendable (_ column: String, _ search: SearchText) -> String?,
        received: @escaping @Sendable (_ time: Int64) -> FilterTermSQL = ArrivalMarks.received,
        term: @escaping @Sendable (_ term: FilterTerm) -> FilterTermSQL?
    ) {
        self.version = version
        self.hasDot = hasDot
        self.suffix = suffix
        self.negated = negated
        self.contains = contains
        self.received = received
        self.term = term
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
