import Daybook

/// A ``RecordFilter`` as a condition of SQL, but for its predicate, which only code can judge.
struct FilterSQL {
    /// Empty where every record matches.
    private(set) var condition: String
    /// One for each question mark.
    private(set) var values: [SQLValue] = []
    /// What SQL does not judge: the whole filter, where it or one of its exclusions has a predicate.
    let match: FilterMatch?

    /// - Throws: ``StoreError``, `badStatement` for a tag pattern that is none.
    init(_ filter: RecordFilter) throws(StoreError) {
        condition = ""
        match = filter.hasPredicate ? try FilterMatch(filter) : nil
        var conditions: [String] = []
        conditions += addTag(try filter.pattern(), filter.tag)
        for (column, value) in [
            ("session", filter.session), ("installation", filter.installation), ("module", filter.module),
            ("trace_id", filter.trace), ("uid", filter.uid), ("daybook_version(context)", filter.version),
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
        if !filter.kinds.isEmpty {
            conditions.append("kind IN (\(filter.kinds.map { _ in "?" }.joined(separator: ",")))")
            values += filter.kinds.map { .text($0) }
        }
        if !filter.text.isEmpty { conditions.append(addText(SearchText(filter.text))) }
        // An exclusion with a predicate is left to the code.
        for excluded in filter.excluding where !excluded.hasPredicate {
            let part = try FilterSQL(excluded)
            // A comparison with an absent value is neither true nor false: the record is not what is excluded.
            conditions.append(part.condition.isEmpty ? "0" : "(\(part.condition)) IS NOT TRUE")
            values += part.values
        }
        condition = conditions.joined(separator: " AND ")
    }

    /// The condition behind others: empty, or with an AND before it.
    var continuation: String { condition.isEmpty ? "" : " AND \(condition)" }

    private mutating func addTag(_ pattern: TagPattern?, _ tag: String?) -> [String] {
        guard let tag else { return [] }
        guard pattern != nil else {
            values.append(.text(tag))
            return ["tag = ?"]
        }
        let isDeep = tag.hasSuffix("**")
        let head = String(tag.dropLast(isDeep ? 2 : 1))
        if head.isEmpty { return isDeep ? [] : ["tag <> '' AND instr(tag, '.') = 0"] }
        // What begins with "a.b." lies between it and "a.b/", the next character.
        let end = head.dropLast() + "/"
        if isDeep {
            values += [.text(String(head.dropLast())), .text(head), .text(String(end))]
            return ["(tag = ? OR tag >= ? AND tag < ?)"]
        }
        values += [.text(head), .text(String(end)), .integer(Int64(head.unicodeScalars.count + 1))]
        return ["tag > ? AND tag < ? AND instr(substr(tag, ?), '.') = 0"]
    }

    private mutating func addText(_ search: SearchText) -> String {
        let plain = String(decoding: search.plain, as: UTF8.self)
        var parts = ["tag", "message", "attributes"].map { "daybook_contains(\($0), ?)" }
        values += [.text(plain), .text(plain), .text(plain)]
        if search.quoted != search.plain {
            parts.append("daybook_contains(attributes, ?)")
            values.append(.text(String(decoding: search.quoted, as: UTF8.self)))
        }
        return "(" + parts.joined(separator: " OR ") + ")"
    }
}

extension RecordFilter {
    /// Whether code has a say in it.
    var hasPredicate: Bool { predicate != nil || excluding.contains { $0.hasPredicate } }
}
