import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookCollector

/// Texts that take minutes to compare and hash, in every text of a request: none reaches a record or response
/// unchanged, and the sender is told.
@Suite(.timeLimit(.minutes(5))) struct TextFromOutsideTests {
    private static let rules = #"""
        {"rules": [{"path": "/track", "each": "body.events", "event": "{item.name}", "attributes": ["query", "item"]},
                   {"path": "/form", "event": "form", "attributes": ["body"]}]}
        """#
    /// Marks of several classes, and one that decomposes into marks.
    private static let rows = ["\u{316}\u{301}", "\u{301}", "\u{F73}", "\u{327}\u{1D165}\u{309A}"].map {
        String(repeating: $0, count: TestLength.trials(200, long: 2_000))
    }
    private let collector: Collector

    init() throws { collector = try Collector(requests: TeamRequests(RequestRules(json: Self.rules))) }

    private func isSafe(_ text: String?) -> Bool {
        guard let text else { return true }
        return text.utf8.elementsEqual(text.streamSafe.utf8)
    }

    /// Whether all texts of a row are bounded.
    private func isSafe(_ row: RecordRow) -> Bool {
        [
            row.uid, row.tag, row.message, row.module, row.attributes, row.context, row.session, row.installation,
            row.file, row.function,
        ].allSatisfy { isSafe($0) }
    }

    private func post(_ path: String, _ body: [UInt8], type: String) async throws {
        let answer = await collector.post(path, body, type: type)
        #expect(isSafe(answer.text), "\(path)")
        if answer.status == 200 {
            #expect(answer.text.contains("with over 30 marks in a row"), "\(path) \(answer.text.prefix(300))")
        }
    }

    // MARK: Marks

    @Test("Bounds combining sequences in every member of a line", arguments: rows) func boundsLineTexts(row: String)
        async throws
    {
        let escaped = row.utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
        for text in [row, escaped] {
            for member in RecordMembers.names.sorted() + ["nobody", "a" + text] {
                let line =
                    switch member {
                    case "tag": "{\"tag\":\"a\(text)\"}"
                    case "attributes", "context":
                        "{\"tag\":\"a\",\"\(member)\":{\"a\(text)\":[\"b\(text)\",{\"c\(text)\":null}]}}"
                    default: "{\"tag\":\"a\",\"\(member)\":\"a\(text)\"}"
                    }
                try await post("/v1/events", Array(line.utf8), type: "application/x-ndjson")
            }
        }
        let rows = try await collector.rows()
        #expect(rows.count >= 20 && rows.allSatisfy(isSafe))
    }

    @Test("Bounds combining sequences in OpenTelemetry requests", arguments: rows) func boundsOTLPTexts(row: String)
        async throws
    {
        let text = "a" + row
        let values: [Value] = [.string(text), .array([.string(text)]), .object(Attributes([(text, .string(text))]))]
        var logs: [ExportLogsRequest] = []
        func add(_ scope: InstrumentationScope = .init(), _ resource: Attributes = [:], _ record: LogRecord = .init()) {
            logs.append(.init(resources: [.init(resource: resource, scopes: [.init(scope: scope, records: [record])])]))
        }
        add(InstrumentationScope(name: text))
        add(InstrumentationScope(version: text))
        for key in ["daybook.stream", "daybook.output", "daybook.dropped.x", "own"] {
            add(InstrumentationScope(attributes: Attributes([(key, .string(text))])))
        }
        add(.init(), ["app.installation.id": .string(text)])
        let names = [
            WireName.tag, WireName.kind, WireName.module, WireName.session, WireName.file, WireName.function,
        ].map { "\($0)" }
        for value in values {
            for key in names + [WireName.uid, WireName.olderEventName, "exception.type", text] {
                var record = LogRecord()
                record.attributes = Attributes([(key, value)])
                add(.init(), [:], record)
                add(.init(), Attributes([(key, value)]))
            }
            var record = LogRecord()
            record.body = value
            add(.init(), [:], record)
        }
        var record = LogRecord()
        (record.eventName, record.severityText) = (text, text)
        add(.init(), [:], record)
        for request in logs {
            try await post("/v1/logs", request.protobuf(), type: "application/x-protobuf")
            try await post("/v1/logs", request.json(), type: "application/json")
        }
        var span = Span()
        (span.name, span.statusMessage, span.traceState) = (text, text, text)
        span.attributes = Attributes([(text, values[2])])
        var event = WireSpan.Event()
        (event.name, event.attributes) = (text, span.attributes)
        span.events = [event]
        let traces = ExportTraceRequest(resources: [.init(scopes: [.init(spans: [span])])])
        try await post("/v1/traces", traces.protobuf(), type: "application/x-protobuf")
        try await post("/v1/traces", traces.json(), type: "application/json")
        let rows = try await collector.rows()
        #expect(rows.count == 2 * logs.count + 2 && rows.allSatisfy(isSafe))
    }

    @Test("Bounds combining sequences in requests read by rules", arguments: rows) func boundsRuleTexts(row: String)
        async throws
    {
        let json = "{\"events\":[{\"name\":\"a\(row)\",\"b\(row)\":[\"c\(row)\"]}]}"
        let answers = [
            await send("/track", [(name: "q\(row)", value: "v\(row)")], Array(json.utf8)),
            await send("/form", [], Array("a\(row)=b\(row)".utf8)),
            await send("/a\(row)", [], []),
        ]
        #expect(answers.map(\.status) == [200, 200, 404])
        #expect(answers.allSatisfy { isSafe($0.text) })
        #expect(answers[0].text.contains("body with over 30 marks") && answers[0].text.contains("query with over 30"))
        #expect(answers[1].text.contains("body with over 30 marks"))
        #expect(try await collector.rows().allSatisfy(isSafe))
    }

    private func send(
        _ path: String, _ query: [(name: String, value: String)], _ body: [UInt8]
    ) async -> HTTPResponse {
        let head = HTTPRequest.Head(
            method: "POST", path: ("/v1/requests" + path).streamSafe, query: query, headers: [:])
        if case .refuse(let response) = collector.ingest.admit(head) { return response }
        return await collector.ingest.respond(to: HTTPRequest(head: head, body: body))
    }

    // MARK: What else is not kept as it came

    @Test(
        "Reports lone surrogates and NULs in texts",
        arguments: [
            ("x\\ud83d", "with half of a surrogate pair"), ("\\udc00x", "with half of a surrogate pair"),
            ("\\u0000", "with NUL"), ("a\\u0000\\u0000b", "with NUL"),
        ])
    func reportsSurrogatesAndNULs(text: String, words: String) async throws {
        for line in [#"{"tag":"a","message":"\#(text)"}"#, #"{"tag":"a","attributes":{"\#(text)":1}}"#] {
            let answer = await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson")
            #expect(answer.status == 200 && answer.text.contains("a text \(words) (1)"), "\(answer.text)")
        }
        let record = #"{"body":{"stringValue":"\#(text)"},"attributes":[{"key":"\#(text)","value":{"intValue":1}}]}"#
        let request = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(record)]}]}]}"#
        let answer = await collector.post("/v1/logs", Array(request.utf8), type: "application/json")
        #expect(answer.status == 200 && answer.text.contains("request \(words) (1)"), "\(answer.text)")
    }

    @Test("Reports NULs in Protobuf texts by field") func reportsProtobufNULs() async throws {
        var record = LogRecord()
        (record.body, record.eventName) = (.string("a\0"), "\0")
        let request = ExportLogsRequest(resources: [.init(scopes: [.init(records: [record])])])
        let answer = await collector.post("/v1/logs", request.protobuf(), type: "application/x-protobuf")
        let text = try ExportResponse(protobuf: answer.bytes).message
        #expect(text.contains("anyValue.stringValue with NUL (1)") && text.contains("logRecord.eventName with NUL (1)"))
    }

    /// A name can be a single character of any length, or empty.
    @Test("Reports unread names of any length, even empty ones") func reportsAnyUnreadName() async {
        let names = [
            "", "a" + String(repeating: "\u{301}", count: 300), String(repeating: "\u{1F468}\u{200D}", count: 90),
        ]
        for name in names {
            let line = #"{"tag":"a","\#(name)":1}"#
            let answer = await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson")
            #expect(answer.text.contains("not read: ") && !answer.text.contains("not read:  ("), "\(answer.text)")
            if name.isEmpty { #expect(answer.text.contains(#"not read: \"\" (1"#), "\(answer.text)") }
        }
    }

    @Test(
        "Reserved attributes with invalid values are kept and reported",
        arguments: [
            ("daybook.kind", Value.string("RUN")), ("daybook.kind", "event "), ("daybook.kind", .int(1)),
            ("daybook.tag", .int(1)), ("daybook.tag", .array([])),
            ("daybook.severity", .int(25)), ("daybook.severity", "error"), ("daybook.module", .bool(true)),
            ("daybook.private", "mail"), ("daybook.private", .int(1)), ("daybook.private", .bool(true)),
            ("daybook.private.common", "mail"),
        ] as [(String, Value)])
    func keepsUnknownOwnValues(name: String, value: Value) async throws {
        var record = LogRecord()
        record.attributes = Attributes([(name, value)])
        let request = ExportLogsRequest(resources: [.init(scopes: [.init(records: [record])])])
        let answer = await collector.post("/v1/logs", request.json(), type: "application/json")
        #expect(answer.text.contains("\(name) without a meaning (1)"), "\(answer.text)")
        #expect(try await collector.rows().allSatisfy { $0.attributes.contains(name) })
    }

    @Test(
        "Reports invalid reserved attributes of a scope",
        arguments: [
            ("daybook.dropped.disk_limit", Value.int(-1)), ("daybook.dropped.disk_limit", "1"),
            ("daybook.dropped.Disk Limit", .int(1)), ("daybook.dropped.", .int(1)), ("daybook.nothing", .int(1)),
            ("daybook.output", .int(1)), ("daybook.proof", "abc"), ("daybook.context.keys", "a"),
            ("daybook.context.keys", .array(["a", .int(1)])),
        ] as [(String, Value)])
    func reportsBadScopeValues(name: String, value: Value) async throws {
        var request = Sender.logs(after: 0, through: 1, [1])
        request.resources[0].scopes[0].scope.attributes[name] = value
        let answer = await collector.post("/v1/logs", request.json(), type: "application/json")
        #expect(answer.text.contains("scope.\(name) (1)"), "\(answer.text)")
    }

    @Test("Reports invalid stream attributes and excess loss reasons") func reportsBadStreams() async throws {
        for name in ["daybook.stream", "daybook.interval.after", "daybook.interval.through"] {
            var request = Sender.logs(after: 0, through: 1, [1])
            request.resources[0].scopes[0].scope.attributes[name] = .int(-1)
            let answer = await collector.post("/v1/logs", request.json(), type: "application/json")
            #expect(answer.text.contains("scope.\(name) (1)"), "\(answer.text)")
        }
        var request = Sender.logs(after: 0, through: 1, [1])
        let honest = await collector.post("/v1/logs", request.json(), type: "application/json")
        #expect(honest.text == "{}")
        for number in 0..<40 { request.resources[0].scopes[0].scope.attributes["daybook.dropped.r\(number)"] = 1 }
        let answer = await collector.post("/v1/logs", request.json(), type: "application/json")
        #expect(answer.text.contains("scope.daybook.dropped.r39 (1)"), "\(answer.text)")
    }

    // MARK: Numbers

    @Test(
        "Clamps times that a row cannot hold",
        arguments: [
            (UInt64(1) << 63 - 1, Int64.max), (1 << 63, .max), (1 << 63 + 1, .max), (UInt64.max, .max),
            (9_223_372_036_854_775_000, 9_223_372_036_854_775_000), (0, 4_200), (1, 1),
        ] as [(UInt64, Int64)])
    func clampsTimes(given: UInt64, stored: Int64) async throws {
        var record = LogRecord()
        record.time = given
        var span = Span()
        (span.start, span.end) = (given, given)
        let logs = ExportLogsRequest(resources: [.init(scopes: [.init(records: [record])])])
        let traces = ExportTraceRequest(resources: [.init(scopes: [.init(spans: [span])])])
        for (path, protobuf, json) in [
            ("/v1/logs", logs.protobuf(), logs.json()), ("/v1/traces", traces.protobuf(), traces.json()),
        ] {
            #expect(await collector.post(path, protobuf, type: "application/x-protobuf").status == 200)
            #expect(await collector.post(path, json, type: "application/json").status == 200)
        }
        #expect(try await collector.rows().map(\.time) == [stored, stored, stored, stored])
    }

    @Test(
        "Clamps JSON times that a row cannot hold",
        arguments: ["9223372036854775808", "18446744073709551615", "18446744073709551616", "1e19"])
    func clampsJSONTimes(number: String) async throws {
        for time in [number, "\"\(number)\""] {
            let record = #"{"timeUnixNano":\#(time)}"#
            let request = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(record)]}]}]}"#
            #expect(await collector.post("/v1/logs", Array(request.utf8), type: "application/json").status == 200)
            let line = #"{"tag":"a","time":\#(time)}"#
            #expect(await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson").status == 200)
        }
        #expect(try await collector.rows().map(\.time) == [.max, .max, .max, .max])
    }

    @Test("Reports numbers that do not fit their field") func reportsOverflow() async throws {
        let line = #"{"tag":"a","seq":9223372036854775808}"#
        let answer = await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson")
        #expect(answer.text.contains("seq beyond 63 bits (1)"))
        for number in ["4294967296", "\"18446744073709551615\""] {
            let record = #"{"droppedAttributesCount":\#(number)}"#
            let request = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(record)]}]}]}"#
            let answer = await collector.post("/v1/logs", Array(request.utf8), type: "application/json")
            #expect(answer.text.contains("logRecord.droppedAttributesCount beyond 32 bits (1)"), "\(answer.text)")
        }
    }
}
