import DaybookStore

/// What the senders' streams came to, as the store knows it: gaps and losses over all installations. By installation and
/// version they are asked by SQL, in the view `completeness`: as labels they would make a series for each.
package enum StreamMetrics {
    /// Adds what the store answers within a second; a store that does not is left out rather than waited for.
    package static func write(to text: inout PrometheusText, from store: any EventStore) async {
        if let head = try? await store.head() {
            text.add("daybook_store_head", .gauge, "The largest arrival number in the store.", head)
        }
        if let count = await number("SELECT count(*) FROM ledger", in: store) {
            text.add(
                "daybook_streams", .gauge, "Streams of senders that the store knows.", [(labels: [], value: count)])
        }
        // As fractions: what senders say may be any number, and its sum no whole one of 64 bits.
        if let missing = await number("SELECT coalesce(sum(missing * 1.0), 0) FROM stream_gaps", in: store) {
            text.add(
                "daybook_stream_missing_records", .gauge,
                "Records between settled ones of their stream that have not arrived.", [(labels: [], value: missing)])
        }
        // Senders choose the reasons, and each would be a series.
        let losses = try? await store.query(
            "SELECT reason, sum(count * 1.0) AS lost FROM losses GROUP BY reason ORDER BY lost DESC LIMIT 32",
            limits: .init())
        text.add(
            "daybook_stream_lost_records_total", .counter, "Records that senders say they lost, by reason.",
            (losses?.rows ?? []).compactMap { row in
                guard case .text(let reason) = row[0], let count = number(in: row[1]) else { return nil }
                return ([("reason", reason)], count)
            })
    }

    private static func number(_ sql: String, in store: any EventStore) async -> Double? {
        (try? await store.query(sql, limits: .init()))?.rows.first.flatMap { number(in: $0[0]) }
    }

    /// Engines have whole numbers, fractions and decimal numbers as text.
    private static func number(in cell: QueryResult.Cell) -> Double? {
        switch cell {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        case .text(let text): Double(text)
        case .null, .blob: nil
        }
    }
}
