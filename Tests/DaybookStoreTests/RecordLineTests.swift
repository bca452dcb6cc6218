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

    @Test("A record line reads back as the same row") func recordLineRoundTrips() throws {
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
        row.traceID = "0102030405060708090a0b0c0d0e0f10"
        row.spanID = "0102030405060708"
        row.parentSpanID = "0807060504030201"
        row.duration = 5
        row.file = "F.swift"
        row.function = "f()"
        row.line = 9
        let line = RecordLine.text(StoredRecord(id: 7, row: row))
        #expect(!line.contains("\n"))
        #expect(try self.row(line) == row)
    }

    @Test("A record line has the documented shape") func lineMatchesDocumentation() {
        let row = RecordRow(
            uid: "u", time: 1_763_632_931_204_000_000, kind: .event, level: 9, tag: "feed.show_article",
            attributes: #"{"article_id":123}"#)
        #expect(
            RecordLine.text(row)
                == #"{"uid": "u", "time": "2025-11-20T10:02:11.204000000Z", "kind": "event", "level": "info", "#
                + #""tag": "feed.show_article", "message": null, "attributes": {"article_id":123}, "context": {}}"#)
    }

    @Test("Reads the sequence number from a Daybook UID") func readsSequenceFromUID() {
        let stream = "0123456789abcdef0123456789abcdef0123456789abcdef"
        #expect(RecordLine.sequence(ofUID: stream + "-9") == 9)
        let others = ["", "-", "x-9", stream, stream + "-", stream + "-+9", stream + "-9x", "a" + stream + "-9"]
        for uid in others + [stream.dropLast() + ".-9", stream.uppercased() + "-9"] {
            #expect(RecordLine.sequence(ofUID: uid) == nil, "\(uid)")
        }
    }

    @Test("A sequence number beyond the range of streams is ignored") func ignoresHugeSequence() throws {
        let uid = "0123456789abcdef0123456789abcdef0123456789abcdef-18446744073709551615"
        let line = RecordLine.text(RecordRow(uid: uid, time: 0, kind: .event, level: 9, tag: "a.b"))
        #expect(!line.contains("\"seq\""))
        #expect(try row(line).uid == uid)
        let older = try row(#"{"tag":"a.b","seq":18446744073709551615,"uid":"\#(uid)"}"#)
        #expect(older.uid == uid && older.sequence == nil)
        #expect(throws: RecordLineError.self) { try row(#"{"tag":"a.b","seq":1.5}"#) }
    }

    @Test("Only the tag of a record line is required") func requiresOnlyTag() throws {
        let row = try row(#"{"tag":"a.b"}"#)
        #expect(row.tag == "a.b")
        #expect(row.kind == .event)
        #expect(row.level == 9)
        #expect(row.time == 77)
        #expect(row.attributes == "{}")
        #expect(row.uid.count == 32)
    }

    @Test(
        "Accepts the level names and numbers of common loggers",
        arguments: [("\"SEVERE\"", 17), ("\"notice\"", 10), ("\"17\"", 17), ("17.0", 17), ("\"W\"", 13), ("0", 0)])
    func acceptsAnyLevelSpelling(json: String, level: Int) throws {
        #expect(try row(#"{"tag":"a","level":\#(json)}"#).level == level)
    }

    @Test("Derives a missing UID from the text and position of the line") func derivesUIDFromLine() throws {
        let first = try row(#"{"tag":"a"}"#).uid
        #expect(try row(#"{"tag":"a"}"#).uid == first)
        #expect(try row(#"{"tag":"b"}"#).uid != first)
        #expect(try RecordLine.row(#"{"tag":"a"}"#.utf8, defaults: .init(time: 0, position: 3)).uid == first)
        #expect(try RecordLine.row(#"{"tag":"a"}"#.utf8, defaults: .init(time: 0, position: 4)).uid != first)
    }

    @Test(
        "Infers the unit of a time from its magnitude",
        arguments: [
            ("1795168931", 0), ("1795168931.204", 204_000_000), ("1795168931204", 204_000_000),
            ("1795168931204567", 204_567_000), ("1795168931204567891", 204_567_891), ("1.795168931204e12", 204_000_000),
            (#""1795168931204""#, 204_000_000), (#""1795168931204567891""#, 204_567_891),
            (#""2026-11-20T19:02:11.204+09:00""#, 204_000_000),
        ]) func infersTimeUnit(time: String, fraction: Int64) throws
    {
        let found = try row(#"{"tag":"a.b","time":\#(time)}"#).time
        // A `Double` of seconds is exact to some hundred nanoseconds.
        #expect(abs(found - 1_795_168_931_000_000_000 - fraction) < 300, "\(found)")
    }

    @Test("Counts unknown members and suggests the right names") func countsUnknownMembers() throws {
        var unread = Unread()
        let lines = [
            #"{"tag":"a.b","resource":{"service.version":"1"},"timestamp":5,"traceId":"t","weird":null}"#,
            #"{"tag":"a.b","timestamp":6,"id":4,"seq":1,"Message":"m"}"#, RecordLine.text(try row(#"{"tag":"a.b"}"#)),
        ]
        for line in lines {
            let bytes = Array(line.utf8)
            _ = try RecordLine.record(
                RecordLine.object(bytes, unread: &unread), of: bytes, defaults: defaults, unread: &unread)
        }
        #expect(unread.counts == ["resource": 1, "timestamp": 2, "traceId": 1, "weird": 1, "Message": 1])
        #expect(
            RecordMembers.text(of: unread)
                == "timestamp (2, did you mean time?), Message (1, did you mean message?), "
                + "resource (1, did you mean context?), traceId (1, did you mean trace_id?), weird (1)")
    }

    @Test(
        "An error about a missing tag suggests which member was meant",
        arguments: [
            ("event", "`event` is not read: did you mean `tag`?"), ("Name", "`Name` is not read: did you mean `tag`?"),
            ("tagg", "`tagg` is not read: did you mean `tag`?"), ("resource_logs", "This is OTLP"),
            ("resourceSpans", "This is OTLP"),
        ]) func suggestsTagMember(name: String, words: String)
    {
        let error = #expect(throws: RecordLineError.self) { try row(#"{"\#(name)":"feed.show"}"#) }
        #expect(error?.message.contains(words) == true, "\(error as Any)")
    }

    @Test(
        "Reads trace and span identifiers as OTLP does",
        arguments: [
            "5b8efff798038103d269b633813fc60c", "5B8EFFF798038103D269B633813FC60C",
            "5b8efff7-9803-8103-d269-b633813fc60c",
            "{5b8efff7-9803-8103-d269-b633813fc60c}", "0x5b8efff798038103d269b633813fc60c", "W47/95gDgQPSabYzgT/GDA==",
        ])
    func readsTraceIdentifiers(trace: String) throws {
        for span in ["eee19b7ec3c1b174", "EEE19B7EC3C1B174", "7uGbfsPBsXQ=", "0xEEE19B7EC3C1B174"] {
            let row = try row(
                #"{"tag":"a","trace_id":"\#(trace)","span_id":"\#(span)","parent_span_id":"\#(span)"}"#)
            #expect(row.traceID == "5b8efff798038103d269b633813fc60c")
            #expect(row.spanID == "eee19b7ec3c1b174" && row.parentSpanID == "eee19b7ec3c1b174")
        }
        let none = try row(#"{"tag":"a","trace_id":"","span_id":"0000000000000000"}"#)
        #expect(none.traceID == nil && none.spanID == nil)
    }

    /// The same rule as for OTLP records.
    @Test(
        "A failure without a level is not treated as info",
        arguments: [
            (#""tag":"a","kind":"error""#, 17), (#""tag":"a","attributes":{"exception.type":"E"}"#, 17),
            (#""tag":"a","kind":"message","attributes":{"exception.stacktrace":"s"}"#, 17),
            (#""tag":"exception""#, 17), (#""tag":"app.crash""#, 21), (#""tag":"AppCrash","kind":"error""#, 21),
            (#""tag":"crash_report","level":null"#, 21), (#""tag":"app.crash","level":"info""#, 9),
            (#""tag":"app.crash","kind":"message""#, 9), (#""tag":"a","kind":"error","level":0"#, 0),
            (#""tag":"a""#, 9),
        ])
    func failureImpliesErrorLevel(members: String, level: Int) throws {
        #expect(try row("{\(members)}").level == level)
    }

    @Test("Replaces characters that no store can keep") func replacesUnstorableText() throws {
        let row = try row(
            #"{"tag":"e\u0301\u0000","message":"a\u0000b","attributes":{"k\u0000":["\u0000"]},"session":"\u0000"}"#)
        #expect(Array(row.tag.utf8) == Array("\u{E9}\u{FFFD}".utf8))
        #expect(row.message == "a\u{FFFD}b" && row.session == "\u{FFFD}")
        #expect(row.attributes == "{\"k\u{FFFD}\":[\"\u{FFFD}\"]}")
    }

    /// Shift_JIS, EUC-JP and Latin-1, some of whose letters contain bytes of JSON syntax.
    @Test(
        "Rejects record lines that are not UTF-8",
        arguments: [[0x95, 0x5C, 0x8E, 0xA6], [0xC9, 0xBD, 0xBC, 0xA8], [0x63, 0x61, 0x66, 0xE9]] as [[UInt8]])
    func refusesNonUTF8Lines(text: [UInt8]) {
        let line = Array(#"{"tag":"a","message":""#.utf8) + text + Array("\"}".utf8)
        let error = #expect(throws: RecordLineError.self) { try RecordLine.row(line, defaults: defaults) }
        #expect(error?.message.hasPrefix("The line is not UTF-8 text.") == true)
    }

    @Test(
        "Rejects a malformed line with the expected message",
        arguments: [
            (#"{"tag":"a","tag":"b"}"#, "\"tag\" is given twice."),
            (#"{"tag":"a","attributes":{"n":1},"attributes":{}}"#, "\"attributes\" is given twice."),
            (#"{"tag":"a","level":1,"level":9}"#, "\"level\" is given twice."),
            (#"{"tag":"a","seq":-5}"#, "\"seq\" must be a whole number from 0."),
            (#"{"tag":""}"#, "\"tag\" is empty. Give every record a tag: {\"tag\": \"category.event\"}."),
            (#"{"tag":null}"#, "\"tag\" is missing. Give every record a tag: {\"tag\": \"category.event\"}."),
            (#"{"tag":"a","span_id":"42"}"#, "\"span_id\" must be 16 hexadecimal digits, or base64 of 8 bytes."),
        ])
    func explainsRefusedLine(line: String, words: String) {
        #expect(throws: RecordLineError(words)) { try row(line) }
    }

    @Test("Counts columns that are given twice") func countsDuplicateColumns() throws {
        var unread = Unread()
        let line = Array(#"{"tag":"a","attributes":{"n":1,"n":2,"n":3},"context":{"c":1,"c":1}}"#.utf8)
        _ = try RecordLine.record(
            RecordLine.object(line, unread: &unread), of: line, defaults: defaults, unread: &unread)
        #expect(RecordMembers.text(of: unread) == "n given twice (2), c given twice (1)")
    }

    @Test(
        "Rejects an invalid record line with a reason",
        arguments: [
            "", "{}", "[]", "nonsense", #"{"tag":"a","time":"0x10"}"#, #"{"tag":"a","time":"0x1p4"}"#,
            #"{"tag":"a","time":"inf"}"#, #"{"tag":"a","trace_id":"nonsense"}"#,
            #"{"tag":"a","trace_id":"eee19b7ec3c1b17"}"#, #"{"tag":""}"#, #"{"tag":1}"#,
            #"{"tag":"a","time":"yesterday"}"#,
            #"{"tag":"a","level":"loud"}"#, #"{"tag":"a","level":25}"#, #"{"tag":"a","kind":"thing"}"#,
            #"{"tag":"a","attributes":[]}"#, #"{"tag":"a","line":"x"}"#, #"{"tag":"a"} {"tag":"b"}"#,
        ])
    func refusesWrongLines(line: String) {
        let error = #expect(throws: RecordLineError.self) { try row(line) }
        #expect(error?.message.isEmpty == false)
    }
}
