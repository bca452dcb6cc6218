import DaybookBase
import DaybookStore
import DaybookTools

/// Makes a ClickHouse statement read masked records: subqueries replace `records` and the views it uses, and it runs in
/// a database without the store's tables.
///
/// So unqualified names are masked. Names qualified by the store's database are refused, and so are functions that look
/// up tables themselves. As with all refusals for ClickHouse, this is a precaution, not a security boundary.
struct ClickHouseMask {
    /// The database to run in: it lists tables and columns of all databases, but not their content.
    private static let database = "INFORMATION_SCHEMA"
    /// The store's views without private data.
    private static let open = ["completeness", "ledger", "losses", "sessions", "stream_gaps", "streams", "tags"]
    private static let refusedWords: Set<String> = ["system"]
    /// Prefixes of functions that read tables named in their arguments.
    private static let refusedFunctions = [
        "merge", "cluster", "loop", "view", "dictionary", "dictget", "joinget", "timeseries", "fuzz",
    ]

    private let mask: ServerMask
    private let store: String
    private let session: ClickHouseSession

    init(_ policy: MaskingPolicy, _ session: ClickHouseSession) {
        mask = ServerMask(policy)
        store = session.address.database
        self.session = session
    }

    /// The statement with its prefix, and the settings it needs.
    /// - Throws: ``ClickHouseError`` if it could read anything else.
    func prepared(_ sql: String, _ dialect: ClickHouseDialect) throws(ClickHouseError) -> (
        sql: String, settings: [(String, String)]
    ) {
        let word = StatementText.firstWord(of: sql)
        guard word == "select" || word == "with" else { throw refusal("it begins with \(word)") }
        let names = StatementText.names(in: sql, .clickhouse)
        if let name = names.first(where: { Self.refusedWords.contains($0) || $0 == store.lowercased() }) {
            throw refusal("it names the database \(name)")
        }
        let calls = StatementText.calledNames(in: sql, .clickhouse).sorted()
        if let name = calls.first(where: { call in
            // The table function `null`, but not `nullIf` or the type `Nullable(…)`.
            call == "null" || Self.refusedFunctions.contains(where: call.hasPrefix)
        }) {
            throw refusal("it calls the function \(name)")
        }
        guard dialect == .today else {
            // Old servers cannot mask; allow only statements that name none of these columns and do not select all.
            let rest = sql.lowercased().replacing("count(*)", with: "")
            guard names.isDisjoint(with: ["attributes", "context", "message"]), !rest.contains("*") else {
                throw refusal("these servers are older than 22.3, and cannot mask attributes, context and message")
            }
            return (sql, [])
        }
        let known = try session.rows(
            "SELECT name, argMax(statement, number) AS text FROM event_views GROUP BY name HAVING text != ''"
        ).rows
        let views = (0..<known.count).map { (name: known.text($0, 0) ?? "", statement: known.text($0, 1) ?? "") }
        let subqueries =
            [("records", records)]
            + Self.open.filter { name in names.contains(name) && !views.contains { $0.name == name } }
            .map { ($0, "SELECT * FROM \(ClickHouseLiteral.identifier(store)).\($0)") }
            + ServerMask.named(in: sql, of: views).map { ($0.name, $0.body) }
        let before = subqueries.map { "\(ClickHouseLiteral.identifier($0.0)) AS (\($0.1))" }.joined(separator: ",\n")
        return (Self.put(before, before: sql), [("database", Self.database), ("enable_global_with_statement", "1")])
    }

    /// Merges our subqueries with the statement's own `WITH`.
    private static func put(_ subqueries: String, before sql: String) -> String {
        let word = StatementText.firstWordRange(of: sql)
        guard sql[word].lowercased() == "with" else { return "WITH \(subqueries)\n\(sql)" }
        let rest = String(sql[word.upperBound...])
        let next = StatementText.firstWordRange(of: rest)
        let isRecursive = rest[next].lowercased() == "recursive"
        return sql[..<word.lowerBound] + (isRecursive ? "WITH RECURSIVE " : "WITH ") + subqueries + ",\n"
            + (isRecursive ? rest[next.upperBound...] : rest[...])
    }

