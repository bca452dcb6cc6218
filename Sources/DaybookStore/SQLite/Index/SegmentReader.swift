import DaybookBase

struct SegmentReader {
    private let segment: Int64
    private let seal: SegmentSeals.State
    private var block: Int64 = 0
    private var summary = IndexSummary()
    private var rows = RowChecksum()

    /// Columns that the summary does not read, for the checksum.
    private static let others = "span_id, parent_span_id, duration, file, function, line"

    init(segment: Int64, seal: SegmentSeals.State) {
        self.segment = segment
        self.seal = seal
    }

    /// Reads the next block; returns whether it was the last.
    mutating func step(_ records: SQLiteConnection) throws(StoreError) -> Bool {
        let statement = try records.statement(
            "SELECT \(IndexSummary.columns), \(Self.others) FROM stored_records WHERE id >= ? AND id < ? ORDER BY id")
        defer { statement.reset() }
        let start = segment * IndexSegment.size + block * IndexSegment.blockSize
        statement.bind(1, start)
        statement.bind(2, start + IndexSegment.blockSize)
        var arrivals = ArrivalReader(records)
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

    /// Covers all cells read, including the contexts.
    var checksum: Int64 { rows.value }

    var writer: SegmentWriter { SegmentWriter(summary, segment: segment, seal: seal, rows: checksum) }
}

enum IndexDuty: Equatable {
    /// Remove a segment that the store never sealed.
    case remove(Int64)
    /// Index the oldest segment that is missing or outdated.
    case gather(Int64, SegmentSeals.State)

    static func next(sealed: [Int64: SegmentSeals.State], indexed: [Int64: SegmentSeals.State]) -> IndexDuty? {
        if let foreign = indexed.keys.filter({ sealed[$0] == nil }).min() { return .remove(foreign) }
        return sealed.filter { indexed[$0.key] != $0.value }.min { $0.key < $1.key }.map { .gather($0.key, $0.value) }
    }
}
