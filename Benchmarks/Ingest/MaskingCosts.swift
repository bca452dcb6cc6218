import DaybookBase
import DaybookStore
import DaybookTesting
import DaybookTools
import Foundation

/// The processor time of statements over an embedded store that see everything, and of the same ones masked.
struct MaskingCosts {
    let rows: Int
    /// A folder that keeps the store for the next run; `nil` for a temporary one.
    let folder: String?
    /// A statement; `nil` for a series.
    let only: String?

    /// How often each statement runs; the fastest counts.
    private static let rounds = 3

    private static let policy = MaskingPolicy(private: ["user_id", "note"]).withPseudonyms()

    private static let view = StoreView(
        name: "category0__event_name_3",
        statement: """
            CREATE VIEW category0__event_name_3 AS SELECT id AS "_id", time, json_extract(attributes, '$.keyword') AS keyword,
                json_extract(attributes, '$.recipe_id') AS recipe_id, json_extract(attributes, '$.order') AS "order",
                json_extract(context, '$.user_id') AS user_id
                FROM records WHERE tag = 'category0.event_name_3' AND json_valid(attributes) AND json_valid(context)
            """)

    private static let statements = [
        "SELECT tag, count(*) FROM records GROUP BY tag",
        "SELECT date(time / 1000000000, 'unixepoch') AS day, count(*) FROM records GROUP BY day",
        "SELECT count(*) FROM records WHERE tag = 'category0.event_name_3'",
        "SELECT json_extract(attributes, '$.keyword') AS x, count(*) FROM records GROUP BY x",
        "SELECT attributes ->> '$.recipe_id' > 100 AS x, count(*) FROM records WHERE tag LIKE 'category1.%' GROUP BY x",
        "SELECT keyword, count(*) FROM category0__event_name_3 GROUP BY keyword",
        "SELECT context ->> '$.\"service.version\"' AS version, count(*) FROM records GROUP BY version",
        "SELECT count(DISTINCT user_id) FROM category0__event_name_3",
        "SELECT count(DISTINCT context ->> '$.user_id') FROM records",
        "SELECT count(*) FROM records WHERE message LIKE '%timeout%'",
        "SELECT count(*), max(length(attributes)) FROM records",
    ]

    func run() async throws {
        let temporary = folder == nil ? try TemporaryDirectory() : nil
        defer { temporary?.remove() }
        let path = (folder ?? temporary?.path ?? ".") + "/insights-\(rows).sqlite"
        let isNew = !FileManager.default.fileExists(atPath: path)
        let store = try SQLiteStore(path: path)
        if isNew { try await InsightQuestions.fill(store, rows) }
        try await store.createViews([Self.view])
        for statement in only.map({ [$0] }) ?? Self.statements {
            let (plain, masked) = (try await time(statement, nil, store), try await time(statement, Self.policy, store))
            print(
                "  \(statement): \(Ratio.text(plain * 1_000)) ms, masked \(Ratio.text(masked * 1_000)) ms, "
                    + "\(Ratio.text(masked / plain)) times")
        }
        await store.close()
    }

    private func time(_ statement: String, _ policy: MaskingPolicy?, _ store: SQLiteStore) async throws -> Double {
        var limits = QueryLimits()
        limits.time = .seconds(120)
        limits.masking = policy
        var fastest = Double.infinity
        for _ in 0..<Self.rounds {
            let start = clock()
            _ = try await store.query(statement, limits: limits)
            fastest = min(fastest, Double(clock() - start) / Double(CLOCKS_PER_SEC))
        }
        return fastest
    }
}
