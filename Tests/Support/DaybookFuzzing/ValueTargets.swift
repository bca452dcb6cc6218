import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// Values of every shape and size. Every column must return what the row was made of, and masked statements what the
/// policy makes of it.
extension FuzzTarget {
    static let values: [FuzzTarget] = [storeValues]

    private static let storeValues = FuzzTarget(
        "store-values", corpus: lines.map { Array($0.utf8) },
        fragments: [
            "null", "true", "0", "-0", "-1", "1.0", "1e400", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "5e-324", "0.1", #""""#, #""\u0000""#, #""\ud800""#, #""\udc00\ud800""#,
            #""\\u0070""#,
            "{}", "[]", "[[[[]]]]", #"{"":0}"#, #"{"a":1,"a":2}"#, "\u{FEFF}", "卵", "ｶﾅ", "e\u{301}", "\u{E9}", "👩‍👩‍👧‍👦",
            "\u{202E}",
            "\u{2028}", "'", "@1", "@", "\\", "/", "\"", "\r\n", "\t", "$", "%", "_", ",", ":",
            String(repeating: "長", count: 3_000), String(repeating: "x", count: 70_000),
            #""password":"x""#, "token=abc", "Bearer abcdefghij", "eyJh.b.c", "://u:p@h", #"t-o_k.e n":"#,
            #""daybook.private":["a"]"#, #""daybook.private.common":["a"]"#, #""mail":"m""#,
        ], quickCount: 150
    ) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try SQLiteStore(path: folder.appending(path: "records.sqlite").path)
        return Subject { input in
            let made = try? RecordLine.row(input, defaults: .init(time: 1, position: 1))
            guard let row = made else { return nil }
            try await store.append(RecordBatch(rows: [row]))
            return try await difference(of: row.named(by: store.key), in: store)
        } close: {
            await store.close()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    private static let lines = [
        #"{"tag":"a.b"}"#,
        #"""
        {"uid":"u-1","time":"2026-11-20T10:02:11.204000000Z","kind":"event","level":"info","tag":"user.sign_up","message":"m","module":"M","attributes":{"a":1,"mail":"x@y.example","b":[true,null,{"c":0.5}]},"context":{"service.version":"1","d":"e"},"session":"s","installation":"i","trace_id":"0123456789abcdef0123456789abcdef","span_id":"0123456789abcdef","parent_span_id":"0123456789abcdef","duration":5,"file":"f","function":"g","line":7}
        """#,
        #"{"tag":"a.b","attributes":{"url":"https://u:p@h/?token=a","http.request.body":"{\"pass_word\":\"x\"}"}}"#,
        #"{"tag":"a.b","message":"{\"pin\":1}","context":{"daybook.private.common":["d"],"d":"a text of more than sixty-four bytes, kept apart"}}"#,
    ]

    private static let policy = MaskingPolicy(private: ["mail", "d"], open: ["a.b": ["mail"]])

    /// A difference between what went in and what comes out, in one line.
    private static func difference(of row: RecordRow, in store: SQLiteStore) async throws -> String? {
        let id = try await store.head()
        guard var stored = try await store.record(id: id)?.row else { return "the record is not there" }
        stored.sequence = row.sequence
        guard stored == row else { return "it went in as \(row) and came back as \(stored)" }
        var limits = QueryLimits()
        (limits.time, limits.valueBytes) = (.seconds(9), 64 << 20)
        let sql = "SELECT * FROM records WHERE id = \(id)"
        guard try await store.query(sql, limits: limits).rows == [cells(of: row, id)] else {
            return "SQL reads other cells than \(cells(of: row, id))"
        }
        limits.masking = policy
        let masked = cells(of: row.masked(by: policy), id)
        let read = try await store.query(sql, limits: limits).rows
        return read == [masked] ? nil : "masked SQL reads \(read) instead of \(masked)"
    }

    private static func cells(of row: RecordRow, _ id: Int64) -> [QueryResult.Cell] {
        func text(_ text: String?) -> QueryResult.Cell { text.map { .text($0) } ?? .null }
        func number(_ number: Int64?) -> QueryResult.Cell { number.map { .integer($0) } ?? .null }
        return [
            .integer(id), .text(row.uid), .integer(row.time), .text(row.kind.rawValue), .integer(Int64(row.level)),
            .text(row.tag), text(row.message), text(row.module), .text(row.attributes), .text(row.context),
            text(row.session), text(row.installation), text(row.traceID), text(row.spanID), text(row.parentSpanID),
            number(row.duration), text(row.file), text(row.function), number(row.line.map(Int64.init)),
        ]
    }
}
