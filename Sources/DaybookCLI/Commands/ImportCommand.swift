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
        // A first pass finds errors before anything is stored, and names the records.
        let stream = file.isReadOnce ? nil : try await file.contentStream()
        let isNew = try StoreAddress.isNew(arguments.store)
        let store = try RecordSource.records(arguments, access: .readWrite)
        // In a store served by a collector, the views are the collector's.
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
                    try await total.add(store.appendResting(full))
                    progress.show("line \(place.line)")
                }
            }
        } catch {
            for batch in batches.rest { try await total.add(store.appendResting(batch)) }
            console.errors("stored \(total.stored), already known \(total.duplicates)\n")
            throw error
        }
        for batch in batches.rest { try await total.add(store.appendResting(batch)) }
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
    /// A stream name in the form of a sender's, 48 hexadecimal digits, derived from the file's content alone.
    /// - Throws: ``InputError`` at the first invalid line, or if there are no records.
    fileprivate func contentStream() async throws -> String {
        var digest = ""
        var count: UInt64 = 0
        // The uid is the row's own or a digest of its line.
        try await forEachRecord { row, place in
            count += 1
            digest = Digest.text(of: Array("\(digest) \(place.position) \(row.uid)".utf8), seed: count)
        }
        guard count > 0 else { throw hasNoRecord }
        return digest + Hex.text(count)
    }

    fileprivate var hasNoRecord: InputError { InputError(file: path, message: "has no record") }
}

extension RecordAccess {
    /// Stores a batch, then sleeps half as long, so that a collector on the same file gets its turn.
    fileprivate func appendResting(_ batch: RecordBatch) async throws -> AppendResult {
        let start = ContinuousClock.now
        let result = try await append(batch)
        try await Task.sleep(for: (ContinuousClock.now - start) / 2)
        return result
    }
}

extension AppendResult {
    fileprivate mutating func add(_ part: AppendResult) {
        stored += part.stored
        duplicates += part.duplicates
    }
}
