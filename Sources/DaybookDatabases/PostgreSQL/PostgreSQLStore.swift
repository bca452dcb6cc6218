import DaybookBase
import DaybookStore
import DaybookTools
import Dispatch

/// Records in a PostgreSQL database (13 or later): for more than one machine's disk, or more than one collector.
///
/// An append returns after COMMIT with `synchronous_commit` on. Appends of all collectors of a database are serialized,
/// so readers of `id > n` miss nothing, and settled intervals are committed with the records. Connections are made on
/// demand, and again after a loss. Thread-safe.
package final class PostgreSQLStore: ServerStore, KeyedStore, ColumnarStore {
    package let ownKey: StoreKey
    private let writer: CommitQueue<PostgreSQLSession>?
    private let readers: ConnectionPool<PostgreSQLSession>
    /// For folds, which take long, and then do not keep others waiting.
    private let folds: ConnectionPool<PostgreSQLSession>
    private let consoles: ConnectionPool<PostgreSQLSession>

    /// Connects and creates missing tables; blocks meanwhile.
    /// - Parameters:
    ///   - address: `postgres://user:password@host:port/database`, with `?sql_user=…&sql_password=…` to run users' SQL
    ///     as another role.
    ///   - names: limits the listed tags and versions.
    /// - Throws: ``StoreError``, `unavailable`.
    package init(
        address: String, access: StoreAccess = .readWrite, names: NameBound = NameBound()
    ) throws(StoreError) {
        let (address, sql) = PostgreSQLAddress.parsed(address)
        ownKey = StoreKey(
            identity: try PostgreSQLSchema.prepare(PostgreSQLSession(address: address), access: access))
        let names = Mutex(names)
        writer =
            access == .readOnly
            ? nil
            : CommitQueue(PostgreSQLSession(address: address)) { batches, session throws(CommitFailure) in
                try names.withLock { (names) throws(CommitFailure) in
                    try PostgreSQLInsertion.commit(batches, session, &names)
                }
            }
        readers = ConnectionPool(capacity: 3) { () throws(StoreError) in PostgreSQLSession(address: address) }
        folds = ConnectionPool(capacity: 2, niceness: WorkThreads.yieldingNiceness) { () throws(StoreError) in
            PostgreSQLSession(address: address)
        }
        consoles = ConnectionPool(capacity: 2) { () throws(StoreError) in PostgreSQLSession(address: sql) }
    }

    package var dialect: StoreDialect? { .postgresql }

    @discardableResult
    package func append(_ batch: RecordBatch) async throws(AppendError) -> AppendResult {
        try batch.checkSequences()
        try batch.checkNames(limit: PostgreSQLSchema.keyBytes)
        guard let writer else { throw .failed(.readOnly()) }
        return try await writer.append(batch.named(by: key))
    }

    @discardableResult
    package func erase(_ filter: RecordFilter) async throws -> Int64 {
        try filter.checkForErasing()
        let writer = try writing()
        let erased = try await erasePages(of: filter, pageSize: PostgreSQLErasure.batchSize) { ids in
            try await writer.change { connection throws(PostgreSQLError) in
                try PostgreSQLErasure.erase(ids, connection)
            }
        }
        if let installation = filter.onlyInstallation {
            try await writer.change { connection throws(PostgreSQLError) in
                try PostgreSQLErasure.forget(installation: installation, connection)
            }
        }
        return erased
    }

    package func size() async throws -> Int64? {
        try await read { reader throws(PostgreSQLError) in
            try reader.rows("SELECT pg_database_size(current_database())").integer(0, 0)
        }
    }

    package func createViews(_ views: [StoreView]) async throws {
        try await writing().change(isOfPeople: true) { connection throws(PostgreSQLError) in
            try PostgreSQLViews.replaceAll(with: views, connection)
        }
    }

    /// Not through the console, which refuses powerful roles.
    package func maskingText() async throws -> String? {
        try await read { reader throws(PostgreSQLError) in try reader.maskingText() }
    }

    package func query(_ sql: String, limits: QueryLimits) async throws -> QueryResult {
        let running = RunningStatement()
        return try await withTaskCancellationHandler {
            try await consoles.read { session throws(StoreError) in
                let connection = try Self.answering(session)
                running.begin(connection.stopper)
                defer { running.end() }
                do throws(StoreError) {
                    return try PostgreSQLConsole.run(sql, limits: limits, connection) { running.isCancelled }
                } catch {
                    if !running.isCancelled { session.discard() }
                    throw error
                }
            }
        } onCancel: {
            running.cancel()
        }
    }

    /// Blocks the calling thread, for a process that does nothing else.
    package static func answer(_ sql: String, limits: QueryLimits, address: String) throws(StoreError) -> QueryResult {
        let (store, own) = PostgreSQLAddress.parsed(address)
        let session = PostgreSQLSession(address: store)
        _ = try PostgreSQLSchema.prepare(session, access: .readOnly)
        let connection = try answering(own == store ? session : PostgreSQLSession(address: own))
        return try PostgreSQLConsole.run(sql, limits: limits, connection) { false }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLReader) throws(PostgreSQLError) -> Value
    ) async throws -> Value {
        let running = RunningStatement()
        return try await withTaskCancellationHandler {
            try await readers.read { session throws(StoreError) in
                do throws(PostgreSQLError) {
                    return try session.repeating { connection throws(PostgreSQLError) in
                        running.begin(connection.stopper)
                        defer { running.end() }
                        return try body(PostgreSQLReader(connection: connection) { running.isCancelled })
                    }
                } catch {
                    if running.isCancelled { throw .searchCancelled }
                    session.discard()
                    throw error.ofStore
                }
            }
        } onCancel: {
            running.cancel()
        }
    }

    /// Gives stored values, as the store's own role reads them.
    package func fold<Answer: Sendable>(
        limit: Duration, progress: @escaping @Sendable (SearchProgress) -> Void,
        _ body: @escaping @Sendable (any ColumnSource) throws(StoreError) -> Answer
    ) async throws -> Answer {
        let running = RunningStatement()
        return try await withTaskCancellationHandler {
            try await folds.read { session throws(StoreError) in
                // Ends before the transaction does, so that a cancellation does not hit the connection's next statement.
                defer { session.rollBack() }
                defer { running.end() }
                let columns: PostgreSQLColumns
                do throws(PostgreSQLError) {
                    columns = try session.repeating { connection throws(PostgreSQLError) in
                        running.begin(connection.stopper)
                        return try PostgreSQLColumns(connection, limit: limit, progress: progress) {
                            running.isCancelled
                        }
                    }
                } catch {
                    if running.isCancelled { throw .queryCancelled }
                    session.discard()
                    throw error.isStopped ? .stopped(after: limit) : error.ofStore
                }
                do throws(StoreError) {
                    return try body(columns)
                } catch {
                    if !running.isCancelled { session.discard() }
                    throw error
                }
            }
        } onCancel: {
            running.cancel()
        }
    }

    /// A connection proven to be alive.
    private static func answering(_ session: PostgreSQLSession) throws(StoreError) -> PostgreSQLConnection {
        do throws(PostgreSQLError) {
            return try session.repeating { connection throws(PostgreSQLError) in
                try connection.run("SELECT 1")
                return connection
            }
        } catch {
            throw error.ofStore
        }
    }

    private func writing() throws(StoreError) -> CommitQueue<PostgreSQLSession> {
        guard let writer else { throw .readOnly() }
        return writer
    }
}

