import DaybookCurl
import DaybookStore
import DaybookTools

/// Queries of one reader over a session; the stopper may be used from any thread.
struct ClickHouseReader: ServerReader {
    /// How long an unfinished commit hides larger arrival numbers from readers, in seconds.
    private static let commitPatience = 10
    /// The most bytes of an answer: more than the longest record, escaped.
    private static let mostBytes = 64 << 20

    let session: ClickHouseSession
    let dialect: ClickHouseDialect
    let stopper: CurlStopper
    var names = NameBound()

    var tables: ClickHouseTables { ClickHouseTables(session.address) }
    var recordsTable: String { tables.all("stored_records") }
    /// The view aggregates on the fly and has a row per name; read those with the most records.
    var listedTags: String { "(SELECT * FROM tags \(Self.tagOrder) LIMIT \(names.most))" }
    var unlistedNames: String {
        "SELECT sum(count), 0 FROM (SELECT count FROM tags \(Self.tagOrder) LIMIT \(names.most), \(Int32.max))"
    }
    private static let tagOrder = "ORDER BY count DESC, last_time DESC, tag, kind, version"
    var isRecord: String? { ClickHouseTables.isFirst }
    var filterDialect: FilterDialect { .clickHouse(dialect) }

    func rows(_ sql: String) throws(ClickHouseError) -> ClickHouseRows {
        try session.rows(sql, settings: dialect.reading, timeout: ClickHouseSession.patience, stopper: stopper).rows
    }

    /// Holds at most ``mostBytes`` of the answer.
    func forEachRow(
        of sql: String, within time: Duration?, _ body: (ClickHouseRows, Int) -> Bool
    ) throws(ClickHouseError) -> RowsEnd {
        do throws(ClickHouseError) {
            let settings = dialect.reading + (time == nil ? [] : [("max_execution_time", "1")])
            let answer = try session.rows(
                sql, settings: settings, timeout: time ?? ClickHouseSession.patience, limit: Self.mostBytes,
                stopper: stopper)
            for row in 0..<answer.rows.count where !body(answer.rows, row) { return .enough }
            return answer.isCut ? .cut : .all
        } catch {
            guard error.isLimit, time != nil, !stopper.isCancelled else { throw error }
            return .late
        }
    }

    /// The largest arrival number below which all commits have ended: reading up to it and continuing from there misses
    /// nothing.
    ///
    /// With replicas, every node is asked for claims: one that has just recovered may lack some, but each claim is on
    /// two.
    func head() throws(ClickHouseError) -> Int64 {
        // Ask this first: a number present now was claimed after all smaller ones.
        let last = try rows("SELECT max(id) FROM \(recordsTable)").integer(0, 0)
        let question = """
            SELECT min(first) FROM (
                SELECT commit, part, min(first_id) AS first, max(done) AS is_done FROM \(tables.all("claims"))
                WHERE at >= now() - \(Self.commitPatience) AND first_id > 0 GROUP BY commit, part)
            WHERE is_done = 0
            """
        guard session.address.hasReplicas else { return Self.before(try rows(question).integer(0, 0), last) }
        var head = last
        try session.onEachNode { node throws(ClickHouseError) in
            head = Self.before(try session.rows(question, on: node).integer(0, 0), head)
        }
        return head
    }

    /// - Parameter open: the smallest number of an unfinished commit, or 0.
    private static func before(_ open: Int64, _ last: Int64) -> Int64 { open > 0 ? min(last, open - 1) : last }

    func timeBounds(within times: Range<Int64>?) throws(ClickHouseError) -> ClosedRange<Int64>? {
        let rows = try rows(
            "SELECT min(time), max(time), count() FROM \(recordsTable) \(Self.condition(within: times))")
        // Over no rows, min and max are 0.
        return rows.integer(0, 2) == 0 ? nil : rows.integer(0, 0)...rows.integer(0, 1)
    }

    static func stored(_ filter: RecordFilter) -> RecordFilter { filter }

    static func literal(_ value: SQLValue) -> String { ClickHouseLiteral.value(value) }

    static func quotient(_ dividend: String, by divisor: String) -> String { "intDiv(\(dividend), \(divisor))" }

    static func refusal(_ error: StoreError) -> ClickHouseError {
        ClickHouseError(reason: .refused(62), message: error.message, own: error)
    }
}

extension FilterDialect {
    static func clickHouse(_ dialect: ClickHouseDialect) -> FilterDialect {
        FilterDialect(
            version: "version", hasDot: { "position(\($0), '.') > 0" },
            suffix: { "substringUTF8(\($0), ?, 1000000000)" }, negated: { "ifNull((\($0)), 0) = 0" },
            contains: { column, search in
                // Old servers lack Unicode normalization.
                guard dialect == .today, search.isComparable(without: []) else { return nil }
                let folded = "lower(normalizeUTF8NFKC(\(column)))"
                return "position(\(search.hasKana ? Kana.katakana(of: folded, by: "translateUTF8") : folded), ?) > 0"
            },
            received: { time in
                let arrived =
                    "if(arrived >= \(PlausibleTime.earliest), arrived, "
                    + "least(time, if(arrived < 0, -arrived, time)))"
                return FilterTermSQL("\(arrived) < ?", [.integer(time)])
            },
            term: { term in
                switch term {
                case .field(let field, .pattern(let pattern)):
                    guard pattern.tagPattern == nil, let column = field.column(.clickHouse(dialect)) else {
                        return nil
                    }
                    return FilterTermSQL("\(column) LIKE ?", [.text(pattern.like)])
                case .has(let name), .column(let name, _):
                    // Prefilter: unless it is escaped, the text contains the column's name; code then judges the value.
                    let parts = ["attributes", "context"].flatMap {
                        ["position(\($0), ?) > 0", "position(\($0), ?) > 0"]
                    }
                    return FilterTermSQL(
                        "(" + parts.joined(separator: " OR ") + ")",
                        [.text(name), .text("\\"), .text(name), .text("\\")], isExact: false)
                default: return nil
                }
            })
    }
}

enum ClickHouseLiteral {
    static func text(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "'"
    }

    /// The minimum has no literal: without its minus sign it overflows.
    static func integer(_ number: Int64) -> String { number == .min ? "toInt64('\(number)')" : "\(number)" }

    static func value(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): integer(number)
        case .text(let text): Self.text(text)
        }
    }

    /// The inside of `IN (…)`; not for an empty list.
    static func list(_ texts: some Sequence<String>) -> String { texts.map { text($0) }.joined(separator: ",") }

    static func identifier(_ name: String) -> String {
        var result = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
