import DaybookStore

/// The names of a store's tables: of a node's own part, and of the whole.
struct ClickHouseTables: Sendable {
    /// The database's name in quotation marks.
    private let database: String
    private let cluster: String?

    init(_ address: ClickHouseAddress) {
        database = ClickHouseLiteral.text(address.database)
        cluster = address.cluster
    }

    var isCluster: Bool { cluster != nil }

    /// All nodes' rows of a table: with a cluster a `Distributed` table, else the table itself.
    func all(_ table: String) -> String { isCluster ? "all_\(table)" : table }

    /// Makes the `Distributed` table over a table; `nil` without a cluster.
    func distributed(_ table: String, key: String) -> String? {
        cluster.map { cluster in
            "CREATE TABLE IF NOT EXISTS all_\(table) AS \(table) ENGINE = Distributed("
                + "\(ClickHouseLiteral.text(cluster)), \(database), '\(table)', \(key))"
        }
    }

    /// Which rows of `stored_records` are no repeated ones.
    static let isFirst = "id GLOBAL NOT IN (SELECT repeated FROM repeats)"
}
