import DaybookStore

/// Checks that the servers match the address and their tables fit.
enum ClickHouseTopology {
    /// Tables are made on the nodes in the address, so it must list all of them.
    /// - Returns: whether shards have replicas.
    static func check(_ session: ClickHouseSession) throws(ClickHouseError) -> Bool {
        let named = session.address.nodes.count
        guard let cluster = session.address.cluster else {
            guard named > 1 else { return false }
            throw .unusable("The address names \(named) ClickHouse servers and no cluster. Add ?cluster=NAME.")
        }
        let answer = try session.rows(
            "SELECT count(), max(replica_num) FROM system.clusters WHERE cluster = \(ClickHouseLiteral.text(cluster))"
        ).rows
        let found = answer.integer(0, 0)
        guard found != named else { return answer.integer(0, 1) > 1 }
        throw .unusable(
            found == 0
                ? "The ClickHouse servers know no cluster \(cluster): it must be in their remote_servers."
                : "The cluster \(cluster) has \(found) nodes, and the address names \(named). Name each with its HTTP port: "
                    + "clickhouse://HOST:8123,HOST:8123/…")
    }

    /// Checks that replicas of a shard replicate each other, and that claims replicate to all nodes.
    static func checkReplicas(_ session: ClickHouseSession) throws(ClickHouseError) {
        let sql = """
            SELECT table, zookeeper_path FROM system.replicas
            WHERE database = currentDatabase() AND table IN (\(ClickHouseLiteral.list(ClickHouseTables.written)))
            """
        var paths: Set<String> = []
        try session.onEachNode { node throws(ClickHouseError) in
            let found = try session.rows(sql, on: node)
            guard found.count == ClickHouseTables.written.count else {
                throw .unusable(
                    "The cluster \(session.address.cluster ?? "") has replicas, and the tables in ClickHouse at \(node) are "
                        + "not replicated. Let `daybook serve` make them in an empty database: see \"Replicas\" in "
                        + "docs/guides/stores.md.")
            }
            for row in 0..<found.count where ClickHouseTables.common.contains(found.text(row, 0) ?? "") {
                paths.insert(found.text(row, 1) ?? "")
            }
        }
        guard paths.count == ClickHouseTables.common.count else {
            throw .unusable(
                "The tables \(ClickHouseTables.common.joined(separator: " and ")) have several paths in ClickHouse's keeper, "
                    + "and every node needs the same: see \"Replicas\" in docs/guides/stores.md.")
        }
    }
}

extension ClickHouseError {
    static func unusable(_ message: String) -> ClickHouseError {
        ClickHouseError(reason: .refused(0), message: message)
    }
}
