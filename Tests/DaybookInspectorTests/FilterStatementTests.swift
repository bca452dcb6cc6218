import DaybookAPI
import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookInspector

/// On a SQLite store, the SQL of a filter selects the same records as the filter.
@Suite(.temporaryDirectory) struct FilterStatementTests {
    private static let values = [
        "true", "false", "null", "1", "0", "1.0", "-1", "2.5", "\"1\"", "\"1.0\"", "\"true\"", "\"false\"", "\"\"",
        "\"it's\"", "\"say \\\"b\\\"\"", "\"a*b\"", "\"[x]\"", "\"x?\"", "\"back\\\\slash\"", "\"100%\"",
        "\"'\u{301}\"",
        "9223372036854775807", "-9223372036854775808", "9007199254740993", "12345678901234567890", "1e300", "[1]",
        "{\"a\":1}", "\"[1]\"",
    ]
    private static let filters =
        [
            "true", "false", "1", "0", "1.0", "-1", "2.5", "\"1\"", "\"true\"", "\"\"", "\"it's\"", "\"say \\\"b\\\"\"",
            "\"a*b\"", "\"[x]\"", "\"x?\"", "a*", "*b", "\"'\u{301}\"", "9223372036854775807", "9007199254740993",
            "9007199254740992", "12345678901234567890", "\"[1]\"", "1*",
        ].map { "=\($0)" } + [">0", ">=1", "<1", "<=2.5", ">9007199254740992", "<0"]
    private static let names = ["n", "a.b", "\"say \\\"n\\\"\"", "\"it's\""]
    private static let keys = ["n", "a.b", "say \\\"n\\\"", "it's"]
    private static let fields = [
        "name=show", "name=\"b.show\"", "name=sh*", "name=\"*\"", "name=*", "tag=a.*", "tag=a.**", "tag=*", "tag=**",
        "name=a.b.*", "version=1", "version=\"1\"", "version=2*", "device=phone", "kind=event", "message=\"it's\"",
        "session=s*", "has:n", "-has:n", "has:a.b", "n=1 OR n=true", "-(n=1 n=1)", "duration>1s", "level>=error",
    ]

    private func rows() -> [RecordRow] {
        var rows: [RecordRow] = []
        for (index, value) in Self.values.enumerated() {
            for (place, key) in Self.keys.enumerated() {
                // With such a name, SQL has only the digits of a double.
                if key.contains("\""), value.count == 20, value.first?.isNumber == true { continue }
                let isOwn = (index + place).isMultiple(of: 2)
                let object = "{\"\(key)\":\(value)}"
                rows.append(
                    RecordRow(
                        uid: "\(index)-\(place)", time: 1_795_000_000_000_000_000, kind: .event, level: 9,
                        tag: ["a.b.show", "show", "a.show.b", "a.b"][place], attributes: isOwn ? object : "{}",
                        context: isOwn ? "{}" : object))
            }
        }
        for (index, context) in [
            "{\"service.version\":1,\"device.model.name\":\"phone\"}", "{\"service.version\":\"1\"}",
            "{\"service.version\":\"2.1\",\"device.model.identifier\":\"phone\"}", "{\"service.version\":true}",
        ].enumerated() {
            var row = RecordRow(
                uid: "context-\(index)", time: 1_795_000_000_000_000_000, kind: .error, level: 17, tag: "a",
                attributes: "{}", context: context)
            (row.message, row.session, row.duration) = (
                index == 0 ? "it's" : nil, "s\(index)", Int64(index) * 1_000_000_000
            )
            rows.append(row)
        }
        return rows
    }

    @Test("The SQL of a filter selects the same records") func sqlMatchesFilter() async throws {
        let store = try SQLiteStore(path: TemporaryDirectory.current.file("store.sqlite"))
        let rows = rows()
        try await store.append(
            RecordBatch(origin: .init(stream: "s", after: 0, through: UInt64(rows.count)), rows: rows))
        let asked = Self.names.flatMap { name in Self.filters.map { name + $0 } } + Self.fields
        var chosen = 0
        for text in asked + asked.map({ "-(\($0))" }) {
            let expression = try #require(try FilterParser.parse(text, now: 0).expression, "\(text)")
            var query = RecordQuery()
            query.limit = 1_000
            query.filter.narrow(by: expression)
            let expected = Set(try await store.page(query).map(\.row.uid))
            let condition = try #require(FilterStatement.condition(expression), "\(text)")
            let sql = "SELECT uid FROM records WHERE \(condition)"
            let answer = try await store.query(sql, limits: QueryLimits())
            let found = Set(answer.rows.map { if case .text(let uid)? = $0.first { uid } else { "" } })
            #expect(found == expected, "\(text): \(sql)")
            chosen += expected.count
        }
        #expect(chosen > asked.count)
        await store.close()
    }
}
