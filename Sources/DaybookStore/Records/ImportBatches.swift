/// Groups imported rows into batches (pure).
///
/// A record with a stream owner is settled under that owner, so only that owner's later deliveries are duplicates. The
/// batch settles exactly its rows (an empty interval), in a separate import stream, because only the sender may settle
/// intervals. Other records' uids prove nothing; they are numbered by position in the file.
package struct ImportBatches {
    package static let size = 5_000
    /// Rows buffered over all streams: an export has a stream for each launch of an app.
    package static let mostRows = 50_000
    private static let mostBytes = 64 << 20

    private var byStream: [String: RecordBatch] = [:]
    private var order: [String] = []
    private var rows = 0
    private var bytes = 0
    private var contexts = ContextFieldsCache()

    package init() {}

    /// Adds a row; returns full batches, or all when too much is buffered.
    /// - Parameters:
    ///   - file: The file's stream; `nil` if it can be read only once.
    ///   - position: The row's position in the file, from 1; `nil` if unknown.
    package mutating func add(_ given: RecordRow, file: String?, position: Int?) -> [RecordBatch] {
        var row = given
        let origin: RecordBatch.Origin?
        // A digest has no sender's stream; such records use the file's.
        if !row.isDigest, let owner = contexts.fields(of: row.context).owner,
            let sequence = RecordLine.sequence(ofUID: row.uid),
            sequence > 0, sequence <= UInt64(Int64.max)
        {
            row.sequence = sequence
            origin = .imported(of: String(row.uid.prefix(48)), by: owner)
        } else if let file, let position {
            row.sequence = UInt64(position)
            origin = .imported(file: file)
        } else {
            row.sequence = nil
            origin = nil
        }
        let stream = origin?.stream ?? ""
        if byStream[stream] == nil {
            order.append(stream)
            var batch = RecordBatch(origin: origin, rows: [])
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

    /// The remaining batches, ordered by their streams' first rows.
    package var rest: [RecordBatch] { order.compactMap { byStream[$0] }.filter { !$0.rows.isEmpty } }
}
