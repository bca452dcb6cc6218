import DaybookStore

extension Command {
    static let export = Command(
        name: "export", summary: "Print the records of a store, oldest first",
        options: [
            .value("store", "STORE", "the store; default sqlite:daybook.sqlite"),
            .value("format", "FORMAT", "ndjson (default): one record a line, as `verify` and /v1/events read it"),
        ],
        details: "Ends at the newest record of the moment at which it began."
    ) { arguments, console in
        let format = arguments["format"] ?? "ndjson"
        guard format == "ndjson" else { throw UsageError(message: "--format takes ndjson, not `\(format)`") }
        let store = try StoreAddress.open(arguments["store"] ?? "sqlite:daybook.sqlite", access: .readOnly)
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = 1_000
        query.before = try await store.head() + 1
        while let page = try await store.page(query).nonempty {
            console.output(page.map { RecordLine.text($0) + "\n" }.joined())
            query.after = page.last?.id
        }
        return .done
    }
}

extension Array {
    fileprivate var nonempty: Self? { isEmpty ? nil : self }
}
