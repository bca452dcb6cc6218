import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Testing

@Suite(.temporaryDirectory) struct StatementFunctionTests {
    private let store: SQLiteStore

    init() throws { store = try SQLiteStore(path: TemporaryDirectory.current.file("store.sqlite")) }

    private func rows(_ sql: String, masked: Bool = false) async throws -> [[QueryResult.Cell]] {
        var limits = QueryLimits()
        limits.masking = masked ? MaskingPolicy(private: ["mail"]).withPseudonyms() : nil
        return try await store.query(sql, limits: limits).rows
    }

    private func number(_ sql: String) async throws -> Double? {
        guard case .real(let number)? = try await rows(sql).first?.first else { return nil }
        return number
    }

    private static func values(_ numbers: [Double]) -> String {
        "(VALUES (NULL)" + numbers.map { ", (\($0))" }.joined() + ")"
    }

    @Test("Percentiles, medians and deviations are those computed by hand") func computesDistributions() async throws {
        var random = SeededGenerator(seed: 8)
        for count in [1, 2, 3, 10, 57, 400] {
            let numbers = (0..<count).map { _ in Double(Int.random(in: -5_000...5_000, using: &random)) / 4 }
            let sorted = numbers.sorted()
            let source = Self.values(numbers)
            for fraction in [0, 0.25, 0.5, 0.95, 1] {
                let place = fraction * Double(count - 1)
                let (below, above) = (sorted[Int(place.rounded(.down))], sorted[Int(place.rounded(.up))])
                let right = below + (above - below) * (place - place.rounded(.down))
                let answer = try await number("SELECT percentile_cont(column1, \(fraction)) FROM \(source)")
                #expect(abs((answer ?? .nan) - right) < 1e-9)
            }
            let median = count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
            #expect(try await number("SELECT median(column1) FROM \(source)") == median)
            let mean = numbers.reduce(0, +) / Double(count)
            let squares = numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
            let deviation = try await number("SELECT stddev(column1) FROM \(source)")
            let right = count > 1 ? (squares / Double(count - 1)).squareRoot() : nil
            #expect(right == nil ? deviation == nil : abs((deviation ?? .nan) - (right ?? 0)) < 1e-9)
        }
    }

    @Test("Groups have their own distributions, and none without values") func groupsDistributions() async throws {
        let answer = try await rows(
            """
            SELECT column1, median(column2), percentile_cont(column2, 1), stddev(column2), median(DISTINCT column2)
            FROM (VALUES ('a', 1), ('a', 1), ('a', 4), ('b', NULL), ('c', '7')) GROUP BY column1
            """)
        #expect(
            answer == [
                [.text("a"), .real(1), .real(4), .real(3.0.squareRoot()), .real(2.5)],
                [.text("b"), .null, .null, .null, .null], [.text("c"), .real(7), .real(7), .null, .real(7)],
            ])
        #expect(try await rows("SELECT median(1), stddev(2) FROM records") == [[.null, .null]])
    }

    @Test(
        "Values and fractions that make no sense are errors",
        arguments: [
            "SELECT median(column1) FROM (VALUES (1), ('x'))", "SELECT stddev(x'00')", "SELECT median(9e999)",
            "SELECT percentile_cont(1, 1.5)", "SELECT percentile_cont(1, NULL)", "SELECT percentile_cont(1, 'half')",
            "SELECT percentile_cont(column1, column1) FROM (VALUES (0), (1))", "SELECT median(1, 2)",
            "SELECT median(1) OVER ()", "SELECT 'a' REGEXP '(a)\\1'", "SELECT regexp('a')",
        ])
    func refusesNonsense(_ sql: String) async throws {
        let error = await #expect(throws: StoreError.self) { try await rows(sql) }
        #expect(error?.code == .badStatement)
    }

    @Test("Statements have regular expressions, masked or not") func findsPatterns() async throws {
        try await store.append(.numbered("s", (0, 3), 1...3))
        for masked in [false, true] {
            #expect(
                try await rows("SELECT count(*) FROM records WHERE tag REGEXP '^.'", masked: masked) == [[.integer(3)]])
            #expect(
                try await rows(
                    "SELECT 'timeout' REGEXP 'time ?out', regexp('^a', 'ba'), NULL REGEXP 'a'", masked: masked)
                    == [[.integer(1), .integer(0), .null]])
            #expect(
                try await rows("SELECT median(id), stddev(id) FROM records", masked: masked) == [[.real(2), .real(1)]])
        }
        let error = await #expect(throws: StoreError.self) { try await rows("SELECT 'a' REGEXP 'a(?=b)'") }
        #expect(error?.message.contains("at character 3 of the pattern") == true)
    }

    @Test("A pattern over a long text ends at the time limit") func endsLongSearches() async throws {
        var limits = QueryLimits()
        limits.time = .milliseconds(50)
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT count(*) FROM n WHERE replace(hex(zeroblob(200000)), '0', 'a') REGEXP '((a|.)?){200}b'
            """
        let error = await #expect(throws: StoreError.self) { try await store.query(sql, limits: limits) }
        #expect(error?.code == .limit)
    }
}
