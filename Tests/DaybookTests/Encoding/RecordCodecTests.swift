import Testing

@testable import Daybook

struct RecordCodecTests {
    static let key = HashKey(1, 2)

    static func encoded(_ record: Record) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
            count = max(0, encode(record, into: UnsafeMutableRawBufferPointer(buffer)))
        }
    }

    static func encode(_ record: Record, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        FieldEncoder.encode(isSpan: record.isSpan, key: key, into: buffer) { RecordEncoder.encode(record, &$0) }
    }

    static func decoded(_ payload: [UInt8], isSpan: Bool = false) throws -> Record {
        try payload.withUnsafeBytes { try RecordDecoder.decode($0, isSpan: isSpan) }
    }

    @Test("A record survives encoding and decoding unchanged") func recordRoundTrips() throws {
        var record = Record(
            time: 1_795_168_931_204_000_000, kind: .event, level: .warning, tag: "recipe_search.search",
            attributes: [
                "keyword": "たまご焼き 🍳", "page": -1, "ratio": 0.5, "cold": true, "none": nil,
                "list": [1, "two", [3.0]], "nested": ["a": ["b": false]], "raw": .bytes([0, 255]),
            ])
        record.file = "RecipeBox/Search.swift"
        record.function = "search(_:)"
        record.line = 42
        record.column = 17
        record.span = SpanContext(traceHigh: 1, traceLow: .max, span: 3)
        #expect(try Self.decoded(Self.encoded(record)) == record)
    }

    @Test("A span survives encoding and decoding unchanged") func spanRoundTrips() throws {
        var record = Record(time: 5, kind: .request, level: .error, tag: "api", message: "GET /recipes/*")
        record.span = SpanContext(traceHigh: 7, traceLow: 8, span: 9)
        record.parentSpanID = 10
        record.duration = 1_000_000
        record.failure = "status 500"
        record.attributes = ["http.request.method": "GET"]
        #expect(try Self.decoded(Self.encoded(record), isSpan: true) == record)
    }

    @Test("A record with an exception type decodes as an error") func errorKnownByType() throws {
        let record = Record(
            time: 1, kind: .error, level: .error, tag: "app", message: "no", attributes: ["exception.type": "E"])
        #expect(try Self.decoded(Self.encoded(record)).kind == .error)
    }

    @Test("Encoding into too small a buffer fails without writing past it") func writesAllOrNothing() {
        let record = Record(
            time: 1, kind: .message, level: .info, tag: "app", message: String(repeating: "x", count: 100))
        for capacity in 0..<120 {
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                buffer.initialize(repeating: 0xEE)
                #expect(Self.encode(record, into: UnsafeMutableRawBufferPointer(buffer)) == -1)
                count = capacity
            }
            #expect(bytes.count == capacity)
        }
    }

    @Test("A value nested 200 levels deep still encodes and decodes") func deepNestingEncodes() throws {
        var value: Value = "leaf"
        for _ in 0..<200 { value = .array([value]) }
        var record = Record(time: 1, kind: .message, level: .info, tag: "app")
        record.attributes = ["deep": value]
        #expect(try Self.decoded(Self.encoded(record)).attributes["deep"] != nil)
    }

    @Test("Shortens a long record at a character boundary", arguments: [100, 1000, 60_000])
    func shortensAtCharacter(limit: Int) throws {
        var record = Record(time: 1, kind: .event, level: .info, tag: "a.b")
        record.attributes = ["short": "kept", "long": .string(String(repeating: "👨‍👩‍👧", count: 200_000))]
        let shortened = record.shortened(to: limit)
        #expect(shortened.attributes["short"] == "kept")
        guard case .string(let text)? = shortened.attributes["long"] else {
            Issue.record("the long value must stay a text")
            return
        }
        #expect(text.allSatisfy { $0 == "👨‍👩‍👧" })
        #expect(shortened.attributes[Record.truncatedKey] == ["long"])
        #expect(Self.encoded(shortened).count <= max(limit, 512))
    }

    /// Vectors of the reference implementation (`vectors_sip128`): key 00…0f, messages 00, 00 01, … .
    @Test("Hashes sensitive values with SipHash, as the reference vectors do") func sipHashMatchesReference() {
        let key = HashKey(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
        #expect(key.hash("") == "a3817f04ba25a8e66df67214c7550293")
        #expect(key.hash("\u{00}") == "da87c1d86b99af44347659119b22fc45")
        #expect(key.hash("\u{00}\u{01}") == "8177228da4a45dc7fca38bdef60affe4")
    }
}
