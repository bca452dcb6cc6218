import Daybook
import DaybookBase
import DaybookStore
import DaybookTools
import Testing

@Suite struct RecordLineTests {
    private let defaults = RecordLine.Defaults(time: 77, position: 3)

    private func row(_ line: String) throws -> RecordRow {
        try RecordLine.row(line.utf8, defaults: defaults)
    }

    @Test func rowComesBackWhole() throws {
        var row = RecordRow(
            uid: "0123456789abcdef0123456789abcdef0123456789abcdef-1042", time: 1_763_632_931_204_000_001,
            kind: .request,
            level: 10, tag: "feed.show_article", attributes: #"{"article_id":123,"half":1.0,"名":"前"}"#,
            context: #"{"user":null}"#)
        row.sequence = 1_042
        row.message = "line\n\"two\""
        row.module = "App"
        row.session = "s"
        row.installation = "i"
        row.traceID = "t"
        row.spanID = "p"
        row.parentSpanID = "q"
        row.duration = 5
        row.file = "F.swift"
        row.function = "f()"
        row.line = 9
        let line = RecordLine.text(StoredRecord(id: 7, row: row))
        #expect(!line.contains("\n"))
        #expect(try self.row(line) == row)
    }

    @Test func lineHasTheDocumentedShape() {
        let row = RecordRow(
            uid: "u", time: 1_763_632_931_204_000_000, kind: .event, level: 9, tag: "feed.show_article",
            attributes: #"{"article_id":123}"#)
        #expect(
            RecordLine.text(row)
                == #"{"uid": "u", "time": "2025-11-20T10:02:11.204000000Z", "kind": "event", "level": "info", "#
                + #""tag": "feed.show_article", "message": null, "attributes": {"article_id":123}, "context": {}}"#)
    }

    @Test func sequenceIsReadFromADaybookUID() {
        let stream = "0123456789abcdef0123456789abcdef0123456789abcdef"
        #expect(RecordLine.sequence(ofUID: stream + "-9") == 9)
        let others = ["", "-", "x-9", stream, stream + "-", stream + "-+9", stream + "-9x", "a" + stream + "-9"]
        for uid in others + [stream.dropLast() + ".-9", stream.uppercased() + "-9"] {
            #expect(RecordLine.sequence(ofUID: uid) == nil, "\(uid)")
        }
    }

    @Test func aSequenceBeyondThoseOfStreamsIsNone() throws {
        let uid = "0123456789abcdef0123456789abcdef0123456789abcdef-18446744073709551615"
        let line = RecordLine.text(RecordRow(uid: uid, time: 0, kind: .event, level: 9, tag: "a.b"))
        #expect(!line.contains("\"seq\""))
        #expect(try row(line).uid == uid)
        let older = try row(#"{"tag":"a.b","seq":18446744073709551615,"uid":"\#(uid)"}"#)
        #expect(older.uid == uid && older.sequence == nil)
        #expect(throws: RecordLineError.self) { try row(#"{"tag":"a.b","seq":1.5}"#) }
    }

    @Test func onlyTheTagIsRequired() throws {
        let row = try row(#"{"tag":"a.b"}"#)
        #expect(row.tag == "a.b")
        #expect(row.kind == .event)
        #expect(row.level == 9)
        #expect(row.time == 77)
        #expect(row.attributes == "{}")
        #expect(row.uid.count == 32)
    }

    @Test(arguments: [("\"SEVERE\"", 17), ("\"notice\"", 10), ("\"17\"", 17), ("17.0", 17), ("\"W\"", 13), ("0", 0)])
    func levelIsThatOfAnyLogger(json: String, level: Int) throws {
        #expect(try row(#"{"tag":"a","level":\#(json)}"#).level == level)
    }

    @Test func uidOfALineWithoutOneDependsOnItsTextAndPlaceOnly() throws {
        let first = try row(#"{"tag":"a"}"#).uid
        #expect(try row(#"{"tag":"a"}"#).uid == first)
        #expect(try row(#"{"tag":"b"}"#).uid != first)
        #expect(try RecordLine.row(#"{"tag":"a"}"#.utf8, defaults: .init(time: 0, position: 3)).uid == first)
        #expect(try RecordLine.row(#"{"tag":"a"}"#.utf8, defaults: .init(time: 0, position: 4)).uid != first)
    }

    @Test(arguments: [
        ("1795168931", 0), ("1795168931.204", 204_000_000), ("1795168931204", 204_000_000),
        ("1795168931204567", 204_567_000), ("1795168931204567891", 204_567_891), ("1.795168931204e12", 204_000_000),
        (#""1795168931204""#, 204_000_000), (#""1795168931204567891""#, 204_567_891),
        (#""2026-11-20T19:02:11.204+09:00""#, 204_000_000),
    ]) func aTimeIsReadByItsSize(time: String, fraction: Int64) throws {
        let found = try row(#"{"tag":"a.b","time":\#(time)}"#).time
        // A double of seconds is exact to some hundred nanoseconds.
        #expect(abs(found - 1_795_168_931_000_000_000 - fraction) < 300, "\(found)")
    }

    @Test func membersThatNoRecordHasAreCounted() throws {
        var unread = Unread()
        let lines = [
            #"{"tag":"a.b","resource":{"service.version":"1"},"timestamp":5,"traceId":"t","weird":null}"#,
            #"{"tag":"a.b","timestamp":6,"id":4,"seq":1,"Message":"m"}"#, RecordLine.text(try row(#"{"tag":"a.b"}"#)),
        ]
        for line in lines {
            let bytes = Array(line.utf8)
            _ = try RecordLine.record(RecordLine.object(bytes), of: bytes, defaults: defaults, unread: &unread)
        }
        #expect(unread.counts == ["resource": 1, "timestamp": 2, "traceId": 1, "weird": 1, "Message": 1])
        #expect(
            RecordLine.text(of: unread)
                == "timestamp (2, did you mean time?), Message (1, did you mean message?), "
                + "resource (1, did you mean context?), traceId (1, did you mean trace_id?), weird (1)")
    }

    @Test(arguments: [
        ("event", "`event` is not read: did you mean `tag`?"), ("Name", "`Name` is not read: did you mean `tag`?"),
        ("tagg", "`tagg` is not read: did you mean `tag`?"), ("resource_logs", "This is OTLP"),
        ("resourceSpans", "This is OTLP"),
    ]) func aLineWithoutATagSaysWhatMayBeMeant(name: String, words: String) {
        let error = #expect(throws: RecordLineError.self) { try row(#"{"\#(name)":"feed.show"}"#) }
        #expect(error?.message.contains(words) == true, "\(error as Any)")
    }

    @Test(arguments: [
        "", "{}", "[]", "nonsense", #"{"tag":""}"#, #"{"tag":1}"#, #"{"tag":"a","time":"yesterday"}"#,
        #"{"tag":"a","level":"loud"}"#, #"{"tag":"a","level":25}"#, #"{"tag":"a","kind":"thing"}"#,
        #"{"tag":"a","attributes":[]}"#, #"{"tag":"a","line":"x"}"#, #"{"tag":"a"} {"tag":"b"}"#,
    ])
    func wrongLineIsRefusedWithAReason(line: String) {
        let error = #expect(throws: RecordLineError.self) { try row(line) }
        #expect(error?.message.isEmpty == false)
    }
}
