import DaybookBase
import DaybookStore
import DaybookTools

/// A command's source of records: a store that it opens, or a collector.
enum RecordSource {
    static let options: [Option] = [.store] + CollectorAddress.options

    /// - Throws: ``UsageError``, or the store's error.
    static func records(_ arguments: Arguments, access: StoreAccess) throws -> any RecordAccess {
        if let collector = try collector(arguments, access) { return collector }
        return try StoreAddress.open(arguments.store, access: access)
    }

    /// The store to open; `nil` with a collector.
    static func store(_ arguments: Arguments) throws -> String? {
        try collector(arguments) == nil ? arguments.store : nil
    }

    struct Counts: Sendable {
        var head: @Sendable () async throws -> Int64
        var facets: @Sendable (FacetQuery) async throws -> Facets
        var notices: @Sendable () async -> [String] = { [] }
    }

    /// - Throws: ``UsageError``, or the store's error.
    static func counts(_ arguments: Arguments) throws -> Counts {
        if let collector = try collector(arguments) {
            return Counts(head: { try await collector.head() }, facets: { try await collector.facets($0) })
        }
        let store = try StoreAddress.open(arguments.store, access: .readOnly)
        return Counts(
            head: { try await store.head() }, facets: { try await store.facets($0) },
            notices: { await store.notices() })
    }

    /// Prints a store's notices, such as an unusable index.
    static func tell(_ notices: [String], _ console: Console) {
        for notice in notices { console.errors("warning: \(notice.printable)\n") }
    }

    static func statements(_ arguments: Arguments) throws -> any StatementRunner {
        if let collector = try collector(arguments) { return collector }
        return try StoreAddress.statements(arguments.store)
    }

    /// As ``statements(_:)``, but masked. A collector masks by itself.
    /// - Throws: ``UsageError``, or the definitions' errors.
    static func maskedStatements(_ arguments: Arguments) async throws -> any StatementRunner {
        let whole = try statements(arguments)
        return try await masking(arguments).map { MaskedStatements(whole, $0) } ?? whole
    }

    /// The masking still to be applied; `nil` if everything was requested, or a collector has masked already.
    /// - Throws: the definitions' or the store's errors.
    static func masking(_ arguments: Arguments) async throws -> MaskingPolicy? {
        try collector(arguments) == nil ? try await Masking.policy(arguments, ofStore: arguments.store) : nil
    }

    private static func collector(
        _ arguments: Arguments, _ access: StoreAccess = .readOnly
    ) throws -> CollectorRecords? {
        let showsPrivate = arguments.has("show-private")
        let purpose = access == .readOnly && !showsPrivate ? "read" : "manage"
        return try CollectorAddress(arguments, for: purpose).map { address in
            CollectorRecords(client: CollectorClient(address: address), showsPrivate: showsPrivate)
        }
    }
}

/// A sequence of records to judge or count: a file, or part of a store or collector.
enum Recording {
    case file(RecordFile)
    /// Filtered, oldest arrivals first.
    case source(any RecordAccess, RecordFilter, name: String)

    var name: String {
        switch self {
        case .file(let file): file.path == "-" ? "the recording" : file.path
        case .source(_, _, let name): name
        }
    }

    /// The file's path as given, or the name.
    var path: String { if case .file(let file) = self { file.path } else { name } }

    /// Iterates over all records in order, with their places.
    /// - Throws: ``InputError`` at the first invalid line, ``StoreError``, or what `body` throws.
    func forEachRecord(_ body: (RecordRow, RecordPlace) async throws -> Void) async throws {
        switch self {
        case .file(let file): try await file.forEachRecord { try await body($0, $1) }
        case .source(let records, let filter, _):
            var query = RecordQuery()
            query.filter = filter
            query.order = .oldestFirst
            query.limit = 1_000
            query.before = try await records.head() + 1
            var count = 0
            while let page = try await records.page(query).nonempty {
                for record in page {
                    count += 1
                    try await body(record.row, RecordPlace(line: count, position: count, number: record.id))
                }
                query.after = page.last?.id
            }
        }
    }

    static let options: [Option] =
        [
            .value(
                "events", "FILE.ndjson | DIR", "a recording, NDJSON or OTLP in JSON; - reads standard input",
                repeatable: true),
            .value("store", "STORE", "instead of a recording: the records in this store"),
        ] + CollectorAddress.options + RecordSelection.options

    /// Files, or a selection from a store or collector.
    /// - Parameters:
    ///   - file: what they are judged against; from a folder, the recording of the same name is chosen.
    ///   - count: the number of such files.
    ///   - warnings: receives what files contain but is not read.
    static func all(
        _ arguments: Arguments, for file: String? = nil, isOneOf count: Int = 1, warnings: Warnings
    ) throws -> [Recording] {
        let files = arguments.all("events")
        let isStored = arguments["store"] != nil || arguments["collector"] != nil
        guard files.isEmpty != !isStored else {
            throw UsageError(
                message: isStored ? "--events goes with neither --store nor --collector" : "--events is missing",
                hint: isStored ? nil : "--events FILE.ndjson, --store STORE or --collector URL")
        }
        if files.count(where: { $0 == "-" }) > 1 { throw UsageError(message: "--events - is given twice") }
        guard isStored else {
            for option in RecordSelection.options where arguments[option.name] != nil {
                throw UsageError(message: "--\(option.name) chooses records of a --store or a --collector")
            }
            let paths =
                try file.map {
                    try PathFolder.recordings(files, for: $0, isOneOf: count, warnings: warnings)
                } ?? files
            return paths.map { .file(RecordFile(path: $0, warnings: warnings)) }
        }
        return [
            .source(
                try RecordSource.records(arguments, access: .readOnly),
                try RecordSelection.filter(arguments),
                name: arguments["collector"] == nil ? "the store" : "the collector")
        ]
    }
}
