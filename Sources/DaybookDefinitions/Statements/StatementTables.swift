import DaybookBase
import DaybookTools

/// The columns of something in FROM, by lowercase name.
struct SQLRelation {
    var columns: [String: SQLOperand]
    /// Whether it has no other columns.
    var isWhole: Bool
    /// In order, if known.
    var ordered: [SQLOperand]?

    static let unknown = SQLRelation(columns: [:], isWhole: false)

    /// A UNION of two arms, with the first one's names.
    func joined(_ other: SQLRelation) -> SQLRelation {
        let ordered = ordered.flatMap { one in
            other.ordered.flatMap { two in
                one.count == two.count ? zip(one, two).map { SQLOperand.any(of: [$0, $1]) } : nil
            }
        }
        let columns = columns.map { name, operand in
            (name, SQLOperand.any(of: [operand, other.columns[name] ?? .unknown]))
        }
        return SQLRelation(
            columns: Dictionary(uniqueKeysWithValues: columns), isWhole: isWhole && other.isWhole, ordered: ordered)
    }

    /// Renamed as by `WITH x(a, b)`.
    func renamed(_ names: [String]) -> SQLRelation {
        guard let ordered, ordered.count == names.count else { return .unknown }
        return SQLRelation(
            columns: Dictionary(zip(names, ordered), uniquingKeysWith: { first, _ in first }), isWhole: true,
            ordered: ordered)
    }
}

/// The tables, views and columns that statements can use in a store.
package struct StatementTables: Sendable {
    private let tables: [SQLDialect: StoreTables]
    /// `nil` if the store is unknown.
    private let dialect: SQLDialect?

    /// - Parameters:
    ///   - dialect: `nil` if the store is unknown: then the functions a statement calls decide, else SQLite.
    ///   - definitions: for the events' views; nothing is known of other events.
    package init(dialect: SQLDialect?, definitions: Definitions = Definitions()) {
        self.dialect = dialect
        let dialects = dialect.map { [$0] } ?? [.sqlite, .postgresql, .clickhouse]
        tables = Dictionary(
            uniqueKeysWithValues: dialects.map { ($0, StoreTables($0, definitions)) })
    }

    /// Warnings about comparisons that a store accepts but that are never or always true: of numbers with texts, times
    /// of two units or forms, names with other texts, and values the statement cannot see.
    /// - Parameter masking: what the statement cannot see; `nil` if it reads stored values.
    package func warnings(of sql: String, masking: MaskingPolicy?) -> [StatementWarning] {
        guard let tables = tables[dialect ?? SQLDialect(of: sql)] else { return [] }
        return StatementReader(sql, tables, masking).findings
    }
}

extension SQLDialect {
    /// Guesses a statement's dialect by what only one store has.
    fileprivate init(of sql: String) {
        let tokens = SQLTokenizer.tokens(of: sql, nil)
        let words = Set(tokens.compactMap { if case .word(let word) = $0.kind { word } else { nil } })
        let isCast = tokens.contains { $0.kind == .sign("::") }
        if !words.isDisjoint(with: ["unixepoch", "strftime", "julianday", "json_extract", "glob"]) {
            self = .sqlite
        } else if words.contains(where: { $0.hasPrefix("jsonextract") || $0.hasPrefix("visitparam") })
            || !words.isDisjoint(with: ["tounixtimestamp", "todatetime", "todate", "prewhere", "multiif", "today"])
        {
            self = .clickhouse
        } else if isCast
            || !words.isDisjoint(with: [
                "extract", "interval", "timestamptz", "timestamp", "now", "ilike", "date_trunc",
            ])
        {
            self = .postgresql
        } else {
            self = .sqlite
        }
    }
}

/// The tables and views of one kind of store.
struct StoreTables: Sendable {
    let dialect: SQLDialect
    private var tables: [String: [String: SQLOperand]] = [:]

    var isSQLite: Bool { dialect == .sqlite }

