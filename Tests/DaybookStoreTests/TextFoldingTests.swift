import Testing

@testable import DaybookStore

@Suite struct TextFoldingTests {
    private func folded(_ text: String) -> String { String(decoding: TextFolding.bytes(of: text), as: UTF8.self) }

    @Test(
        "Folds case, width and kana for search",
        arguments: [
            ("EGG 42_x", "egg 42_x"), ("ＥＧＧ！", "egg!"), ("ｶﾀｶﾅｶﾞ", "カタカナガ"), ("検索、サーチ", "検索、サーチ"),
            ("Crème", "crème"), ("Cre\u{300}me", "crème"), ("БОРЩ", "борщ"), ("㈱", "(株)"), ("か\u{3099}", "ガ"),
            ("ひらがなゞ", "ヒラガナヾ"), ("éひら", "éヒラ"),
            ("e\u{301}", "é"), ("ﾊﾟﾝ ﾊﾞｶ ｳﾞ", "パン バカ ヴ"), ("\u{FFA1}\u{FFC2}", "가"), ("\u{1E9B}\u{323}", "ṩ"),
            ("x検\u{3000}A", "x検 a"), ("", ""), ("a\0B", "a\0b"), ("絵文字👨‍👩‍👧Z", "絵文字👨‍👩‍👧z"),
        ])
    func foldsText(text: String, expected: String) {
        // Compares bytes, since `String` equality is canonical equivalence.
        #expect(Array(folded(text).utf8) == Array(expected.utf8))
    }

    @Test("The fast path folds like the slow one") func fastFoldMatchesSlow() {
        // A character outside the fast ranges sends the whole text down the slow path.
        for value in Array(UInt32(0x20)...0x7E) + Array(0x3000...0x30FF) + Array(0x4E00...0x4E40)
            + Array(0xFF00...0xFFEF)
        {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
            let text = "x" + String(scalar)
            #expect(folded(text) + "é" == folded(text + "É"), "\(String(value, radix: 16))")
        }
    }

    @Test("Folds bytes that are not valid text") func foldsInvalidBytes() {
        let bytes: [UInt8] = [0x41, 0xFF, 0xE3, 0x81]
        let count = bytes.withUnsafeBufferPointer { FoldingBuffer().fold($0).count }
        #expect(count > 0)
    }
}
