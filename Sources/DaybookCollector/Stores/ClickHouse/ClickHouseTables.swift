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

    /// All nodes' rows of a table: with a cluster a `Distributed` table, else the table itself. To be read: rows are
    /// written to a node's own table.
    func all(_ table: String) -> String { cluster == nil ? table : "all_\(table)" }

    /// Makes the `Distributed` table over a table; `nil` without a cluster. Its key says that a row can be on any node,
    /// so no question leaves nodes out (`optimize_skip_unused_shards`).
    func distributed(_ table: String) -> String? {
        cluster.map { cluster in
            "CREATE TABLE IF NOT EXISTS all_\(table) AS \(table) ENGINE = Distributed("
                + "\(ClickHouseLiteral.text(cluster)), \(database), '\(table)', rand())"
        }
    }

    /// Which rows of `stored_records` are no repeated ones.
    static let isFirst = "id GLOBAL NOT IN (SELECT repeated FROM repeats)"
}
