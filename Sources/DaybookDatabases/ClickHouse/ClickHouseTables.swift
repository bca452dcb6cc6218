import DaybookStore
import DaybookTools

/// The names and engines of a store's tables: of a node's own part, and of the whole. Pure.
struct ClickHouseTables: Sendable {
    /// What commits ask of one another. Where shards have replicas, each node has all rows of these tables: so any node
    /// that is up can be asked, and a claim is known while the node that it was written to is down.
    static let common = ["claims", "contests"]
    /// What is written with each commit.
    static let written = ["stored_records", "tag_counts"] + common

    private let address: ClickHouseAddress

    init(_ address: ClickHouseAddress) { self.address = address }

    /// All nodes' rows of a table: with a cluster a `Distributed` table, else the table itself. To be read: rows are
    /// written to a node's own table.
    func all(_ table: String) -> String { isWhole(table) ? table : "all_\(table)" }

    /// Makes the `Distributed` table over a table; `nil` where each node has all of its rows. Its key says that a row can
    /// be on any node, so no question leaves nodes out (`optimize_skip_unused_shards`).
    func distributed(_ table: String) -> String? {
        guard !isWhole(table), let cluster = address.cluster else { return nil }
        return "CREATE TABLE IF NOT EXISTS all_\(table) AS \(table) ENGINE = Distributed("
            + "\(ClickHouseLiteral.text(cluster)), \(ClickHouseLiteral.text(address.database)), '\(table)', rand())"
    }

    /// The engine of a table, in its replicated form where shards have replicas. The servers put their macros in the place
    /// of `{shard}` and `{replica}`.
    /// - Parameter version: the column of which the largest value counts.
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

    /// Which rows of `stored_records` are no repeated ones.
    static let isFirst = "id GLOBAL NOT IN (SELECT repeated FROM repeats)"

    /// ``PlausibleTime/counted(_:arrived:)`` of a row of `stored_records`. What was there before the column `arrived` has
    /// the time by which it had arrived, negated.
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
