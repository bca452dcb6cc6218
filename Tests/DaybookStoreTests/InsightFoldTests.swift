import DaybookAPI
import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// Insights from columns and from statements are the same, whatever the records: late ones, ties, erased ones, columns
/// that are missing or damaged, and people who do not fit into the memory.
@Suite(.temporaryDirectory) struct InsightFoldTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    private static let hour: Int64 = 3_600_000_000_000
    /// The end of the records' times.
    private static let now = 500 * hour

    private static func row(_ number: Int, _ random: inout SeededGenerator) -> RecordRow {
        func one<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random) ?? elements[0] }
        let tag = one(["a.x", "a.x", "a.y", "b.z", "a.x.deep", "a", "", "daybook.violation", "é.x", "e\u{301}.x"])
        let own = [
            "\"order\":\(one(["\"popular\"", "\"new\"", "null", "7", "true"]))",
            "\"n\":\(Int.random(in: -3...3, using: &random))",
            "\"price\":\(one(["1.5", "2", "\"2\"", "[2]"]))",
            "\"size\":\(one(["123456789012345678901", "\"123456789012345678901\"", "1e300", "-0.5", "18446744073709551615"]))",
            "\"user_id\":\(one(["\"u1\"", "5", "\"5\"", "\"ü\"", "\"\\u00fc\""]))",
            "\"id\":\"\(number)\"",
            "\"note\":\"\(one(["plain", "Bearer abcdefghijklmnopqrstuvwxyz012345", "{\\\"password\\\":\\\"x\\\"}"]))\"",
            "\"\(MaskingPolicy.lists[0])\":[\(one(["\"order\"", "\"n\"", "\"Order\",\"id\""]))]",
        ].filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
        var row = RecordRow.sample(number, tag: tag, attributes: "{\(own.joined(separator: ","))}")
        // Mostly in order; some late, some at the same time.
        row.time = (Int64(number) + Int64(one([0, 0, 0, 0, -1, -40, 3]))) / 2 * hour / 4
        row.session = one(["s1", "s2", "s3", "s4", "s\(number / 9)", nil])
        row.installation = one(["i1", "i2", "i3"])
        if number % 17 == 0 { row.kind = .message }
        if number % 3 == 0 { row.duration = Int64.random(in: 0...5_000, using: &random) }
        row.level = one([5, 9, 17])
        let common = [
            "\"service.version\":\(one(["\"1.9\"", "\"1.10\"", "2"]))", "\"user_id\":\"\(one(["u1", "u2", "5"]))\"",
            "\"long\":\"\(String(repeating: "x", count: 60))\"",
        ].filter { _ in Bool.random(using: &random) }
        row.context = "{\(common.joined(separator: ","))}"
        return row
    }

    private static func insight(
        _ random: inout SeededGenerator, joining keys: [String], values: [String]
    ) -> String {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        func step() -> String {
            one([
                "a.x", "a.y", "b.*", "a.**", "a.*", "**", "*", "é.x", "daybook.violation", "a.x(order = \"popular\")",
                "a.x(order != \"new\" and n > 0)", "**(price >= 2)", "**(price absent)", "a.y(user_id exists)",
                "**(user_id in (\"u1\", 5))", "**(_level >= 9)", "**(_session = \"s1\")", "**(id > \"3\")",
                "**(note != \"plain\")", "**(note = \"Bearer abcdefghijklmnopqrstuvwxyz012345\")",
                "**(note exists)", "**(order absent)",
            ])
        }
        let within = one(["", "", " within 1h", " within 12h", " within 50h"])
        let joining = " joining \(one(keys))"
        let version = one(["", "version", "version in (\"1.9\", \"2\")"])
        let parameter = one(["", "", "note"] + values)
        let period = one(["", "day", "week"])
        let zone = one(["", " zone \"+09:00\"", " zone \"-05:30\""])
        let since = one(["", "", " since 1970-01-03", " last 200h", " until 1970-01-12"])
        let top = parameter.isEmpty ? "" : one(["", " top 1", " top 3"])
        func by(_ groups: [String]) -> String {
            let groups = groups.filter { !$0.isEmpty }
            return groups.isEmpty ? "" : " by \(groups.joined(separator: ", "))"
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            return
                "retention \(step()) returning \(step()) for \(one(["1", "3", "60"]))\(joining)\(by([parameter, one(["day", "week"])]))"
                + top + since + zone
        case 1:
            return "path after \(step()) steps \(one(["1", "2", "3"])) top \(one(["3", "100"]))\(within)\(joining)"
                + by([version, parameter]) + since + zone
        case 2: return "count \(step())\(joining)" + by([version, parameter, period]) + top + since + zone
        case 3:
            let number = one(["_duration"] + values)
            return "measure \(number) of \(step())" + one(["", " in buckets"]) + by([version, parameter, period]) + top
                + since + zone
        case 4:
            let names = (["version", "note"] + values).reduce(into: [String]()) { names, name in
                if !names.contains(name), Bool.random(using: &random) { names.append(name) }
            }
            return "differ \(step()) from \(step())" + by(names.isEmpty ? ["note"] : names)
                + one([" top 3", " top 200"]) + since + zone
        default:
            let steps = (0..<Int.random(in: 2...5, using: &random)).map { _ in step() }
            let excluded = Int.random(in: 0..<3, using: &random) == 0 ? " without \(step())" : ""
            return steps.joined(separator: " -> ") + one(["", "", " in any order"]) + excluded + within + joining
                + by([version, parameter, period]) + top + since + zone
        }
    }

    /// A store with several extents of random records, and a tail that has no columns yet.
    private func store(_ random: inout SeededGenerator) async throws -> SQLiteStore {
        // Readers that a busy machine slows down do not give way to an erasure.
        var bounds = WriteAheadLog.Bounds()
        bounds.patience = .seconds(120)
        let store = try SQLiteStore(path: path, access: .readWrite, reserve: 0, bounds: bounds, names: NameBound())
        let file = try SQLiteFile(path)
        var number = 1
        for extent in 0..<Int.random(in: 1...5, using: &random) {
            if extent > 0 { try file.execute("UPDATE arrivals SET last = (max(last, 1) / 32768 + 1) * 32768") }
            let rows = (0..<Int.random(in: 1...300, using: &random)).map { _ in
                defer { number += 1 }
                return Self.row(number, &random)
            }
            try await store.append(RecordBatch(rows: rows))
        }
        await store.settleIndex()
        if Bool.random(using: &random) {
            var filter = RecordFilter()
            filter.narrow(by: .field(.session, "s2"))
            try await store.erase(filter)
            if Bool.random(using: &random) { await store.settleIndex() }
        }
        return store
    }

    private func compare(
        _ store: SQLiteStore, _ random: inout SeededGenerator, _ count: Int, _ sight: FoldSight = FoldSight()
    ) async throws {
        for _ in 0..<count {
            // A statement takes a stand-in and the value that it is for as two people, and tells private values apart.
            let own = sight.masking == nil ? ["user_id", "id", "n"] : []
            // Masking writes an object anew, with other forms of some numbers.
            let numbers = sight.masking == nil ? ["size", "size"] : []
            let text = Self.insight(
                &random, joining: ["session", "installation"] + own, values: ["price", "missing"] + own + own + numbers)
            let insight: Insight
            do { insight = try Insight(parsing: text) } catch {
                // A measure takes each event by itself.
                if !"\(error)".contains("`joining` in a measure") { Issue.record("\(text): \(error)") }
                continue
            }
            #expect(try Insight(parsing: insight.description) == insight)
            var limits = QueryLimits()
            (limits.time, limits.rows) = (.seconds(20), 10_000)
            let statements: any StatementRunner = sight.masking.map { MaskedStatements(store, $0) } ?? store
            let result = try await statements.query(insight.sql(.sqlite, now: Self.now), limits: limits)
            let folded = try await store.fold { source throws(StoreError) in
                try insight.answer(from: source, now: Self.now, sight)
            }
            #expect(folded.columns == result.columns)
            let tables = [folded, result].map { InsightTable(insight, $0, now: Self.now) }
            #expect(tables[0].columns == tables[1].columns)
            for (left, right) in zip(tables[0].rows, tables[1].rows) where left != right {
                Issue.record("\(text): \(left), \(right)")
                break
            }
            #expect(tables[0].rows.count == tables[1].rows.count, "\(text)")
            #expect(tables[0].moreValues == tables[1].moreValues, "\(text)")
        }
    }

    @Test("A fold is the statement", arguments: 0..<TestLength.trials(16, long: 40))
    func foldIsStatement(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try await store(&random)
        try await compare(store, &random, 12)
        await store.close()
    }

    @Test("A fold is the statement with little memory", arguments: 0..<TestLength.trials(10, long: 24))
    func littleMemory(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(1_000 + seed))
        let store = try await store(&random)
        var sight = FoldSight()
        (sight.bounds.memory, sight.bounds.sorted, sight.bounds.found) = (4_000, 60, 200)
        sight.bounds.pairs = 8
        try await compare(store, &random, 6, sight)
        await store.close()
    }

    @Test("A masked fold is the masked statement", arguments: 0..<TestLength.trials(10, long: 24))
    func maskedFold(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(2_000 + seed))
        let store = try await store(&random)
        try await compare(store, &random, 8, FoldSight(masking: MaskingPolicy(private: ["user_id"])))
        await store.close()
    }

    @Test("People are counted by a private column, and by its stand-ins in the statement") func privatePeople()
        async throws
    {
        let store = try SQLiteStore(path: path)
        let rows = (1...60).map { number in
            RecordRow.sample(
                number, tag: number % 3 == 0 ? "a.c" : "a.b", attributes: "{\"user_id\":\"user \(number % 7)\"}")
        }
        try await store.append(RecordBatch(rows: rows))
        let insight = try Insight(parsing: "a.b -> a.c joining user_id")
        let policy = MaskingPolicy(private: ["user_id"])
        let result = try await MaskedStatements(store, policy).query(
            insight.sql(.sqlite, now: 0), limits: QueryLimits())
        let folded = try await store.fold { source throws(StoreError) in
            try insight.answer(from: source, now: 0, FoldSight(masking: policy))
        }
        #expect(folded.rows == result.rows)
        #expect(folded.rows.first == [.integer(1), .integer(7), .integer(0)])
        await store.close()
    }

    @Test("More names or times than fit are an error that says so") func tooMany() async throws {
        var random = SeededGenerator(seed: 11)
        let store = try await store(&random)
        for (text, change) in [
            ("** -> **", { $0.answer = 3 }), ("** -> ** by version", { $0.names = 1 }),
            ("path after **", { $0.names = 2 }),
            ("path after ** steps 2", { $0.answer = 8 }), ("differ a.** from b.** by order, id", { $0.names = 20 }),
        ] as [(String, (inout FoldBounds) -> Void)] {
            let insight = try Insight(parsing: text)
            var sight = FoldSight()
            change(&sight.bounds)
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.fold { [sight] source throws(StoreError) in
                    try insight.answer(from: source, now: Self.now, sight)
                }
            }
            #expect(error?.code == .limit && error?.message.contains("Narrow it") == true, "\(text)")
            if text.hasPrefix("differ") { #expect(error?.message.contains("most of them of id.") == true) }
        }
        await store.close()
    }

    @Test("A fold ends with its time, and with its task") func foldEnds() async throws {
        var random = SeededGenerator(seed: 12)
        let store = try await store(&random)
        let insight = try Insight(parsing: "** -> **")
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.fold(limit: .zero, progress: { _ in }) { source throws(StoreError) in
                try insight.answer(from: source, now: Self.now)
            }
        }
        #expect(error?.code == .limit)
        let task = Task {
            try await store.fold { source throws(StoreError) in
                while true { _ = try insight.answer(from: source, now: Self.now) }
            }
        }
        task.cancel()
        await #expect(throws: StoreError.queryCancelled) { try await task.value }
        await store.close()
    }

    /// - Parameter change: In SQL, what happens to a column.
    @Test(
        "A damaged or missing column is not read, and made anew",
        arguments: [
            "UPDATE columns SET codes = CAST(substr(codes, 1, length(codes) - 1) AS BLOB)",
            "UPDATE columns SET content = x'' WHERE name NOT IN ('context', 'more')",
            "UPDATE columns SET name = 'attributes.n' WHERE name = 'attributes.order'",
            "UPDATE columns SET codes = (SELECT codes FROM columns AS other WHERE other.name = 'session' LIMIT 1)",
            "DELETE FROM columns WHERE name = 'tag'", "DELETE FROM columns WHERE name = 'context'",
            "DELETE FROM columns",
        ])
    func damagedColumn(_ change: String) async throws {
        var random = SeededGenerator(seed: 7)
        let store = try await store(&random)
        let index = try SQLiteFile(path + "-index")
        let before = try index.text("SELECT group_concat(name || hex(codes) || hex(content)) FROM columns")
        try index.execute("UPDATE columns SET codes = codes WHERE 0")
        try index.execute(change.replacing("UPDATE columns", with: "UPDATE OR REPLACE columns"))
        try await compare(store, &random, 8)
        await store.settleIndex()
        #expect(try index.text("SELECT group_concat(name || hex(codes) || hex(content)) FROM columns") == before)
        await store.close()
    }

    @Test("Flipped bits of the index make no wrong answer", arguments: 0..<TestLength.trials(16, long: 40))
    func flippedBits(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(3_000 + seed))
        let store = try await store(&random)
        await store.settleIndex()
        let fields = [FacetQuery.Field.attribute("order"), .attribute("price"), .version, .tag]
        let facets = FacetQuery(filter: RecordFilter(.term(.has("n"))), fields: fields)
        let counts = try await store.values(facets)
        await store.close()
        let file = URL(fileURLWithPath: path + "-index")
        var bytes = try Data(contentsOf: file)
        for _ in 0..<Int.random(in: 1...200, using: &random) {
            bytes[Int.random(in: 100..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        try bytes.write(to: file)
        let damaged = try SQLiteStore(path: path, access: .readOnly)
        try await compare(damaged, &random, 3)
        #expect(try await damaged.values(facets) == counts)
    }
}
