import DaybookCollector
import DaybookDatabases
import DaybookStore
import Foundation

/// A command's store address: `sqlite:PATH` or a bare path, `postgres://…` or `clickhouse://…`.
enum StoreAddress {
    /// Names the default store, as for `daybook serve`.
    static let variable = "DAYBOOK_STORE"
    static let byDefault = "sqlite:daybook.sqlite"

    /// Checks the address's scheme without opening anything.
    /// - Throws: ``UsageError``.
    static func check(_ address: String) throws(UsageError) {
        switch scheme(of: address) {
        case nil, "sqlite": _ = try path(of: address)
        case "postgres", "postgresql", "clickhouse": break
        case let other?: throw unknown(other)
        }
    }

    /// The file of a SQLite store. Refuses SQLite's in-memory and temporary databases; an empty path is probably an
    /// unset variable.
    private static func path(of address: String) throws(UsageError) -> String {
        let path = scheme(of: address) == nil ? address : String(address.dropFirst("sqlite:".count))
        guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:") else {
            throw UsageError(message: "the store `\(address)` names no file", hint: "sqlite:PATH")
        }
        return path
    }

    private static func unknown(_ kind: Substring) -> UsageError {
        UsageError(
            message: "unknown kind of store `\(kind)`",
            hint: "stores are sqlite:PATH, postgres://USER@HOST/DATABASE and "
                + "clickhouse://USER@HOST/DATABASE?cluster=NAME")
    }

    static func dialect(of address: String) -> StoreDialect {
        switch scheme(of: address) {
        case "postgres", "postgresql": .postgresql
        case "clickhouse": .clickhouse
        default: .sqlite
        }
    }

    /// Whether opening would create the store.
    static func isNew(_ address: String) throws(UsageError) -> Bool {
        switch scheme(of: address) {
        case nil, "sqlite": !FileManager.default.fileExists(atPath: try path(of: address))
        default: false
        }
    }

    /// - Throws: ``UsageError`` for an unknown scheme, or the store's error.
    static func open(_ address: String, access: StoreAccess) throws -> any EventStore {
        switch scheme(of: address) {
        case "postgres", "postgresql": try PostgreSQLStore(address: address, access: access)
        case "clickhouse": try ClickHouseStore(address: address, access: access)
        default: try openSQLite(address, access: access)
        }
    }

    /// Runs users' statements on a store, each in its own process.
    /// - Parameters:
    ///   - capacity: concurrent statements. Default: 2.
    ///   - givesWay: run at low priority, as required next to an ingest. Default: no.
    /// - Throws: ``UsageError`` for an unknown scheme.
    static func statements(
        _ address: String, capacity: Int = StatementProcesses.usualCapacity, givesWay: Bool = false
    ) throws(UsageError) -> StatementProcesses {
        try check(address)
        return StatementProcesses(store: address, capacity: capacity, givesWay: givesWay)
    }

    /// Runs a statement in this process and on this thread, for a process that does nothing else.
    /// - Throws: ``UsageError`` for an unknown scheme, or the store's error.
    static func answer(_ address: String, _ sql: String, _ limits: QueryLimits) throws -> QueryResult {
        switch scheme(of: address) {
        case "postgres", "postgresql": try PostgreSQLStore.answer(sql, limits: limits, address: address)
        case "clickhouse": try ClickHouseStore.answer(sql, limits: limits, address: address)
        default: try SQLiteStore.answer(sql, limits: limits, path: path(of: address))
        }
    }

    /// Opens a store that must be a file.
    /// - Throws: ``UsageError`` for another scheme, or the store's error.
    static func openSQLite(_ address: String, access: StoreAccess) throws -> SQLiteStore {
        switch scheme(of: address) {
        case nil, "sqlite":
            return try SQLiteStore(
                path: path(of: address), access: access, reserve: SQLiteStore.defaultReserve)
        case "postgres", "postgresql":
            // The address may contain a password, so do not repeat it.
            throw UsageError(
                message: "a PostgreSQL store is copied by PostgreSQL's own pg_dump, not by Daybook",
                hint: "pg_dump --format=custom --no-owner --file=daybook.dump --dbname=ADDRESS, and back with "
                    + "pg_restore --no-owner --dbname=ADDRESS daybook.dump")
        case "clickhouse":
            throw UsageError(
                message: "a ClickHouse store is copied by ClickHouse's own BACKUP, not by Daybook",
                hint: "on each node: BACKUP DATABASE daybook TO Disk('backups', 'daybook.zip')")
        case let other?:
            throw unknown(other)
        }
    }

    private static func scheme(of address: String) -> Substring? {
        address.firstIndex(of: ":").map { address[..<$0] }.flatMap { $0.contains("/") ? nil : $0 }
    }
}

extension QueryLimits {
    /// For a statement on the SQL screen. Smaller than for a command, because the collector's process holds several
    /// copies of the answer.
    static func ofScreen(time: Duration) -> QueryLimits {
        var limits = QueryLimits()
        (limits.time, limits.bytes) = (time, 2 << 20)
        return limits
    }
}

extension Option {
    static let store = Option.value(
        "store", "STORE", "the store; default \(StoreAddress.variable), or \(StoreAddress.byDefault)")
}

extension Arguments {
    var store: String {
        self["store"] ?? ProcessInfo.processInfo.environment[StoreAddress.variable] ?? StoreAddress.byDefault
    }
}
