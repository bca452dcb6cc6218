import DaybookStore

/// The views of a ClickHouse store, on each node. The table `event_views` has the text of each, for the server keeps
/// another; the row with the largest number counts, an empty text is a view that was dropped.
enum ClickHouseViews {
    /// Makes all views, and drops those that are no longer given. There are no transactions: where one fails, what was
    /// changed before is put back.
    static func replaceAll(with views: [StoreView], _ session: ClickHouseSession) throws(ClickHouseError) {
        let node = session.address.nodes[0]
        let rows = try session.rows(
            "SELECT name, argMax(statement, number), max(number) FROM event_views GROUP BY name", on: node)
        var known: [String: String] = [:]
        var last: Int64 = 0
        for row in 0..<rows.count {
            last = max(last, rows.integer(row, 2))
            if let text = rows.text(row, 1), !text.isEmpty { known[rows.text(row, 0) ?? ""] = text }
        }
        let wanted = Dictionary(views.map { ($0.name, $0.statement) }) { _, later in later }
        var changed: [String] = []
        do throws(ClickHouseError) {
            for name in Set(known.keys).union(wanted.keys).sorted() where known[name] != wanted[name] {
                changed.append(name)
                try replace(name, with: wanted[name], session)
            }
        } catch {
            for name in changed.reversed() { try? replace(name, with: known[name], session) }
            throw error
        }
        for name in changed {
            last += 1
            try session.runEverywhere(
                "INSERT INTO event_views VALUES (\(ClickHouseLiteral.text(name)), "
                    + "\(ClickHouseLiteral.text(wanted[name] ?? "")), \(last))")
        }
    }

    private static func replace(
        _ name: String, with statement: String?, _ session: ClickHouseSession
    ) throws(ClickHouseError) {
        try session.runEverywhere("DROP TABLE IF EXISTS \(ClickHouseLiteral.identifier(name))")
        if let statement { try session.runEverywhere(statement) }
    }
}
