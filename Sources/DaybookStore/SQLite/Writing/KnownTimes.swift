/// Finds an import's rows in the store. Caches the records of a time, so that each is read once for all batches.
/// Belongs to the writing connection.
struct KnownTimes {
    /// A time with fewer records is not cached.
    private static let few = 64
    /// Most cached records, about 50 MB. Beyond it, they are read once per batch.
    private static let most = 1_000_000

    private struct Records {
        /// The last arrival number read.
        var through: Int64 = 0
        /// By identity hash; of equal ones the last.
        var ids: [Int: Int64] = [:]
    }

    private var times: [Int64: Records] = [:]
    private var count = 0
    private var contexts = ContextFieldsCache()

    /// Indices of rows that are stored.
    mutating func present(_ rows: [RecordRow], _ connection: SQLiteConnection) throws(StoreError) -> Set<Int> {
        var present: Set<Int> = []
        for (time, places) in Dictionary(grouping: rows.indices, by: { rows[$0].time }) {
            let records = try read(time, connection)
            for place in places {
                let identity = RecordIdentity(rows[place], &contexts)
                // A missing hash rules the record out; a cached one may be an erased record's.
                guard let id = records.ids[identity.hashValue] else { continue }
                var isThere = try isThere(identity, "id = ?", id, connection)
                if !isThere { isThere = try self.isThere(identity, "time = ?", time, connection) }
                if isThere { present.insert(place) }
            }
        }
        return present
    }

    private mutating func read(_ time: Int64, _ connection: SQLiteConnection) throws(StoreError) -> Records {
        var records = times.removeValue(forKey: time) ?? Records()
        count -= records.ids.count
        let statement = try connection.statement(
            "SELECT id, uid, kind, tag, context FROM stored_records INDEXED BY records_time "
                + "WHERE time = ? AND id > ? ORDER BY id", [.integer(time), .integer(records.through)])
        defer { statement.reset() }
        while try statement.step() {
            let identity = RecordIdentity(
                uid: statement.text(1), time: time, kind: statement.text(2), tag: statement.text(3),
                owner: try owner(statement.text(4), connection))
            records.through = statement.integer(0)
            records.ids[identity.hashValue] = records.through
        }
        guard records.ids.count >= Self.few else { return records }
        if count + records.ids.count > Self.most { self = KnownTimes() }
        guard records.ids.count <= Self.most else { return records }
        times[time] = records
        count += records.ids.count
        return records
    }

    /// - Parameter context: The text in the row.
    private mutating func owner(_ context: String, _ connection: SQLiteConnection) throws(StoreError) -> String? {
        contexts.fields(of: try ContextTable.context(of: context, connection)).owner
    }

    private mutating func isThere(
        _ identity: RecordIdentity, _ condition: String, _ number: Int64, _ connection: SQLiteConnection
    ) throws(StoreError) -> Bool {
        let search = try connection.statement(
            "SELECT context FROM stored_records WHERE \(condition) AND time = ? AND uid = ? AND kind = ? AND tag = ?",
            [
                .integer(number), .integer(identity.time), .text(identity.uid), .text(identity.kind),
                .text(identity.tag),
            ])
        defer { search.reset() }
        while try search.step() {
            if try owner(search.text(0), connection) == identity.owner { return true }
        }
        return false
    }
}
