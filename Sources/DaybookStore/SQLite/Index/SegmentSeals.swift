/// Ties the index to its store's history: a segment's index is valid only with its records' seal and version. Diverging
/// copies of a store share arrival numbers, but not seals.
struct SegmentSeals {
    /// The state of a segment's records when it was indexed.
    struct State: Hashable {
        var seal: Int64
        var version: Int64
    }

    /// By segment; an incomplete segment has none.
    let states: [Int64: State]

    /// Reads the seals of a store, or those in its index.
    /// - Parameter table: `seals` or `segments`, with its schema.
    init(_ table: String, _ connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("SELECT segment, seal, version FROM \(table)")
        defer { statement.reset() }
        var states: [Int64: State] = [:]
        while try statement.step() {
            let segment = statement.integer(0)
            // Another program may have written any number.
            guard (0...IndexSegment.number(of: StoredNumber.largest)).contains(segment) else { continue }
            states[segment] = State(seal: statement.integer(1), version: statement.integer(2))
        }
        self.states = states
    }

    /// Seals complete segments without a seal, from an earlier version or another program.
    static func complete(_ connection: SQLiteConnection) throws(StoreError) {
        let end = try connection.lastArrival() + 1
        let sealed = try SegmentSeals("seals", connection).states
        var open: [Int64] = []
        var segment: Int64 = 0
        // Skips gaps between records.
        while let first = try connection.firstArrival(from: segment * IndexSegment.size) {
            segment = max(IndexSegment.number(of: first), 0)
            guard segment < end / IndexSegment.size else { break }
            if sealed[segment] == nil { open.append(segment) }
            segment += 1
        }
        guard !open.isEmpty else { return }
        try connection.transaction { () throws(StoreError) in try seal(open, on: connection) }
    }

    /// Seals the segments that a commit completed. Runs inside its transaction.
    /// - Parameter ids: The commit's arrival numbers.
    static func seal(_ ids: ClosedRange<Int64>, on connection: SQLiteConnection) throws(StoreError) {
        let end = (ids.upperBound + 1) / IndexSegment.size
        let first = IndexSegment.number(of: ids.lowerBound)
        // After a gap in the numbers, the previous record's segment is complete as well.
        let before = try connection.lastArrival(before: ids.lowerBound).map(IndexSegment.number) ?? first
        let complete = Array(first..<max(first, end)) + (before < min(first, end) ? [before] : [])
        if !complete.isEmpty { try seal(complete, on: connection) }
    }

    private static func seal(_ segments: [Int64], on connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("INSERT OR IGNORE INTO seals VALUES (?, random(), 0)")
        defer { statement.reset() }
        for segment in segments {
            statement.bind(1, segment)
            _ = try statement.step()
            statement.reset()
        }
    }

    static func change(_ segments: Set<Int64>, on connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("UPDATE seals SET version = random() WHERE segment = ?")
        defer { statement.reset() }
        for segment in segments {
            statement.bind(1, segment)
            _ = try statement.step()
            statement.reset()
        }
    }
}
