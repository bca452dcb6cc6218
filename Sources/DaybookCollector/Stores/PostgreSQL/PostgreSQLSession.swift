import DaybookStore

/// A connection that is made when it is needed and made again when it is lost. Belongs to one thread at a time.
final class PostgreSQLSession {
    private let address: PostgreSQLAddress
    private var connection: PostgreSQLConnection?

    init(address: PostgreSQLAddress) { self.address = address }

    /// A connection on which nothing is under way.
    /// - Throws: ``PostgreSQLError``.
    func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, connection.isUsable { return connection }
        connection = nil
        let made = try PostgreSQLConnection(address)
        connection = made
        return made
    }

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
