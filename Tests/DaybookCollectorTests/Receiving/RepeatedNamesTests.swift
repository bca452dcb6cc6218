import Daybook
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import Testing

@testable import DaybookCollector

/// The last value of a duplicate name wins, and every receiver reports it.
@Suite struct RepeatedNamesTests {
    private func unread(_ signal: OTLPSignal, json: String) throws -> [String: Int] {
        var unread = Unread()
        _ = try OTLPRequest.batches(ofJSON: Array(json.utf8), signal, now: 1, unread: &unread)
        return unread.counts
    }

    private static func pair(_ key: String, _ value: String) -> String {
        #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
    }

    /// Every place that has attributes, for names with and without a column.
    @Test(
        "Reports duplicate attributes wherever they occur",
        arguments: ["a", "session.id", "log.record.uid", "exception.type", "code.file.path"])
    func reportsRepeatedAttributes(key: String) throws {
        let twice = #""attributes":[\#(Self.pair(key, "1")),\#(Self.pair("b", "0")),\#(Self.pair(key, "2"))]"#
        let list = #"{"kvlistValue":{"values":[\#(Self.pair(key, "1")),\#(Self.pair(key, "2"))]}}"#
        let told = ["\(key) given twice": 1]
        for logs in [
            #"{"resource":{\#(twice)},"scopeLogs":[{"logRecords":[{}]}]}"#,
            #"{"scopeLogs":[{"scope":{\#(twice)},"logRecords":[{}]}]}"#,
            #"{"scopeLogs":[{"logRecords":[{\#(twice)}]}]}"#,
            #"{"scopeLogs":[{"logRecords":[{"body":\#(list)}]}]}"#,
            #"{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"c","value":\#(list)}]}]}]}"#,
        ] {
            #expect(try unread(.logs, json: #"{"resourceLogs":[\#(logs)]}"#) == told, "\(logs)")
        }
        for span in [twice, #""events":[{\#(twice)}]"#, #""links":[{\#(twice)}]"#] {
            let json = #"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(span)}]}]}]}"#
            #expect(try unread(.traces, json: json) == told, "\(span)")
        }
        var protobuf = Unread()
        func attribute(_ value: String) -> [UInt8] { Wire.text(1, key) + Wire.bytes(2, Wire.text(1, value)) }
        let record = Wire.fixed64(1, 1_800_000_000_000_000_000) + ["1", "2"].flatMap { Wire.bytes(6, attribute($0)) }
        let rows = try OTLPRequest.batches(ofProtobuf: Wire.request([record]), .logs, now: 1, unread: &protobuf)[0].rows
        #expect(protobuf.counts == told)
        if key == "a" { #expect(rows[0].attributes == #"{"a":"2"}"#) }
    }

    @Test("The last of duplicate resource attributes wins") func lastContextValueWins() throws {
        let json = """
            {"resourceLogs":[{"resource":{"attributes":[\(Self.pair("service.name", "a")),\(Self.pair("service.name", "b"))]},
            "scopeLogs":[{"logRecords":[{}]}]}]}
            """
        let row = try OTLPRequest.batches(ofJSON: Array(json.utf8), .logs, now: 1)[0].rows[0]
        #expect(row.context == #"{"service.name":"b"}"#)
    }

    /// Members stored under an attribute's name replace the attribute of that name.
    @Test("Reports an attribute that a member replaces") func reportsReplacedAttribute() throws {
        let span = #"{"attributes":[\#(Self.pair("otel.status_code", "OK"))],"status":{"code":2}}"#
        #expect(
            try unread(.traces, json: #"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(span)]}]}]}"#)
                == ["otel.status_code given twice": 1])
    }

    @Test("Reports duplicate names in rule requests") func reportsRepeatedNames() async throws {
        let rules = #"""
            {"rules": [
              {"method": "GET", "path": "/t/*", "event": "t.{path.last}"},
              {"path": "/j", "event": "{body.name}", "attributes": ["body.p"]},
              {"path": "/f", "event": "{body.name}"},
              {"path": "/track", "json": ["body.data"], "each": "body.data", "event": "{item.event}",
               "attributes": ["item.p"]},
              {"path": "/entries", "each": "body", "json": ["item.d"], "event": "e.x", "attributes": ["item.d"]}
            ]}
            """#
        let collector = try Collector(requests: TeamRequests(RequestRules(json: rules)))
        func message(_ path: String, _ body: String, query: [(name: String, value: String)] = []) async -> String {
            let head = HTTPRequest.Head(
                method: body.isEmpty ? "GET" : "POST", path: "/v1/requests" + path, query: query, headers: [:])
            return await collector.ingest.respond(to: HTTPRequest(head: head, body: Array(body.utf8))).text
        }
        let query = [("tag", "a"), ("tag", "b"), ("ids[]", "1"), ("ids[]", "2")].map { (name: $0.0, value: $0.1) }
        let answers = [
            (await message("/t/x", "", query: query), "tag given twice (1)"),
            (await message("/t/x", "", query: query), "ids[] given twice (1)"),
            (
                await message("/j", #"{"name":"x","name":"y","p":{"a":1,"a":2}}"#),
                "a given twice (1), name given twice (1)"
            ),
            (await message("/f", "name=x&name=y"), "name given twice (1)"),
            (await message("/track", #"data=[{"event":"a"}]&data=[{"event":"b"}]"#), "data given twice (1)"),
            (await message("/track", #"data=[{"event":"a","p":{"n":1,"n":2}}]"#), "n given twice (1)"),
            (await message("/entries", #"[{"d":"{\"n\":1,\"n\":2}"}]"#), "n given twice (1)"),
        ]
        for (answer, words) in answers {
            #expect(
                answer.contains(#""stored":1"#) && answer.contains("not read: ") && answer.contains(words), "\(answer)")
        }
    }
}
