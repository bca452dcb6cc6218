import DaybookStore

extension Command {
    static let export = Command(
        name: "export", summary: "Print the records of a store, oldest first",
        options: [
            .value("store", "STORE", "the store; default sqlite:daybook.sqlite"),
            .value("format", "FORMAT", "ndjson (default), as `import`, `verify` and /v1/events read it, or line"),
        ] + RecordSelection.options,
        details: "Ends at the newest record of the moment at which it began."
    ) { arguments, console in
        let format = try RecordFormat.of(arguments, byDefault: .ndjson)
        var query = RecordQuery()
        query.filter = try RecordSelection.filter(arguments)
        let store = try StoreAddress.open(arguments["store"] ?? "sqlite:daybook.sqlite", access: .readOnly)
        query.order = .oldestFirst
        query.limit = 1_000
        query.before = try await store.head() + 1
        while let page = try await store.page(query).nonempty {
            console.output(page.map(format.text).joined())
            query.after = page.last?.id
        }
        return .done
    }
}

extension Array {
    /// The array, or `nil` where it is empty.
    var nonempty: Self? { isEmpty ? nil : self }
}
