import DaybookTools

/// Parses a statement far enough to know what its queries read, and finds comparisons that are never or always true.
/// What it does not understand counts as unknown, so it reports nothing that may be right.
struct StatementReader {
    /// A table, view or subquery in FROM.
    fileprivate struct Source {
        var name: String
        var relation: SQLRelation
    }

    /// The names in scope of a query.
    struct Scope {
        fileprivate var sources: [Source] = []
        /// The query's aliases.
        fileprivate var aliases: [String: SQLOperand] = [:]
        /// The enclosing queries' sources, innermost first.
        fileprivate var outer: [[Source]] = []
        /// Names from WITH.
        fileprivate var known: [String: SQLRelation] = [:]

        /// The scope of a subquery.
        fileprivate var inner: Scope { Scope(outer: sources.isEmpty ? outer : [sources] + outer, known: known) }
    }

    let tables: StoreTables
    /// What the statement cannot see; `nil` if it reads stored values.
    let masking: MaskingPolicy?
    let tokens: [SQLToken]
    var findings: [StatementWarning] = []
    /// Matching parentheses.
    private(set) var closing: [Int: Int] = [:]
    /// The current depth of expressions.
    var nesting = 0
    private let scalars: [Unicode.Scalar]
    private var depth = 0

    init(_ sql: String, _ tables: StoreTables, _ masking: MaskingPolicy?) {
        self.tables = tables
        self.masking = masking
        scalars = Array(sql.unicodeScalars)
        tokens = SQLTokenizer.tokens(of: sql, tables.dialect)
        var open: [Int] = []
        for (index, token) in tokens.enumerated() {
            if token.kind == .open {
                open.append(index)
            } else if token.kind == .close, let start = open.popLast() {
                closing[start] = index
            }
        }
        for start in open { closing[start] = tokens.count }
        _ = query(0..<tokens.count, Scope())
        findings.sort { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
        findings = findings.indices.filter { $0 == 0 || findings[$0] != findings[$0 - 1] }.map { findings[$0] }
    }

    /// Source text on one line, for messages.
    func text(_ range: Range<Int>) -> String {
        guard let first = range.first, let last = range.last, tokens.indices.contains(last) else { return "" }
        var text = String.UnicodeScalarView()
        for scalar in scalars[tokens[first].range.lowerBound..<tokens[last].range.upperBound] {
            // Longer texts are clipped.
            if text.count > 100 { break }
            let isSpace = scalar.properties.isWhitespace
            if isSpace, text.last == " " { continue }
            text.append(isSpace ? " " : scalar)
        }
        return String(text).clipped
    }

    // MARK: Queries

    /// Parses a subquery.
    mutating func subquery(_ range: Range<Int>, in scope: Scope) -> SQLRelation { query(range, scope.inner) }

    private mutating func query(_ range: Range<Int>, _ scope: Scope) -> SQLRelation {
        // Real statements are never that deep.
        guard depth < 50 else { return .unknown }
        depth += 1
        defer { depth -= 1 }
        var scope = scope
        var start = range.lowerBound
        if start < range.upperBound, tokens[start].isWord("with") {
            start = common(start + 1..<range.upperBound, &scope)
        }
        var relation: SQLRelation?
        for part in split(start..<range.upperBound, { $0.isWord("union", "intersect", "except") }) {
            let result = arm(part, scope)
            relation = relation.map { $0.joined(result) } ?? result
        }
        return relation ?? .unknown
    }

    /// Parses `name AS (…), …`.
    /// - Returns: the start of the query.
    private mutating func common(_ range: Range<Int>, _ scope: inout Scope) -> Int {
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
            scope.known[name] = .unknown
            let relation = query(next + 1..<min(end, range.upperBound), scope)
            scope.known[name] = columns.isEmpty ? relation : relation.renamed(columns)
            index = end + 1
            guard index < range.upperBound, tokens[index].kind == .comma else { break }
            index += 1
        }
        // ClickHouse's `WITH expression AS name` may continue.
        while index < range.upperBound, !tokens[index].isWord("select", "values") {
            index = tokens[index].kind == .open ? (closing[index] ?? index) + 1 : index + 1
        }
        return min(index, range.upperBound)
    }

