import Daybook
import DaybookDefinitions
import DaybookStore

extension Command {
    static let query = Command(
        name: "query", summary: "Query a store in SQL, read-only",
        options: RecordSource.options + [
            .value("format", "FORMAT", "table (default), csv, json or ndjson"),
            QueryFormat.spreadsheet,
            .value("limit", "ROWS", "at most this many rows, 1 to 1000000; default 1000"),
        ] + Masking.options,
        operands: ("SQL", 1...1),
        details: """
            csv keeps every value as it is: NULL is empty, an empty text is "", lines end in LF. With --spreadsheet Excel
            reads it too.
            The table `records` holds everything; each event has a view such as `recipe_search__search`.
            A statement may take a minute and 256 MiB of memory, in its own process; a collector has its own limits.
            It does not see private values and credentials, whatever it computes from them: it reads [private 4f1c…], or a
            negative number, instead of a private value, the same for equal values within the statement, so that counts
            and joins stay correct.
            """
    ) { arguments, console in
        let name = arguments["format"] ?? "table"
        guard let format = QueryFormat(rawValue: name) else {
            throw UsageError(message: "--format takes table, csv, json or ndjson, not `\(name)`")
        }
        try format.checkSpreadsheet(arguments)
        guard let rows = Int(arguments["limit"] ?? "1000"), (1...1_000_000).contains(rows) else {
            throw UsageError(message: "--limit takes a number from 1 to 1000000")
        }
        let sql = arguments.operands[0]
        let judge = try await StatementJudge(arguments, of: RecordSource.store(arguments))
        for warning in judge.tables.warnings(of: sql, masking: judge.masking) {
            console.errors("warning: \(warning.line):\(warning.column): \(warning.message)\n")
        }
        let masking = try await RecordSource.masking(arguments)
        let statements = try RecordSource.statements(arguments)
        var limits = QueryLimits()
        limits.rows = rows
        limits.time = .seconds(60)
        limits.masking = masking?.withPseudonyms()
        let result = try await statements.query(sql, limits: limits)
        console.output(
            format.text(of: masking.map(result.masked) ?? result, isForSpreadsheet: arguments.has("spreadsheet")))
        if result.isTruncated {
            let count = result.rows.count
            console.errors(
                count < rows
                    ? "only the first \(count) rows, because a result has at most \(arguments["collector"] == nil ? 16 : 2) MiB: select fewer columns or rows\n"
                    : "only the first \(count) rows; --limit gives more, up to 1000000\n")
        }
        return .done
    }
}

enum QueryFormat: String {
    case table
    case csv
    case json
    case ndjson

    static let spreadsheet = Option.flag(
        "spreadsheet", "with csv: a byte order mark, CRLF, and an apostrophe before what would run as a formula")

    /// - Throws: ``UsageError`` if a spreadsheet is requested in another format.
    func checkSpreadsheet(_ arguments: Arguments) throws(UsageError) {
        guard self == .csv || !arguments.has("spreadsheet") else {
            throw UsageError(message: "--spreadsheet belongs to --format csv")
        }
    }

    /// - Parameter isForSpreadsheet: CSV for Excel, without executable formulas. Default: for programs.
    func text(of result: QueryResult, isForSpreadsheet: Bool = false) -> String {
        switch self {
        case .table: table(result)
        case .csv: csv(result, isForSpreadsheet)
        case .json: JSONWriter.text(.object(Self.members(of: result))).printableJSON + "\n"
        case .ndjson: ndjson(result)
        }
    }

    private func table(_ result: QueryResult) -> String {
        let rows = ([result.columns] + result.rows.map { $0.map(Self.plain) }).map {
            $0.map { $0.printable }
        }
        let widths = result.columns.indices.map { column in rows.map { $0[column].terminalWidth }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.terminalWidth) }
                .joined(separator: "  ").trimmingSuffix(" ")
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        return ([lines[0], rule] + lines.dropFirst()).map { $0 + "\n" }.joined()
    }

    /// RFC 4180, except that lines end in LF as pipes expect. As in PostgreSQL's COPY, NULL is empty and an empty text
    /// is two quotes.
    ///
    /// For spreadsheets, a byte order mark keeps Excel from assuming a legacy encoding.
    private func csv(_ result: QueryResult, _ isForSpreadsheet: Bool) -> String {
        let rows =
            [result.columns.map { field(.text($0), isForSpreadsheet) }]
            + result.rows.map { $0.map { field($0, isForSpreadsheet) } }
        return (isForSpreadsheet ? "\u{FEFF}" : "")
            + rows.map { $0.joined(separator: ",") + (isForSpreadsheet ? "\r\n" : "\n") }.joined()
    }

    private func field(_ cell: QueryResult.Cell, _ escapesFormulas: Bool) -> String {
        guard case .text(let text) = cell else { return Self.plain(cell) }
        guard let first = text.unicodeScalars.first else { return "\"\"" }
        return quoted(escapesFormulas && "=+-@\t\r\n＝＋－＠".unicodeScalars.contains(first) ? "'" + text : text)
    }

    private func quoted(_ text: String) -> String {
        guard text.isEmpty || text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else {
            return text
        }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    static func members(of result: QueryResult) -> Attributes {
        [
            "columns": .array(result.columns.map { .string($0) }),
            "rows": .array(result.rows.map { .array($0.map(value)) }),
            "truncated": .bool(result.isTruncated),
        ]
    }

    /// One object per line; a second column of the same name becomes `name_2`, as on the page.
    private func ndjson(_ result: QueryResult) -> String {
        var taken: Set<String> = []
        let names = result.columns.map { column in
            var name = column
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(column)_\(number)"
                number += 1
            }
            return name
        }
        return result.rows.map { row in
            JSONWriter.text(.object(Attributes(zip(names, row.map(Self.value))))).printableJSON + "\n"
        }.joined()
    }

    /// Unquoted; NULL is empty.
    static func plain(_ cell: QueryResult.Cell) -> String {
        switch cell {
        case .null: ""
        case .integer(let integer): String(integer)
        case .real(let real): String(real)
        case .text(let text): text
        case .blob(let bytes): Hex.text(bytes)
        }
    }

    private static func value(_ cell: QueryResult.Cell) -> Value {
        switch cell {
        case .null: .null
        case .integer(let integer): .int(integer)
        case .real(let real): Value(real)
        case .text(let text): .string(text)
        case .blob(let bytes): .string(Hex.text(bytes))
        }
    }
}

extension String {
    /// Terminal columns: two for an East Asian wide or emoji character, one for others.
    ///
    /// Source of the ranges: Unicode Standard Annex #11, *East Asian Width*; the blocks that are wide throughout.
    fileprivate var terminalWidth: Int {
        reduce(0) { sum, character in
            switch character.unicodeScalars.first?.value ?? 0 {
            case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
                0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                sum + 2
            default: sum + 1
            }
        }
    }

    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