    init(_ dialect: SQLDialect, _ definitions: Definitions) {
        self.dialect = dialect
        let accounts: [(names: [String], numbers: [String], others: [String])] = [
            (
                ["records", "stored_records"], ["id", "time", "level", "duration", "line"],
                [
                    "uid", "kind", "tag", "message", "module", "attributes", "context", "session", "installation",
                    "trace_id", "span_id", "parent_span_id", "file", "function",
                ]
            ),
            (["tags"], ["count", "first_time", "last_time"], ["tag", "kind", "version"]),
            (
                ["completeness"], ["stored", "duplicates", "missing", "lost", "proven"],
                ["installation", "version", "owner"]
            ),
            (["ledger"], ["stored", "duplicates"], ["stream", "sender", "installation", "version"]),
            (["losses"], ["count"], ["sender", "reason"]),
            (["streams"], ["after", "through"], ["stream"]),
            (["stream_gaps"], ["after", "through", "missing"], ["stream"]),
        ]
        for (names, numbers, others) in accounts {
            let columns = (numbers + others).map { name in
                (name, operand(name, isNumber: numbers.contains(name), isComputed: false))
            }
            for name in names { tables[name] = Dictionary(uniqueKeysWithValues: columns) }
        }
        // PostgreSQL and ClickHouse have sessions in a table with the same columns.
        let analysts = SQLViews.ofAnalysts(.sqlite)
        for view in analysts where dialect != .sqlite { add(view) { _ in nil } }
        let names = Set(analysts.map(\.name))
        let policy = MaskingPolicy(definitions)
        let events = definitions.categories.flatMap { category in
            category.events.map { "\(category.name).\($0.name)" }
        }
        let tags = Dictionary(events.map { (SQLName.event(tag: $0), $0) }, uniquingKeysWith: { first, _ in first })
        for view in SQLViews.ofStore(definitions, dialect: dialect) {
            add(view) { column in
                guard !names.contains(view.name), !column.hasPrefix("_") else { return nil }
                return tags[view.name].map { policy.isPrivate(column, of: $0) } ?? true
            }
        }
    }

    /// - Parameter mayHide: whether an event's column may be private; `nil` for one that every record has.
    private mutating func add(_ view: SQLView, mayHide: (String) -> Bool?) {
        var columns: [String: SQLOperand] = [:]
        for column in view.columns {
            // A team may call its own column `kind`.
            let mayHide = mayHide(column.name)
            var found = operand(
                mayHide == nil ? column.name : "", isNumber: column.isNumber, isComputed: column.isComputed)
            found.name = column.name.lowercased()
            if column.isDay { found.kinds = isSQLite ? [.form(.day)] : [.moment] }
            if mayHide == true { found.shown = [column.name] }
            columns[column.name.lowercased()] = found
        }
        tables[view.name.lowercased()] = columns
    }

    private func operand(_ name: String, isNumber: Bool, isComputed: Bool) -> SQLOperand {
        // Servers compare by the column's type, even if it is computed.
        let isBare = isSQLite && isComputed
        if isNumber {
            let isTime = name == "time" || name.hasSuffix("_time")
            let kind: SQLKind = name == "level" || name == "_level" ? .level : .number(isTime ? .nanoseconds : nil)
            return SQLOperand(kinds: [kind], affinity: isBare ? .none : .number, name: name)
        }
        let kinds: [SQLKind]? =
            switch name {
            case "kind": Kind.allCases.map { SQLKind.text($0.rawValue) }
            case "level_name": Level.allCases.map { SQLKind.text($0.name) }
            case "_time": [isSQLite ? .form(.record) : .moment]
            case "attributes", "context": [.object]
            default: isSQLite ? [.anyText] : nil
            }
        return SQLOperand(kinds: kinds, affinity: isBare ? .none : .text, name: name)
    }

    func relation(_ name: String) -> SQLRelation {
        tables[name].map { SQLRelation(columns: $0, isWhole: true) } ?? .unknown
    }
}

/// A likely mistake in a statement.
package struct StatementWarning: Sendable, Hashable {
    /// From 1, in the statement.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    package let message: String

    package init(line: Int, column: Int, message: String) {
        (self.line, self.column, self.message) = (line, column, message)
    }
}

/// A statement's location in a file.
package struct StatementPlace: Sendable, Hashable {
    /// Of its first character.
    package var line: Int
    package var column: Int
    /// The indentation of further lines.
    package var indent: Int

    /// - Parameters:
    ///   - lines: the block's, without its indentation.
    ///   - line: of the first of them.
    package init(of lines: [String], line: Int, indent: Int) {
        let skipped = lines.prefix { $0.allSatisfy(\.isWhitespace) }.count
        let white = lines.dropFirst(skipped).first?.unicodeScalars.prefix(while: \.properties.isWhitespace).count ?? 0
        self.line = line + skipped
        column = indent + white + 1
        self.indent = indent
    }

    /// A warning's location in the file.
    package func place(of warning: StatementWarning) -> (line: Int, column: Int) {
        warning.line == 1
            ? (line, column + warning.column - 1) : (line + warning.line - 1, indent + warning.column)
    }
}
