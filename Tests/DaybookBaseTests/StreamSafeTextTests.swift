import DaybookTrials
import Foundation
import Testing

@testable import DaybookBase

/// Comparing and hashing sort runs of marks, so long runs are expensive.
@Suite struct StreamSafeTextTests {
    /// The longest run of marks, in each form in which texts are compared.
    private func longestRow(_ text: String) -> Int {
        [text.decomposedStringWithCanonicalMapping, text.decomposedStringWithCompatibilityMapping].map { form in
            form.unicodeScalars.reduce(into: (longest: 0, row: 0)) { counts, scalar in
                counts.row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : counts.row + 1
                counts.longest = max(counts.longest, counts.row)
            }.longest
        }.max() ?? 0
    }

    /// Every Unicode scalar that is a mark, or decomposes into marks when texts are compared.
    private static let marks: [Unicode.Scalar] = (UInt32(0x300)...0x1FFFF).compactMap(Unicode.Scalar.init).filter {
        $0.properties.canonicalCombiningClass != .notReordered
            || [0xF73, 0xF75, 0xF81, 0xFF9E, 0xFF9F].contains($0.value)
    }

    /// A text's own letter may decompose into three marks.
    private static let most = StreamSafeText.mostMarks + 3

    @Test("Breaks long runs of any one combining mark") func breaksRowsOfMarks() {
        #expect(Self.marks.count > 800)
        for mark in Self.marks {
            let text = "a" + String(String.UnicodeScalarView(repeatElement(mark, count: 100)))
            #expect(longestRow(text.streamSafe) <= Self.most, "\(String(mark.value, radix: 16))")
        }
    }

    /// Runs of any marks, after any number of other bytes, between letters of any length.
    @Test("Bounds runs of mixed marks and changes nothing else", arguments: 1...40 as ClosedRange<UInt64>)
    func boundsMixedMarks(seed: UInt64) {
        var source = SeededGenerator(seed: seed)
        var text = String.UnicodeScalarView()
        let letters: [Unicode.Scalar] = ["a", "é", "日", "👍", "\u{1100}", "\u{ac00}", "\u{1F82}", "\u{FFFD}"]
        for _ in 0..<Int.random(in: 1...8, using: &source) {
            let letter = letters.randomElement(using: &source) ?? "a"
            text.append(contentsOf: repeatElement(letter, count: .random(in: 0...90, using: &source)))
            for _ in 0..<Int.random(in: 0...90, using: &source) {
                text.append(Self.marks.randomElement(using: &source) ?? "\u{301}")
            }
        }
        let given = String(text)
        let safe = given.streamSafe
        #expect(longestRow(safe) <= Self.most)
        // Only joiners are added, and a second pass adds none.
        let kept = String(String.UnicodeScalarView(safe.unicodeScalars.filter { $0.value != 0x34F }))
        #expect(kept.unicodeScalars.elementsEqual(given.unicodeScalars))
        #expect(safe.streamSafe.unicodeScalars.elementsEqual(safe.unicodeScalars))
        #expect(String(streamSafe: Array(given.utf8)).utf8.elementsEqual(safe.utf8))
        let flaws = Array(given.utf8).withUnsafeBytes { TextFlaws(of: $0) }
        #expect(flaws == (safe.utf8.elementsEqual(given.utf8) ? [] : .marks))
    }

    @Test(
        "Text in real languages is unchanged",
        arguments: ["", "plain", "Tiếng Việt", "क्षत्रिय हिन्दी", "ภาษาไทยที่ดี", "עִבְרִית", "日本語", "각각", "👩‍👩‍👧"])
    func keepsLanguages(word: String) {
        for count in [1, 50] {
            let text = String(repeating: word.decomposedStringWithCanonicalMapping, count: count)
            #expect(text.streamSafe.utf8.elementsEqual(text.utf8))
        }
    }

