/// Writes an extent in steps of one transaction: readers see all or nothing, and a second process waits and finds it
/// done.
struct ExtentWriter {
    /// Rows per step, for a few milliseconds.
    private static let stepSize = 4_096

    private let extent: Int64
    private let seal: ExtentSeals.State
    private let rows: Int64
    private let summary: IndexSummary
    private let columns: [StoredColumn]
    private let grams: [(gram: Int64, blocks: Int64)]
    private var written = 0
    private var writtenColumns = 0
    private var hasBegun = false

    /// - Parameter rows: The checksum of the extent's records.
    init(
        _ summary: IndexSummary, _ columns: [StoredColumn], extent: Int64, seal: ExtentSeals.State, rows: Int64
    ) {
        self.columns = columns
        self.rows = rows
        self.summary = summary
        self.extent = extent
        self.seal = seal
        grams = summary.grams.sorted()
    }

    /// Runs the next step. An error leaves the transaction open; the caller rolls back.
    /// - Returns: Whether the extent is complete.
    mutating func step(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        if !hasBegun {
            try connection.begin()
            hasBegun = true
            if try ExtentSeals("segments", connection).states[extent] == seal {
                connection.rollBack()
                return true
            }
            try Self.clear(extent, connection)
            return false
        }
        let end = min(written + Self.stepSize, grams.count)
        let part = grams[written..<end]
        for mark in part {
            try connection.run(
                "INSERT INTO marks VALUES (?,?,?)", [.integer(extent), .integer(mark.gram), .integer(mark.blocks)])
        }
        written = end
        guard part.isEmpty else { return false }
        if writtenColumns < columns.count {
            try insert(columns[writtenColumns].sealed(in: extent), connection)
            writtenColumns += 1
            return false
        }
        try finish(connection)
        try connection.commit()
        return true
    }

    /// Deletes an extent's rows. Runs inside a transaction.
    static func clear(_ extent: Int64, _ connection: SQLiteConnection) throws(StoreError) {
        for table in ["segments", "marks", "blocks", "minutes", "hours", "facets", "sessions", "columns"] {
            try connection.run("DELETE FROM \(table) WHERE segment = ?", [.integer(extent)])
        }
    }

    private func finish(_ connection: SQLiteConnection) throws(StoreError) {
        var hours: [IndexSummary.CountKey: Int64] = [:]
        for (key, count) in summary.counts {
            try insert(key, count, into: "minutes", connection)
            var hour = key
            hour.minute = key.minute >= 0 ? key.minute / 60 : (key.minute + 1) / 60 - 1
            hours[hour, default: 0] += count
        }
        for (key, count) in hours { try insert(key, count, into: "hours", connection) }
        for column in summary.facets {
            for (name, count) in zip(column.names, column.counts) {
                try connection.run(
                    "INSERT INTO facets VALUES (?,?,?,?)",
                    [.integer(extent), .text(column.field.rawValue), .text(name), .integer(count)])
            }
        }
        for session in summary.sessions { try insert(session, connection) }
        let times = summary.times.enumerated().compactMap { block, times in times.map { (block, $0) } }
        for (block, times) in times {
            try connection.run(
                "INSERT INTO blocks VALUES (?,?,?,?)",
                [.integer(extent), .integer(Int64(block)), .integer(times.lowerBound), .integer(times.upperBound)])
        }
        try connection.run(
            "INSERT INTO segments VALUES (?,?,?,?,?,?,0)",
            [
                .integer(extent), .integer(seal.seal), .integer(seal.version),
                times.map(\.1.lowerBound).min().map { .integer($0) },
                times.map(\.1.upperBound).max().map { .integer($0) }, .integer(rows),
            ])
        let content = try ExtentContent.checksum(of: extent, connection)
        try connection.run("UPDATE segments SET content = ? WHERE segment = ?", [.integer(content), .integer(extent)])
    }

    private func insert(
        _ key: IndexSummary.CountKey, _ count: Int64, into table: String, _ connection: SQLiteConnection
    ) throws(StoreError) {
        try connection.run(
            "INSERT INTO \(table) VALUES (?,?,?,?,?,?)",
            [
                .integer(extent), .integer(key.minute), .text(summary.tags.names[key.tag]),
                .text(summary.kinds.names[key.kind]), .integer(key.level), .integer(count),
            ])
    }

    private func insert(_ session: SessionSummary, _ connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            "INSERT INTO sessions VALUES (?,?,?,?,?,?,?,?,?)",
            [
                .text(session.session), .integer(extent), session.installation.map { .text($0) },
                session.version.map { .text($0) }, session.device.map { .text($0) }, .integer(session.count),
                .integer(session.errors), .integer(session.firstTime), .integer(session.lastTime),
            ])
    }

    private func insert(_ column: StoredColumn, _ connection: SQLiteConnection) throws(StoreError) {
        let statement = try connection.statement("INSERT INTO columns VALUES (?,?,?,?)")
        statement.bind(1, extent)
        statement.bind(2, column.name)
        var failure: StoreError?
        column.codes.withUnsafeBytes { codes in
            column.content.withUnsafeBytes { content in
                statement.bindBorrowed(3, blob: codes)
                statement.bindBorrowed(4, blob: content)
                do throws(StoreError) {
                    _ = try statement.step()
                } catch {
                    failure = error
                }
                statement.reset()
                statement.clear()
            }
        }
        if let failure { throw failure }
    }
}
