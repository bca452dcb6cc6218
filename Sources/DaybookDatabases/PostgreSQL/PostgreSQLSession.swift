import DaybookStore
import Foundation

/// A connection that is made when it is needed and made again when it is lost. Belongs to one thread at a time.
final class PostgreSQLSession {
    private let address: PostgreSQLAddress
    private var connection: PostgreSQLConnection?

    init(address: PostgreSQLAddress) { self.address = address }

    /// Whether the connection lasts, with nothing under way.
    var isUsable: Bool { connection?.isUsable ?? false }

    /// A connection on which nothing is under way.
    /// - Throws: ``PostgreSQLError``.
    func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, connection.isUsable { return connection }
        connection = nil
        let made = try PostgreSQLConnection(address)
        connection = made
        return made
    }

    /// Has the next statement run on a new connection. Whatever failed may be the session's fault: its settings, its role's
    /// rights, or where it looks for tables, as they were when it began.
    func discard() { connection = nil }

    /// Runs something that may be run twice: a connection that was lost meanwhile is made again, once.
    /// - Throws: ``PostgreSQLError``.
    func repeating<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        let isFresh = connection == nil
        let first = try connected()
        do throws(PostgreSQLError) {
            return try body(first)
        } catch {
            // What is half done is undone with the connection.
            if !first.isUsable { connection = nil }
            guard error.isLoss, !isFresh else { throw error }
            return try body(try connected())
        }
    }
}

/// Where a PostgreSQL store is, and as whom SQL of others runs there.
struct PostgreSQLAddress: Equatable {
    /// What libpq reads: `postgres://user:password@host:port/database?…`.
    var server: String
    /// The role that logs in instead of the address's own; `nil` for that.
    var user: String?
    var password: String?

    /// The address without the parameters that are Daybook's own, for the store itself; and that for SQL of others,
    /// which logs in as `sql_user` with `sql_password` where the address names them.
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
