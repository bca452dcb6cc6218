/// Reads a statement as far as to say which columns each of its queries reads, and finds what they are compared with. What
/// it does not understand it takes for something of which nothing is known.
struct StatementReader {
    /// A table, view or query that another query reads from.
    fileprivate struct Source {
        var name: String
        var relation: SQLRelation
    }

    /// What the names of a query stand for.
    struct Scope {
        fileprivate var sources: [Source] = []
        /// Expressions that the query names.
        fileprivate var aliases: [String: SQLSort?] = [:]
        /// Of the query around it, nearest first.
        fileprivate var outer: [[Source]] = []
    }

    let tables: StatementTables
    let tokens: [SQLToken]
    private(set) var findings: [StatementWarning] = []
    /// Where each open parenthesis closes.
    private(set) var closing: [Int: Int] = [:]
    private(set) var opening: [Int: Int] = [:]
    private var read: Set<Int> = []
    private var depth = 0

    init(_ sql: String, _ tables: StatementTables) {
        self.tables = tables
        tokens = SQLTokenizer.tokens(of: sql, tables.dialect)
        var open: [Int] = []
        for (index, token) in tokens.enumerated() {
            if token.kind == .open {
                open.append(index)
            } else if token.kind == .close, let start = open.popLast() {
                closing[start] = index
            }
        }
        opening = Dictionary(uniqueKeysWithValues: closing.map { ($1, $0) })
        for start in open { closing[start] = tokens.count }
        _ = query(0..<tokens.count, [:], [])
        findings.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    // MARK: Queries

    private mutating func query(
        _ range: Range<Int>, _ known: [String: SQLRelation], _ outer: [[Source]]
    ) -> SQLRelation {
        // No statement of anybody is that deep.
        guard depth < 50 else { return .unknown }
        depth += 1
        defer { depth -= 1 }
        var known = known
        var start = range.lowerBound
        if start < range.upperBound, tokens[start].isWord("with") {
            start = common(start + 1..<range.upperBound, &known, outer)
        }
        var relation: SQLRelation?
        for part in split(start..<range.upperBound, { $0.isWord("union", "intersect", "except") }) {
            let result = arm(part, known, outer)
            relation = relation.map { Self.joined($0, result) } ?? result
        }
        return relation ?? .unknown
    }

    /// Reads `name AS (…), …`.
    /// - Returns: where the query begins.
    private mutating func common(
        _ range: Range<Int>, _ known: inout [String: SQLRelation], _ outer: [[Source]]
    ) -> Int {
        var index = range.lowerBound
        if index < range.upperBound, tokens[index].isWord("recursive") { index += 1 }
        while index < range.upperBound, let name = name(at: index) {
            var columns: [String] = []
            var next = index + 1
            if next < range.upperBound, tokens[next].kind == .open, let end = closing[next] {
                columns = (next + 1..<min(end, range.upperBound)).compactMap { self.name(at: $0) }
                next = end + 1
            }
            guard next < range.upperBound, tokens[next].isWord("as") else { break }
            next += 1
            while next < range.upperBound, tokens[next].isWord("not", "materialized") { next += 1 }
            guard next < range.upperBound, tokens[next].kind == .open, let end = closing[next] else { break }
            known[name] = .unknown
            read.insert(next)
            let relation = query(next + 1..<min(end, range.upperBound), known, outer)
            known[name] = columns.isEmpty ? relation : .unknown
            index = end + 1
            guard index < range.upperBound, tokens[index].kind == .comma else { break }
            index += 1
        }
        // ClickHouse's `WITH expression AS name` goes on.
        while index < range.upperBound, !tokens[index].isWord("select", "values") {
            index = tokens[index].kind == .open ? (closing[index] ?? index) + 1 : index + 1
        }
        return min(index, range.upperBound)
    }

    private static func joined(_ one: SQLRelation, _ other: SQLRelation) -> SQLRelation {
        let columns = one.columns.map { name, sort in
            (name, SQLSort.common(sort, other.columns[name].flatMap { $0 }))
        }
        return SQLRelation(columns: Dictionary(uniqueKeysWithValues: columns), isWhole: one.isWhole && other.isWhole)
    }

    private mutating func arm(
        _ range: Range<Int>, _ known: [String: SQLRelation], _ outer: [[Source]]
    ) -> SQLRelation {
        guard let first = range.first else { return .unknown }
        if tokens[first].kind == .open, let end = closing[first] {
            read.insert(first)
            return query(first + 1..<min(end, range.upperBound), known, outer)
        }
        var scope = Scope(outer: outer)
        guard tokens[first].isWord("select") else {
            compare(range, scope, known)
            return .unknown
        }
        let from = boundary(range) { tokens, index in
            tokens[index].isWord("from") && !(index > 0 && tokens[index - 1].isWord("distinct"))
        }
        let ends = ["where", "prewhere", "group", "having", "window", "order", "limit", "offset", "fetch", "qualify"]
        let end = boundary((from.map { $0 + 1 } ?? first)..<range.upperBound) { tokens, index in
            if case .word(let word) = tokens[index].kind { ends.contains(word) } else { false }
        }
        if let from { scope.sources = sources(from + 1..<(end ?? range.upperBound), known, outer) }
        let list = first + 1..<(from ?? end ?? range.upperBound)
        let (relation, aliases) = columns(list, scope)
        scope.aliases = aliases
        compare(range, scope, known)
        return relation
    }

    /// The first place outside of parentheses that is one.
    private func boundary(_ range: Range<Int>, _ isOne: ([SQLToken], Int) -> Bool) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if isOne(tokens, index) { return index }
            index = tokens[index].kind == .open ? (closing[index] ?? index) + 1 : index + 1
        }
        return nil
    }

    private func split(_ range: Range<Int>, _ isEnd: (SQLToken) -> Bool) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        while let end = boundary(start..<range.upperBound, { isEnd($0[$1]) }) {
            parts.append(start..<end)
            start = end + 1
            if start < range.upperBound, tokens[start].isWord("all", "distinct") { start += 1 }
        }
        return parts + [min(start, range.upperBound)..<range.upperBound]
    }

    func name(at index: Int) -> String? {
        guard tokens.indices.contains(index) else { return nil }
        return switch tokens[index].kind {
        case .word(let word): word
        case .name(let name, _): name
        default: nil
        }
    }

    // MARK: What is read from

    private mutating func sources(
        _ range: Range<Int>, _ known: [String: SQLRelation], _ outer: [[Source]]
    ) -> [Source] {
        let joins: Set = [
            "join", "left", "right", "full", "inner", "outer", "cross", "natural", "lateral", "global", "any", "all",
            "asof",
            "semi", "anti", "array", "only",
        ]
        var found: [Source] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if tokens[index].kind == .comma || name(at: index).map(joins.contains) == true {
                index += 1
                continue
            }
            var source = Source(name: "", relation: .unknown)
            if tokens[index].kind == .open, let end = closing[index] {
                let isQuery = isQuery(index)
                if isQuery {
                    read.insert(index)
                    source.relation = query(index + 1..<min(end, range.upperBound), known, outer)
                } else {
                    found += sources(index + 1..<min(end, range.upperBound), known, outer)
                }
                index = end + 1
                if !isQuery { continue }
            } else if let first = name(at: index) {
                source.name = first
                index += 1
                while index + 1 < range.upperBound, tokens[index].kind == .dot, let last = name(at: index + 1) {
                    source.name = last
                    index += 2
                }
                if index < range.upperBound, tokens[index].kind == .open {
                    // A function that answers with a table.
                    index = (closing[index] ?? index) + 1
                } else {
                    source.relation = known[source.name] ?? tables.relation(source.name)
                }
            } else {
                index += 1
                continue
            }
            if index < range.upperBound, tokens[index].isWord("as") { index += 1 }
            if index < range.upperBound, let alias = name(at: index), !joins.contains(alias),
                !["on", "using", "final", "sample", "indexed", "not", "tablesample"].contains(alias)
            {
                source.name = alias
                index += 1
            }
            found.append(source)
            // Its condition is compared with everything else.
            let next = boundary(min(index, range.upperBound)..<range.upperBound) { tokens, place in
                tokens[place].kind == .comma || self.name(at: place).map(joins.contains) == true
            }
            index = next ?? range.upperBound
        }
        return found
    }

    func isQuery(_ open: Int) -> Bool {
        guard open + 1 < tokens.count else { return false }
        if tokens[open + 1].kind == .open { return isQuery(open + 1) }
        return tokens[open + 1].isWord("select", "with", "values")
    }

    // MARK: What is answered

    private func columns(_ range: Range<Int>, _ scope: Scope) -> (relation: SQLRelation, aliases: [String: SQLSort?]) {
        var relation = SQLRelation(columns: [:], isWhole: true)
        var aliases: [String: SQLSort?] = [:]
        for part in split(range, { $0.kind == .comma }) {
            var part = part
            if let first = part.first, tokens[first].isWord("distinct", "all") { part = first + 1..<part.upperBound }
            guard let first = part.first, let last = part.last else { continue }
            if tokens[last].kind == .sign("*"), part.count == 1 || part.count == 3 {
                let chosen = scope.sources.filter { part.count == 1 || $0.name == name(at: first) }
                for source in chosen {
                    relation.columns.merge(source.relation.columns) { SQLSort.common($0, $1) }
                    relation.isWhole = relation.isWhole && source.relation.isWhole
                }
                continue
            }
            if let column = column(endingAt: last), column.start == first {
                relation.columns[column.name] = .some(sort(of: column, scope))
            } else if let alias = name(at: last), part.count > 1, isEnd(last - 1) || tokens[last - 1].isWord("as") {
                let end = tokens[last - 1].isWord("as") ? last - 1 : last
                let isSame = column(endingAt: end - 1).map { $0.start == first && $0.name == alias } ?? false
                let sort = sort(of: first..<end, scope)
                if !isSame { aliases[alias] = .some(sort) }
                relation.columns[alias] = .some(sort)
            }
        }
        return (relation, aliases)
    }

    /// Whether an operand may end here.
    private func isEnd(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return false }
        return switch tokens[index].kind {
        case .name, .text, .number, .close: true
        case .word(let word): word == "end" || column(endingAt: index) != nil && !Self.operators.contains(word)
        default: false
        }
    }

    private static let operators: Set = [
        "and", "or", "not", "is", "in", "like", "glob", "ilike", "between", "case", "when", "then", "else", "collate",
        "as",
        "escape", "regexp", "match", "distinct", "select", "where", "on", "having", "by", "from", "interval",
    ]

    /// What an expression is; `nil` where it is not known.
    func sort(of range: Range<Int>, _ scope: Scope) -> SQLSort? {
        var range = range
        if range.count > 2, tokens[range.upperBound - 2].isWord("collate") { range = range.dropLast(2) }
        guard let first = range.first, let last = range.last else { return nil }
        if range.count > 1, case .sign(let sign) = tokens[first].kind, ["+", "-"].contains(sign) {
            return sort(of: range.dropFirst(), scope)?.isNumber == true ? .bareNumber : nil
        }
        if tokens[first].kind == .open, closing[first] == last { return sort(of: range.dropFirst().dropLast(), scope) }
        if let column = column(endingAt: last), column.start == first { return sort(of: column, scope) }
        if range.count == 1 { return tokens[first].kind == .number ? .bareNumber : nil }
        guard first + 1 < range.upperBound, tokens[first + 1].kind == .open, closing[first + 1] == last else {
            return nil
        }
        if tokens[first].isWord("count", "sum", "avg", "total") { return .bareNumber }
        guard tokens[first].isWord("min", "max", "abs", "round", "coalesce", "ifnull") else { return nil }
        let sorts = split(first + 2..<last) { $0.kind == .comma }.map { sort(of: $0, scope) }
        return sorts.allSatisfy { $0?.isNumber == true } ? .bareNumber : nil
    }

    // MARK: Columns

    /// A column's name in a statement.
    struct ColumnName {
        var table: String?
        var name: String
        /// As it is written, for messages.
        var written: String
        /// The index of its first token.
        var start: Int
    }

    /// The column whose name ends with this token.
    func column(endingAt index: Int) -> ColumnName? {
        guard let last = name(at: index) else { return nil }
        let written = if case .name(_, let written) = tokens[index].kind { written } else { last }
        guard index >= 2, tokens[index - 1].kind == .dot, let table = name(at: index - 2) else {
            return ColumnName(table: nil, name: last, written: written, start: index)
        }
        var start = index - 2
        while start >= 2, tokens[start - 1].kind == .dot, name(at: start - 2) != nil { start -= 2 }
        return ColumnName(table: table, name: last, written: written, start: start)
    }

    /// The column whose name begins with this token, and the index behind it.
    func column(beginningAt index: Int) -> (column: ColumnName, end: Int)? {
        guard name(at: index) != nil else { return nil }
        var last = index
        while last + 2 < tokens.count, tokens[last + 1].kind == .dot, name(at: last + 2) != nil { last += 2 }
        return column(endingAt: last).map { ($0, last + 1) }
    }

    /// What a column is; `nil` where it is not known.
    func sort(of column: ColumnName, _ scope: Scope) -> SQLSort? {
        let read = sortInSources(column, scope)
        // Which of the two a name means is not the same everywhere.
        guard column.table == nil, let alias = scope.aliases[column.name] else { return read.sort }
        return read.isFound && read.sort != alias ? nil : alias
    }

    /// Whether a source has the column, or may have, and what it is.
    private func sortInSources(_ column: ColumnName, _ scope: Scope) -> (sort: SQLSort?, isFound: Bool) {
        for sources in [scope.sources] + scope.outer {
            let meant = sources.filter { column.table == nil || $0.name == column.table }
            let found = meant.compactMap { $0.relation.columns[column.name] }
            if let first = found.first { return (found.reduce(first) { SQLSort.common($0, $1) }, true) }
            if column.table != nil, !meant.isEmpty { return (nil, true) }
            if meant.contains(where: { !$0.relation.isWhole }) { return (nil, true) }
        }
        return (nil, false)
    }

    /// Whether no column has this name, so that SQLite takes it for a text.
    func isNoColumn(_ name: String, _ scope: Scope) -> Bool {
        let all = ([scope.sources] + scope.outer).flatMap(\.self)
        return !all.isEmpty && scope.aliases[name] == nil
            && all.allSatisfy { $0.relation.isWhole && $0.relation.columns[name] == nil }
    }

    // MARK: Comparisons

    private mutating func compare(_ range: Range<Int>, _ scope: Scope, _ known: [String: SQLRelation]) {
        var index = range.lowerBound
        while index < range.upperBound {
            if tokens[index].kind == .open, let end = closing[index], read.contains(index) || isQuery(index) {
                if read.insert(index).inserted {
                    _ = query(index + 1..<min(end, range.upperBound), known, [scope.sources] + scope.outer)
                }
                index = end + 1
                continue
            }
            findings += comparison(at: index, scope)
            index += 1
        }
    }
}
