import DaybookStore

extension Command {
    static let tail = Command(
        name: "tail", summary: "Print the newest records of a store and what arrives",
        options: [
            .value("store", "STORE", "the store; default sqlite:daybook.sqlite"),
            .value("format", "FORMAT", "line (default) or ndjson"),
            .value("lines", "COUNT", "begin with this many of the newest records, 0 to 1000; default 10"),
            .flag("no-follow", "end after these"),
        ] + RecordSelection.options,
        details: "Looks for new records four times a second. Ends on Ctrl-C."
    ) { arguments, console in
        let format = try RecordFormat.of(arguments, byDefault: .line)
        guard let lines = Int(arguments["lines"] ?? "10"), (0...1_000).contains(lines) else {
            throw UsageError(message: "--lines takes a number from 0 to 1000")
        }
        let filter = try RecordSelection.filter(arguments)
        let store = try StoreAddress.open(arguments["store"] ?? "sqlite:daybook.sqlite", access: .readOnly)
        var tail = try await RecordTail.starting(in: store, filter: filter, lines: lines)
        console.output(tail.first.map(format.text).joined())
        if arguments.has("no-follow") { return .done }
        while true {
            // The records come from another process, which tells nobody: the store is asked four times a second.
            try await Task.sleep(for: .milliseconds(250))
            while let page = try await tail.next(in: store).nonempty { console.output(page.map(format.text).joined()) }
        }
    }
}

/// Where somebody who follows a store has got to.
struct RecordTail {
    /// The newest records at the beginning, oldest first.
    private(set) var first: [StoredRecord] = []
    private var query = RecordQuery()

    /// Begins at the newest record.
    static func starting(in store: some EventStore, filter: RecordFilter, lines: Int) async throws -> RecordTail {
        var tail = RecordTail()
        tail.query.filter = filter
        let head = try await store.head()
        if lines > 0 {
            tail.query.limit = lines
            tail.query.before = head + 1
            tail.first = try await store.page(tail.query).reversed()
        }
        tail.query.before = nil
        tail.query.after = head
        tail.query.order = .oldestFirst
        tail.query.limit = 1_000
        return tail
    }

    /// What arrived since, oldest first; a page of it, ask again until it is empty.
    mutating func next(in store: some EventStore) async throws -> [StoredRecord] {
        let page = try await store.page(query)
        query.after = page.last?.id ?? query.after
        return page
    }
}
