import DaybookStore

/// Deletes records in one short transaction.
enum PostgreSQLErasure {
    /// Records of one transaction, between which appends get their turn.
    static let batchSize = 1_000

    /// - Returns: how many there still were.
    static func erase(_ ids: [Int64], _ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int64 {
        let list = ids.map(String.init).joined(separator: ",")
        // Whoever changes sessions has this lock first, so that nobody waits for anybody in a circle.
        let results = try connection.run(
            """
            BEGIN; SELECT last FROM arrivals FOR UPDATE;
            DELETE FROM records WHERE id IN (\(list)) RETURNING session
            """)
        let sessions = Set((0..<results[2].count).compactMap { results[2].text($0, 0) })
        let statements = PostgreSQLAccounts.summing(sessions: sessions) + ["COMMIT"]
        try connection.run(statements.joined(separator: "; "))
        return Int64(results[2].count)
    }

    /// Takes an installation out of the streams' accounts.
    static func forget(
        installation: String, _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) {
        try connection.run(
            "UPDATE ledger SET installation = NULL WHERE installation = \(PostgreSQLLiteral.text(installation))")
    }
}
