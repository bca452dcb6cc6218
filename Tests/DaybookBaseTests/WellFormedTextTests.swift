import Testing

@testable import DaybookBase

@Suite struct WellFormedTextTests {
    @Test("The bytes of a text decode to that text", arguments: ["", "a", "é 日本 👩‍👩‍👧", "\u{FFFD}", "a\0b", "\u{FEFF}a"])
    func wellFormedRoundTrips(_ text: String) {
        #expect(String(wellFormed: Array(text.utf8)) == text)
    }

    /// Cut, overlong, a surrogate, beyond Unicode, a stray continuation byte. Source: RFC 3629, section 3.
    @Test(
        "Bytes that are not UTF-8 do not decode",
        arguments: [
            [0xE6, 0x97], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0x61, 0xFF, 0x61],
            [0xEF, 0xBF, 0xBD, 0xFF],
        ] as [[UInt8]])
    func rejectsMalformedBytes(_ bytes: [UInt8]) {
        #expect(String(wellFormed: bytes) == nil)
    }

    /// Every first with every second byte, after prefixes of each length within a word, cut at each place.
    @Test("Flaw detection agrees with decoding for every first byte at every offset") func flawsMatchDecoding() {
        let tails: [[UInt8]] = [[], [0x80], [0xBF, 0x80], [0x80, 0x80, 0x61]]
        for start in 0...9 {
            for first in UInt8.min ... .max {
                for second in [0x00, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF] as [UInt8] {
                    for tail in tails {
                        let bytes = [UInt8](repeating: 0x61, count: start) + [first, second] + tail
                        let flaws = bytes.withUnsafeBytes { TextFlaws(of: $0) }
                        #expect(flaws.contains(.malformed) == (String(wellFormed: bytes) == nil), "\(bytes)")
                        #expect(flaws.contains(.nul) == bytes.contains(0), "\(bytes)")
                    }
                }
            }
        }
        #expect(TextFlaws(of: UnsafeRawBufferPointer(start: nil, count: 0)).isEmpty)
    }
}
