/// Gathers imported rows into batches that a store takes at once (pure).
///
/// A record that says whose stream it came by is settled under that owner: what the owner delivers later is known, and
/// nobody else's is. The batch claims an empty interval, so that the store settles just the rows that are there, under a
/// stream of the import's own: the sender's own intervals stay the sender's to tell. Of other records a uid that looks like
/// a number of a stream is a text that anybody may have written. They are numbered as their file has them.
package struct ImportBatches {
    /// The rows of a batch.
    package static let size = 5_000
    /// What waits in the batches of all streams at most: a store's export has a stream for each launch of an app.
    package static let mostRows = 50_000
    private static let mostBytes = 64 << 20

    private var byStream: [String: RecordBatch] = [:]
    private var order: [String] = []
    private var rows = 0
    private var bytes = 0
    private var contexts = ContextFieldsCache()

    package init() {}

    /// Adds a row; returns the batches that are full, or all of them where too much waits.
    /// - Parameters:
    ///   - file: the stream of the row's file; `nil` where it can be read only once.
    ///   - position: the row's place in the file, from 1; `nil` where it is not known.
    package mutating func add(_ given: RecordRow, file: String?, position: Int?) -> [RecordBatch] {
        var row = given
        let origin: RecordBatch.Origin?
        // Records without a uid have the file's stream in its place.
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

    /// What is left, by the streams' first rows.
    package var rest: [RecordBatch] { order.compactMap { byStream[$0] }.filter { !$0.rows.isEmpty } }
}
