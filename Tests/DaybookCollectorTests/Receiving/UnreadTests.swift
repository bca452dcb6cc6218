import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import Testing

@testable import DaybookCollector

/// Whatever is not understood is refused or reported, never silently dropped.
@Suite struct UnreadTests {
    private let collector: Collector
    private let metrics = IngestMetrics()

    init() throws { collector = try Collector() }

    private func post(_ path: String, _ body: [UInt8], type: String = "application/x-protobuf") async -> HTTPResponse {
        let ingest = IngestHandler(store: collector.store, metrics: metrics)
        let head = HTTPRequest.Head(method: "POST", path: path, headers: ["content-type": type])
        return await ingest.respond(to: HTTPRequest(head: head, body: body))
    }

    private func postJSON(_ path: String, _ body: String) async -> HTTPResponse {
        await post(path, Array(body.utf8), type: "application/json")
    }

    private func message(_ response: HTTPResponse) throws -> String {
        response.headers["content-type"] == "application/json"
            ? response.text : try RPCStatus(protobuf: response.bytes).message
    }

    // MARK: Nothing is recognised

    @Test(
        "Rejects a request without the records its path expects",
        arguments: [
            ("/v1/logs", #"{"data":{"resourceLogs":[]}}"#, "data"),
            ("/v1/logs", #"{"resourceSpans":[]}"#, "/v1/traces"),
            ("/v1/traces", #"{"resourceLogs":[]}"#, "/v1/logs"), ("/v1/logs", #"{"resourceMetrics":[{}]}"#, "metrics"),
            ("/v1/logs", #"{"ResourceLogs":[]}"#, "ResourceLogs"),
            ("/v1/traces", #"{"resource_logs":[]}"#, "resource_logs"),
            ("/v1/logs", "[]", "not an object"), ("/v1/logs", #"[{"resourceLogs":[]}]"#, "not an object"),
            ("/v1/logs", "1", "not an object"), ("/v1/logs", #""text""#, "not an object"),
            ("/v1/logs", #"{"resourceLogs":{}}"#, "array"), ("/v1/logs", #"{"resourceLogs":["x"]}"#, "object"),
            ("/v1/logs", #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":"text"}]}]}]}"#, "body: An object"),
            ("/v1/logs", #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":{"a":1}}]}]}]}"#, "array"),
        ])
    func refusesWrongSignal(path: String, body: String, words: String) async throws {
        let response = await postJSON(path, body)
        #expect(response.status == 400 && response.text.contains(words), "\(response.text)")
        #expect(try await collector.rows().isEmpty)
    }

    @Test(
        "Accepts an empty request",
        arguments: ["{}", #"{"resourceLogs":[]}"#, #"{"resourceLogs":null}"#, #"{"resource_logs":[{}]}"#, " {} "])
    func acceptsEmptyRequest(body: String) async {
        let response = await postJSON("/v1/logs", body)
        #expect(response.status == 200 && response.text == "{}")
    }

    @Test("Detects bodies that do not match their headers") func detectsMislabelledBodies() async throws {
        let (logs, traces) = (RequestSamples.logs, RequestSamples.traces)
        for (path, body, type, words) in [
            ("/v1/logs", logs.json(), "application/x-protobuf", "application/json"),
            ("/v1/traces", traces.json(), "application/x-protobuf", "application/json"),
            ("/v1/logs", Array("{}".utf8), "application/x-protobuf", "application/json"),
            ("/v1/logs", logs.protobuf(), "application/json", "application/x-protobuf"),
            ("/v1/traces", traces.protobuf(), "application/json", "application/x-protobuf"),
            ("/v1/logs", deflated(logs.protobuf()), "application/x-protobuf", "Content-Encoding: gzip"),
            ("/v1/logs", deflated(logs.json()), "application/json", "Content-Encoding: gzip"),
            ("/v1/logs", zstandard(logs.json()), "application/json", "Content-Encoding: zstd"),
        ] {
            let response = await post(path, body, type: type)
            #expect(response.status == 400)
            let text = try message(response)
            #expect(text.contains(words), "\(text)")
        }
    }

    @Test("Detects a body that is compressed twice") func detectsDoubleCompression() async throws {
        let ingest = IngestHandler(store: collector.store)
        for (path, type) in [
            ("/v1/logs", "application/json"), ("/v1/logs", "application/x-protobuf"),
            ("/v1/events", "application/x-ndjson"),
        ] {
            let twice = deflated(deflated(RequestSamples.logs.json()))
            let headers: HTTPHeaders = ["content-type": type, "content-encoding": "gzip"]
            let head = HTTPRequest.Head(method: "POST", path: path, headers: headers)
            let response = await ingest.respond(to: HTTPRequest(head: head, body: twice))
            #expect(response.status == 400)
            #expect(try message(response).contains("compressed twice"))
        }
    }

    // MARK: Another signal in protobuf

    /// Spans as SDKs send them: every combination of optional fields.
    private static let spans: [[UInt8]] = (0..<64).map { choice in
        let optional = [
            Wire.text(3, "a=b"), Wire.bytes(4, (1...8)), Wire.text(5, "GET /recipes"), Wire.number(6, 3),
            Wire.bytes(9, Wire.text(1, "k") + Wire.bytes(2, Wire.text(1, "v"))), Wire.bytes(15, Wire.number(3, 2)),
        ]
        let chosen = optional.enumerated().filter { choice & 1 << $0.offset != 0 }.flatMap(\.element)
        let time = Wire.fixed64(7, 1_800_000_000_000_000_000) + Wire.fixed64(8, 1_800_000_000_100_000_000)
        return Wire.bytes(1, (1...16)) + Wire.bytes(2, (1...8)) + (choice % 2 == 0 ? time + chosen : chosen + time)
    }

    private static let logs: [[UInt8]] = (0..<64).map { choice in
        let optional = [
            Wire.number(2, 9), Wire.text(3, "INFO"), Wire.bytes(5, Wire.text(1, "message")),
            Wire.bytes(6, Wire.text(1, "k") + Wire.bytes(2, Wire.number(3, 5))), Wire.fixed32(8, 1),
            Wire.bytes(9, (1...16)) + Wire.bytes(10, (1...8)),
        ]
        let chosen = optional.enumerated().filter { choice & 1 << $0.offset != 0 }.flatMap(\.element)
        let time = Wire.fixed64(choice % 2 == 0 ? 1 : 11, 1_800_000_000_000_000_000)
        return choice % 3 == 0 ? time + chosen : chosen + time
    }

    /// Name, description, unit, and a gauge, sum or histogram with one point.
    private static let metrics: [[UInt8]] = [5, 7, 9].flatMap { (kind: Int) -> [[UInt8]] in
        ["http.requests", "sixteen.letters!", "m"].flatMap { (name: String) -> [[UInt8]] in
            ["how many there were", "", "8letters"].map { (description: String) -> [UInt8] in
                let point = Wire.fixed64(3, 1_800_000_000_000_000_000) + Wire.fixed64(6, 42)
                return Wire.text(1, name) + (description.isEmpty ? [] : Wire.text(2, description)) + Wire.text(3, "1")
                    + Wire.bytes(kind, Wire.bytes(1, point))
            }
        }
    }

    @Test(
        "Rejects records of another signal",
        arguments: [
            ("/v1/logs", spans, "spans"), ("/v1/traces", logs, "log records"), ("/v1/logs", metrics, "metrics"),
        ])
    func refusesOtherSignals(path: String, records: [[UInt8]], words: String) async throws {
        for record in records {
            let response = await post(path, Wire.request([record]))
            #expect(response.status == 400)
            #expect(try message(response).contains("but \(words == "metrics" ? "something else" : words)"), "\(record)")
        }
        #expect(try await collector.rows().isEmpty)
    }

    /// Metrics whose name and description are no identifiers: each field would also fit a span.
    @Test("Metrics are never mistaken for spans") func metricsAreNoSpans() async throws {
        for record in Self.metrics {
            #expect(await post("/v1/traces", Wire.request([record])).status == 400, "\(record)")
        }
    }

    @Test("Never rejects records of the right signal") func acceptsOwnSignal() async throws {
        for record in Self.logs {
            let response = await post("/v1/logs", Wire.request([record]))
            #expect(response.status == 200 && response.bytes.isEmpty)
        }
        for record in Self.spans {
            let response = await post("/v1/traces", Wire.request([record]))
            #expect(response.status == 200 && response.bytes.isEmpty)
        }
        #expect(metrics.snapshot.stored == 128)
    }

    // MARK: Members that are not known

    @Test("Unknown JSON members are reported and the record is kept") func reportsUnknownJSON() async throws {
        let body = """
            {"resourceLogs":[{"resource":{"attributes":[],"color":"red","entityRefs":[]},"schemaUrl":"s","scopeLogs":[{
             "scope":{"name":"n","droppedAttributesCount":1},"logRecords":[{"body":{"stringValue":"kept","lang":"en"},
              "Attributes":[1],"flags":1,"name":"old","nothing":null},{"traceID":"67acfc2ea56f108fa4535fc28ba99705"}]}]}],
             "resourceSpans":[{}]}
            """
        let response = await postJSON("/v1/logs", body)
        let answer = try ExportResponse(json: response.bytes, .logs)
        #expect(response.status == 200 && answer.rejected == 0)
        let names = [
            "anyValue.lang", "logRecord.Attributes", "logRecord.traceID", "request.resourceSpans",
            "resource.color",
        ]
        #expect(metrics.unread.counts == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        for name in names { #expect(answer.message.contains(name)) }
        #expect(try await collector.rows().map(\.message) == ["kept", nil])
    }

    /// Some writers write every field; a default value means the same as absence.
    @Test("Unknown members with default values are not reported") func ignoresDefaultMembers() async throws {
        let defaults = #""keyStrindex":0,"new":"","isNew":false,"list":[],"count":"0","ratio":0.0,"none":null"#
        let value = #"{"stringValue":"v",\#(defaults)}"#
        let record = #"{"body":\#(value),"attributes":[{"key":"k","value":\#(value),\#(defaults)}],\#(defaults)}"#
        let body =
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(record)],\#(defaults)}],\#(defaults)}],\#(defaults)}"#
        #expect(await postJSON("/v1/logs", body).text == "{}")
        #expect(metrics.unread.isEmpty)
        for other in ["1", #""x""#, "true", "[0]", "{}"] {
            _ = await postJSON("/v1/logs", #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"new":\#(other)}]}]}]}"#)
        }
        #expect(metrics.unread.counts == ["logRecord.new": 5])
    }

    // MARK: Texts that are not UTF-8

    /// Latin-1, cut sequences, overlong ones, surrogates, beyond Unicode.
    private static let malformed: [[UInt8]] = [
        [0xFF], [0x61, 0xE9], [0xC3], [0xE5, 0x8D], [0xF0, 0x9F, 0xA5], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0x80], Array("eight123".utf8) + [0xE9],
    ]

    @Test("Invalid UTF-8 in Protobuf is repaired and reported") func repairsProtobufUTF8() async throws {
        let value = { (bytes: [UInt8]) in Wire.bytes(1, bytes) }
        let member = { (key: [UInt8], bytes: [UInt8]) in Wire.bytes(1, key) + Wire.bytes(2, value(bytes)) }
        let ok = Array("卵 ok".utf8)
        let list = { (bytes: [UInt8]) in Wire.bytes(5, Wire.bytes(1, value(bytes))) }
        let logs: [(String, ([UInt8]) -> [UInt8])] = [
            ("logRecord.severityText", { Wire.number(2, 9) + Wire.bytes(3, $0) }),
            ("logRecord.eventName", { Wire.bytes(12, $0) }),
            ("anyValue.stringValue", { Wire.bytes(5, value($0)) }),
            ("anyValue.stringValue", { Wire.bytes(5, list($0)) }),
            ("keyValue.key", { Wire.bytes(6, member($0, ok)) }),
            ("anyValue.stringValue", { Wire.bytes(6, member(ok, $0)) }),
        ]
        let spans: [(String, ([UInt8]) -> [UInt8])] = [
            ("span.name", { Wire.bytes(5, $0) }), ("span.traceState", { Wire.bytes(3, $0) }),
            ("status.message", { Wire.bytes(15, Wire.bytes(2, $0)) }),
            ("spanEvent.name", { Wire.bytes(11, Wire.bytes(2, $0)) }),
            ("anyValue.stringValue", { Wire.bytes(11, Wire.bytes(3, member(ok, $0))) }),
        ]
        // These tell a span from a log record.
        let identity =
            Wire.bytes(1, (1...16)) + Wire.bytes(2, (1...8)) + Wire.fixed64(7, 1_800_000_000_000_000_000)
            + Wire.fixed64(8, 1_800_000_000_100_000_000)
        for (path, places) in [("/v1/logs", logs), ("/v1/traces", spans)] {
            for (name, record) in places {
                for bytes in Self.malformed + [ok] {
                    let before = metrics.unread.counts["\(name) as UTF-8"] ?? 0
                    let response = await post(
                        path, Wire.request([(path == "/v1/logs" ? [] : identity) + record(bytes)]))
                    let isTold = bytes != ok
                    #expect(response.status == 200)
                    #expect(
                        metrics.unread.counts["\(name) as UTF-8"] ?? 0 == before + (isTold ? 1 : 0), "\(name) \(bytes)")
                    let message = try ExportResponse(protobuf: response.bytes).message
                    #expect(message == (isTold ? "not read: \(name) as UTF-8 (1)" : ""), "\(message)")
                }
            }
        }
        let shared = Wire.bytes(
            1, Wire.bytes(1, Wire.bytes(1, member(ok, [0xFF]))) + Wire.bytes(2, Wire.bytes(1, Wire.bytes(1, [0xC3]))))
        _ = await post("/v1/logs", shared)
        #expect(metrics.unread.counts["scope.name as UTF-8"] == 1)
        #expect(try await collector.rows().count == (logs.count + spans.count) * (Self.malformed.count + 1))
    }

    @Test("Invalid UTF-8 in JSON is repaired and reported") func reportsInvalidJSONUTF8() async throws {
        for bytes in Self.malformed {
            let start = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":""#
            let body = Array(start.utf8) + bytes + Array(#""}}]}]}]}"#.utf8)
            let response = await post("/v1/logs", body, type: "application/json")
            #expect(
                response.status == 200 && response.text.contains("not read: request as UTF-8 (1)"), "\(response.text)")
        }
        #expect(try await collector.rows().allSatisfy { $0.message?.contains("\u{FFFD}") == true })
    }

    /// Beside a number, the text is the sender's own name for it.
    @Test(
        "Reports a severity text without a meaning or number",
        arguments: [("loud", 0, 1), ("loud", 9, 0), ("Warning", 0, 0), ("", 0, 0), ("loud", 30, 1)])
    func reportsUnknownSeverity(text: String, number: Int, count: Int) async throws {
        let log = #"{"severityText":"\#(text)","severityNumber":\#(number)}"#
        _ = await postJSON("/v1/logs", #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(log)]}]}]}"#)
        _ = await post("/v1/logs", Wire.request([Wire.text(3, text) + Wire.number(2, UInt64(number))]))
        #expect(metrics.unread.counts["logRecord.severityText"] ?? 0 == 2 * count)
    }

    /// A log record's body and severity have the field numbers of a span's name and status.
    @Test(
        "Log records without a time are not mistaken for spans",
        arguments: [
            Wire.bytes(5, Wire.text(1, "message")), Wire.text(3, "INFO"),
            Wire.text(3, "INFO") + Wire.bytes(5, Wire.text(1, "message")),
        ]) func timelessLogsAreNoSpans(record: [UInt8]) async throws
    {
        let response = await post("/v1/traces", Wire.request([record]))
        #expect(response.status == 400)
        #expect(
            try message(response).contains("These are no spans, but something else, such as log records or metrics."))
        #expect(await post("/v1/logs", Wire.request([record])).status == 200)
        #expect(try await collector.rows().count == 1)
    }

    @Test("Reports numbers without a meaning in both encodings") func reportsUnknownNumbers() async throws {
        let log = #"{"severityNumber":30,"traceId":"odd"}"#
        _ = await postJSON("/v1/logs", #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(log)]}]}]}"#)
        _ = await post("/v1/logs", Wire.request([Wire.number(2, 30) + Wire.text(9, "odd")]))
        let span = #"{"kind":9,"status":{"code":7},"spanId":"odd"}"#
        _ = await postJSON("/v1/traces", #"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(span)]}]}]}"#)
        _ = await post(
            "/v1/traces", Wire.request([Wire.number(6, 9) + Wire.bytes(15, Wire.number(3, 7)) + Wire.text(2, "odd")]))
        let names = ["logRecord.severityNumber", "logRecord.traceId", "span.kind", "status.code", "span.spanId"]
        #expect(metrics.unread.counts == Dictionary(uniqueKeysWithValues: names.map { ($0, 2) }))
        let attributes = try await collector.rows().map(\.attributes)
        #expect(attributes.filter { $0 == #"{"otel.severity_number":30,"otel.trace_id":"odd"}"# }.count == 2)
        let kept = #"{"otel.span_kind":9,"otel.status_code":7,"otel.span_id":"odd"}"#
        #expect(attributes.filter { $0 == kept }.count == 2)
    }

    @Test("Reads the members that older SDKs send") func readsOlderSDKs() async throws {
        let log = #"{"logRecords":[{"body":{"stringValue":"old"}}],"instrumentationLibrary":{"name":"lib"}}"#
        let response = await postJSON("/v1/logs", #"{"resourceLogs":[{"instrumentationLibraryLogs":[\#(log)]}]}"#)
        #expect(response.text == "{}")
        let record = Wire.bytes(2, Wire.fixed64(1, 5) + Wire.bytes(5, Wire.text(1, "older")))
        let protobuf = Wire.bytes(1, Wire.bytes(1_000, Wire.bytes(1, Wire.text(1, "lib")) + record))
        #expect(await post("/v1/logs", protobuf).bytes.isEmpty)
        let rows = try await collector.rows()
        #expect(rows.map(\.message) == ["old", "older"] && rows.map(\.module) == ["lib", "lib"])
    }

    @Test("Reports a member given in both spellings") func reportsDuplicateMember() async throws {
        let body = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"event_name":"a","eventName":"b"}]}]}]}"#
        #expect(await postJSON("/v1/logs", body).text.contains("logRecord.event_name"))
        #expect(try await collector.rows().map(\.tag) == ["b"])
    }

    @Test("Unknown Protobuf fields are reported and the record is kept") func reportsUnknownFields() async throws {
        let value = Wire.text(1, "kept") + Wire.text(9, "x")
        let nested = Wire.bytes(5, Wire.bytes(1, Wire.text(1, "in") + Wire.number(12, 1)))
        let record =
            Wire.fixed64(1, 1_800_000_000_000_000_000) + Wire.bytes(5, value) + Wire.text(99, "new")
            + Wire.number(99, 1)
            + Wire.bytes(6, Wire.text(1, "list") + Wire.bytes(2, nested))
            + Wire.bytes(6, Wire.text(1, "k") + Wire.number(7, 1))
        let response = await post("/v1/logs", Wire.request([record]) + Wire.number(2, 1))
        let answer = try ExportResponse(protobuf: response.bytes)
        #expect(response.status == 200 && answer.rejected == 0 && answer.message.contains("logRecord.99 (2)"))
        #expect(
            metrics.unread.counts
                == ["logRecord.99": 2, "anyValue.9": 1, "anyValue": 1, "keyValue.7": 1, "request.2": 1])
        let rows = try await collector.rows()
        #expect(rows.map(\.message) == ["kept"] && rows[0].attributes == #"{"list":["in"],"k":null}"#)
    }

    /// Each field of a log record in each other wire type, with a time or a severity that identifies the record.
    @Test("Reports known fields of the wrong wire type", arguments: [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12])
    func reportsWrongFieldTypes(number: Int)
        async throws
    {
        let layouts = [
            ("varint", Wire.number(number, 7)), ("fixed64", Wire.fixed64(number, 7)),
            ("lengthDelimited", Wire.text(number, "2026-11-25T10:00:00Z")), ("fixed32", Wire.fixed32(number, 7)),
        ]
        let right = [1: "fixed64", 2: "varint", 7: "varint", 8: "fixed32", 11: "fixed64"][number] ?? "lengthDelimited"
        let own = number == 2 ? Wire.fixed64(11, 1_800_000_000_000_000_000) : Wire.number(2, 17)
        for (name, field) in layouts where name != right {
            let response = await post("/v1/logs", Wire.request([own + field + Wire.fixed32(8, 1)]))
            #expect(try ExportResponse(protobuf: response.bytes).message.contains("logRecord.\(number) as \(name)"))
        }
        #expect(try await collector.rows().count == 3)
    }

    @Test("Bounds the number of unknown fields") func boundsUnknownFields() async {
        let record = Wire.number(2, 9) + Array(String(repeating: "\u{78}\0", count: 2_000_001).utf8)
        let response = await post("/v1/logs", Wire.request([record]))
        #expect(response.status == 413)
    }

    @Test("Escapes and bounds foreign names in metric labels") func escapesMetricLabels() async {
        let names = #"{"a\"b":1,"c\\d":1,"e\nf":1,"g\u001b[31mh\u202ei":1,"\#(String(repeating: "n", count: 300))":1}"#
        _ = await postJSON("/v1/logs", #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(names)]}]}]}"#)
        for number in 0..<200 { _ = await postJSON("/v1/logs", #"{"resourceLogs":[{"x\#(number)":1}]}"#) }
        var text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        let lines = text.text.split(separator: "\n").filter { $0.hasPrefix("daybook_ingest_unread_total{") }
        for label in [
            #"logRecord.a\"b"#, #"logRecord.c\\d"#, #"logRecord.e\\u{a}f"#, #"logRecord.g\\u{1b}[31mh\\u{202e}i"#,
        ] {
            #expect(lines.contains { $0 == "daybook_ingest_unread_total{member=\"\(label)\"} 1" }, "\(label)")
        }
        #expect(lines.count == Unread.most + 1 && lines.allSatisfy { $0.utf8.count < 200 })
    }

    @Test("A rejected request counts nothing as unread") func refusalCountsNothing() async {
        _ = await postJSON("/v1/logs", #"{"resourceLogs":[{"x":1,"scopeLogs":7}]}"#)
        #expect(metrics.unread.isEmpty)
    }
}
