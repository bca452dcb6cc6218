import DaybookBase

struct ExtentReader {
    private let extent: Int64
    private let seal: ExtentSeals.State
    private var block: Int64 = 0
    private var summary = IndexSummary()
    private var rows = RowChecksum()
    private var columns: ColumnGatherer

    /// Columns that the summary does not read, for the checksum and the columns.
    private static let others = "duration, span_id, parent_span_id, file, function, line"
    private static let cells = ColumnGatherer.Cells(
        time: 1, level: 3, duration: 13, texts: [2, 4, 8, 9, 7], attributes: 6, context: 12)

    /// - Parameter key: For the keys of values in columns.
    init(extent: Int64, seal: ExtentSeals.State, _ key: HashKey) {
        columns = ColumnGatherer(key)
        self.extent = extent
        self.seal = seal
    }

    /// Reads the next block; returns whether it was the last.
    mutating func step(_ records: SQLiteConnection) throws(StoreError) -> Bool {
        let start = extent * IndexExtent.size + block * IndexExtent.blockSize
        let statement = try records.statement(
            "SELECT \(IndexSummary.columns), \(Self.others) FROM stored_records WHERE id >= ? AND id < ? ORDER BY id",
            [.integer(start), .integer(start + IndexExtent.blockSize)])
        defer { statement.reset() }
        var arrivals = ArrivalReader(records)
        var rows = self.rows
        while try statement.step() {
            rows.add(statement)
            try summary.add(statement, &arrivals) { stored throws(StoreError) in
                let context = try ContextTable.context(of: stored, records)
                rows.add(context)
                return context
            }
            try columns.add(statement, Self.cells) { stored throws(StoreError) in
                try ContextTable.context(of: stored, records)
            }
        }
        self.rows = rows
        block += 1
        return block == IndexExtent.size / IndexExtent.blockSize
    }

    /// Covers all cells read, including the contexts.
    var checksum: Int64 { rows.value }

    var writer: ExtentWriter {
        ExtentWriter(summary, columns.stored, extent: extent, seal: seal, rows: checksum)
    }
}

enum IndexDuty: Equatable {
    /// Remove an extent that the store never sealed.
    case remove(Int64)
    /// Index the oldest extent that is missing or outdated.
    case gather(Int64, ExtentSeals.State)

    static func next(sealed: [Int64: ExtentSeals.State], indexed: [Int64: ExtentSeals.State]) -> IndexDuty? {
        if let foreign = indexed.keys.filter({ sealed[$0] == nil }).min() { return .remove(foreign) }
        return sealed.filter { indexed[$0.key] != $0.value }.min { $0.key < $1.key }.map { .gather($0.key, $0.value) }
    }
}
