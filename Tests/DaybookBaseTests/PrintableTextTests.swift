import DaybookBase
import Testing

@Suite struct PrintableTextTests {
    /// Each character that must not be in a line, whatever stands beside it.
    private static let steering: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE007F,
    ]

    @Test(arguments: steering)
    func whatSteersIsEscapedWhereverItStands(range: ClosedRange<UInt32>) throws {
        for value in range {
            let mark = String(try #require(Unicode.Scalar(value)))
            let escape = "\\u{\(String(value, radix: 16))}"
            for (before, after) in [("", ""), ("a", "b"), ("é", "b"), ("a", "日"), ("\u{202E}", "\u{202E}")] {
                let expected = [before, mark, after].map { $0 == "\u{202E}" ? "\\u{202e}" : $0 == mark ? escape : $0 }
                #expect((before + mark + after).printable == expected.joined())
            }
        }
    }

    @Test(arguments: [
        "", "plain", "日本語", "Grüße “quoted” — €", "العربية", "می\u{200C}خواهم", "👩\u{200D}💻", "❤\u{FE0F}\u{200D}🔥",
        "a\\u{1b}",
    ])
    func whatPeopleWriteStays(text: String) {
        #expect(text.printable == text)
        #expect(text[...].printable == text)
    }

    @Test func linesStayApartOnlyWhereTheyMay() {
        #expect("a\nb\r\nc\u{1B}".printable == "a\\u{a}b\\u{d}\\u{a}c\\u{1b}")
        #expect("a\nb\u{1B}\n".printableLines == "a\nb\\u{1b}\n")
    }
}
