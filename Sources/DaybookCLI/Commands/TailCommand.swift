import Daybook
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
        details: """
            Looks for new records four times a second. Where the server of the store cannot be reached any more, it says \
            so, tries again, and goes on with the next record. Ends on Ctrl-C.
            """
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
        try await tail.follow(store) {
            try await Task.sleep(for: $0)
        } jitter: {
            .random(in: 0..<1)
        } arrived: { page in
            console.output(page.map(format.text).joined())
        } lost: { error in
            console.errors("warning: \(error) Trying again.\n")
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

    /// Gives what arrives, for ever. The records come from another process, which tells nobody: the store is asked four
    /// times a second. One that cannot be reached any more is asked again, with pauses that grow up to 30 s.
    /// - Parameters:
    ///   - pause: waits; what it throws ends the following.
    ///   - jitter: a random number in 0..<1.
    ///   - lost: told why, once until the store answers again.
    /// - Throws: what the store says of anything else than that it cannot be reached.
    mutating func follow(
        _ store: some EventStore, pause: (Duration) async throws -> Void, jitter: () -> Double,
        arrived: ([StoredRecord]) -> Void, lost: (StoreError) -> Void
    ) async throws -> Never {
        let backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
        var failures = 0
        while true {
            let delay = failures == 0 ? .zero : backoff.delay(attempt: failures, requested: nil, jitter: jitter())
            try await pause(.milliseconds(250) + delay)
            do {
                while let page = try await next(in: store).nonempty { arrived(page) }
                failures = 0
            } catch let error as StoreError where error.code == .unavailable {
                if failures == 0 { lost(error) }
                failures += 1
            }
        }
    }
}
