/// What of the index is true at the moment of a reading transaction.
struct IndexView {
    /// One that can be used.
    struct Indexed {
        var firstTime: Int64
        var lastTime: Int64
    }

    /// By number; a segment without records has no times, and none that match.
    private(set) var segments: [Int64: Indexed] = [:]

    /// No index: every record is looked at.
    init() {}

    /// Reads it; begins the transaction's view of both files. The index first: so it knows of no record that the
    /// transaction does not see, but for segments that are erased from since, which `changes` then tells.
    /// - Throws: ``StoreError``.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        guard connection.hasIndex else { return }
        var versions: [Int64: Int64] = [:]
        let indexed = try connection.statement("SELECT segment, version, first_time, last_time FROM idx.segments")
        defer { indexed.reset() }
        while try indexed.step() {
            let segment = indexed.integer(0)
            versions[segment] = indexed.integer(1)
            segments[segment] = Indexed(
                firstTime: indexed.optionalInteger(2) ?? .max, lastTime: indexed.optionalInteger(3) ?? .min)
        }
        let changed = try connection.statement("SELECT segment, version FROM main.changes")
        defer { changed.reset() }
        var changes: [Int64: Int64] = [:]
        while try changed.step() { changes[changed.integer(0)] = changed.integer(1) }
        for (segment, version) in versions where version != changes[segment] ?? 0 {
            segments.removeValue(forKey: segment)
        }
    }

    /// Segments with records of a time range, of which all have arrived before a number.
    func segments(since: Int64, until: Int64, before: Int64?) -> [Int64] {
        segments.filter { segment, times in
            times.lastTime >= since && times.firstTime < until && (segment + 1) * Segment.size <= before ?? .max
        }.keys.sorted()
    }
}
