import Daybook
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import Foundation
import Testing

@testable import DaybookCollector

/// Bodies that no honest client sends get a status of the specification in bounded time.
@Suite(.timeLimit(.minutes(5))) struct HostileBodyTests {
    private let collector: Collector

    init() throws { collector = try Collector() }

    /// Posts a body in every format and returns the statuses.
    private func statuses(_ body: [UInt8], encoding: String? = nil) async -> Set<Int> {
        var statuses: Set<Int> = []
        for (path, type) in [
            ("/v1/logs", "application/json"), ("/v1/traces", "application/json"),
            ("/v1/logs", "application/x-protobuf"), ("/v1/traces", "application/x-protobuf"),
            ("/v1/events", "application/x-ndjson"),
        ] { statuses.insert(await collector.post(path, body, type: type, encoding: encoding).status) }
        return statuses
    }

    private func gzip(_ text: [UInt8]) throws -> [UInt8] { try #require(Gzip.compress(text)) }

    @Test("A compression bomb is answered with 413") func compressionBombIs413() async throws {
        // 64 MiB in less than half a MiB. The limit is 16 MiB.
        let bomb = try gzip([UInt8](repeating: 0x20, count: 64 << 20))
        #expect(bomb.count < 512 << 10)
        #expect(await statuses(bomb, encoding: "gzip") == [413])
    }

    @Test("Context shared by many records does not multiply their size") func boundsSharedContext() async throws {
        let long = String(repeating: "x", count: 16 << 10)
        var request = ExportLogsRequest(resources: [
            ResourceLogs(
                resource: ["a": .string(long)],
                scopes: [ScopeLogs(records: .init(repeating: LogRecord(), count: 1_500))])
        ])
        let before = try #require(await collector.store.diskUse()).files
        let shared = await collector.post("/v1/logs", request.protobuf(), type: "application/x-protobuf")
        #expect(try #require(await collector.store.diskUse()).files - before < 4 << 20)
        // A scope's name is repeated in each of its rows.
        request.resources[0].resource = [:]
        request.resources[0].scopes[0].scope.name = long
        let named = await collector.post("/v1/logs", request.protobuf(), type: "application/x-protobuf")
        // Each record has a context of its own.
        request.resources[0].resource = ["a": .string(long)]
        request.resources[0].scopes[0].scope = Sender.scope(after: 0, through: 1_500, contextKeys: ["screen"])
        request.resources[0].scopes[0].records = (1...1_500).map { Sender.record($0, ["screen": .int($0)]) }
        let different = await collector.post("/v1/logs", request.json(), type: "application/json")
        #expect([shared, named, different].map(\.status) == [200, 413, 413])
        #expect(try await collector.store.head() == 1_500)
        // A sender that keeps halving loses nothing.
        request.resources[0].scopes[0].records = [Sender.record(1, ["screen": 1])]
        #expect(await collector.post("/v1/logs", request.json(), type: "application/json").status == 200)
    }

    @Test("Inflates exactly up to the limit and no further") func inflationLimitIsExact() async throws {
        let space = [UInt8](repeating: 0x20, count: BodyLimits().inflated)
        let most = await collector.post("/v1/events", try gzip(space), type: "application/x-ndjson", encoding: "gzip")
        #expect(most.status == 200)
        let over = await collector.post(
            "/v1/events", try gzip(space + [0x20]), type: "application/x-ndjson", encoding: "gzip")
        #expect(over.status == 413)
    }

    @Test("Empty lines count toward the line limit") func emptyLinesCount() async throws {
        for line in ["\n", "\r\n", " \n", "\u{FEFF}\n"] {
            for (count, status) in [(EventLines.maximumLines, 200), (EventLines.maximumLines + 1, 413)] {
                let lines = try gzip(Array(String(repeating: line, count: count).utf8))
                let answer = await collector.post(
                    "/v1/events", lines, type: "application/x-ndjson", encoding: "gzip")
                #expect(answer.status == status && (status == 200 || answer.text.contains("empty ones included")))
            }
        }
        #expect(try await collector.rows().isEmpty)
    }

    /// Two bytes with no content: a request has no more of them than an honest one of its size has elements.
    @Test("Empty Protobuf messages are bounded by the request's size") func boundsEmptyMessages() async throws {
        func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
            [UInt8(number << 3 | 2)] + varint(bytes.count) + bytes
        }
        let size = 128 << 10
        for path in [
            [1], [1, 2], [1, 2, 2], [1, 1, 1], [1, 1, 3], [1, 2, 1, 3], [1, 2, 2, 6], [1, 2, 2, 9], [1, 2, 2, 11],
            [1, 2, 2, 13], [1, 2, 2, 5, 5, 1], [1, 2, 2, 5, 6, 1],
        ] {
            let part = field(path[path.count - 1], [])
            var body = Array(repeatElement(part, count: size / 2).joined())
            for number in path.dropLast().reversed() { body = field(number, body) }
            let signal = path.starts(with: [1, 2, 2]) && [9, 11, 13].contains(path.last) ? "traces" : "logs"
            let answer = await collector.post("/v1/\(signal)", body, type: "application/x-protobuf")
            #expect(answer.status == 413, "\(path)")
        }
        #expect(try await collector.rows().isEmpty)
    }

    @Test("Damaged compressed data is answered with 400") func damagedCompressionIs400() async throws {
        let whole = try gzip(Array("{\"resourceLogs\":[]}".utf8))
        var flipped = whole
        flipped[whole.count - 6] ^= 0xFF
        for body in [[], [0x1F], [0x1F, 0x8B], Array(whole.dropLast()), flipped, Array(whole.dropFirst()), [1, 2, 3]] {
            #expect(await collector.post("/v1/logs", body, type: "application/json", encoding: "gzip").status == 400)
        }
    }

    @Test("Rejects deeply nested JSON", arguments: [65, 1_000, 100_000]) func refusesDeepJSON(depth: Int) async throws {
        let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        for text in [
            arrays, objects, "{\"resourceLogs\":\(arrays)}", "{\"unknown\":\(objects)}",
            "{\"tag\":\"a.b\",\"attributes\":{\"deep\":\(arrays)}}",
        ] {
            for path in ["/v1/logs", "/v1/traces", "/v1/events"] {
                let type = path == "/v1/events" ? "application/x-ndjson" : "application/json"
                let status = await collector.post(path, Array(text.utf8), type: type).status
                #expect(status == 400 || status == 413, "\(path) \(text.prefix(40))")
            }
        }
        #expect(try await collector.rows().isEmpty)
    }

    @Test("Rejects deeply nested Protobuf") func refusesDeepProtobuf() async {
        // AnyValue { array { values { array … } } }: each level wraps the inner one with its true length.
        var value: [UInt8] = [0x10, 0x01]
        for _ in 0..<10_000 {
            value = [0x0A] + varint(value.count) + value
            value = [0x2A] + varint(value.count) + value
        }
        let record: [UInt8] = [0x2A] + varint(value.count) + value
        let scope: [UInt8] = [0x12] + varint(record.count) + record
        let resource: [UInt8] = [0x12] + varint(scope.count) + scope
        let request: [UInt8] = [0x0A] + varint(resource.count) + resource
        let status = await collector.post("/v1/logs", request, type: "application/x-protobuf").status
        #expect(status == 400 || status == 413)
    }

    /// What a JSON parser must reject: our own list, from the edge cases of RFC 8259.
    static let refused = [
        "", " ", "nul", "NULL", "True", "+1", "-", "01", "-01", "1.", ".5", "1e", "1e+", "0x10", "1_000", "NaN",
        "Infinity", "-Infinity", "'a'", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\u{1}\"", "\"\n\"",
        "[",
        "]", "[1", "[1,", "[,1]", "[1,,2]", "[1,]", "[1 2]", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}",
        "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\"::1}", "{,}", "{\"a\":1,,\"b\":2}", "1 2", "{} {}", "[]]", "{}x",
        "\u{FEFF}\u{FEFF}{}", " \u{FEFF}{}",
        "// a\n{}", "{}/**/", "\u{A0}{}", "\u{0}", "{\"a\":1e999}", "{\"a\":-1e999}", "tru", "fals", "[true1]", "\"a",
    ]

    @Test("Invalid JSON is answered with 400", arguments: refused) func invalidJSONIs400(text: String) async throws {
        #expect(await collector.post("/v1/logs", Array(text.utf8), type: "application/json").status == 400)
        // As an attribute's value it is just as invalid, at any position.
        let line = "{\"tag\":\"a.b\",\"attributes\":{\"x\":\(text)}}"
        if !["", " "].contains(text), !text.contains("\n") {
            #expect(await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson").status == 400)
        }
        #expect(try await collector.rows().isEmpty)
    }

    /// Attribute values that a JSON parser must accept, and what is read back.
    @Test(
        "Valid JSON values are stored as sent",
        arguments: [
            ("0", "0"), ("-0", "0"), ("-1", "-1"), ("1E2", "100.0"), ("1e-2", "0.01"),
            ("9223372036854775807", "9223372036854775807"),
            ("18446744073709551615", "\"18446744073709551615\""), ("\"\\u00e9\\n\\/\"", "\"é\\n/\""),
            ("\"\\ud83d\\ude00\"", "\"😀\""), ("\"\\ud83d\"", "\"\u{FFFD}\""), ("[]", "[]"), ("{}", "{}"),
            ("[1, [2, {\"a\": null}]]", "[1,[2,{\"a\":null}]]"), ("\" \t \"".replacing("\t", with: "\\t"), "\" \\t \""),
            ("{\"a\":1,\"a\":2}", "{\"a\":2}"), ("\"\\u0000\"", "\"\u{FFFD}\""),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ]) func keepsValidJSON(text: String, kept: String) async throws
    {
        let line = " {\"tag\" :\t\"a.b\", \"attributes\": {\"x\": \(text)} }\r"
        #expect(await collector.post("/v1/events", Array(line.utf8), type: "application/x-ndjson").status == 200)
        let rows = try await collector.rows()
        #expect(rows.map(\.attributes) == ["{\"x\":\(kept)}"])
    }

    @Test("Invalid UTF-8 is never stored unchanged") func neverStoresInvalidUTF8() async throws {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] {
            let body = Array("{\"tag\":\"a.b\",\"message\":\"".utf8) + bytes + Array("\"}".utf8)
            let status = await collector.post("/v1/events", body, type: "application/x-ndjson").status
            #expect(status == 200 || status == 400)
        }
        for row in try await collector.rows() { #expect(row.message?.contains("\u{FFFD}") == true) }
    }

    private func varint(_ number: Int) -> [UInt8] {
        var rest = UInt64(number)
        var bytes: [UInt8] = []
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
