import Testing

@testable import DaybookChecklist

@Suite struct ColumnTestTests {
    private func holds(_ text: String, _ value: ChecklistValue?) throws -> Bool {
        let tests = try ExpectationParser.nestedTests(
            text: text, at: SourceLocation(file: "t", line: 1, column: 1))
        let test = try #require(tests?.first)
        return test.holds(for: value)
    }

    @Test(
        "A column test holds for the values it describes",
        arguments: [
            ("c = 1", ChecklistValue.integer(1), true), ("c = 1", .number(1), true), ("c = 1", .text("1"), false),
            ("c = 1.5", .number(1.5), true), ("c = -2e3", .integer(-2000), true),
            ("c = \"a\\\"b\"", .text("a\"b"), true), ("c = true", .boolean(true), true),
            ("c = true", .text("true"), false),
            ("c != 1", .text("1"), true), ("c != 1", .integer(1), false),
            ("c < 2", .integer(1), true), ("c < 2", .integer(2), false), ("c < 2", .text("1"), false),
            ("c <= 2", .number(2), true), ("c > 2", .number(2.5), true), ("c > 2", .number(.nan), false),
            ("c >= 9007199254740993", .number(9007199254740992), false),
            ("c < 9007199254740993", .number(9007199254740992), true),
            ("c >= 0", .number(.infinity), true), ("c < 0", .number(-.infinity), true),
            ("c > \"2026-01-01\"", .text("2026-01-02"), true),
            ("c in (1, \"x\")", .text("x"), true), ("c in (1, \"x\")", .integer(2), false),
            ("c exists", .boolean(false), true), ("c absent", .boolean(false), false),
            ("c = \"{}\"", .structure("{}"), false), ("c exists", .structure("{}"), true),
        ])
    func columnTestHolds(text: String, value: ChecklistValue, expected: Bool) throws {
        #expect(try holds(text, value) == expected)
    }

    @Test(
        "A missing column meets only the test `absent`",
        arguments: ["c = 1", "c != 1", "c < 1", "c in (1)", "c exists"])
    func absentMeetsOnlyAbsent(text: String) throws {
        #expect(try !holds(text, nil))
        #expect(try holds("c absent", nil))
    }
}
