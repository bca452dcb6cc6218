/// Binds an index to the history of its store: a segment of the index is true of the records only where it has their seal and
/// their version. Copies of a store that go on apart give the same arrival numbers to other records, and other seals to them.
struct SegmentSeals {
    /// What a segment of records was when it was indexed.
    struct State: Hashable {
        var seal: Int64
        var version: Int64
    }

    /// By number; a segment that is not complete has none.
    let states: [Int64: State]

    /// Reads those of a store, or of the index that is attached.
    /// - Parameter table: `seals` or `segments`, with its database.
    /// - Throws: ``StoreError``.
    init(_ table: String, _ connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("SELECT segment, seal, version FROM \(table)")
        defer { statement.reset() }
        var states: [Int64: State] = [:]
        while try statement.step() {
            let segment = statement.integer(0)
            // Something else may have written any number.
            guard (0...IndexSegment.number(of: StoredNumber.largest)).contains(segment) else { continue }
            states[segment] = State(seal: statement.integer(1), version: statement.integer(2))
        }
        self.states = states
    }

    /// Seals what was complete before there were seals, or was completed by something else.
    /// - Throws: ``StoreError``.
    static func complete(_ connection: SQLiteConnection) throws(StoreError) {
        let end = try connection.lastArrival() + 1
        let sealed = try SegmentSeals("seals", connection).states
        var open: [Int64] = []
        var segment: Int64 = 0
        // Wide gaps between records cost nothing.
        while let first = try connection.firstArrival(from: segment * IndexSegment.size) {
            segment = max(IndexSegment.number(of: first), 0)
            guard segment < end / IndexSegment.size else { break }
            if sealed[segment] == nil { open.append(segment) }
            segment += 1
        }
        guard !open.isEmpty else { return }
        try connection.transaction { () throws(StoreError) in try seal(open, on: connection) }
    }

    /// Seals what a commit has completed. Used inside its transaction.
    /// - Parameter ids: the arrival numbers that it has given.
    /// - Throws: ``StoreError``.
    static func seal(_ ids: ClosedRange<Int64>, on connection: SQLiteConnection) throws(StoreError) {
        let end = (ids.upperBound + 1) / IndexSegment.size
        let first = IndexSegment.number(of: ids.lowerBound)
        // Numbers may be left out before these: then the segment of the record before is complete as well.
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

    /// Gives segments of which records were erased another version.
    /// - Throws: ``StoreError``.
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