extension CommitQueue<PostgreSQLSession> {
    /// Runs a change between commits.
    fileprivate func change<Value: Sendable>(
        isOfPeople: Bool = false, _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) async throws(StoreError) -> Value {
        try await perform { session throws(StoreError) in
            do throws(PostgreSQLError) {
                return try body(try session.connected())
            } catch {
                session.discard()
                throw isOfPeople ? error.ofStatement : error.ofStore
            }
        }
    }
}

/// Cancels an abandoned statement, but never the connection's next one.
private final class RunningStatement: Sendable {
    private struct State {
        var stopper: PostgreSQLStopper?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func begin(_ stopper: PostgreSQLStopper?) {
        let isCancelled = state.withLock { state in
            state.stopper = stopper
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    func end() { state.withLock { $0.stopper = nil } }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        DispatchQueue.global(qos: .userInitiated).async { self.stop() }
    }

    /// Repeats the cancellation until the statement ends, since the server ignores one that comes before it begins.
    private func stop() {
        // The lock keeps the connection from starting another statement while `stop()` blocks.
        let isRunning = state.withLock { state in
            state.stopper?.stop()
            return state.stopper != nil
        }
        guard isRunning else { return }
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + .milliseconds(50)) { self.stop() }
    }
}

/// Deletes records in one short transaction.
private enum PostgreSQLErasure {
    /// Records per transaction; appends get their turn in between.
    static let batchSize = 1_000

