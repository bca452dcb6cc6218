import DaybookDefinitions
import DaybookStore

extension EventStore {
    /// How often each version of the app sent each event, by tag. What Daybook itself records is not counted.
    /// - Throws: ``StoreError``, also of a store without SQL.
    package func sightings() async throws -> [String: [Coverage.Sighting]] {
        let version =
            switch dialect {
            case .postgresql: "context ->> 'service.version'"
            case .clickhouse: "nullIf(JSONExtractString(context, 'service.version'), '')"
            case .sqlite, nil: #"json_extract(context, '$."service.version"')"#
            }
        var limits = QueryLimits()
        limits.rows = 1_000_000
        limits.time = .seconds(60)
        let result = try await query(
            """
            SELECT tag, \(version) AS version, count(*) FROM records
            WHERE kind = 'event' AND tag NOT LIKE 'daybook.%' GROUP BY 1, 2
            """, limits: limits)
        var seen: [String: [Coverage.Sighting]] = [:]
        for row in result.rows {
            guard case .text(let tag) = row[0], case .integer(let count) = row[2] else { continue }
            let version: String? = if case .text(let text) = row[1] { text } else { nil }
            seen[tag, default: []].append(Coverage.Sighting(version: version, count: count))
        }
        return seen
    }
}
