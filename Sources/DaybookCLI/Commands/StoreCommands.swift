import Daybook
import DaybookBase
import DaybookStore
import DaybookTools

extension Command {
    static let export = Command(
        name: "export", summary: "Print the records of a store, oldest first",
        options: RecordSource.options + [
            .value(
                "format", "FORMAT",
                "ndjson (default), as `import`, `verify` and /v1/events read it; line; or trace, for Perfetto and chrome://tracing"
            ),
            .value("after", "NUMBER", "only records that arrived after the one with this number"),
            RecordSelection.ownRecords,
        ] + Masking.options + RecordSelection.options,
        details: """
            Ends at the record that was the newest when it began. If a collector is unreachable for long, it ends with \
            the number for `--after` to continue. To copy records to another store unmasked, \
            export them with --show-private.
            """
    ) { arguments, console in
        let isTrace = arguments["format"] == "trace"
        let format = isTrace ? nil : try RecordFormat.of(arguments, byDefault: .ndjson, besides: "trace")
        var query = RecordQuery()
        let masking = try await RecordSource.masking(arguments)
        query.filter = try RecordSelection.shown(arguments, masking)
        let records = try RecordSource.records(arguments, access: .readOnly)
        query.order = .oldestFirst
        query.limit = 1_000
        query.after = try arguments["after"].map { text throws(UsageError) in
            guard let number = Int64(text), number >= 0 else {
                throw UsageError(message: "--after takes the number of a record, not `\(text)`")
            }
            return number
        }
        let head = try await records.head()
        query.before = head + 1
        let start = query.after
        var progress = ProgressLine(console)
        defer { progress.end() }
        var rows: [RecordRow] = []
        var bytes = 0
        // All records are held until their lanes are known.
        let traceBytes = 256 << 20
        while true {
            let page: [StoredRecord]
            do {
                page = try await records.page(query)
            } catch {
                if let printed = query.after, format != nil {
                    console.errors("printed up to #\(printed); --after \(printed) continues after it\n")
                }
                throw error
            }
            if page.isEmpty { break }
            if let format {
                console.output(page.map { format.text($0, masking) }.joined())
            } else {
                rows += page.map(\.row)
                bytes += page.reduce(0) { $0 + $1.row.bytes }
            }
            guard rows.count <= TraceFile.limit, bytes <= traceBytes else {
                throw UsageError(
                    message: "a trace holds at most \(TraceFile.limit) records and \(traceBytes >> 20) MiB of them: "
                        + "choose a --session, or a time")
            }
            query.after = page.last?.id
            progress.show("#\(query.after ?? 0) of #\(head)")
        }
        if let store = records as? any EventStore { RecordSource.tell(await store.notices(), console) }
        if isTrace { console.output(TraceFile.text(of: rows, masking: masking)) }
        if query.after == start { console.errors(RecordSelection.noMatch) }
        return .done
    }
}

extension Command {
    static let tail = Command(
        name: "tail", summary: "Print the newest records, and new ones as they arrive",
        options: RecordSource.options + [
            .value("format", "FORMAT", "line (default) or ndjson"),
            .value("lines", "COUNT", "start with this many of the newest records, 0 to 1000; default 10"),
            .flag("no-follow", "stop after these"),
            RecordSelection.ownRecords,
        ] + Masking.options + RecordSelection.options,
        details: """
            Looks for new records four times a second. If the store's server or the collector becomes unreachable, it says \
            so, retries, and continues with the next record. Ends on Ctrl-C.
            """
    ) { arguments, console in
        let format = try RecordFormat.of(arguments, byDefault: .line)
        guard let lines = Int(arguments["lines"] ?? "10"), (0...1_000).contains(lines) else {
            throw UsageError(message: "--lines takes a number from 0 to 1000")
        }
        let masking = try await RecordSource.masking(arguments)
        let filter = try RecordSelection.shown(arguments, masking)
        let followed = try RecordSelection.shown(arguments, masking, isLive: true)
        let store = try RecordSource.records(arguments, access: .readOnly)
        var tail = try await RecordTail.starting(in: store, filter: filter, following: followed, lines: lines)
        console.output(tail.first.map { format.text($0, masking) }.joined())
        if arguments.has("no-follow") {
            if tail.first.isEmpty, lines > 0 { console.errors(RecordSelection.noMatch) }
            return .done
        }
        try await tail.follow(store) {
            // Other processes write to the store without notifying, so poll.
            try await Task.sleep(for: $0)
        } jitter: {
            .random(in: 0..<1)
        } arrived: { page in
            console.output(page.map { format.text($0, masking) }.joined())
        } lost: { error in
            console.errors("warning: \(error) Trying again.".printable + "\n")
        }
    }
}

/// Follows a store like `tail -f`.
struct RecordTail {
    /// The newest records at the start, oldest first.
    private(set) var first: [StoredRecord] = []
    private var query = RecordQuery()

