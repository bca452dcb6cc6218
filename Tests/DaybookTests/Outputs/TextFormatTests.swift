import Testing

@testable import Daybook

struct TextFormatTests {
    @Test func aLineShowsTimeLevelTagAndAttributes() {
        let record = Record(
            time: 1_795_168_931_204_000_000, kind: .event, level: .info, tag: "recipe_search.search",
            attributes: ["keyword": "egg", "page": 1])
        #expect(TextFormat.line.text(of: record) == "10:02:11.204 ● recipe_search.search {keyword: \"egg\", page: 1}")
    }

    @Test func aRecordCannotForgeALineOrDriveATerminal() {
        let record = Record(
            time: 0, kind: .message, level: .error, tag: "app", message: "a\nb\u{1B}[2Jc\u{202E}d",
            attributes: ["k\n": "\r\u{9B}"])
        let text = TextFormat.line.text(of: record)
        #expect(text == "00:00:00.000 ✖ app a\\u{a}b\\u{1b}[2Jc\\u{202e}d {k\\u{a}: \"\\u{d}\\u{9b}\"}")
    }
}
