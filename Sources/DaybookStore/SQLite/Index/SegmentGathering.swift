/// Reads a segment's records block by block.
struct SegmentGathering {
    private let segment: Int64
    private let version: Int64
    private var block: Int64 = 0
    private var summary = SegmentSummary()

    private init(segment: Int64, version: Int64) {
        self.segment = segment
        self.version = version
    }

    /// The oldest segment that is complete and not indexed as it is now; `nil` where all are.
    /// - Throws: ``StoreError``.
    static func next(_ records: SQLiteConnection, _ index: SQLiteConnection) throws(StoreError) -> SegmentGathering? {
        let last = try records.integer("SELECT last FROM arrivals") ?? 0
        var changes: [Int64: Int64] = [:]
        let changed = try records.statement("SELECT segment, version FROM changes")
        defer { changed.reset() }
        while try changed.step() { changes[changed.integer(0)] = changed.integer(1) }
        var indexed: [Int64: Int64] = [:]
        let known = try index.statement("SELECT segment, version FROM segments")
        defer { known.reset() }
        while try known.step() { indexed[known.integer(0)] = known.integer(1) }
        let complete = (last + 1) / Segment.size
        for segment in 0..<complete where indexed[segment] != changes[segment] ?? 0 {
            return SegmentGathering(segment: segment, version: changes[segment] ?? 0)
        }
        return nil
    }

    /// Reads the next block. Whether it was the last one.
    mutating func step(_ records: SQLiteConnection) throws(StoreError) -> Bool {
        let statement = try records.statement(
            "SELECT \(SegmentSummary.columns) FROM records WHERE id >= ? AND id < ? ORDER BY id")
        defer { statement.reset() }
        let start = segment * Segment.size + block * Segment.blockSize
        statement.bind(1, start)
        statement.bind(2, start + Segment.blockSize)
        while try statement.step() { summary.add(statement) }
        block += 1
        return block == Segment.size / Segment.blockSize
    }

    /// What is to be written.
    var writing: SegmentWriting { SegmentWriting(summary, segment: segment, version: version) }
}
