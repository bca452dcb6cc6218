import Daybook
import DaybookTrials
import Testing

@Suite struct JSONTests {
    private func value(_ text: String) throws -> Value { try JSONReader.value(of: Array(text.utf8)) }

    @Test(
        "Parses every kind of JSON document",
        arguments: [
            ("null", nil), (" true ", true), ("0", 0), ("-0", 0), ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)), ("18446744073709551615", "18446744073709551615"),
            ("100000000000000000000", .double(1e20)), ("100000000000000000001", "100000000000000000001"),
            ("-123456789012345678901234567890", "-123456789012345678901234567890"),
            ("1e2", 100.0), ("1.0", 1.0), ("-0.5E-1", -0.05), ("100000000000000000000", 1e20), ("[]", []),
            ("[1,[2,{}]]", [1, [2, [:]]]), (#"{"b":1,"a":{"c":[]}}"#, ["b": 1, "a": ["c": []]]),
            (#""a\"\\\/\b\f\n\r\té😀\u65e5""#, "a\"\\/\u{8}\u{C}\n\r\té😀日"), (#""\ud83dx\udc00""#, "\u{FFFD}x\u{FFFD}"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"), ("\"日本\u{7F}\"", "日本\u{7F}"),
        ] as [(String, Value)])
    func parsesJSON(text: String, expected: Value) throws {
        #expect(try value(text) == expected)
    }

    @Test(
        "Rejects malformed JSON documents",
        arguments: [
            "", " ", "nul", "truee", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "Infinity", "1e999", "[1,]",
            "[1 2]",
            "{\"a\"}", "{\"a\":1,}", "{a:1}", "{,}", "'a'", "\"", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"",
            "\"a\nb\"",
            "[", "{", "]", "1 1", "[1]]", " \u{FEFF}1", "\u{FEFF}", "\u{FEFF}\u{FEFF}1", "[\u{FEFF}1]",
        ])
    func rejectsBadJSON(text: String) {
        #expect(throws: JSONError.self) { try value(text) }
    }

    @Test("Skips a byte order mark before a document", arguments: ["1", " {\"a\":\"\u{FEFF}\"}", "[]", "\n\"x\""])
    func skipsByteOrderMark(text: String) throws {
        #expect(try value("\u{FEFF}" + text) == value(text))
    }

