import DaybookStore
import Testing

@Suite struct RetentionRuleTests {
    @Test(arguments: [
        ("90d", "**", 90 * 86_400), ("12h debug.**", "debug.**", 12 * 3_600), ("4w feed.*", "feed.*", 28 * 86_400),
        ("30m x", "x", 1_800),
    ])
    func rulesAreRead(text: String, pattern: String, seconds: Int64) throws {
        let rule = try RetentionRule(text)
        #expect(rule == RetentionRule(pattern: pattern, age: seconds * 1_000_000_000))
        #expect(try RetentionRule(rule.description) == rule)
    }

    @Test(arguments: ["", "d", "90", "-1d", "0d", "1.5d", "7d a*b", "7d a b", "7y", "999999999d", "d7"])
    func whatIsNoRuleIsRefusedWithItsText(text: String) {
        let error = #expect(throws: StoreError.self) { try RetentionRule(text) }
        #expect(error?.message.contains("“\(text)”") == true)
    }
}
