import DaybookBase
import Testing

@Suite struct PrintableTextTests {
    /// Every character that must not appear in a line, whatever is beside it.
    private static let steering: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x2800...0x2800, 0x3164...0x3164,
        0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0x1D173...0x1D17A,
        0xE0000...0xE01EF,
    ]

    @Test("Control and direction characters are escaped wherever they appear", arguments: steering)
    func escapesSteering(range: ClosedRange<UInt32>) throws {
        for value in range {
            let mark = String(try #require(Unicode.Scalar(value)))
            let escape = "\\u{\(String(value, radix: 16))}"
            for (before, after) in [("", ""), ("a", "b"), ("é", "b"), ("a", "日"), ("\u{202E}", "\u{202E}")] {
                let expected = [before, mark, after].map { $0 == "\u{202E}" ? "\\u{202e}" : $0 == mark ? escape : $0 }
                #expect((before + mark + after).printable == expected.joined())
            }
        }
    }

    @Test(
        "Ordinary text in any script is unchanged",
        arguments: [
            "", "plain", "日本語", "Grüße “quoted” — €", "العربية", "می\u{200C}خواهم", "👩\u{200D}💻", "❤\u{FE0F}\u{200D}🔥",
            "a\\u{1b}", "👩🏽\u{200D}💻", "🏳\u{FE0F}\u{200D}🌈", "1\u{FE0F}\u{20E3} ©\u{FE0F}", "葛\u{E0100}飾", "한국어",
            "Việt Nam",
            "ὕδωρ",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", "ᠮ\u{180B}ᠣ", "ᄒ\u{1161}",
        ])
    func keepsOrdinaryText(text: String) {
        #expect(text.printable == text)
        #expect(text[...].printable == text)
    }

    /// Every text of up to five of these pieces.
    @Test("Different texts are never shown alike once escapes are marked") func escapesAreUnambiguous() {
        let pieces = ["\\", "u{a}", "\n", "\u{202E}", "u{202e}", "x"]
        var texts = [""]
        var printed: [String: String] = [:]
        for _ in 0..<5 {
            texts = texts.flatMap { text in pieces.map { text + $0 } }
            for text in texts {
                let line = text.tellingEscapes.printable
                #expect(!line.unicodeScalars.contains { $0 == "\n" || $0 == "\u{202E}" })
                #expect(printed.updateValue(text, forKey: line) == nil, "\(line)")
            }
        }
        for plain in [#"C:\users\x"#, #"a\b\\"#, #"\d+"#] { #expect(plain.tellingEscapes == plain) }
    }

    @Test("Printable JSON keeps its values and is safe to show") func jsonStaysEqualAndSafe() throws {
        for range in Self.steering {
            for value in range.prefix(40) {
                let text = "a\(String(try #require(Unicode.Scalar(value))))é"
                let object: Value = ["name \(text)": .string(text), "list": .array([.string("\\u202e"), .int(1)])]
                for json in [JSONWriter.text(object), JSONWriter.indentedText(object)] {
                    let shown = json.printableJSON
                    #expect(try JSONReader.value(of: Array(shown.utf8)) == object)
                    #expect(!shown.unicodeScalars.contains { $0.steers && $0 != "\n" }, "\(value)")
                }
            }
        }
        #expect(#"{"👩‍💻":"می‌خواهم"}"#.printableJSON == #"{"👩‍💻":"می‌خواهم"}"#)
    }

    /// Letters of each script that is written with joiners.
    @Test(
        "A joiner stays beside letters of a script that uses it",
        arguments: ["م", "ي", "क्", "র", "മ്", "க்", "క్", "ಕ್", "ક્", "ਕ੍", "ක්", "ក", "ภ", "ᠮ"])
    func keepsScriptJoiners(letter: String) {
        for joiner in ["\u{200C}", "\u{200D}"] {
            for text in [letter + joiner, joiner + letter, letter + joiner + letter, letter + joiner + " x"] {
                #expect(text.printable == text)
            }
            #expect((letter + joiner + joiner + joiner + letter).printable.contains("\\u{200"), "one joins, more hide")
        }
    }

    @Test(
        "A joiner that hides beside other text is escaped",
        arguments: [
            ("pay\u{200C}pal", "pay\\u{200c}pal"), ("ра\u{200D}у", "ра\\u{200d}у"), ("é\u{200C}ü", "é\\u{200c}ü"),
            ("日\u{200D}本", "日\\u{200d}本"), ("😀\u{200C}😀", "😀\\u{200c}😀"), ("😀\u{200D}a", "😀\\u{200d}a"),
            ("葛\u{E0100}\u{E0101}", "葛\u{E0100}\\u{e0101}"), ("😀\u{E0100}", "😀\\u{e0100}"),
            ("😀\u{FE0F}\u{FE00}", "😀\u{FE0F}\\u{fe00}"), ("😀\u{E0061}", "😀\\u{e0061}"),
            ("🏴\u{E0067}\u{E0062}\u{E0065}", "🏴\\u{e0067}\\u{e0062}\\u{e0065}"),
            ("🏴\u{E0067}\u{E007F}", "🏴\\u{e0067}\\u{e007f}"), ("ᠮ\u{180E}", "ᠮ\\u{180e}"),
            ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E007F}\u{E0061}", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E007F}\\u{e0061}"),
        ])
    func escapesHiddenJoiners(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test("Line breaks are kept only in `printableLines`") func keepsLinesOnRequest() {
        #expect("a\nb\r\nc\u{1B}".printable == "a\\u{a}b\\u{d}\\u{a}c\\u{1b}")
        #expect("a\nb\u{1B}\n".printableLines == "a\nb\\u{1b}\n")
    }
}
