import DaybookBase
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@Suite struct NormalTextTests {
    /// Letters composed of two, three and more parts, alone and in runs far longer than a piece.
    @Test("Normalizing text piece by piece equals normalizing it whole", arguments: 1...12 as ClosedRange<UInt64>)
    func piecewiseEqualsWhole(seed: UInt64) {
        var source = SeededGenerator(seed: seed)
        let parts = [
            "\u{1100}\u{1161}\u{11A8}", "\u{1100}\u{1161}", "\u{1100}", "\u{AC00}\u{11A8}", "か\u{3099}", "ﾊﾟ", "ﾊ",
            "e\u{301}",
            "e\u{323}\u{302}", "\u{958}", "\u{9C7}\u{9BE}", "\u{DD9}\u{DCF}\u{DCA}", "\u{1025}\u{102E}", "\u{E33}",
            "\u{FDFA}", "\u{FFA1}\u{FFC2}\u{FFA1}", "\u{3131}\u{314F}", "日", "a", "\u{34F}", "\u{1D15F}",
            "\u{1E9B}\u{323}",
        ]
        var text = ""
        for _ in 0..<4 {
            let some = (0..<Int.random(in: 1...4, using: &source)).map { _ in parts.randomElement(using: &source) ?? ""
            }
            text += String(repeating: some.joined(), count: .random(in: 1...120, using: &source))
        }
        let composed = text.precomposedStringWithCanonicalMapping
        #expect(text.composed.utf8.elementsEqual(composed.utf8))
        let compatible = text.precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
        #expect(text.compatiblyComposed.utf8.elementsEqual(compatible.utf8))
    }

    @Test(
        "Text without letters is normalized as well",
        arguments: ["", "a", "\u{9BE}", "\u{301}", "\u{93E}\u{9BE}", "\u{34F}", "\u{11A8}", "\u{16D67}"])
    func normalizesBareMarks(part: String) {
        let text = String(repeating: part, count: 5_000)
        #expect(text.streamSafe.composed == text.streamSafe.precomposedStringWithCanonicalMapping)
    }

    @Test("Storable text has no long runs of marks and no NUL") func storableTextIsClean() {
        let row = String(repeating: "\u{316}\u{301}", count: 1_000)
        for text in ["a" + row, "a\0" + row, row] {
            for stored in [text.storable, text.storableName] {
                #expect(stored.streamSafe.utf8.elementsEqual(stored.utf8) && !stored.utf8.contains(0))
            }
        }
    }
}
