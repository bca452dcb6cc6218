import Daybook
import DaybookBase
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTools
import Testing

@Suite struct IdentifierTests {
    private static let trace = "67acfc2ea56f108fa4535fc28ba99705"
    private static let span = "80c1200c94be1178"

    /// Ways to write the digits, and ways that are meaningless.
    static let spellings: [(name: String, write: @Sendable (String) -> String)] = [
        ("hexadecimal", { $0 }), ("upper case", { $0.uppercased() }), ("0x", { "0x" + $0 }),
        ("dashes", { String($0.enumerated().flatMap { $0.0 % 4 == 0 && $0.0 > 0 ? ["-", $0.1] : [$0.1] }) }),
        ("braces", { "{\($0)}" }), ("base64 of the bytes", { Base64.encode(Hex.bytes($0) ?? []) }),
        ("without padding", { Base64.encode(Hex.bytes($0) ?? []).replacing("=", with: "") }),
        ("base64url", { Base64.encode(Hex.bytes($0) ?? []).replacing("+", with: "-").replacing("/", with: "_") }),
        ("base64 of the digits", { Base64.encode(Array($0.utf8)) }),
        ("base64 of upper-case digits", { Base64.encode(Array($0.uppercased().utf8)) }),
        ("urn:uuid", { "urn:uuid:" + $0 }), ("a space behind", { $0 + " " }),
    ]

    @Test("Reads every spelling of a trace identifier", arguments: spellings.map(\.name)) func readsEveryIDSpelling(
        name: String
    ) throws {
        let write = try #require(Self.spellings.first { $0.name == name }?.write)
        var unread = Unread()
        // The base64 alphabets differ in the digits of 0xFB and 0xFF.
        for (trace, span) in [(Self.trace, Self.span), ("fbfffefbfffefbfffefbfffefbfffe01", "fbfffefbfffefb02")] {
            let log = #"{"traceId":"\#(write(trace))","spanId":"\#(write(span))"}"#
            let rows = try OTLPRequest.batches(
                ofJSON: Array(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(log)]}]}]}"#.utf8), .logs, now: 1,
                unread: &unread)[0].rows
            #expect(rows[0].traceID == trace && rows[0].spanID == span && rows[0].attributes == "{}")
            let link = #"{"traceId":"\#(write(trace))","spanId":"\#(write(span))"}"#
            let json = #"{"parentSpanId":"\#(write(span))","links":[\#(link)]}"#
            let spans = try OTLPRequest.batches(
                ofJSON: Array(#"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(json)]}]}]}"#.utf8), .traces, now: 1,
                unread: &unread)[0].rows
            #expect(spans[0].parentSpanID == span)
            #expect(
                spans[0].attributes
                    == #"{"otel.links":[{"trace_id":"\#(trace)","span_id":"\#(span)","attributes":{}}]}"#)
        }
        #expect(unread.isEmpty)
    }

    @Test(
        "Keeps an invalid identifier as text and counts it",
        arguments: [
            "5b8e", "zz8efff798038103d269b633813fc60c", "67acfc2ea56f108fa4535fc28ba9970567", "80c1200c94be117",
            "abcdef0123456789abcdef", "abcdef01234", "12345678901234567890", "not an id", "AAAA", "日本",
        ])
    func keepsInvalidIDs(text: String) throws {
        var unread = Unread()
        let json =
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"\#(text)","body":{"stringValue":"b"}}]}]}]}"#
        let row = try OTLPRequest.batches(ofJSON: Array(json.utf8), .logs, now: 1, unread: &unread)[0].rows[0]
        #expect(row.traceID == nil && row.message == "b" && row.attributes == #"{"otel.trace_id":"\#(text)"}"#)
        #expect(unread.counts == ["logRecord.traceId": 1])
    }

    @Test(
        "Ignores empty and zero identifiers without a report",
        arguments: [
            "", "00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000", "AAAAAAAAAAAAAAAAAAAAAA==",
        ])
    func ignoresZeroIDs(text: String) throws {
        var unread = Unread()
        let json = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"\#(text)"}]}]}]}"#
        let row = try OTLPRequest.batches(ofJSON: Array(json.utf8), .logs, now: 1, unread: &unread)[0].rows[0]
        #expect(row.traceID == nil && row.attributes == "{}" && unread.isEmpty)
    }

    @Test("Reads 64-bit trace identifiers and `traceparent` values") func readsTraceparents() {
        let padded = "000000000000000080c1200c94be1178"
        for (text, identifier, digits) in [
            (Self.span, .trace, padded), ("0x80C1200C94BE1178\n", .trace, padded),
            ("00-\(Self.trace)-\(Self.span)-01", .trace, Self.trace),
            ("00-\(Self.trace)-\(Self.span)-01\n", .span, Self.span),
        ] as [(String, WireIdentifier, String)] {
            guard case .bytes(let bytes) = identifier.reading(text: text) else {
                Issue.record("\(text)")
                continue
            }
            #expect(Hex.text(bytes) == digits)
        }
        let bytes: [UInt8] = [0x80, 0xC1, 0x20, 0x0C, 0x94, 0xBE, 0x11, 0x78]
        guard case .bytes(let read) = bytes.withUnsafeBytes({ WireIdentifier.trace.reading(bytes: $0) }) else {
            Issue.record("64 bits")
            return
        }
        #expect(Hex.text(read) == padded)
        guard case .text = WireIdentifier.parentSpan.reading(text: "00-\(Self.trace)-\(Self.span)-01") else {
            Issue.record("a traceparent names no parent")
            return
        }
    }

    @Test("Reads hex digits in Protobuf bytes and keeps other lengths") func readsHexBytesInProtobuf() throws {
        for (bytes, trace, attributes) in [
            (Array(Self.trace.utf8), Self.trace, "{}"), ([1, 2, 255], nil, #"{"otel.trace_id":"0102ff"}"#),
            (Array("abc".utf8), nil, #"{"otel.trace_id":"abc"}"#),
        ] as [([UInt8], String?, String)] {
            let time = Wire.fixed64(1, 1_800_000_000_000_000_000)
            var unread = Unread()
            let row = try OTLPRequest.batches(
                ofProtobuf: Wire.request([time + Wire.bytes(9, bytes)]), .logs, now: 1, unread: &unread)[0].rows[0]
            #expect(row.traceID == trace && row.attributes == attributes)
            #expect(unread.isEmpty == (trace != nil))
        }
    }
}

/// Protobuf by hand.
enum Wire {
    static func bytes(_ number: Int, _ bytes: some Collection<UInt8>) -> [UInt8] {
        tag(number, 2) + varint(UInt64(bytes.count)) + bytes
    }

    static func text(_ number: Int, _ text: String) -> [UInt8] { bytes(number, Array(text.utf8)) }

    static func number(_ number: Int, _ value: UInt64) -> [UInt8] { tag(number, 0) + varint(value) }

    static func fixed64(_ number: Int, _ value: UInt64) -> [UInt8] {
        tag(number, 1) + withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    static func fixed32(_ number: Int, _ value: UInt32) -> [UInt8] {
        tag(number, 5) + withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// A request with one resource and scope; the field numbers are the same for every signal.
    static func request(_ records: [[UInt8]]) -> [UInt8] {
        bytes(1, bytes(1, []) + bytes(2, bytes(1, text(1, "scope")) + records.flatMap { bytes(2, $0) }))
    }

    private static func tag(_ number: Int, _ wireType: UInt64) -> [UInt8] { varint(UInt64(number) << 3 | wireType) }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendVarint(value)
        return bytes
    }
}
