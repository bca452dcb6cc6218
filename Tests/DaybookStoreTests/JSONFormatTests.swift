import Daybook
import Testing

@testable import DaybookStore

/// The command-line tool reads the lines of a file output.
struct JSONFormatTests {
    @Test("A line in a log file reads back as the same record") func jsonLineRoundTrips() throws {
        var record = Record(
            time: 1_795_168_931_204_567_891, kind: .request, level: .warning, tag: "api", message: "GET /recipes/*",
            attributes: ["http.response.status_code": 503, "body": "a\n\u{1B}b\u{2028}検索"])
        record.sequence = 42
        record.context = ["session.id": "visit", "user_id": 7]
        record.file = "RecipeAPI/Client.swift"
        record.function = "menu()"
        record.line = 9
        record.duration = 1_500_000
        record.failure = "busy"
        let line = TextFormat.json.text(of: record)
        let row = try RecordLine.row(line.utf8, defaults: .init(time: 0, position: 0))
        #expect(row.sequence == 42)
        #expect(row.time == record.time)
        #expect(row.kind == .request)
        #expect(row.level == Int(Level.warning.rawValue))
        #expect(row.tag == "api")
        #expect(row.message == "GET /recipes/*")
        #expect(row.module == "RecipeAPI")
        #expect(row.attributes.contains(#""otel.status_code":"ERROR""#))
        #expect(row.attributes.contains(#""body":"a\n\u001bb"#))
        #expect(row.context == #"{"user_id":7}"#)
        #expect(row.session == "visit")
        #expect(row.duration == 1_500_000)
        #expect(row.file == record.file)
        #expect(row.function == "menu()")
        #expect(row.line == 9)
    }
}
