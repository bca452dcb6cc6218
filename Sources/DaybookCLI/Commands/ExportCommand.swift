import DaybookStore

extension Command {
    static let export = Command(
        name: "export", summary: "Print the records of a store, oldest first",
        options: [
            .value("store", "STORE", "the store; default sqlite:daybook.sqlite"),
            .value(
                "format", "FORMAT",
                "ndjson (default), as `import`, `verify` and /v1/events read it; line; or trace, for Perfetto and chrome://tracing"
            ),
        ] + RecordSelection.options,
        details: "Ends at the newest record of the moment at which it began."
    ) { arguments, console in
        let isTrace = arguments["format"] == "trace"
        let format = isTrace ? nil : try RecordFormat.of(arguments, byDefault: .ndjson, besides: "trace")
        var query = RecordQuery()
        query.filter = try RecordSelection.filter(arguments)
        let store = try StoreAddress.open(arguments["store"] ?? "sqlite:daybook.sqlite", access: .readOnly)
        query.order = .oldestFirst
        query.limit = 1_000
        query.before = try await store.head() + 1
        var rows: [RecordRow] = []
        while let page = try await store.page(query).nonempty {
            if let format { console.output(page.map(format.text).joined()) } else { rows += page.map(\.row) }
            guard rows.count <= TraceFile.limit else {
                throw UsageError(
                    message: "a trace holds at most \(TraceFile.limit) records: choose a --session, or a time")
            }
            query.after = page.last?.id
        }
        if isTrace { console.output(TraceFile.text(of: rows)) }
        return .done
    }
}

extension Array {
    /// The array, or `nil` where it is empty.
    var nonempty: Self? { isEmpty ? nil : self }
}
