import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookStore
import DaybookTools

extension Command {
    static let importRecords = Command(
        name: "import", summary: "Import recordings, NDJSON or OTLP in JSON, into a store",
        options: RecordSource.options,
        operands: ("FILE.ndjson", 1...1),
        details: """
            Reads NDJSON and OTLP in JSON, as the OpenTelemetry Collector's file exporter writes it; gzip is decompressed.
            Members that no record has are left out, and named on standard error.
            Records that the store has are not stored again, whoever brought them: those with the same uid, time, kind and
            tag, and those that were imported before. Records without a uid are recognised by the whole content of the file
            and their place. A file with an invalid line is not imported; one without a record is an error, too. `-` reads
            standard input. From input that can be read only once, such as a pipe, the records before an invalid line are
            stored, and a record without a uid is stored each time.
            """
    ) { arguments, console in
        let file = RecordFile(path: arguments.operands[0], warnings: Warnings(console))
        // Read before anything is stored, for the names of its records, and for what is wrong with it.
        let stream = file.isReadOnce ? nil : try await file.contentStream()
        let isNew = try StoreAddress.isNew(arguments.store)
        let store = try RecordSource.records(arguments, access: .readWrite)
        // A store that is served has views of a team's events as well, which are that collector's to keep.
        if isNew, let store = store as? any EventStore { try await store.createViews(of: Definitions.load([]).0) }
        var batches = ImportBatches()
        var total = AppendResult(stored: 0, duplicates: 0)
        let now = PipelineClock.system.wall()
        let plausible = PlausibleTime.range(at: now)
        var (count, implausible, unnamed) = (0, 0, 0)
        var progress = ProgressLine(console)
        defer { progress.end() }
        do {
            try await file.forEachRecord(defaultTime: now, defaultStream: stream) { row, place in
                count += 1
                if !place.isIdentified { unnamed += 1 }
                if !plausible.contains(row.time) { implausible += 1 }
                for full in batches.add(row, file: stream, position: place.position) {
                    try await total.add(store.append(full))
                    progress.show("line \(place.line)")
                }
            }
        } catch {
            for batch in batches.rest { try await total.add(store.append(batch)) }
            console.errors("stored \(total.stored), already known \(total.duplicates)\n")
            throw error
        }
        for batch in batches.rest { try await total.add(store.append(batch)) }
        await store.close()
        if unnamed > 0, total.stored > 0 {
            let records = unnamed == 1 ? "1 record has" : "\(unnamed) records have"
            console.errors(
                "warning: \(records) no uid: only this file is known again; another export of the same, or a delivery by "
                    + "the device, is stored beside it\n")
        }
        implausible = min(implausible, total.stored)
        if implausible > 0 {
            let records = implausible == 1 ? "1 record has" : "\(implausible) records have"
            console.errors(
                "warning: \(records) a time before 2010 or more than a day ahead; "
                    + "--filter time:implausible shows them\n")
        }
        console.output("stored \(total.stored), already known \(total.duplicates)\n")
        guard count > 0 else { throw file.hasNoRecord }
        return .done
    }
}

extension RecordFile {
    /// The name of a stream that the file's content alone decides, in the form of a sender's: 48 hexadecimal digits.
    /// - Throws: ``InputError`` at the first line that is no record, or where there is none.
    fileprivate func contentStream() async throws -> String {
        var digest = ""
        var count: UInt64 = 0
        // A row's uid is its own or a digest of its line.
        try await forEachRecord { row, place in
            count += 1
            digest = Digest.text(of: Array("\(digest) \(place.position) \(row.uid)".utf8), seed: count)
        }
        guard count > 0 else { throw hasNoRecord }
        return digest + Hex.text(count)
    }

    fileprivate var hasNoRecord: InputError { InputError(file: path, message: "has no record") }
}

/// Gathers imported rows into batches that a store takes at once (pure).
///
/// A uid of Daybook's tells its stream and number. The batch claims an empty interval, so that the store settles just the
/// rows that are there, under a stream of the import's own: the sender's own intervals stay the sender's to tell. Other
/// uids have no order, so their rows are numbered as their file has them.
struct ImportBatches {
    /// The rows of a batch.
    static let size = 5_000
    /// What waits in the batches of all streams at most: a store's export has a stream for each launch of an app.
    static let mostRows = 50_000
    static let mostBytes = 64 << 20

    private var byStream: [String: RecordBatch] = [:]
    private var order: [String] = []
    private var rows = 0
    private var bytes = 0

    /// Adds a row; returns the batches that are full, or all of them where too much waits.
    /// - Parameter file: the stream of the row's file; `nil` where it can be read only once.
    mutating func add(_ row: RecordRow, file: String?, position: Int) -> [RecordBatch] {
        var row = row
        let sequence = RecordLine.sequence(ofUID: row.uid)
        row.sequence = sequence.flatMap { $0 > 0 && $0 <= UInt64(Int64.max) ? $0 : nil }
        var stream = row.sequence == nil ? "" : String(row.uid.prefix(48))
        // Records without a uid have the file's stream in its place.
        let isOfFile = row.sequence == nil || row.isDigest
        if isOfFile, let file {
            row.sequence = UInt64(position)
            stream = file
        }
        if byStream[stream] == nil {
            order.append(stream)
            let origin: RecordBatch.Origin = isOfFile ? .imported(ofFile: stream) : .imported(of: stream)
            var batch = RecordBatch(origin: stream.isEmpty ? nil : origin, rows: [])
            batch.isImport = true
            byStream[stream] = batch
        }
        byStream[stream]?.rows.append(row)
        rows += 1
        bytes += Self.bytes(of: row)
        if rows >= Self.mostRows || bytes >= Self.mostBytes {
            let full = rest
            self = ImportBatches()
            return full
        }
        guard let batch = byStream[stream], batch.rows.count >= Self.size else { return [] }
        byStream[stream]?.rows = []
        rows -= batch.rows.count
        bytes -= batch.rows.reduce(0) { $0 + Self.bytes(of: $1) }
        return [batch]
    }

    private static func bytes(of row: RecordRow) -> Int {
        row.attributes.utf8.count + row.context.utf8.count + (row.message?.utf8.count ?? 0)
    }

    /// What is left, by the streams' first rows.
    var rest: [RecordBatch] { order.compactMap { byStream[$0] }.filter { !$0.rows.isEmpty } }
}

extension AppendResult {
    fileprivate mutating func add(_ part: AppendResult) {
        stored += part.stored
        duplicates += part.duplicates
    }
}