    private func refusal(_ reason: String) -> ClickHouseError {
        ClickHouseError(
            reason: .refused(497),
            message:
                "The statement was refused: \(reason). Read what may be private through `records` and the views of "
                + "events, or ask for private values.")
    }

    /// Removes the key, which the statement's prefix contains, from an error message.
    func cleaned(_ error: ClickHouseError) -> ClickHouseError {
        var error = error
        error.message = error.message.replacing(mask.key, with: "…")
        return error
    }

    // MARK: The columns

    private var records: String {
        let columns = RecordColumn.allCases.map { column in
            switch column {
            case .attributes, .context: "\(masked("whole_\(column.name)")) AS \(column.name)"
            case .message:
                "multiIf(\(names("ifNull(whole_message, '')")), \(ClickHouseLiteral.text(Record.mask)), "
                    + "\(suspects("ifNull(whole_message, '')")), \(replacement), whole_message) AS message"
            default: column.name
            }
        }
        let whole = RecordColumn.allCases.map { column in
            [.attributes, .context, .message].contains(column) ? "\(column.name) AS whole_\(column.name)" : column.name
        }
        return """
            SELECT \(columns.joined(separator: ", "))
            FROM (SELECT \(whole.joined(separator: ", ")) FROM \(ClickHouseLiteral.identifier(store)).records)
            """
    }

    private let replacement = ClickHouseLiteral.text(CredentialScrubber.replacement)

    private func suspects(_ text: String) -> String {
        "match(\(text), \(ClickHouseLiteral.text("(?i)" + ServerMask.suspicion)))"
    }

    /// Whether a text contains a private column's name as JSON writes it.
    private func names(_ text: String) -> String {
        mask.naming.map { "match(\(text), \(ClickHouseLiteral.text("(?i)" + $0)))" } ?? "0"
    }

    private let folded = ServerMask.folded("m.1", translate: "translateUTF8") {
        "replaceRegexpAll(\($0), \(ClickHouseLiteral.text($1)), '')"
    }

    private func masked(_ object: String) -> String {
        let lists = MaskingPolicy.lists.map { ClickHouseLiteral.text($0) }
        let told = lists.flatMap { list in
            ["whole_attributes", "whole_context"].map {
                "hasAny(JSONExtract(\($0), \(list), 'Array(String)'), [m.1, m.3])"
            }
        }
        let known = [
            "has(\(list(mask.names)), m.3) AND NOT has(\(list(mask.open)), concat(toString(tag), '\\n', m.3))"
        ]
        let isPrivate = (known + told).joined(separator: " OR ")
        return """
            concat('{', arrayStringConcat(arrayMap(m -> concat(toJSONString(m.1), ':', multiIf(
                m.2 = 'null' OR m.1 IN (\(lists.joined(separator: ", "))), m.2, \(isPrivate), \(standIn),
                \(names("m.2")), '"\(Record.mask)"',
                \(suspects("concat('\"', m.3, '\":', m.2)")), concat('"', \(replacement), '"'), m.2)),
                arrayMap(m -> (m.1, m.2, if(match(m.1, '^[!-@\\\\[-~]*$'), m.1, \(folded))),
                JSONExtractKeysAndValuesRaw(\(object)))), ','), '}')
            """
    }

    private func list(_ names: [String]) -> String {
        names.isEmpty ? "CAST([], 'Array(String)')" : "[\(ClickHouseLiteral.list(names))]"
    }

    /// Like ``Pseudonyms``, but with another hash.
    private var standIn: String {
        let keyed = "concat(\(ClickHouseLiteral.text(mask.key)), m.2)"
        return """
            multiIf(m.2 = '"\(Record.mask)"', m.2,
                match(m.2, '^-?[0-9]{1,10}$') AND abs(toInt64OrZero(m.2)) <= 2147483647,
                toString(-1 - toInt64(halfMD5(\(keyed)) % 2147483647)),
                match(m.2, '^-?[0-9]'), toString(-4503599627370496 - toInt64(halfMD5(\(keyed)) % 4503599627370496)),
                concat('"\(Pseudonyms.beginning)', lower(substring(hex(MD5(\(keyed))), 1, 12)), ']"'))
            """
    }
}
