import DaybookBase

/// What a column or an expression is, as far as comparisons differ.
enum SQLSort {
    case number
    /// A number that SQLite does not compare with a text of digits as a number: no column has told it to.
    case bareNumber
    /// A time as a text, in SQLite or where the store is not known.
    case moment
    case levelName
    case other

    var isNumber: Bool { self == .number || self == .bareNumber }

    /// What either of two is; `nil` where it is not known.
    static func common(_ one: SQLSort?, _ other: SQLSort?) -> SQLSort? {
        if one == other { return one }
        return one?.isNumber == true && other?.isNumber == true ? .number : nil
    }
}

/// The columns of something that a statement reads from, by name in lower case.
struct SQLRelation {
    /// `nil` where it is not known what a column is.
    var columns: [String: SQLSort?]
    /// Whether it has no others.
    var isWhole: Bool

    static let unknown = SQLRelation(columns: [:], isWhole: false)
}

/// What the tables and views of a store hold: which of their columns are numbers.
package struct StatementTables: Sendable {
    let dialect: SQLDialect?
    private var tables: [String: [String: SQLSort]] = [:]

    /// - Parameters:
    ///   - dialect: `nil` where the store is not known.
    ///   - definitions: those of the events' views; of an event that they do not have, nothing is known.
    package init(dialect: SQLDialect?, definitions: Definitions = Definitions()) {
        self.dialect = dialect
        let accounts: [(names: [String], numbers: [String], others: [String])] = [
            (
                ["records", "stored_records"], ["id", "time", "level", "duration", "line"],
                [
                    "uid", "kind", "tag", "message", "module", "attributes", "context", "session", "installation",
                    "trace_id",
                    "span_id", "parent_span_id", "file", "function",
                ]
            ),
            (
                ["violations"], ["_id", "_level", "count"],
                [
                    "_uid", "_time", "_session", "_installation", "_version", "event", "violation", "column", "message",
                    "example",
                ]
            ),
            (["tags"], ["count", "first_time", "last_time"], ["tag", "kind", "version"]),
            (["completeness"], ["stored", "duplicates", "missing", "lost"], ["installation", "version"]),
            (["ledger"], ["stored", "duplicates"], ["stream", "sender", "installation", "version"]),
            (["losses"], ["count"], ["sender", "reason"]),
            (["streams"], ["after", "through"], ["stream"]),
            (["stream_gaps"], ["after", "through", "missing"], ["stream"]),
        ]
        for account in accounts {
            let columns = account.numbers.map { ($0, SQLSort.number) } + account.others.map { ($0, .other) }
            for name in account.names { tables[name] = Dictionary(uniqueKeysWithValues: columns) }
        }
        // Where truth values are numbers is not known.
        let known = dialect ?? .postgresql
        for view in SQLViews.ofAnalysts(.sqlite) + SQLViews.overRecords(definitions, dialect: known) {
            tables[view.name.lowercased()] = Dictionary(
                view.columns.map { ($0.name.lowercased(), Self.sort(of: $0, dialect)) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private static func sort(of column: SQLView.Column, _ dialect: SQLDialect?) -> SQLSort {
        if column.isNumber { return column.isComputed && dialect ?? .sqlite == .sqlite ? .bareNumber : .number }
        switch column.name {
        case "_time" where dialect ?? .sqlite == .sqlite: return .moment
        case "level_name": return .levelName
        default: return .other
        }
    }

    func relation(_ name: String) -> SQLRelation {
        tables[name].map { SQLRelation(columns: $0.mapValues { $0 }, isWhole: true) } ?? .unknown
    }
}

/// Something that a statement says and hardly means.
package struct StatementWarning: Sendable, Hashable {
    /// From 1, in the statement.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    package let message: String
}

/// Where a statement stands in a file.
package struct StatementPlace: Sendable, Hashable {
    /// Of its first character.
    package var line: Int
    package var column: Int
    /// How far the other lines are moved to the right.
    package var indent: Int

    /// - Parameters:
    ///   - lines: of the block that the statement is in, without its indent.
    ///   - line: of the first of them.
    package init(of lines: [String], line: Int, indent: Int) {
        let skipped = lines.prefix { $0.allSatisfy(\.isWhitespace) }.count
        let white = lines.dropFirst(skipped).first?.unicodeScalars.prefix(while: \.properties.isWhitespace).count ?? 0
        self.line = line + skipped
        column = indent + white + 1
        self.indent = indent
    }

    /// The place of a warning in the file.
    package func place(of warning: StatementWarning) -> (line: Int, column: Int) {
        warning.line == 1
            ? (line, column + warning.column - 1) : (line + warning.line - 1, indent + warning.column)
    }
}
