import DaybookStore

extension Command {
    static let query = Command(
        name: "query", summary: "Ask a store by SQL; reading only",
        options: [
            .value("store", "STORE", "the store; default sqlite:daybook.sqlite"),
            .value("format", "FORMAT", "table (default), csv, json or ndjson"),
            .value("limit", "ROWS", "at most this many rows, 1 to 1000000; default 1000"),
        ],
        operands: ("SQL", 1...1),
        details: """
            The table `records` holds everything; each event has a view such as `recipe_search__search`.
            A statement may take a minute.
            """
    ) { arguments, console in
        let name = arguments["format"] ?? "table"
        guard let format = QueryFormat(rawValue: name) else {
            throw UsageError(message: "--format takes table, csv, json or ndjson, not `\(name)`")
        }
        guard let rows = Int(arguments["limit"] ?? "1000"), (1...1_000_000).contains(rows) else {
            throw UsageError(message: "--limit takes a number from 1 to 1000000")
        }
        let store = try StoreAddress.open(arguments["store"] ?? "sqlite:daybook.sqlite", access: .readOnly)
        var limits = QueryLimits()
        limits.rows = rows
        limits.time = .seconds(60)
        let result = try await store.query(arguments.operands[0], limits: limits)
        console.output(format.text(of: result))
        if result.isTruncated {
            let count = result.rows.count
            console.errors(
                count < rows
                    ? "only the first \(count) rows, for an answer has at most 16 MiB: ask for fewer columns or rows\n"
                    : "only the first \(count) rows; --limit gives more, up to 1000000\n")
        }
        return .done
    }
}