    /// - Returns: how many still existed.
    static func erase(_ ids: [Int64], _ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int64 {
        let list = ids.map(String.init).joined(separator: ",")
        // All writers of sessions take this lock first, which prevents deadlocks.
        let results = try connection.run(
            """
            BEGIN; SELECT last FROM arrivals FOR UPDATE;
            DELETE FROM stored_records WHERE id IN (\(list)) RETURNING session, tag, kind, daybook_version(coalesce(context,
                (SELECT c.context FROM contexts AS c WHERE c.id = stored_records.context_id))), context_id
            """)
        let erased = results[2]
        let sessions = Set((0..<erased.count).compactMap { erased.text($0, 0) })
        var contexts: [String: Int64] = [:]
        for case let context? in (0..<erased.count).map({ erased.text($0, 4) }) { contexts[context, default: 0] += 1 }
        let statements =
            PostgreSQLAccounts.summing(sessions: sessions) + takingTags(of: erased) + SharedContexts.removing(contexts)
            + [ArrivalMarks.removal, "COMMIT"]
        try connection.run(statements.joined(separator: "; "))
        return Int64(erased.count)
    }

    /// Subtracts erased records from the tags' counts; their times stay.
    private static func takingTags(of erased: PostgreSQLResult) -> [String] {
        var counts: [[String]: Int] = [:]
        for row in 0..<erased.count {
            guard let tag = erased.text(row, 1), let kind = erased.text(row, 2).flatMap(Kind.init(rawValue:)),
                kind.hasTagCount
            else { continue }
            let version = (erased.text(row, 3) ?? "").cut(toUTF8Bytes: PostgreSQLSchema.keyBytes)
            counts[[tag, kind.rawValue, version], default: 0] += 1
        }
        return counts.flatMap { key, count in
            let (tag, kind, version) = (
                PostgreSQLLiteral.text(key[0]), PostgreSQLLiteral.text(key[1]), PostgreSQLLiteral.text(key[2])
            )
            let isTag = "tag = \(tag) AND kind = \(kind)"
            // What its own row does not cover was counted without a version, or was folded there since.
            let own = "coalesce((SELECT count FROM tags WHERE \(isTag) AND version = \(version)), 0)"
            return [
                "UPDATE tags SET count = greatest(count - greatest(\(count) - \(own), 0), 0) "
                    + "WHERE \(isTag) AND version = '' AND \(version) <> ''",
                "UPDATE tags SET count = greatest(count - \(count), 0) WHERE \(isTag) AND version = \(version)",
            ]
        }
    }

    /// Removes an installation from the streams' accounts.
    static func forget(
        installation: String, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) {
        try connection.run(
            "UPDATE ledger SET installation = NULL WHERE installation = \(PostgreSQLLiteral.text(installation))")
    }
}
