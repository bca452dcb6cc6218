import Foundation

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
