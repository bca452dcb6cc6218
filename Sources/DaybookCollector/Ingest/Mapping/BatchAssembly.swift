import DaybookStore

/// Puts the rows of a request's scopes together into batches: one per stream, one for all without a stream.
struct BatchAssembly {
    private(set) var batches: [RecordBatch] = []
    private var workspace = MappingWorkspace()
    private var position = 0

    /// Adds a scope's records. `row` maps one; it is given the record's place in the request.
    mutating func add<Record>(
        _ records: [Record], of scope: SenderScope,
        row: (Record, _ position: Int, inout MappingWorkspace) -> RecordRow
    ) {
        var rows: [RecordRow] = []
        rows.reserveCapacity(records.count)
        for record in records {
            rows.append(row(record, position, &workspace))
            position += 1
        }
        add(rows, origin: scope.origin, losses: scope.losses)
    }

    /// Adds a scope's rows. Scopes of one stream whose intervals overlap or touch are settled together; intervals with a
    /// gap between them are not, for the gap is not settled.
    private mutating func add(_ rows: [RecordRow], origin: RecordBatch.Origin?, losses: LossReport?) {
        guard let origin else {
            guard !rows.isEmpty else { return }
            if let index = batches.firstIndex(where: { $0.origin == nil }) {
                batches[index].rows += rows
            } else {
                batches.append(RecordBatch(rows: rows))
            }
            return
        }
        for index in batches.indices {
            guard let known = batches[index].origin, known.stream == origin.stream,
                known.after <= origin.through, origin.after <= known.through
            else { continue }
            batches[index].origin = .init(
                stream: origin.stream, after: min(known.after, origin.after),
                through: max(known.through, origin.through))
            batches[index].rows += rows
            batches[index].losses = batches[index].losses ?? losses
            return
        }
        batches.append(RecordBatch(origin: origin, losses: losses, rows: rows))
    }
}

extension RecordRow {
    /// The uid of a record whose sender gave none: a digest of what it holds and its place in the request, so that the
    /// same request sent again names its records the same.
    static func digest(of row: RecordRow, sentTime: UInt64, position: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.attributes.utf8.count + row.context.utf8.count + 128)
        withUnsafeBytes(of: sentTime.littleEndian) { bytes.append(contentsOf: $0) }
        let parts = [row.kind.rawValue, row.tag, row.message ?? "", row.traceID ?? "", row.spanID ?? ""]
        for part in parts + [row.attributes, row.context] {
            bytes.append(contentsOf: part.utf8)
            bytes.append(0)
        }
        return Digest.text(of: bytes, seed: UInt64(bitPattern: Int64(position)))
    }
}
