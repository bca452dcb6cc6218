import Daybook
import DaybookBase
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import Testing

/// Members without a column stay with the record, in JSON as in Protobuf.
@Suite struct RecordDetailsTests {
    private static let time = #""timeUnixNano":"1795168931000000000""#
    private static let fixed: UInt64 = 1_795_168_931_000_000_000

    private func row(json: String, _ signal: OTLPSignal, _ unread: inout Unread) throws -> RecordRow {
        try #require(OTLPRequest.batches(ofJSON: Array(json.utf8), signal, now: 1, unread: &unread).first?.rows.first)
    }

    private func row(protobuf: [UInt8], _ signal: OTLPSignal, _ unread: inout Unread) throws -> RecordRow {
        try #require(OTLPRequest.batches(ofProtobuf: protobuf, signal, now: 1, unread: &unread).first?.rows.first)
    }

    private func check(
        log members: String, _ fields: [UInt8], _ attributes: String, counted: [String: Int] = [:]
    ) throws {
        var (json, protobuf) = (Unread(), Unread())
        let text = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{\#(Self.time),\#(members)}]}]}]}"#
        #expect(try row(json: text, .logs, &json).attributes == attributes)
        let bytes = Wire.request([Wire.fixed64(1, Self.fixed) + fields])
        #expect(try row(protobuf: bytes, .logs, &protobuf).attributes == attributes)
        #expect(json.counts == counted && protobuf.counts == counted)
    }

    private func check(
        span members: String, _ fields: [UInt8], _ attributes: String, counted: [String: Int] = [:]
    ) throws {
        var (json, protobuf) = (Unread(), Unread())
        let text =
            #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"\#(Self.fixed)",\#(members)}]}]}]}"#
        #expect(try row(json: text, .traces, &json).attributes == attributes)
        let bytes = Wire.request([Wire.fixed64(7, Self.fixed) + fields])
        #expect(try row(protobuf: bytes, .traces, &protobuf).attributes == attributes)
        #expect(json.counts == counted && protobuf.counts == counted)
    }

    @Test("Keeps every member of a log record") func keepsLogMembers() throws {
        try check(log: #""flags":3"#, Wire.fixed32(8, 3), #"{"otel.trace_flags":3}"#)
        try check(log: #""name":"old""#, Wire.text(4, "old"), #"{"otel.name":"old"}"#)
        try check(log: #""droppedAttributesCount":"4""#, Wire.number(7, 4), #"{"otel.dropped_attributes_count":4}"#)
        try check(
            log: #""observedTimeUnixNano":"1795168933000000000""#, Wire.fixed64(11, Self.fixed + 2_000_000_000),
            #"{"otel.observed_time":"2026-11-20T10:02:13.000000000Z"}"#)
        let beyond = Wire.number(2, 1 << 32 + 9)
        try check(
            log: #""severityNumber":2147483647"#, beyond, #"{"otel.severity_number":2147483647}"#,
            counted: ["logRecord.severityNumber": 1])
    }

    @Test(
        "Keeps a severity text that differs from its number",
        arguments: [
            (9, "NOTICE", true), (9, "ERROR", true), (9, "INFO", false), (9, "info", false), (9, "Information", false),
            (10, "Info", false), (10, "NOTICE", false), (13, "W", false), (17, "SEVERE", false),
            (21, "critical", false),
            (9, "AUDIT", true), (1, "FATAL", true),
        ] as [(UInt64, String, Bool)])
    func keepsOddSeverityText(number: UInt64, text: String, isKept: Bool) throws {
        try check(
            log: #""severityNumber":\#(number),"severityText":"\#(text)""#, Wire.number(2, number) + Wire.text(3, text),
            isKept ? #"{"otel.severity_text":"\#(text)"}"# : "{}")
    }

    @Test("Keeps every member of a span") func keepsSpanMembers() throws {
        try check(span: #""droppedEventsCount":2"#, Wire.number(12, 2), #"{"otel.dropped_events_count":2}"#)
        try check(span: #""droppedLinksCount":3"#, Wire.number(14, 3), #"{"otel.dropped_links_count":3}"#)
        try check(span: #""flags":769"#, Wire.fixed32(16, 769), #"{"otel.trace_flags":769}"#)
        try check(span: #""kind":99"#, Wire.number(6, 99), #"{"otel.span_kind":99}"#, counted: ["span.kind": 1])
        try check(
            span: #""status":{"code":7}"#, Wire.bytes(15, Wire.number(3, 7)), #"{"otel.status_code":7}"#,
            counted: ["status.code": 1])
        try check(
            span: #""status":{"deprecatedCode":2}"#, Wire.bytes(15, Wire.number(1, 2)),
            #"{"otel.status_deprecated_code":2}"#)
        try check(
            span: #""endTimeUnixNano":"1795168930000000000""#, Wire.fixed64(8, Self.fixed - 1_000_000_000),
            #"{"otel.end_time":"2026-11-20T10:02:10.000000000Z"}"#)
        try check(
            span: #""events":[{"name":"e","droppedAttributesCount":1},{"timeUnixNano":0,"name":"f"}]"#,
            Wire.bytes(11, Wire.text(2, "e") + Wire.number(4, 1))
                + Wire.bytes(11, Wire.fixed64(1, 0) + Wire.text(2, "f")),
            #"{"otel.events":[{"name":"e","attributes":{},"dropped_attributes_count":1},{"name":"f","attributes":{}}]}"#
        )
        let link = #"{"trace_id":null,"span_id":null,"attributes":{},"trace_state":"a=b","trace_flags":2,"#
        try check(
            span: #""links":[{"traceState":"a=b","flags":2,"droppedAttributesCount":5}]"#,
            Wire.bytes(13, Wire.text(3, "a=b") + Wire.fixed32(6, 2) + Wire.number(5, 5)),
            #"{"otel.links":[\#(link)"dropped_attributes_count":5}]}"#)
    }

    @Test("A span without a start keeps its end") func keepsEndWithoutStart() throws {
        var unread = Unread()
        let json = #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"endTimeUnixNano":"1795168931000000000"}]}]}]}"#
        let row = try row(json: json, .traces, &unread)
        #expect(row.time == 1 && row.duration == nil && unread.isEmpty)
        #expect(row.attributes == #"{"otel.end_time":"2026-11-20T10:02:11.000000000Z"}"#)
    }

    /// They mean the same as absence, and would take room.
    @Test("Default values are not stored") func omitsDefaults() throws {
        try check(
            log: #""flags":1,"name":"","droppedAttributesCount":0,"observedTimeUnixNano":"1795168931000000009""#,
            Wire.fixed32(8, 1) + Wire.number(7, 0) + Wire.fixed64(11, Self.fixed + 9), "{}")
        try check(
            span: #""flags":257,"kind":1,"droppedEventsCount":0,"status":{},"endTimeUnixNano":"1795168931000000000""#,
            Wire.fixed32(16, 257) + Wire.number(6, 1) + Wire.bytes(15, []) + Wire.fixed64(8, Self.fixed), "{}")
    }

    @Test("Resource and scope members become context") func contextHasResources() throws {
        let context =
            #"{"otel.resource.dropped_attributes_count":1,"otel.resource.entity_refs":[{"type":"host","#
            + #""id_keys":["host.id"],"description_keys":["host.name"],"schema_url":"s"}],"otel.resource.schema_url":"r","#
            + #""otel.scope.dropped_attributes_count":2,"otel.scope.schema_url":"c"}"#
        var unread = Unread()
        let entity = #"{"type":"host","idKeys":["host.id"],"descriptionKeys":["host.name"],"schemaUrl":"s"}"#
        let resource = #""resource":{"droppedAttributesCount":1,"entityRefs":[\#(entity)]},"schemaUrl":"r""#
        let scope = #""scope":{"droppedAttributesCount":2},"schemaUrl":"c","logRecords":[{\#(Self.time)}]"#
        let json = #"{"resourceLogs":[{\#(resource),"scopeLogs":[{\#(scope)}]}]}"#
        #expect(try row(json: json, .logs, &unread).context == context)
        let reference = Wire.text(1, "s") + Wire.text(2, "host") + Wire.text(3, "host.id") + Wire.text(4, "host.name")
        let logs = Wire.bytes(1, Wire.number(4, 2)) + Wire.bytes(2, Wire.fixed64(1, Self.fixed)) + Wire.text(3, "c")
        let body =
            Wire.bytes(1, Wire.number(2, 1) + Wire.bytes(3, reference)) + Wire.bytes(2, logs) + Wire.text(3, "r")
        #expect(try row(protobuf: Wire.bytes(1, body), .logs, &unread).context == context)
        #expect(unread.isEmpty)
    }

    @Test(
        "Reads the older member names of logs",
        arguments: ["scopeLogs", "instrumentationLibraryLogs", "instrumentation_library_logs"], ["logRecords", "logs"])
    func readsOlderLogNames(scopes: String, records: String) throws {
        var unread = Unread()
        let json = #"{"resourceLogs":[{"\#(scopes)":[{"\#(records)":[{"body":{"stringValue":"m"}}]}]}]}"#
        #expect(try row(json: json, .logs, &unread).message == "m" && unread.isEmpty)
    }

    @Test(
        "Rejects records of another signal at any depth",
        arguments: [
            (.logs, #"{"resourceLogs":[{"scopeLogs":[{"spans":[{"name":"x"}]}]}]}"#),
            (.logs, #"{"resourceLogs":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}"#),
            (.logs, #"{"resourceLogs":[{"scopeMetrics":[{"metrics":[{"name":"x"}]}]}]}"#),
            (.logs, #"{"resource_logs":[{"scope_logs":[{"metrics":[{}]}]}]}"#),
            (.traces, #"{"resourceSpans":[{"scopeSpans":[{"logRecords":[{}]}]}]}"#),
            (.traces, #"{"resourceSpans":[{"scopeSpans":[{"log_records":[{}]}]}]}"#),
            (.traces, #"{"resourceSpans":[{"scopeLogs":[{"logRecords":[{}]}]}]}"#),
            (.traces, #"{"resourceSpans":[{"instrumentationLibraryLogs":[{"logs":[{}]}]}]}"#),
        ] as [(OTLPSignal, String)])
    func refusesNestedSignals(signal: OTLPSignal, json: String) {
        var unread = Unread()
        let error = #expect(throws: OTLPError.self) {
            try OTLPRequest.batches(ofJSON: Array(json.utf8), signal, now: 1, unread: &unread)
        }
        #expect(error?.reason.contains("Logs go to /v1/logs and spans to /v1/traces") == true)
    }

    // MARK: Failures

    @Test(
        "Spans map failures to levels as logs do",
        arguments: [
            (#""name":"app.crash""#, 21), (#""name":"device.crash","attributes":[A]"#, 21),
            (#""name":"GET /crash""#, 9),
            (#""events":[{"name":"crash"}]"#, 21), (#""name":"uncaughtException""#, 17),
            (#""name":"a","attributes":[B]"#, 17),
            (#""name":"a","attributes":[C]"#, 21), (#""name":"a","attributes":[D]"#, 17),
            (#""name":"app.crash","attributes":[B],"status":{"code":1}"#, 9), (#""name":"a","attributes":[E]"#, 9),
        ])
    func spanFailuresMatchLogs(members: String, level: Int) throws {
        func attribute(_ key: String, _ value: String) -> String { #"{"key":"\#(key)","value":\#(value)}"# }
        var members = members
        for (letter, text) in [
            ("A", attribute("exception.type", #"{"stringValue":"E"}"#)),
            ("B", attribute("error", #"{"boolValue":true}"#)),
            ("C", attribute("component", #"{"stringValue":"crash"}"#)),
            ("D", attribute("otel.status_code", #"{"stringValue":"ERROR"}"#)),
            ("E", attribute("error", #"{"boolValue":false}"#)),
        ] { members = members.replacing("[\(letter)]", with: "[\(text)]") }
        var unread = Unread()
        let span = try row(json: #"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(members)}]}]}]}"#, .traces, &unread)
        #expect(span.level == level && unread.isEmpty)
        guard !members.contains("status\""), !members.contains("events") else { return }
        let log = members.replacing(#""name""#, with: #""eventName""#)
        let row = try row(json: #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{\#(log)}]}]}]}"#, .logs, &unread)
        #expect(row.level == (level == 9 ? 0 : level))
    }
}
