import DaybookCollector
import DaybookDatabases
import DaybookStore
import Foundation

/// Which store a command works on: `sqlite:PATH` or a bare path, `postgres://…` or `clickhouse://…`.
enum StoreAddress {
    /// The store of a command that is told of none.
    /// The environment variable that names the store, as it does for `daybook serve`.
    static let variable = "DAYBOOK_STORE"
    static let byDefault = "sqlite:daybook.sqlite"

    /// Whether an address is of a known kind, before anything is opened.
    /// - Throws: ``UsageError``.
    static func check(_ address: String) throws(UsageError) {
        switch scheme(of: address) {
        case nil, "sqlite": _ = try path(of: address)
        case "postgres", "postgresql", "clickhouse": break
        case let other?: throw unknown(other)
        }
    }

    /// The file of a SQLite store. What SQLite would keep in memory, or in a file that goes when it is closed, is none:
    /// an empty path is more likely a variable that is not set.
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

    /// Whose SQL the store of an address speaks.
    static func dialect(of address: String) -> StoreDialect {
        switch scheme(of: address) {
        case "postgres", "postgresql": .postgresql
        case "clickhouse": .clickhouse
        default: .sqlite
        }
    }

    /// Whether opening makes the store: a file that is not there yet.
    static func isNew(_ address: String) throws(UsageError) -> Bool {
        switch scheme(of: address) {
        case nil, "sqlite": !FileManager.default.fileExists(atPath: try path(of: address))
        default: false
        }
    }

    /// Opens the store.
    /// - Throws: ``UsageError`` for an address of a kind that is not known, or what the store says.
    static func open(_ address: String, access: StoreAccess) throws -> any EventStore {
        switch scheme(of: address) {
        case "postgres", "postgresql": try PostgreSQLStore(address: address, access: access)
        case "clickhouse": try ClickHouseStore(address: address, access: access)
        default: try openSQLite(address, access: access)
        }
    }

    /// Runs statements that people wrote on a store, each in a process of its own.
    /// - Parameters:
    ///   - capacity: how many at once. Default: 2.
    ///   - givesWay: whether they have a low priority, as they must beside what takes records. Default: no.
    /// - Throws: ``UsageError`` for an address of a kind that is not known.
    static func statements(
        _ address: String, capacity: Int = StatementProcesses.usualCapacity, givesWay: Bool = false
    ) throws(UsageError) -> StatementProcesses {
        try check(address)
        return StatementProcesses(store: address, capacity: capacity, givesWay: givesWay)
    }

    /// Asks a store in this process and on this thread, for one that runs nothing but the statement.
    /// - Throws: ``UsageError`` for an address of a kind that is not known, or what the store says.
    static func answer(_ address: String, _ sql: String, _ limits: QueryLimits) throws -> QueryResult {
        switch scheme(of: address) {
        case "postgres", "postgresql": try PostgreSQLStore.answer(sql, limits: limits, address: address)
        case "clickhouse": try ClickHouseStore.answer(sql, limits: limits, address: address)
        default: try SQLiteStore.answer(sql, limits: limits, path: path(of: address))
        }
    }

    /// Opens a store that has to be a file.
    /// - Throws: ``UsageError`` for another address, or what the store says.
    static func openSQLite(_ address: String, access: StoreAccess) throws -> SQLiteStore {
        switch scheme(of: address) {
        case nil, "sqlite":
            return try SQLiteStore(
                path: path(of: address), access: access, reserve: SQLiteStore.defaultReserve)
        case "postgres", "postgresql":
            // The address may hold a password, so it is not repeated.
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
    /// Of a statement on the SQL screen. Its answer passes through the memory of the process that takes records, several
    /// times over, so it is smaller than that of a command.
    static func ofScreen(time: Duration) -> QueryLimits {
        var limits = QueryLimits()
        (limits.time, limits.bytes) = (time, 2 << 20)
        return limits
    }
}

extension Option {
    /// Which store a command reads or writes.
    static let store = Option.value(
        "store", "STORE", "the store; default \(StoreAddress.variable), or \(StoreAddress.byDefault)")
}

extension Arguments {
    /// The address of the store that a command works on.
    var store: String {
        self["store"] ?? ProcessInfo.processInfo.environment[StoreAddress.variable] ?? StoreAddress.byDefault
    }
}