    private mutating func arm(_ range: Range<Int>, _ scope: Scope) -> SQLRelation {
        guard let first = range.first else { return .unknown }
        if tokens[first].kind == .open, let end = closing[first] {
            return query(first + 1..<min(end, range.upperBound), scope)
        }
        var scope = scope
        if tokens[first].isWord("values") { return values(first + 1..<range.upperBound, scope) }
        guard tokens[first].isWord("select") else {
            read(range, scope)
            return .unknown
        }
        let from = boundary(range) { tokens, index in
            tokens[index].isWord("from") && !(index > 0 && tokens[index - 1].isWord("distinct"))
        }
        let ends = ["where", "prewhere", "group", "having", "window", "order", "limit", "offset", "fetch", "qualify"]
        let end = boundary((from.map { $0 + 1 } ?? first)..<range.upperBound) { tokens, index in
            if case .word(let word) = tokens[index].kind { ends.contains(word) } else { false }
        }
        let origin = from.map { $0 + 1..<max($0 + 1, end ?? range.upperBound) }
        if let origin { scope.sources = sources(origin, scope) }
        let list = first + 1..<max(first + 1, from ?? end ?? range.upperBound)
        let (relation, aliases) = columns(list, scope)
        scope.aliases = aliases
        if let origin { readConditions(origin, scope) }
        if let end { read(end..<range.upperBound, scope) }
        return relation
    }

    /// Parses `(…), (…)`.
    private mutating func values(_ range: Range<Int>, _ scope: Scope) -> SQLRelation {
        var relation: SQLRelation?
        for row in split(range, { $0.kind == .comma }) {
            guard let first = row.first, tokens[first].kind == .open, let end = closing[first] else { return .unknown }
            var columns: [SQLOperand] = []
            for part in split(first + 1..<min(end, range.upperBound), { $0.kind == .comma }) {
                var index = part.lowerBound
                columns.append(expression(&index, until: part.upperBound, scope))
            }
            let result = SQLRelation(columns: [:], isWhole: true, ordered: columns)
            relation = relation.map { $0.joined(result) } ?? result
        }
        return relation ?? .unknown
    }

    /// Parses expressions between keywords.
    mutating func read(_ range: Range<Int>, _ scope: Scope) {
        var index = range.lowerBound
        while index < range.upperBound {
            if case .word(let word) = tokens[index].kind, Self.clauses.contains(word) {
                index += 1
                continue
            }
            let start = index
            _ = expression(&index, until: range.upperBound, scope)
            if index == start { index += 1 }
        }
    }

    private static let clauses: Set = [
        "where", "prewhere", "group", "by", "having", "window", "order", "limit", "offset", "fetch", "qualify", "asc",
        "desc", "nulls", "as", "on", "using", "select", "set", "partition", "rows", "range", "groups",
    ]

    /// Parses join conditions; subqueries next to them are already parsed.
    private mutating func readConditions(_ range: Range<Int>, _ scope: Scope) {
        var index = range.lowerBound
        while index < range.upperBound {
            if tokens[index].isWord("on") {
                index += 1
                _ = expression(&index, until: range.upperBound, scope)
            } else if tokens[index].kind == .open, isQuery(index) {
                index = (closing[index] ?? index) + 1
            } else {
                index += 1
            }
        }
    }

