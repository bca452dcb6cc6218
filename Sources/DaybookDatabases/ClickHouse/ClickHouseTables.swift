import DaybookStore
import DaybookTools

/// Names and engines of a store's tables, per node and cluster-wide. Pure.
struct ClickHouseTables: Sendable {
    /// Tables that commits query. With replicas, each node has all of their rows, so any live node can answer, and
    /// claims survive the node they were written to.
    static let common = ["claims", "contests"]
    /// Written with each commit.
    static let written = ["stored_records", "tag_counts"] + common

    private let address: ClickHouseAddress

    init(_ address: ClickHouseAddress) { self.address = address }

    /// The cluster-wide table to read: a `Distributed` table, or the table itself without a cluster. Rows are written
    /// to a node's own table.
    func all(_ table: String) -> String { isWhole(table) ? table : "all_\(table)" }

    /// DDL of the `Distributed` table; `nil` if each node has all rows. The random sharding key keeps queries from
    /// skipping nodes (`optimize_skip_unused_shards`).
    func distributed(_ table: String) -> String? {
        guard !isWhole(table), let cluster = address.cluster else { return nil }
        return "CREATE TABLE IF NOT EXISTS all_\(table) AS \(table) ENGINE = Distributed("
            + "\(ClickHouseLiteral.text(cluster)), \(ClickHouseLiteral.text(address.database)), '\(table)', rand())"
    }

    /// A table's engine, replicated if shards have replicas. Servers expand the macros `{shard}` and `{replica}`.
    /// - Parameter version: the column whose largest value wins.
    func engine(_ family: String, of table: String, version: String? = nil) -> String {
        var arguments = version.map { [$0] } ?? []
        guard address.hasReplicas else {
            return arguments.isEmpty ? family : "\(family)(\(arguments.joined(separator: ", ")))"
        }
        let isCommon = Self.common.contains(table)
        let path =
            "/clickhouse/tables/\(address.cluster ?? "")/\(address.database)/\(table)/\(isCommon ? "all" : "{shard}")"
        arguments.insert(
            contentsOf: [path, isCommon ? "{shard}-{replica}" : "{replica}"].map(ClickHouseLiteral.text), at: 0)
        return "Replicated\(family)(\(arguments.joined(separator: ", ")))"
    }

    /// Excludes duplicate rows of `stored_records`.
    static let isFirst = "id GLOBAL NOT IN (SELECT repeated FROM repeats)"

    /// ``PlausibleTime/counted(_:arrived:)`` of a row of `stored_records`. Rows older than the column `arrived` have a
    /// negated upper bound of their arrival.
    static let countedTime = """
        if(abs(arrived) >= \(PlausibleTime.earliest) AND time >= abs(arrived) + \(PlausibleTime.tolerance),
            toInt64(abs(arrived)), time)
        """

    /// The first of several times, see ``PlausibleTime/first(_:_:)``.
    static func first(of time: String) -> String {
        let earliest = PlausibleTime.earliest
        return "if(max(\(time)) >= \(earliest), minIf(\(time), \(time) >= \(earliest)), min(\(time)))"
    }

    private func isWhole(_ table: String) -> Bool {
        address.cluster == nil || address.hasReplicas && Self.common.contains(table)
    }
}
