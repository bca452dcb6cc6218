import DaybookCurl
import DaybookStore
import Foundation

/// Records in a ClickHouse database, on one server or a cluster of them: for more records than one machine holds, and
/// any number of collectors.
///
/// An append returns when the shards have the rows, and what the batch settles. Appends wait for one another for up to
/// a second, so that they make few parts. A record that two collectors store at the same time, or one before its death
/// and another after it, is left out by whoever reads. Safe to share between threads.
package final class ClickHouseStore: ServerStore, KeyedStore {
    /// Rows of one commit at most.
    private static let commitRows = 65_536

    package let ownKey: StoreKey
    private let writer: CommitQueue<ClickHouseInsertion>?
    private let readers: ConnectionPool<ClickHouseSession>
    private let consoles: ConnectionPool<ClickHouseSession>
    private let server: ClickHouseDialect
    private let names: NameBound

    /// Connects, and makes the tables where there are none; blocks while it does.
    /// - Parameters:
    ///   - address: `clickhouse://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?cluster=NAME`.
    ///   - names: bounds the list of tags and versions.
    /// - Throws: ``StoreError``, `unavailable`.
    package init(
        address text: String, access: StoreAccess = .readWrite, names: NameBound = NameBound()
    ) throws(StoreError) {
        self.names = names
        let (address, server, identity) = try ClickHouseSchema.prepare(ClickHouseAddress(text), access: access)
        self.server = server
        ownKey = StoreKey(identity: identity)
        writer =
            access == .readOnly
            ? nil
            : CommitQueue(
                ClickHouseInsertion(ClickHouseSession(address: address), server, name: .random(in: 1 ... .max)),
                window: address.window, rowLimit: Self.commitRows
            ) { batches, insertion throws(CommitFailure) in try insertion.commit(batches) }
        readers = ConnectionPool(capacity: 4) { () throws(StoreError) in ClickHouseSession(address: address) }
        consoles = ConnectionPool(capacity: 2) { () throws(StoreError) in ClickHouseSession(address: address) }
    }

    /// `nil` on an old server, which has no functions for the views of events.
    package var dialect: StoreDialect? { server == .today ? .clickhouse : nil }

    @discardableResult
    package func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        try batch.checkSequences()
        try batch.checkRepeatedContexts()
        guard let writer else { throw .failed(.readOnly()) }
        return try await writer.append(batch.named(by: key))
    }

    @discardableResult
    package func erase(_ filter: RecordFilter) async throws -> Int64 {
        try filter.checkForErasing()
        _ = try writing()
        let sql = FilterSQL(filter, .clickHouse(server))
        let delete = { (condition: String) in
            try await self.read { reader throws(ClickHouseError) in try ClickHouseErasure.erase(condition, reader) }
        }
        // What only code can judge is looked for first.
        let erased =
            sql.match == nil
            ? try await delete(sql.text(ClickHouseLiteral.value))
            : try await erasePages(of: filter, pageSize: ClickHouseErasure.batchSize) { ids in
                try await delete("id IN (\(ids.map(String.init).joined(separator: ",")))")
            }
        if let installation = filter.onlyInstallation {
            try await read { reader throws(ClickHouseError) in
                try ClickHouseErasure.forget(installation: installation, reader)
            }
        }
        return erased
    }

    package func size() async throws -> Int64? {
        try await read { reader throws(ClickHouseError) in
            let sql = """
                SELECT sum(bytes_on_disk) FROM system.parts
                WHERE active AND database = \(ClickHouseLiteral.text(reader.session.address.database))
                """
            var bytes: Int64 = 0
            try reader.session.onEachNode { node throws(ClickHouseError) in
                bytes += try reader.session.rows(sql, on: node).integer(0, 0)
            }
            return bytes
        }
    }

    package func createViews(_ views: [StoreView]) async throws {
        try await writing().perform { insertion throws(StoreError) in
            do throws(ClickHouseError) {
                try ClickHouseViews.replaceAll(with: views, insertion.session)
            } catch {
                throw error.ofStatement
            }
        }
    }

    package func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        let (stopper, server) = (CurlStopper(), server)
        return try await withTaskCancellationHandler {
            try await consoles.read { session throws(StoreError) in
                try ClickHouseConsole.run(
                    sql, limits: limits, ClickHouseReader(session: session, dialect: server, stopper: stopper))
            }
        } onCancel: {
            stopper.cancel()
        }
    }

    /// Runs one statement that people wrote, on the thread that calls, for a process that does nothing else.
    /// - Throws: ``StoreError``.
    package static func answer(_ sql: String, limits: QueryLimits, address: String) throws(StoreError) -> QueryResult {
        let (address, dialect, _) = try ClickHouseSchema.prepare(ClickHouseAddress(address), access: .readOnly)
        return try ClickHouseConsole.run(
            sql, limits: limits,
            ClickHouseReader(
                session: ClickHouseSession(address: address), dialect: dialect, stopper: CurlStopper()))
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ClickHouseReader) throws(ClickHouseError) -> Value
    ) async throws -> Value {
        let (stopper, server, names) = (CurlStopper(), server, names)
        return try await withTaskCancellationHandler {
            try await readers.read { session throws(StoreError) in
                do throws(ClickHouseError) {
                    return try body(
                        ClickHouseReader(session: session, dialect: server, stopper: stopper, names: names))
                } catch {
                    throw stopper.isCancelled
                        ? .searchCancelled : error.ofStore
                }
            }
        } onCancel: {
            stopper.cancel()
        }
    }

    private func writing() throws(StoreError) -> CommitQueue<ClickHouseInsertion> {
        guard let writer else { throw .readOnly() }
        return writer
    }
}

/// Deletes records from the disks of all nodes. Appends go on meanwhile.
private enum ClickHouseErasure {
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
