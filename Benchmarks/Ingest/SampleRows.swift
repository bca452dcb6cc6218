import DaybookStore

/// Rows as an app team's clients send them, the same in every run: about 185 bytes of text, 40 tags, visits of some 300
/// records, English and Japanese, numbers and identifiers.
struct SampleRows {
    private static let tags = (0..<40).map { "category\($0 / 8).event_name_\($0)" }
    private static let words = [
        "recipe", "search", "卵焼き", "肉じゃが", "carrot", "買い物リスト", "timeout", "connected", "夕食の献立", "Ｓａｌｔ",
    ]
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var number = 0

    private mutating func next(_ bound: Int) -> Int {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Int(random % UInt64(bound))
    }

    mutating func row() -> RecordRow {
        number += 1
        let visit = number / 300
        let isError = next(200) == 0
        var row = RecordRow(
            uid: "0123456789abcdef0123456789abcdef0123456789abcdef-\(number)",
            time: 1_763_000_000_000_000_000 + Int64(number) * 250_000_000, kind: isError ? .error : .event,
            level: isError ? 17 : 9, tag: Self.tags[next(40) * next(40) / 40],
            attributes: #"{"keyword":"\#(Self.words[next(10)])","recipe_id":\#(next(5_000_000)),"order":"latest","#
                + #""token":"\#(String(random, radix: 16))"}"#,
            context: #"{"service.version":"8.\#(visit / 4_000).0","device.model.name":"Phone 15","user_id":\#(visit)}"#)
        if next(4) == 0 { row.message = "\(Self.words[next(10)]) took \(next(900)) ms" }
        // One record of a million.
        if number % 1_000_000 == 500_000 { row.message = "the needle 東京特許許可局 was found" }
        row.session = "session-\(visit)"
        row.installation = "installation-\(visit % 20_000)"
        row.module = "RecipeBox"
        return row
    }
}
