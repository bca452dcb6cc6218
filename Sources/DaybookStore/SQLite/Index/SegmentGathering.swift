import DaybookBase

/// Reads a segment's records block by block.
struct SegmentGathering {
    private let segment: Int64
    private let version: Int64
    private var block: Int64 = 0
    private var summary = IndexSummary()
    private var rows = RowChecksum()

    /// What of a record no summary has.
    private static let others = "span_id, parent_span_id, duration, file, function, line"

    init(segment: Int64, version: Int64) {
        self.segment = segment
        self.version = version
    }

    /// Of the first `complete` segments the oldest that is not indexed as it is now; `nil` where all are.
    /// - Throws: ``StoreError``.
    static func next(
        complete: Int64, _ records: SQLiteConnection, _ index: SQLiteConnection
    ) throws(StoreError) -> SegmentGathering? {
        var changes: [Int64: Int64] = [:]
        let changed = try records.statement("SELECT segment, version FROM changes")
        defer { changed.reset() }
        while try changed.step() { changes[changed.integer(0)] = changed.integer(1) }
        var indexed: [Int64: Int64] = [:]
        let known = try index.statement("SELECT segment, version FROM segments")
        defer { known.reset() }
        while try known.step() { indexed[known.integer(0)] = known.integer(1) }
        let outdated = indexed.filter { (0..<complete).contains($0.key) && $0.value != changes[$0.key] ?? 0 }.keys.min()
        let missing = try missing(in: indexed, complete: complete, records)
        guard let segment = [outdated, missing].compactMap(\.self).min() else { return nil }
        return SegmentGathering(segment: segment, version: changes[segment] ?? 0)
    }

    /// The first complete segment that has records and is not indexed; wide gaps between records cost nothing.
    private static func missing(
        in indexed: [Int64: Int64], complete: Int64, _ records: SQLiteConnection
    ) throws(StoreError) -> Int64? {
        var segment: Int64 = 0
        while segment < complete {
            if indexed[segment] == nil {
                guard let first = try records.firstArrival(from: segment * IndexSegment.size) else { return nil }
                segment = IndexSegment.number(of: first)
                if indexed[segment] == nil { return segment < complete ? segment : nil }
            }
            segment += 1
        }
        return nil
    }

    /// Reads the next block. Whether it was the last one.
    mutating func step(_ records: SQLiteConnection) throws(StoreError) -> Bool {
        let statement = try records.statement(
            "SELECT \(IndexSummary.columns), \(Self.others) FROM stored_records WHERE id >= ? AND id < ? ORDER BY id")
        defer { statement.reset() }
        let start = segment * IndexSegment.size + block * IndexSegment.blockSize
        statement.bind(1, start)
        statement.bind(2, start + IndexSegment.blockSize)
        var arrivals = ArrivalReading(records)
        var rows = self.rows
        while try statement.step() {
            rows.add(statement)
            try summary.add(statement, &arrivals) { stored throws(StoreError) in
                let context = try ContextTable.context(of: stored, records)
                rows.add(context)
                return context
            }
        }
        self.rows = rows
        block += 1
        return block == IndexSegment.size / IndexSegment.blockSize
    }

    /// Of all cells of the records that were read, with their contexts.
    var checksum: Int64 { rows.value }

    /// What is to be written.
    var writing: SegmentWriting { SegmentWriting(summary, segment: segment, version: version, rows: checksum) }
}
