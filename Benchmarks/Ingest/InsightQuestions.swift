import DaybookAPI
import DaybookBase
import DaybookDatabases
import DaybookStore
import DaybookTesting
import DaybookTrials
import Foundation

/// Times insights over a long history in an embedded store, warm, from its columns; and what the columns cost: their
/// size, and the indexer's time. Over PostgreSQL, times the statement beside the fold; over ClickHouse, the statement
/// beside the server's own `windowFunnel`.
struct InsightQuestions {
    let rows: Int
    /// A folder that keeps the store for the next run; `nil` for a temporary one.
    let folder: String?
    /// An insight; `nil` for a series.
    let only: String?

    private static let now: Int64 = 1_795_000_000_000_000_000

    /// How often each question is asked, after one warm-up.
    private static let rounds = 5

    /// Over a server of its own.
    func runOverPostgreSQL() async throws {
        let server = try PostgreSQLServer()
        defer { server.remove() }
        let address = try server.makeDatabase()
        let store = try PostgreSQLStore(address: address)
        try await Self.fill(store, rows)
        for question in only.map({ [$0] }) ?? Self.questions {
            let insight = try Insight(parsing: question)
            await Self.time("the statement", insight.sql(.postgresql, now: Self.now), store)
            try await ask(question, store)
        }
    }

    /// Over an engine of its own, one node.
    func runOverClickHouse() async throws {
        guard ClickHouseOfToday.python != nil else {
            return print("ClickHouse: skipped, for \(ClickHouseOfToday.absence)")
        }
        let server = try ClickHouseOfToday()
        defer { server.remove() }
        let store = try ClickHouseStore(address: try server.makeDatabase())
        try await Self.fill(store, rows)
        for question in only.map({ [$0] }) ?? Self.questions {
            let insight = try Insight(parsing: question)
            for _ in 0..<3 { await Self.time(question, insight.sql(.clickhouse, now: Self.now), store) }
            if let statement = Self.windowFunnel(insight) {
                for _ in 0..<3 { await Self.time("    windowFunnel", statement, store) }
            }
        }
    }

    /// How many people reach each step, by the server's own function, which has no medians and takes records of the same
    /// time in any order.
    private static func windowFunnel(_ insight: Insight) -> String? {
        guard case .funnel(let steps) = insight.question, !insight.isInAnyOrder, insight.excluded == nil,
            insight.dividing.isEmpty, let within = insight.within
        else { return nil }
        let conditions = InsightConditions(dialect: .clickhouse)
        let (since, until) = insight.bounds(now: now)
        let conditionsOfSteps = steps.map(conditions.holds).joined(separator: ", ")
        return """
            SELECT level, count() FROM (
                SELECT \(conditions.person(insight.joining)) AS person,
                    windowFunnel(\(within))(toUInt64(time), \(conditionsOfSteps)) AS level
                FROM records WHERE kind = 'event' AND \(conditions.tags(of: insight.steps))
                    AND time >= \(since) AND time < \(until) AND person IS NOT NULL
                GROUP BY person)
            GROUP BY level ORDER BY level
            """
    }

    private static func time(_ name: String, _ statement: String, _ store: any EventStore) async {
        var limits = QueryLimits()
        (limits.time, limits.rows) = (.seconds(300), 10_000)
        let start = ContinuousClock.now
        do {
            let answer = try await store.query(statement, limits: limits)
            let time = (ContinuousClock.now - start).inSeconds * 1_000
            print("  \(name): \(Ratio.text(time)) ms, \(answer.rows.count) rows")
        } catch {
            print("  \(name): \(error)")
        }
    }

    func run() async throws {
        let temporary = folder == nil ? try TemporaryDirectory() : nil
        defer { temporary?.remove() }
        let path = (folder ?? temporary?.path ?? ".") + "/insights-\(rows).sqlite"
        let isNew = !FileManager.default.fileExists(atPath: path)
        let store = try SQLiteStore(path: path)
        if isNew { try await Self.fill(store, rows) }
        let start = ContinuousClock.now
        await store.settleIndex()
        let time = (ContinuousClock.now - start).inSeconds
        if time > 1 { print("indexed in \(Ratio.text(time)) s, \(Ratio.text(time * 1e6 / Double(rows))) µs a record") }
        let sizes = ["", "-index"].map { suffix -> Int in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return (attributes?[.size] as? NSNumber)?.intValue ?? 0
        }
        print("\(sizes[0] >> 20) MiB, its index \(sizes[1] >> 20) MiB")
        for question in only.map({ [$0] }) ?? Self.questions { try await ask(question, store) }
        if only == nil { try await CountQuestions(store: store, rounds: Self.rounds).run() }
        await store.close()
    }

    static func fill(_ store: any EventStore, _ rows: Int) async throws {
        var sample = SampleRows()
        for _ in stride(from: 0, to: rows, by: 8_192) {
            try await store.append(RecordBatch(rows: (0..<8_192).map { _ in sample.row() }))
        }
    }

    private static let questions = [
        "category0.event_name_3 -> category1.event_name_8 -> category2.event_name_17 within 1h",
        "** -> ** -> ** within 1h",
        "category0.event_name_3 -> category1.event_name_8 -> category2.event_name_17 within 1h joining user_id",
        "category0.event_name_3(keyword = \"carrot\") -> category1.event_name_8(recipe_id > 100) within 1h",
        "category0.event_name_3 -> category1.event_name_8 within 1h by version, day",
        "category0.event_name_3 -> category1.event_name_8 -> category2.event_name_17 without category1.event_name_9 within 1h",
        "category0.event_name_3 -> category1.event_name_8 -> category2.event_name_17 in any order within 1h",
        "category0.event_name_3 -> category1.event_name_8 within 1h by keyword",
        "count ** by keyword, day",
        "count category0.event_name_3 joining user_id by version",
        "measure recipe_id of category0.event_name_3 by keyword",
        "retention category0.event_name_3 returning category1.event_name_8 for 8",
        "path after category1.event_name_8 steps 2 within 10m",
    ]

    private func ask(_ text: String, _ store: any ColumnarStore) async throws {
        let insight = try Insight(parsing: text)
        var times: [Double] = []
        var rows = 0
        for _ in 0...Self.rounds {
            let start = ContinuousClock.now
            let answer = try await store.fold { source throws(StoreError) in
                try insight.answer(from: source, now: Self.now)
            }
            times.append((ContinuousClock.now - start).inSeconds * 1_000)
            rows = answer.rows.count
        }
        let sorted = times.dropFirst().sorted()
        print(
            "  \(text): \(Ratio.text(sorted[sorted.count / 2])) ms (\(Ratio.text(sorted[0]))–\(Ratio.text(sorted[sorted.count - 1]))), \(rows) rows"
        )
    }
}
