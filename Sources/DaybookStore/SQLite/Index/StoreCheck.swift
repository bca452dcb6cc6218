import DaybookBase

/// Reads a store again, block by block, and compares it with what was noted when it was indexed: the rows of each complete
/// segment with their checksum, the indexes with the rows, and what the index says with its own checksum; and has SQLite
/// look at how both files are built. Changes nothing. Belongs to one thread at a time.
final class StoreCheck {
    /// What grows with the records: their segments are compared.
    private static let large: Set = [
        "stored_records", "contexts", "context_uses", "marks", "minutes", "hours", "facets",
    ]

    private let path: String
    private let records: SQLiteConnection
    private let index: SQLiteConnection?
    private var segments: [Int64]
    private var current: (segment: Int64, noted: Noted, gathering: SegmentGathering)?
    private var tables: [(SQLiteConnection, String)]

    /// What the index has noted of a segment.
    private struct Noted: Equatable {
        var version: Int64
        var rows: Int64
        var content: Int64
    }

    /// - Parameter isWhole: has SQLite look at the large tables too, each in one step, and holds up the emptying of the log
    ///   meanwhile.
    /// - Throws: ``StoreError``.
    init(path: String, isWhole: Bool) throws(StoreError) {
        self.path = path
        let records = try SQLiteConnection(path: path, access: .readOnly)
        // There is none before the first segment is complete.
        let index = try? SQLiteConnection(path: IndexSchema.path(ofStore: path), access: .readOnly)
        (self.records, self.index) = (records, index)
        segments = []
        tables = []
        for connection in [records, index].compactMap(\.self) {
            let names = try connection.statement("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            defer { names.reset() }
            while try names.step() {
                if isWhole || !Self.large.contains(names.text(0)) { tables.append((connection, names.text(0))) }
            }
        }
        guard let index else { return }
        let indexed = try index.statement("SELECT segment FROM segments ORDER BY segment DESC")
        defer { indexed.reset() }
        while try indexed.step() { segments.append(indexed.integer(0)) }
    }

    /// The next piece: a few milliseconds, or a whole table for how it is built.
    /// - Parameter found: given what is damaged, as a sentence.
    /// - Returns: whether there is more.
    func step(_ found: (String) -> Void) -> Bool {
        do throws(StoreError) {
            if let (connection, table) = tables.popLast() {
                try checkStructure(of: table, connection, found)
            } else if current != nil {
                guard try current?.gathering.step(records) == true else { return true }
                try checkSegment(found)
            } else if let segment = segments.popLast(), let noted = try self.noted(of: segment) {
                current = (segment, noted, SegmentGathering(segment: segment, version: noted.version))
            }
        } catch {
            found("\(path): \(error.message)")
            current = nil
        }
        return current != nil || !segments.isEmpty || !tables.isEmpty
    }

    private func checkStructure(
        of table: String, _ connection: SQLiteConnection, _ found: (String) -> Void
    ) throws(StoreError) {
        let name = table.replacing("'", with: "''")
        let statement = try SQLiteStatement("PRAGMA integrity_check('\(name)')", on: connection)
        while try statement.step() {
            let text = statement.text(0)
            if text != "ok" { found("\(connection.path), table \(table): \(text)") }
        }
    }

    /// Compares what was read. What was erased or indexed anew meanwhile is not damaged.
    private func checkSegment(_ found: (String) -> Void) throws(StoreError) {
        guard let (segment, noted, gathering) = current, let index else { return }
        current = nil
        let content = try SegmentContent.checksum(of: segment, index)
        guard try self.noted(of: segment) == noted else { return }
        let numbers = IndexSegment.range(segment)
        let place = "records \(numbers.lower) to \(numbers.upper - 1)"
        if gathering.checksum != noted.rows {
            found("\(path): \(place) are not what was stored: their checksum differs.")
        }
        if try countMissing(in: numbers) > 0 {
            found("\(path): the indexes records_time and records_tag lack some of \(place). Run REINDEX.")
        }
        if content != noted.content {
            found("\(index.path): what it says of \(place) is not what was written. Delete it; it is made anew.")
        }
    }

    /// How many records are not found by the indexes of the table.
    private func countMissing(in numbers: ArrivalRange) throws(StoreError) -> Int64 {
        let statement = try records.statement(
            """
            SELECT count(*) FROM stored_records AS r NOT INDEXED WHERE r.id >= ? AND r.id < ? AND NOT (
                EXISTS (SELECT 1 FROM stored_records AS s INDEXED BY records_time WHERE s.time = r.time AND s.id = r.id)
                AND EXISTS (SELECT 1 FROM stored_records AS t INDEXED BY records_tag WHERE t.tag = r.tag AND t.id = r.id))
            """)
        defer { statement.reset() }
        statement.bind([.integer(numbers.lower), .integer(numbers.upper)])
        return try statement.step() ? statement.integer(0) : 0
    }

    /// What is noted of a segment as it is now; `nil` where records of it were erased since.
    private func noted(of segment: Int64) throws(StoreError) -> Noted? {
        guard let index else { return nil }
        let known = try index.statement("SELECT version, rows, content FROM segments WHERE segment = ?")
        defer { known.reset() }
        known.bind(1, segment)
        guard try known.step() else { return nil }
        let noted = Noted(version: known.integer(0), rows: known.integer(1), content: known.integer(2))
        let change = try records.statement("SELECT version FROM changes WHERE segment = ?")
        defer { change.reset() }
        change.bind(1, segment)
        return (try change.step() ? change.integer(0) : 0) == noted.version ? noted : nil
    }
}
