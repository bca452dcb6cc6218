import DaybookAPI
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

@Suite struct JSONSpliceTests {
    private func spliced(_ text: String) -> String {
        var bytes = Array("x".utf8)
        JSONSplice.append(text, to: &bytes)
        return String(decoding: bytes.dropFirst(), as: UTF8.self)
    }

    @Test(
        "Copies valid JSON unchanged",
        arguments: [
            "{}", "[]", #"{"a":[1,-2.5e+3,true,false,null,"x"],"b":{}}"#, #""\u00e9\n\\\"/""#, "0", "-0", "12345",
            #"{"日本":"語"}"#, "9007199254740991", "-9007199254740991", "90071992547409930.0",
        ])
    func copiesValidJSON(_ text: String) {
        #expect(spliced(text) == text)
    }

    @Test("Omits whitespace between tokens") func omitsWhitespace() {
        #expect(spliced(" {\n\t\"a b\" : [ 1 , 2 ]\r} ") == #"{"a b":[1,2]}"#)
    }

    @Test(
        "Numbers that JavaScript would round become strings",
        arguments: [
            ("9007199254740992", "\"9007199254740992\""), ("[-9223372036854775808]", "[\"-9223372036854775808\"]"),
            (#"{"n":18446744073709551615}"#, #"{"n":"18446744073709551615"}"#),
            ("[1e999,-2E+400,1e300]", "[\"1e999\",\"-2E+400\",1e300]"),
            (#"{"n":"9007199254740993"}"#, #"{"n":"9007199254740993"}"#),
        ])
    func quotesUnsafeNumbers(_ text: String, _ expected: String) {
        #expect(spliced(text) == expected)
    }

    @Test(
        "Invalid JSON becomes a string",
        arguments: [
            "", "{", "{\"a\"}", "{\"a\":}", "{a:1}", "[1,]", "[1 2]", "01", "1.", "-", "+1", "1e", "tru", "nul", "\"",
            "\"\\x\"", "\"\\u12g4\"", "\"\u{1}\"", "{} {}", "NaN", "{\"a\":1}</script>", "'a'", ".5",
        ])
    func invalidJSONBecomesText(_ text: String) throws {
        let result = spliced(text)
        let value = try JSONSerialization.jsonObject(with: Data(result.utf8), options: .fragmentsAllowed)
        #expect(value as? String == text)
    }

    @Test("JSON nested too deep becomes a string") func boundsSplicedNesting() throws {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(spliced(deepest) == deepest)
        let deeper = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(spliced(deeper) == "\"\(deeper)\"")
    }

    @Test("A damaged row leaves the rest of the answer valid") func damagedRowIsContained() async throws {
        let response = await Bench(rows: [.event("a.b", "{\"broken\": \"\u{2}"), .event("a.c", "{\"fine\": 1}")])
            .send("GET", "/api/v1/records")
        let records = try #require(try response.data()["records"].list)
        #expect(records[1]["attributes"] == "{\"broken\": \"\u{2}")
        #expect(records[0]["attributes"] == ["fine": 1])
    }

    /// Our checker and Foundation's must agree on what is JSON, whatever the mutation.
    @Test("Mutated input never makes an invalid answer") func mutationsStayValidJSON() throws {
        var numbers = SeededGenerator(seed: 7)
        let seed = Array(#"{"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{"c":12345678901234567890}}"#.utf8)
        for _ in 0..<5_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let index = bytes.indices.randomElement(using: &numbers) ?? 0
                let pool = Array("{}[]\",:0123456789.eE+-tfn\\u \n".utf8)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[index] = pool.randomElement(using: &numbers) ?? 0
                case 1: bytes.remove(at: index)
                default: bytes.insert(pool.randomElement(using: &numbers) ?? 0, at: index)
                }
            }
            let result = spliced(String(decoding: bytes, as: UTF8.self))
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: Data(result.utf8), options: .fragmentsAllowed)
            }
        }
    }

    @Test("Truncating long texts leaves valid JSON within the limit", arguments: [200, 500, 5_000, 16_384])
    func truncatedJSONStaysValid(limit: Int) throws {
        let texts = [
            String(repeating: "é", count: 3_000), String(repeating: "\\u00e9", count: 900),
            String(repeating: "\\ud83d\\ude00", count: 500), String(repeating: "\\\\", count: 2_000),
            String(repeating: "😀", count: 2_000) + "\\n",
        ]
        let numbers = (0..<20_000).map(String.init).joined(separator: ",")
        for text in texts {
            for json in [
                #"{"a":"\#(text)","b":[1,{"c":"\#(text)"}],"n":[\#(numbers)],"last":true}"#, "[\(numbers),\"\(text)\"]",
                String(repeating: "[", count: 60) + numbers + String(repeating: "]", count: 60),
            ] {
                var bytes: [UInt8] = []
                #expect(JSONSplice.append(json, to: &bytes, limit: limit))
                #expect(bytes.count <= limit)
                let value = try JSONSerialization.jsonObject(with: Data(bytes))
                #expect(!String(decoding: bytes, as: UTF8.self).contains("\u{FFFD}"), "\(value)")
            }
        }
        var bytes: [UInt8] = []
        #expect(!JSONSplice.append(#"{"a":1}"#, to: &bytes, limit: limit))
    }
}
