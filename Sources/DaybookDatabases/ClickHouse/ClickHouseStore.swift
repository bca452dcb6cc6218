import DaybookCurl
import DaybookStore
import Foundation

/// Records in a ClickHouse database, on one server or a cluster: for more records than one machine holds, and any
/// number of collectors.
///
/// An append returns once the shards have the rows and what the batch settles. Appends wait up to a second to share a
/// commit, so that they make few parts. A record stored twice, by concurrent collectors or before and after a crash, is
/// deduplicated by readers. Thread-safe.
package final class ClickHouseStore: ServerStore, KeyedStore {
    /// The most rows per commit.
    private static let commitRows = 65_536

    package let ownKey: StoreKey
    private let writer: CommitQueue<ClickHouseInsertion>?
    private let readers: ConnectionPool<ClickHouseSession>
    private let consoles: ConnectionPool<ClickHouseSession>
    private let server: ClickHouseDialect
    private let names: NameBound

    /// Connects and creates missing tables; blocks meanwhile.
    /// - Parameters:
    ///   - address: `clickhouse://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?cluster=NAME`.
    ///   - names: limits the listed tags and versions.
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

    /// `nil` on an old server, which lacks functions for event views.
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
        // Conditions beyond SQL are searched in code first.
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

    /// Blocks the calling thread, for a process that does nothing else.
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

/// Deletes records from the disks of all nodes while appends continue.
private enum ClickHouseErasure {
    /// Records per delete when they are found in code.
    static let batchSize = 1_000
    /// How long a node may take to rewrite its parts.
    private static let patience: Duration = .seconds(600)
    private static let pause: Duration = .milliseconds(20)

    /// - Returns: the number of records.
    static func erase(_ wanted: String, _ reader: ClickHouseReader) throws(ClickHouseError) -> Int64 {
        let table = reader.tables.all("stored_records")
        // Records that arrive from now on stay.
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

    /// Removes an installation from the streams' accounts.
    static func forget(installation: String, _ reader: ClickHouseReader) throws(ClickHouseError) {
        let text = ClickHouseLiteral.text(installation)
        try reader.session.runEverywhere(
            "ALTER TABLE claims UPDATE told_installation = NULL WHERE told_installation = \(text)")
        try wait(for: "claims", reader)
    }

    /// Waits until all nodes have rewritten their parts, which they do in the background.
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
                // Polls, because the server cannot notify. This is the store's own thread.
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }
}
