import Testing

@testable import DaybookBase

@Suite struct WellFormedTextTests {
    @Test(arguments: ["", "a", "é 日本 👩‍👩‍👧", "\u{FFFD}", "a\0b", "\u{FEFF}a"])
    func bytesOfATextComeBackAsThatText(_ text: String) {
        #expect(String(wellFormed: Array(text.utf8)) == text)
    }

    /// Cut, overlong, a surrogate, beyond Unicode, a stray continuation. Source: RFC 3629, section 3.
    @Test(
        arguments: [
            [0xE6, 0x97], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0x61, 0xFF, 0x61],
            [0xEF, 0xBF, 0xBD, 0xFF],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreNoText(_ bytes: [UInt8]) {
        #expect(String(wellFormed: bytes) == nil)
    }
}
