import DaybookStore
import Foundation

/// Deletes records from the disks of all nodes. Appends go on meanwhile.
enum ClickHouseErasure {
    /// Where records are judged in code, so many are deleted at once.
    static let batchSize = 1_000
    /// How long a node may take to rewrite its parts.
    private static let patience: Duration = .seconds(600)
    private static let pause: Duration = .milliseconds(20)

    /// Deletes what meets a condition of SQL.
    /// - Returns: how many records there were.
    static func erase(_ wanted: String, _ reader: ClickHouseReader) throws(ClickHouseError) -> Int64 {
        let table = reader.tables.all("stored_records")
        // What arrives from now on is not counted, and stays.
        let last = try reader.rows("SELECT max(id) FROM \(table)").integer(0, 0)
        let condition = "id <= \(last) AND (\(wanted))"
        let count = try reader.rows(
            "SELECT count() FROM \(table) WHERE \(condition) AND \(ClickHouseTables.isFirst)"
        ).integer(0, 0)
        guard try reader.rows("SELECT count() FROM \(table) WHERE \(condition)").integer(0, 0) > 0 else { return 0 }
        // Repeated rows are taken away from the arrivals of their tags as long as they are there: now for ever.
        try reader.session.run(
            """
            INSERT INTO tag_counts SELECT tag AS tag_name, toString(kind) AS tag_kind,
                ifNull(version, '') AS app_version, sumState(toInt64(-1)) AS arrivals, minState(time) AS first_seen,
                maxState(time) AS last_seen
            FROM \(table) WHERE (\(condition)) AND id GLOBAL IN (SELECT repeated FROM repeats)
                AND kind IN ('message', 'error', 'event')
            GROUP BY tag_name, tag_kind, app_version
            """, settings: reader.dialect.writing)
        try reader.session.runEverywhere("ALTER TABLE stored_records DELETE WHERE \(condition)")
        try wait(for: "stored_records", reader)
        return count
    }

    /// Takes an installation out of the streams' accounts.
    static func forget(installation: String, _ reader: ClickHouseReader) throws(ClickHouseError) {
        let text = ClickHouseLiteral.text(installation)
        try reader.session.runEverywhere(
            "ALTER TABLE claims UPDATE told_installation = NULL WHERE told_installation = \(text)")
        try wait(for: "claims", reader)
    }

    /// A node rewrites its parts in the background: waits until all have.
    private static func wait(for table: String, _ reader: ClickHouseReader) throws(ClickHouseError) {
        let end = ContinuousClock.now + patience
        let sql = """
            SELECT countIf(is_done = 0) FROM system.mutations
            WHERE database = \(ClickHouseLiteral.text(reader.session.address.database)) AND table = '\(table)'
            """
        for node in reader.session.address.nodes {
            while try reader.session.rows(sql, on: node).integer(0, 0) > 0 {
                guard ContinuousClock.now < end else {
                    throw ClickHouseError(
                        reason: .stopped,
                        message: "ClickHouse at \(node) is still erasing after \(patience): see system.mutations.")
                }
                // On a thread of the store's own, between questions to a server that has no way to wait.
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }
}
