import DaybookBase

/// Verifies a store block by block: records and index against their checksums, the table's indexes against the records,
/// and both files with SQLite's integrity check. Read-only. Belongs to one thread at a time.
final class StoreCheck {
    /// Tables that grow with the records; their extents are compared instead.
    private static let large: Set = [
        "stored_records", "contexts", "context_uses", "marks", "minutes", "hours", "facets", "columns",
    ]

    private let path: String
    private let key: HashKey
    private let records: SQLiteConnection
    private let index: SQLiteConnection?
    private var extents: [Int64]
    private var current: (extent: Int64, noted: Noted, reader: ExtentReader)?
    private var tables: [(SQLiteConnection, String)]
    /// Damage of the index as a whole.
    private var troubles: [String] = []

    private struct Noted: Equatable {
        var seal: ExtentSeals.State
        var rows: Int64
        var content: Int64
    }

    /// - Parameter isWhole: Has SQLite check the large tables too, each in one step; meanwhile the log cannot be
    ///   emptied.
    init(path: String, isWhole: Bool) throws(StoreError) {
        self.path = path
        let records = try SQLiteConnection(path: path, access: .readOnly)
        let sealed = try ExtentSeals("seals", records).states
        var troubles: [String] = []
        let index = Self.index(ofStore: path, records, mustBe: !sealed.isEmpty) { troubles.append($0) }
        (self.records, self.index) = (records, index)
        key = StoreKey(identity: try records.identity()).ofColumns
        extents = []
        tables = []
        defer { self.troubles = troubles }
        for connection in [records, index].compactMap(\.self) {
            let names = try connection.statement("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            defer { names.reset() }
            while try names.step() {
                if isWhole || !Self.large.contains(names.text(0)) { tables.append((connection, names.text(0))) }
            }
        }
        guard let index else { return }
        // Checking its tables will report the damage.
        let indexed = (try? ExtentSeals("segments", index).states) ?? [:]
        extents = indexed.keys.sorted(by: >)
        let foreign = indexed.filter { sealed[$0.key]?.seal != $0.value.seal }.count
        if foreign > 0 {
            troubles.append(
                "\(index.path) is not of this store as it is: \(foreign) of \(indexed.count) extents are of other records, as "
                    + "beside a store that was replaced by a copy. It is not used for them; \(Self.remedy)")
        }
    }

    private static let remedy = "`daybook serve` makes it anew, also where it is deleted."

    /// - Parameter mustBe: Whether the store has complete extents; before that there may be no index.
    private static func index(
        ofStore path: String, _ records: SQLiteConnection, mustBe: Bool, _ found: (String) -> Void
    ) -> SQLiteConnection? {
        let name = IndexSchema.path(ofStore: path)
        do throws(StoreError) {
            let index = try IndexSchema.openForReading(ofStore: path, identity: try records.identity())
            if index == nil, mustBe {
                found("\(name) is missing, and with it the checksums that records are compared with; \(remedy)")
            }
            return index
        } catch {
            found("\(name) cannot be used: \(error.message) It has no checksums to compare records with; \(remedy)")
            return nil
        }
    }

    /// Runs the next step: a few milliseconds, or a full table for its structure.
    /// - Returns: Whether there is more to do.
    func step(_ found: (String) -> Void) -> Bool {
        do throws(StoreError) {
            if let trouble = troubles.popLast() {
                found(trouble)
            } else if let (connection, table) = tables.popLast() {
                try checkStructure(of: table, connection, found)
            } else if current != nil {
                guard try current?.reader.step(records) == true else { return true }
                try checkExtent(found)
            } else if let extent = extents.popLast(), let noted = try self.noted(of: extent) {
                current = (extent, noted, ExtentReader(extent: extent, seal: noted.seal, key))
            }
        } catch {
            found("\(path): \(error.message)")
            current = nil
        }
        return current != nil || !extents.isEmpty || !tables.isEmpty || !troubles.isEmpty
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

    /// Compares a gathered extent. One that was erased from or indexed anew meanwhile is skipped.
    private func checkExtent(_ found: (String) -> Void) throws(StoreError) {
        guard let (extent, noted, reader) = current, let index else { return }
        current = nil
        let content = try ExtentContent.checksum(of: extent, index)
        guard try self.noted(of: extent) == noted else { return }
        let numbers = IndexExtent.range(extent)
        let place = "records \(numbers.lower) to \(numbers.upper - 1)"
        // A damaged index may have a wrong checksum of the records as well.
        if reader.checksum != noted.rows, content == noted.content {
            found("\(path): \(place) are not what was stored: their checksum differs.")
        }
        if try countMissing(in: numbers) > 0 {
            found("\(path): the indexes records_time and records_tag lack some of \(place). Run REINDEX.")
        }
        if content != noted.content {
            found("\(index.path): what it says of \(place) is not what was written. Delete it; it is made anew.")
        }
    }

    /// Records missing from the table's indexes.
    private func countMissing(in numbers: ArrivalRange) throws(StoreError) -> Int64 {
        let statement = try records.statement(
            """
            SELECT count(*) FROM stored_records AS r NOT INDEXED WHERE r.id >= ? AND r.id < ? AND NOT (
                EXISTS (SELECT 1 FROM stored_records AS s INDEXED BY records_time WHERE s.time = r.time AND s.id = r.id)
                AND EXISTS (SELECT 1 FROM stored_records AS t INDEXED BY records_tag WHERE t.tag = r.tag AND t.id = r.id))
            """, [.integer(numbers.lower), .integer(numbers.upper)])
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The index's row of an extent; `nil` if its records have changed, or it belongs to another store.
    private func noted(of extent: Int64) throws(StoreError) -> Noted? {
        guard let index else { return nil }
        let known = try index.statement(
            "SELECT seal, version, rows, content FROM segments WHERE segment = ?", [.integer(extent)])
        defer { known.reset() }
        guard try known.step() else { return nil }
        let noted = Noted(
            seal: .init(seal: known.integer(0), version: known.integer(1)), rows: known.integer(2),
            content: known.integer(3))
        return try ExtentSeals("seals", records).states[extent] == noted.seal ? noted : nil
    }
}
