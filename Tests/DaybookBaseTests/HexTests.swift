import Testing

@testable import Daybook

struct HexTests {
    @Test("Words and bytes are written in lower-case hex digits") func hexIsLowerCase() {
        #expect(Hex.text(0x0123_4567_89AB_CDEF) == "0123456789abcdef")
        #expect(Hex.text(0) == "0000000000000000")
        #expect(Hex.text([0x00, 0xA5, 0xFF]) == "00a5ff")
        #expect(Hex.text([]) == "")
    }

    @Test("A word is exactly sixteen hex digits") func wordHasSixteenDigits() {
        #expect(Hex.word("0123456789abCDEF") == 0x0123_4567_89AB_CDEF)
        for text in ["", "123456789abcdef", "00123456789abcdef", "+123456789abcdef", "0123456789abcdeg"] {
            #expect(Hex.word(text[...]) == nil)
        }
    }

    @Test("Bytes are read from digits of either case") func readsEitherCase() {
        #expect(Hex.bytes("00a5FF") == [0x00, 0xA5, 0xFF])
        #expect(Hex.bytes("") == [])
    }

    @Test("Rejects text that is not pairs of hex digits", arguments: ["0", "0g", "g0", "0x01", "é", " 0", "+1"])
    func rejectsOddText(text: String) {
        #expect(Hex.bytes(text) == nil)
    }
}