    /// The first match outside parentheses.
    private func boundary(_ range: Range<Int>, _ isOne: ([SQLToken], Int) -> Bool) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if isOne(tokens, index) { return index }
            index = tokens[index].kind == .open ? (closing[index] ?? index) + 1 : index + 1
        }
        return nil
    }

    func split(_ range: Range<Int>, _ isEnd: (SQLToken) -> Bool) -> [Range<Int>] {
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

    func isQuery(_ open: Int) -> Bool {
        guard open + 1 < tokens.count else { return false }
        var index = open + 1
        while index < tokens.count, tokens[index].kind == .open { index += 1 }
        return index < tokens.count && tokens[index].isWord("select", "with", "values")
    }

    // MARK: What is read from

    private static let joins: Set = [
        "join", "left", "right", "full", "inner", "outer", "cross", "natural", "lateral", "global", "any", "all",
        "asof",
        "semi", "anti", "array", "only",
    ]

    private mutating func sources(_ range: Range<Int>, _ scope: Scope) -> [Source] {
        var found: [Source] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if tokens[index].kind == .comma || name(at: index).map(Self.joins.contains) == true {
                index += 1
                continue
            }
            var source = Source(name: "", relation: .unknown)
            if tokens[index].kind == .open, let end = closing[index] {
                let inside = index + 1..<max(index + 1, min(end, range.upperBound))
                index = end + 1
                guard isQuery(inside.lowerBound - 1) else {
                    found += sources(inside, scope)
                    continue
                }
                source.relation = query(inside, scope)
            } else if let first = name(at: index) {
                source.name = first
                index += 1
                while index + 1 < range.upperBound, tokens[index].kind == .dot, let last = name(at: index + 1) {
                    source.name = last
                    index += 2
                }
                if index < range.upperBound, tokens[index].kind == .open {
                    // A table function.
                    index = (closing[index] ?? index) + 1
                } else {
                    source.relation = scope.known[source.name] ?? tables.relation(source.name)
                }
            } else {
                index += 1
                continue
            }
            if index < range.upperBound, tokens[index].isWord("as") { index += 1 }
            if index < range.upperBound, let alias = name(at: index), !Self.joins.contains(alias),
                !["on", "using", "final", "sample", "indexed", "not", "tablesample"].contains(alias)
            {
                source.name = alias
                index += 1
            }
            found.append(source)
            let next = boundary(min(index, range.upperBound)..<range.upperBound) { tokens, place in
                tokens[place].kind == .comma || self.name(at: place).map(Self.joins.contains) == true
            }
            index = next ?? range.upperBound
        }
        return found
    }

    // MARK: What is answered

    private mutating func columns(
        _ range: Range<Int>, _ scope: Scope
    ) -> (relation: SQLRelation, aliases: [String: SQLOperand]) {
        var relation = SQLRelation(columns: [:], isWhole: true, ordered: [])
        var aliases: [String: SQLOperand] = [:]
        for part in split(range, { $0.kind == .comma }) {
            var index = part.lowerBound
            if index < part.upperBound, tokens[index].isWord("distinct", "all") { index += 1 }
            guard let last = part.last, index <= last else { continue }
            if tokens[last].kind == .sign("*"), last == index || last == index + 2 && tokens[index + 1].kind == .dot {
                let chosen = scope.sources.filter { last == index || $0.name == self.name(at: index) }
                for source in chosen {
                    relation.columns.merge(source.relation.columns) { SQLOperand.any(of: [$0, $1]) }
                    relation.isWhole = relation.isWhole && source.relation.isWhole
                }
                relation.ordered = nil
                continue
            }
            let start = index
            let operand = expression(&index, until: part.upperBound, scope)
            let column = column(beginningAt: start).flatMap { $0.end == index ? $0.column : nil }
            if index < part.upperBound, tokens[index].isWord("as") { index += 1 }
            var name = column?.name
            if index == last, let alias = self.name(at: index) {
                if alias != name { aliases[alias] = operand }
                name = alias
            } else if index <= last {
                // Parsed incompletely.
                relation.isWhole = false
                read(index..<part.upperBound, scope)
            }
            if let name { relation.columns[name] = operand }
            relation.ordered?.append(operand)
        }
        return (relation, aliases)
    }

    // MARK: Columns

    /// A column reference.
    struct ColumnName {
        var table: String?
        var name: String
        /// As written, for messages.
        var written: String
    }

    /// The column reference that begins at this token, and the index after it.
    func column(beginningAt index: Int) -> (column: ColumnName, end: Int)? {
        guard name(at: index) != nil else { return nil }
        var last = index
        while last + 2 < tokens.count, tokens[last + 1].kind == .dot, name(at: last + 2) != nil { last += 2 }
        guard let name = name(at: last) else { return nil }
        let written = if case .name(_, let written) = tokens[last].kind { written } else { name }
        let table = last > index ? self.name(at: last - 2) : nil
        return (ColumnName(table: table, name: name, written: written), last + 1)
    }

    func operand(of column: ColumnName, _ scope: Scope) -> SQLOperand {
        let read = operandInSources(column, scope)
        // Which of the two a name means differs between stores.
        guard column.table == nil, let alias = scope.aliases[column.name] else { return read.operand }
        return read.isFound && read.operand != alias ? .unknown : alias
    }

    /// Looks a column up in the sources; `isFound` also if a source may have it.
    private func operandInSources(_ column: ColumnName, _ scope: Scope) -> (operand: SQLOperand, isFound: Bool) {
        for sources in [scope.sources] + scope.outer {
            let meant = sources.filter { column.table == nil || $0.name == column.table }
            let found = meant.compactMap { $0.relation.columns[column.name] }
            if !found.isEmpty { return (SQLOperand.any(of: found), true) }
            if column.table != nil, !meant.isEmpty { return (.unknown, true) }
            if meant.contains(where: { !$0.relation.isWhole }) { return (.unknown, true) }
        }
        return (.unknown, false)
    }

    /// Whether no column has this name, so that SQLite treats it as text.
    func isNoColumn(_ name: String, _ scope: Scope) -> Bool {
        let all = ([scope.sources] + scope.outer).flatMap(\.self)
        return !all.isEmpty && scope.aliases[name] == nil
            && all.allSatisfy { $0.relation.isWhole && $0.relation.columns[name] == nil }
    }
}
