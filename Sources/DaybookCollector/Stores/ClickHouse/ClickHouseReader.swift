import DaybookStore

/// One reader's questions, which end when it is cancelled. Belongs to one thread at a time, but for its stopper.
struct ClickHouseReader {
    let session: ClickHouseSession
    let dialect: ClickHouseDialect
    let stopper: ClickHouseStopper

    var tables: ClickHouseTables { ClickHouseTables(session.address) }

    /// - Throws: ``ClickHouseError``.
    func rows(
        _ sql: String, settings: [(String, String)] = [], timeout: Duration = ClickHouseSession.patience
    ) throws(ClickHouseError) -> ClickHouseRows {
        try session.rows(sql, settings: dialect.reading + settings, timeout: timeout, stopper: stopper).rows
    }
}
