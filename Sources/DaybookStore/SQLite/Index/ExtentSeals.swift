/// Ties the index to its store's history: a segment's index is valid only with its records' seal and version. Diverging
/// copies of a store share arrival numbers, but not seals.
struct ExtentSeals {
    /// The state of a segment's records when it was indexed.
    struct State: Hashable {
        var seal: Int64
        var version: Int64
    }

    /// By extent; an incomplete extent has none.
    let states: [Int64: State]

    /// Reads the seals of a store, or those in its index.
    /// - Parameter table: `seals` or `segments`, with its schema.
    init(_ table: String, _ connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("SELECT segment, seal, version FROM \(table)")
        defer { statement.reset() }
        var states: [Int64: State] = [:]
        while try statement.step() {
            let extent = statement.integer(0)
            // Another program may have written any number.
            guard (0...IndexExtent.number(of: StoredNumber.largest)).contains(extent) else { continue }
            states[extent] = State(seal: statement.integer(1), version: statement.integer(2))
        }
        self.states = states
    }

    /// Seals complete extents without a seal, from an earlier version or another program.
    static func complete(_ connection: SQLiteConnection) throws(StoreError) {
        let end = try connection.lastArrival() + 1
        let sealed = try ExtentSeals("seals", connection).states
        var open: [Int64] = []
        var extent: Int64 = 0
        // Skips gaps between records.
        while let first = try connection.firstArrival(from: extent * IndexExtent.size) {
            extent = max(IndexExtent.number(of: first), 0)
            guard extent < end / IndexExtent.size else { break }
            if sealed[extent] == nil { open.append(extent) }
            extent += 1
        }
        guard !open.isEmpty else { return }
        try connection.transaction { () throws(StoreError) in try seal(open, on: connection) }
    }

    /// Seals the extents that a commit completed. Runs inside its transaction.
    /// - Parameter ids: The commit's arrival numbers.
    static func seal(_ ids: ClosedRange<Int64>, on connection: SQLiteConnection) throws(StoreError) {
        let end = (ids.upperBound + 1) / IndexExtent.size
        let first = IndexExtent.number(of: ids.lowerBound)
        // After a gap in the numbers, the previous record's extent is complete as well.
        let before = try connection.lastArrival(before: ids.lowerBound).map(IndexExtent.number) ?? first
        let complete = Array(first..<max(first, end)) + (before < min(first, end) ? [before] : [])
        if !complete.isEmpty { try seal(complete, on: connection) }
    }

    private static func seal(_ extents: [Int64], on connection: SQLiteConnection) throws(StoreError) {
        for extent in extents {
            try connection.run("INSERT OR IGNORE INTO seals VALUES (?, random(), 0)", [.integer(extent)])
        }
    }

    static func change(_ extents: Set<Int64>, on connection: SQLiteConnection) throws(StoreError) {
        for extent in extents {
            try connection.run("UPDATE seals SET version = random() WHERE segment = ?", [.integer(extent)])
        }
    }
}
