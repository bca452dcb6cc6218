import DaybookStore
import Foundation

/// A connection made on demand, and again after a loss. Confined to one thread at a time.
final class PostgreSQLSession {
    private let address: PostgreSQLAddress
    private var connection: PostgreSQLConnection?

    init(address: PostgreSQLAddress) { self.address = address }

    var isUsable: Bool { connection?.isUsable ?? false }

    /// An idle connection.
    func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, connection.isUsable { return connection }
        connection = nil
        let made = try PostgreSQLConnection(address)
        connection = made
        return made
    }

    /// Uses a new connection for the next statement: the failure may be due to session state, such as settings,
    /// privileges or the search path.
    func discard() { connection = nil }

    /// Ends a transaction that a reader leaves open.
    func rollBack() { connection?.rollBack() }

    /// Runs an idempotent action, and reconnects once after a loss.
    func repeating<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        let isFresh = connection == nil
        let first = try connected()
        do throws(PostgreSQLError) {
            return try body(first)
        } catch {
            // Dropping the connection undoes what is half done.
            if !first.isUsable { connection = nil }
            guard error.isLoss, !isFresh else { throw error }
            return try body(try connected())
        }
    }
}

/// The address of a PostgreSQL store, and the role for users' SQL.
struct PostgreSQLAddress: Equatable {
    /// For libpq: `postgres://user:password@host:port/database?…`.
    var server: String
    /// Overrides the address's user; `nil` keeps it.
    var user: String?
    var password: String?

    /// Splits off Daybook's own parameters: the store's address, and the one for users' SQL, which logs in as
    /// `sql_user` with `sql_password` if given.
    static func parsed(_ text: String) -> (store: PostgreSQLAddress, sql: PostgreSQLAddress) {
        guard let mark = text.firstIndex(of: "?") else {
            let store = PostgreSQLAddress(server: text)
            return (store, store)
        }
        var kept: [Substring] = []
        var (user, password): (String?, String?)
        for parameter in text[text.index(after: mark)...].split(separator: "&") {
            if parameter.hasPrefix("sql_user=") {
                user = plain(parameter.dropFirst("sql_user=".count))
            } else if parameter.hasPrefix("sql_password=") {
                password = plain(parameter.dropFirst("sql_password=".count))
            } else {
                kept.append(parameter)
            }
        }
        let server = String(text[..<mark]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        return (
            PostgreSQLAddress(server: server), PostgreSQLAddress(server: server, user: user, password: password)
        )
    }

    private static func plain(_ text: Substring) -> String { String(text).removingPercentEncoding ?? String(text) }
}