    /// Thirty marks are allowed.
    @Test("Finds a run of more than thirty marks at any offset") func findsRunsAnywhere() {
        for (start, fill) in (0...130).flatMap({ start in ["a", "日"].map { (start, $0) } }) {
            for count in [29, 30, 31, 60, 61] {
                var text = String(repeating: fill, count: start) + String(repeating: "\u{301}", count: count) + "b"
                #expect(text.makeStreamSafe() == (count > 30), "\(start), \(count)")
            }
        }
    }

    // MARK: Where texts are decoded

    private static let row = String(repeating: "\u{316}\u{301}", count: 40)

    @Test("JSON values and keys have no long runs of marks") func jsonBreaksRuns() throws {
        let escaped = String(repeating: "\\u0316\\u0301", count: 40)
        for row in [Self.row, escaped, Self.row + escaped] {
            for text in ["\"\(row)\"", "[{\"a\": [\"\(row)\"]}]", "{\"\(row)\": 1}", "{\"a\": {\"\(row)x\": null}}"] {
                var flaws = TextFlaws()
                let value = try JSONReader.value(of: Array(text.utf8), noting: &flaws)
                #expect(flaws == .marks)
                #expect(longestRow(JSONWriter.text(value)) <= Self.most)
            }
        }
    }

    @Test("The JSON reader reports what it repairs") func jsonReportsRepairs() throws {
        let members: [(String, TextFlaws)] = [
            ("a", []), ("\\ud83d\\ude00", []), ("\\ud83d", .halves), ("\\ude00\\ud83d", .halves), ("x\\u0000", .nul),
            ("\\ud83d\\u0000", [.halves, .nul]), ("\\ufffd", []),
        ]
        for (text, expected) in members {
            for document in ["\"\(text)\"", "{\"\(text)\": [1]}", "[[\"\(text)\"]]"] {
                var flaws = TextFlaws()
                _ = try JSONReader.value(of: Array(document.utf8), noting: &flaws)
                #expect(flaws == expected, "\(document)")
            }
        }
        var flaws = TextFlaws()
        _ = try JSONReader.value(of: [0x22, 0xFF, 0x22], noting: &flaws)
        #expect(flaws == .malformed)
    }

    @Test("Protobuf values have no long runs of marks") func protobufBreaksRuns() throws {
        let nested = Value.object(["a": .array([.string(Self.row)])])
        for value in [Value.string(Self.row), nested, .object(Attributes([(Self.row, .int(1))]))] {
            let bytes = AnyValue.field(AnyValue.valueTag, value)
            var budget = AnyValue.Budget()
            let read = try bytes.withUnsafeBytes { buffer in
                var reader = ProtobufReader(buffer)
                _ = try reader.nextField()
                return try AnyValue.decode(reader.message(), &budget)
            }
            #expect(longestRow(JSONWriter.text(read)) <= Self.most)
            #expect(budget.flawed == [.marks: 1])
        }
    }

    // MARK: Cutting

    /// A prefix no longer than asked, at most one character shorter, and never empty.
    @Test("Cuts text between characters, and very long characters within") func cutsBetweenCharacters() {
        let texts = [
            "abc", "éé", "日本語日本語", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "a" + String(repeating: "\u{301}\u{34F}", count: 500), "\r\n\r\n",
            String(repeating: "\u{1F468}\u{200D}", count: 300), String(repeating: "\u{1F1E6}", count: 300),
        ]
        for text in texts {
            for limit in 1...min(300, text.utf8.count) {
                let cut = text.cut(toUTF8Bytes: limit)
                #expect(text.utf8.starts(with: cut.utf8) && cut.utf8.count <= limit)
                #expect(limit < 4 || cut.utf8.count > max(0, limit - 65), "\(limit) of \(text.prefix(1))")
            }
        }
        #expect(
            "éa\u{301}b".cut(toUTF8Bytes: 3) == "é" && "日本".cut(toUTF8Bytes: 2) == "" && "a".cut(toUTF8Bytes: 0) == "")
    }
}
