import DaybookStore
import Testing

@Suite struct RetentionRuleTests {
    @Test(
        "Parses retention rules and writes them back",
        arguments: [
            ("90d", "**", 7_776_000), ("12h debug.**", "debug.**", 43_200), ("4w feed.*", "feed.*", 2_419_200),
            ("30m x", "x", 1_800),
        ])
    func parsesRetentionRules(text: String, pattern: String, seconds: Int64) throws {
        let rule = try RetentionRule(text)
        #expect(rule == RetentionRule(pattern: pattern, age: seconds * 1_000_000_000))
        #expect(try RetentionRule(rule.description) == rule)
    }

    @Test("The longest retention age is 100,000 days") func boundsRetentionAge() throws {
        let day: Int64 = 86_400 * 1_000_000_000
        #expect(try RetentionRule("100000d").age == 100_000 * day)
        #expect(try RetentionRule("14285w").age == 99_995 * day)
    }

    @Test(
        "Rejects an invalid retention rule and quotes its text",
        arguments: [
            "", "d", "90", "-1d", "0d", "1.5d", "7d a*b", "7d a b", "7y", "999999999d", "100001d", "14286w", "100000w",
            "d7",
        ])
    func quotesInvalidRule(text: String) {
        let error = #expect(throws: StoreError.self) { try RetentionRule(text) }
        #expect(error?.message.contains("“\(text)”") == true)
    }
}
