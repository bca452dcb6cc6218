import DaybookStore

struct PostgreSQLReader: ServerReader {
    let connection: PostgreSQLConnection
    let isCancelled: () -> Bool

    var recordsTable: String { "records" }
    var isRecord: String? { nil }
    var filterDialect: FilterDialect { .postgresql }

    func rows(_ sql: String) throws(PostgreSQLError) -> PostgreSQLResult {
        let rows = try connection.run(sql)[0]
        if isCancelled() { throw PostgreSQLError(state: "57014", message: "The search was cancelled.") }
        return rows
    }

    func forEachRow(
        of sql: String, within time: Duration?, _ body: (PostgreSQLResult, Int) -> Bool
    ) throws(PostgreSQLError) -> RowsEnd {
        var isEnough = false
        // The transaction limits the timeout to this statement, and keeps a cancellation from hitting the next.
        let limit = time.map { "SET LOCAL statement_timeout = \(Int($0 / .milliseconds(1)))" }
        try connection.run((["BEGIN"] + [limit].compactMap(\.self)).joined(separator: "; "))
        do throws(PostgreSQLError) {
            try connection.stream(sql) { result in
                guard result.count > 0 else { return true }
                isEnough = !body(result, 0)
                return !isEnough
            }
        } catch {
            guard error.isStopped, !isCancelled(), time != nil else {
                connection.rollBack()
                throw error
            }
            connection.rollBack()
            return .late
        }
        connection.rollBack()
        if isCancelled() { throw PostgreSQLError(state: "57014", message: "The search was cancelled.") }
        return isEnough ? .enough : .all
    }

    var listedTags: String { "tags" }
    var unlistedNames: String { NameFolding.reading }

    func head() throws(PostgreSQLError) -> Int64 {
        try rows("SELECT coalesce(max(id), 0) FROM stored_records").integer(0, 0)
    }

    func maskingText() throws(PostgreSQLError) -> String? {
        let name = PostgreSQLLiteral.text(StoreView.masking)
        guard try rows("SELECT count(*) FROM event_views WHERE name = \(name)").integer(0, 0) > 0 else { return nil }
        return try rows("SELECT policy FROM \(PostgreSQLLiteral.identifier(StoreView.masking))").text(0, 0)
    }

    func timeBounds(within times: Range<Int64>?) throws(PostgreSQLError) -> ClosedRange<Int64>? {
        let rows = try rows("SELECT min(time), max(time) FROM stored_records \(Self.condition(within: times))")
        guard let first = rows.optionalInteger(0, 0), let last = rows.optionalInteger(0, 1) else { return nil }
        return first...last
    }

    static func stored(_ filter: RecordFilter) -> RecordFilter { filter.cutToKeys }

    static func literal(_ value: SQLValue) -> String { PostgreSQLLiteral.value(value) }

    static func quotient(_ dividend: String, by divisor: String) -> String { "\(dividend) / \(divisor)" }

    static func refusal(_ error: StoreError) -> PostgreSQLError { PostgreSQLError(error) }
}

extension FilterDialect {
    static let postgresql = FilterDialect(
        version: "daybook_version(context)", hasDot: { "strpos(\($0), '.') > 0" },
        suffix: { "substr(\($0), (?)::integer)" }, negated: { "(\($0)) IS NOT TRUE" },
        contains: { column, search in
            // `jsonb` writes these characters differently.
            guard search.isComparable(without: [0x22, 0x2C, 0x3A, 0x5C]) else { return nil }
            let text = column == "attributes" ? "attributes::text" : column
            let folded = "daybook_folded(\(text))"
            return "strpos(\(search.hasKana ? Kana.katakana(of: folded, by: "translate") : folded), ?) > 0"
        },
        term: { PostgreSQLTerm.condition($0) })
}

/// Filter terms over `jsonb`. Numeric comparisons apply only to numbers.
private enum PostgreSQLTerm {
    static func condition(_ term: FilterTerm) -> FilterTermSQL? {
        switch term {
        case .field(let field, .pattern(let pattern)):
            guard let column = field.column(.postgresql), pattern.tagPattern == nil else { return nil }
            return FilterTermSQL("\(column) LIKE ?", [.text(pattern.like)])
        case .has(let name): return both { ("coalesce(jsonb_typeof(\($0) -> ?) <> 'null', false)", [.text(name)]) }
        case .column(let name, let test): return both { column(name, test, $0) }
        default: return nil
        }
    }

    /// In the attributes or the context.
    private static func both(_ part: (_ column: String) -> (String, [SQLValue])) -> FilterTermSQL {
        let (attributes, context) = (part("attributes"), part("context"))
        return FilterTermSQL("(\(attributes.0) OR \(context.0))", attributes.1 + context.1)
    }

    private static func column(_ name: String, _ test: FilterTest, _ column: String) -> (String, [SQLValue]) {
        let name = SQLValue.text(name)
        let type = "jsonb_typeof(\(column) -> ?)"
        let text = "\(column) ->> ?"
        func compared(_ bounds: [(String, FilterNumber)]) -> (String, [SQLValue]) {
            let tests = bounds.map { "(\(text))::numeric \($0.0) (?)::numeric" }.joined(separator: " AND ")
            return (
                "(CASE WHEN \(type) = 'number' THEN \(tests) ELSE false END)",
                [name] + bounds.flatMap { [name, .text($0.1.text)] }
            )
        }
        switch test {
        case .text(let value): return ("(\(type) = 'string' AND \(text) = ?)", [name, name, .text(value)])
        case .pattern(let pattern):
            return ("(\(type) = 'string' AND \(text) LIKE ?)", [name, name, .text(pattern.like)])
        case .range(let range): return compared(range.bounds)
        case .value(let value):
            let same = "\(type) IN ('string', 'boolean') AND \(text) = ?"
            let values: [SQLValue] = [name, name, .text(value)]
            guard let number = FilterNumber(value) else { return ("(\(same))", values) }
            let numbers = compared([("=", number)])
            return ("(\(same) OR \(numbers.0))", values + numbers.1)
        }
    }
}

/// Literals of statements. With `standard_conforming_strings` on, only quotes need escaping. NUL, which PostgreSQL text
/// cannot contain, becomes U+FFFD as in stored records.
enum PostgreSQLLiteral {
    static func text(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar == "\0" ? "\u{FFFD}" : scalar)
        }
        return result + "'"
    }

    static func text(_ text: String?) -> String { text.map { Self.text($0) } ?? "NULL" }

    static func integer(_ number: Int64) -> String { "'\(number)'::bigint" }

    static func value(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): integer(number)
        case .text(let text): Self.text(text)
        }
    }

    /// The inside of `IN (…)`; not for an empty list.
    static func list(_ texts: some Sequence<String>) -> String { texts.map { text($0) }.joined(separator: ",") }

    static func identifier(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