    /// Starts at the newest record.
    /// - Parameters:
    ///   - filter: for the first records.
    ///   - followed: for later ones; `nil` for the same.
    static func starting(
        in store: some RecordAccess, filter: RecordFilter, following followed: RecordFilter? = nil, lines: Int
    ) async throws -> RecordTail {
        var tail = RecordTail()
        tail.query.filter = filter
        let head = try await store.head()
        if lines > 0 {
            tail.query.limit = lines
            tail.query.before = head + 1
            tail.first = try await store.page(tail.query).reversed()
        }
        tail.query.filter = followed ?? filter
        tail.query.before = nil
        tail.query.after = head
        tail.query.order = .oldestFirst
        tail.query.limit = 1_000
        return tail
    }

    /// The next page of new records, oldest first; call until it is empty.
    mutating func next(in store: some RecordAccess) async throws -> [StoredRecord] {
        let page = try await store.page(query)
        query.after = page.last?.id ?? query.after
        return page
    }

    /// Delivers new records for ever. Polls four times a second, since the writer is another process; while the store
    /// is unreachable, retries with exponential backoff up to 30 s.
    /// - Parameters:
    ///   - pause: sleeps; an error it throws ends the loop.
    ///   - jitter: a random number in 0..<1.
    ///   - lost: called once per outage with its cause.
    /// - Throws: any store error other than `unavailable`.
    mutating func follow(
        _ store: some RecordAccess, pause: (Duration) async throws -> Void, jitter: () -> Double,
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

extension Command {
    static let erase = Command(
        name: "erase", summary: "Erase records permanently",
        options: RecordSource.options + [
            .value("keep", "RULE", "erase what arrived longer ago: 90d, or '7d debug.**'", repeatable: true),
            .flag("trust-clock", "with --keep: even if nothing arrived for over 30 days"),
        ] + RecordSelection.options,
        details: """
            At least one condition is required. For a privacy request: `--installation ID`, or `--filter user_id=42` for the
            records that name a user; the views `NAME_installations` list the installations of a user.
            --keep goes by when records arrived, whatever their own times say; --until erases by these.
            Earlier copies made by `daybook backup` still contain the records.
            """
    ) { arguments, console in
        let filter = try RecordSelection.filter(arguments)
        let rules = try arguments.all("keep").map { try RetentionRule($0) }
        guard filter.isEmpty != rules.isEmpty else {
            throw UsageError(
                message: rules.isEmpty ? "erasing needs a condition" : "--keep excludes other conditions",
                hint: rules.isEmpty ? "--installation ID" : nil)
        }
        guard !rules.isEmpty || !arguments.has("trust-clock") else {
            throw UsageError(message: "--trust-clock belongs to --keep")
        }
        if rules.isEmpty { try filter.checkForErasing(at: PipelineClock.system.wall()) }
        // A missing store must fail, not be created and found empty.
        _ = try RecordSource.records(arguments, access: .readOnly)
        let store = try RecordSource.records(arguments, access: .readWrite)
        let count =
            rules.isEmpty
            ? try await store.erase(filter)
            : try await store.retain(
                rules, now: PipelineClock.system.wall(), trustsClock: arguments.has("trust-clock"))
        await store.close()
        if let remains = await store.erasureRemains() { console.errors("warning: \(remains)\n") }
        console.output("erased \(count)\n")
        return .done
    }

    static let storeCheck = Command(
        name: "store check", summary: "Compare all of a SQLite store with its checksums",
        options: [.store],
        details: """
            Changes nothing, and may run while a collector writes. Exit status 1 if something is damaged. The newest records, up
            to 32,768, have no checksum yet: of them, as of the senders' accounts, only the structure is checked.
            """
    ) { arguments, console in
        let store = try StoreAddress.openSQLite(arguments.store, access: .readOnly)
        let damages = Mutex(0)
        // Called by one thread at a time.
        try await store.check { damage in
            damages.withLock { $0 += 1 }
            console.errors("\(damage.printable)\n")
        }
        let count = damages.withLock { $0 }
        console.output(count == 0 ? "nothing is damaged\n" : "damaged: \(count)\n")
        return count == 0 ? .done : .no
    }

    static let backup = Command(
        name: "backup", summary: "Copy a SQLite store, also while the collector runs",
        options: [.store],
        operands: ("FILE", 1...1),
        details: "The copy is a store: to restore it, stop the collector and put it in the store's place."
    ) { arguments, console in
        let store = try StoreAddress.openSQLite(arguments.store, access: .readOnly)
        try await store.backUp(to: arguments.operands[0])
        // Always a path, even if it looks like an address: `daybook-12:00.sqlite`.
        let head = try await SQLiteStore(path: arguments.operands[0], access: .readOnly).head()
        console.output("\(arguments.operands[0]): records up to \(head)\n")
        return .done
    }
}