    @Test(
        "Names UTF-16 and UTF-32 in the error", arguments: ["{\"tag\": 1}", "[1]", "{\n\"a\": 1}", "{}"], [true, false])
    func namesOtherEncoding(text: String, hasMark: Bool) {
        for isBigEndian in [true, false] {
            let short = ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
                withUnsafeBytes(of: isBigEndian ? unit.bigEndian : unit.littleEndian) { Array($0) }
            }
            let long = ((hasMark ? [0xFEFF] : []) + text.unicodeScalars.map(\.value)).flatMap { unit in
                withUnsafeBytes(of: isBigEndian ? unit.bigEndian : unit.littleEndian) { Array($0) }
            }
            for (bytes, name) in [(short, "UTF-16"), (long, "UTF-32")] {
                let error = #expect(throws: JSONError.self) { try JSONReader.value(of: bytes) }
                #expect(error?.description.contains("\(name) and must be UTF-8") == true, "\(error as Any)")
            }
        }
    }

    @Test("Keys keep their order, and a repeated key keeps its last value") func lastDuplicateKeyWins() throws {
        guard case .object(let object) = try value(#"{"z":1,"a":2,"z":3}"#) else { Issue.record("no object"); return }
        #expect(object.elements.map(\.key) == ["z", "a", "z"])
        #expect(object["z"] == 3)
        #expect(JSONWriter.text(object) == #"{"a":2,"z":3}"#)
        let many = Attributes((0..<40).map { ("key\($0 % 30)", .int(Int64($0))) })
        guard case .object(let written) = try value(JSONWriter.text(many)) else { Issue.record("no object"); return }
        #expect(written.elements.count == 30)
        #expect(written["key3"] == 33)
    }

    @Test("Caps the nesting depth of a document") func capsJSONDepth() throws {
        var limits = JSONReader.Limits()
        limits.depth = 3
        #expect(throws: Never.self) { try JSONReader.value(of: Array("[[[1]]]".utf8), limits: limits) }
        let error = #expect(throws: JSONError.self) {
            try JSONReader.value(of: Array("[[[[1]]]]".utf8), limits: limits)
        }
        #expect(error?.isLimit == true)
        #expect(error?.offset == 3)
    }

    @Test("Repairs JSON text that is not UTF-8") func repairsJSONText() throws {
        #expect(try JSONReader.value(of: [0x22, 0x61, 0xFF, 0x22]) == "a\u{FFFD}")
    }

    @Test("Random values survive a JSON round trip") func jsonRoundTrips() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            let original = randomValue(&random, depth: 3)
            #expect(try value(JSONWriter.text(original)) == original)
        }
    }

    @Test("Values that JSON lacks are written as text") func nonJSONValuesAreText() {
        let values: Value = [.double(.nan), .double(.infinity), .double(-.infinity), .bytes([1, 2]), "\u{1}\u{1F}"]
        #expect(JSONWriter.text(values) == #"["NaN","Infinity","-Infinity","AQI=","\u0001\u001f"]"#)
    }

    @Test("Indented JSON has a line for each member and element") func indentsEachElement() {
        let value: Value = ["a": [1, [], [:], ["b": nil]], "a\"": true, "empty": ""]
        #expect(
            JSONWriter.indentedText(value) == #"""
                {
                  "a": [
                    1,
                    [],
                    {},
                    {
                      "b": null
                    }
                  ],
                  "a\"": true,
                  "empty": ""
                }

                """#)
        #expect(JSONWriter.indentedText(1) == "1\n")
        #expect(JSONWriter.indentedText(["a": 1, "a": 2]) == "{\n  \"a\": 2\n}\n")
    }

    @Test("Escapes markup on request") func escapesMarkup() {
        let text = "<a>\u{7F}\u{2027}\u{2028}\u{2029}\u{202A}é\"\n"
        var (needed, markup): ([UInt8], [UInt8]) = ([], [])
        JSONWriter.write(text, into: &needed)
        JSONWriter.write(text, into: &markup, escapes: .markup)
        #expect(String(decoding: needed, as: UTF8.self) == "\"<a>\u{7F}\u{2027}\u{2028}\u{2029}\u{202A}é\\\"\\n\"")
        #expect(
            String(decoding: markup, as: UTF8.self)
                == "\"\\u003ca\\u003e\\u007f\u{2027}\\u2028\\u2029\u{202A}é\\\"\\n\"")
    }

    @Test(
        "A JSON error names the fault and its byte",
        arguments: [
            ("[", "the document ends where a value is expected, at byte 1"),
            ("{", "a key in double quotes is expected, at byte 1"), ("[1", "\",\" or \"]\" is expected, at byte 2"),
            ("{\"a\":1", "\",\" or \"}\" is expected, at byte 6"), ("{\"a\" 1}", "\":\" is expected, at byte 5"),
            ("[1,]", "an unexpected character where a value is expected, at byte 3"),
            ("{\"a\":1,}", "a key in double quotes is expected, at byte 7"), ("[nul]", "an unknown word, at byte 1"),
            ("[\"a", "a text without an end, at byte 1"), ("[\"a\\", "a text without an end, at byte 1"),
            ("\"\\q\"", "an unknown escape, at byte 1"),
            ("\"\\u12g4\"", "four hexadecimal digits are expected, at byte 5"),
            ("\"a\u{1}\"", "a control character in a text, at byte 2"), ("-", "a digit is expected, at byte 1"),
            ("01", "text after the document's end, at byte 1"), ("[1e999]", "a number out of range, at byte 1"),
        ])
    func locatesJSONFaults(text: String, fault: String) {
        let error = #expect(throws: JSONError.self) { try value(text) }
        #expect(error?.description == "Not valid JSON: \(fault).")
    }

    @Test("Base64 round-trips and rejects malformed text") func base64RoundTrips() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 77 &+ count) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        #expect(Base64.encode(Array("Daybook".utf8)) == "RGF5Ym9vaw==")
        #expect(Base64.decode("RGF5Ym9vaw") == Array("Daybook".utf8))
        #expect(Base64.decode("-_-_") == Base64.decode("+/+/"))
        for wrong in ["A", "AAAAA", "A=AA", "AA=A", "AAA====", "A A=", "日"] {
            #expect(Base64.decode(wrong) == nil, "\(wrong)")
        }
    }

    private func randomValue(_ random: inout SeededGenerator, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return nil
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .int(Int64.random(in: .min ... .max, using: &random))
        case 3:
            let double = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
            return .double(double.isFinite ? double : 0.5)
        case 4:
            let scalars = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                Unicode.Scalar(UInt32.random(in: 0..<0x3100, using: &random)) ?? "?"
            }
            return .string(scalars.reduce(into: "") { $0.unicodeScalars.append($1) })
        case 5: return .array((0..<3).map { _ in randomValue(&random, depth: depth - 1) })
        default:
            return .object(Attributes((0..<3).map { ("k\($0)", randomValue(&random, depth: depth - 1)) }))
        }
    }
}
