import Testing

@testable import DaybookDefinitions

struct RuleTests {
    private static let long = String(repeating: "a", count: 65)

    @Test(
        "Violations of the rules are located",
        arguments: [
            (
                ["a.md": "# a\n\n## x\n\n- n: !bigint\n", "b.md": "# b\n\n## y\n\n- n: !string? 3\n"],
                [
                    "b.md:5:3: error: `n` is `!string 3` here and `!bigint` in a.md:5:3 (a column name has one type in all events)"
                ]
            ),
            (["a.md": "# a\n\n## x\n\n- n: !string 3\n\n## y\n\n- n: !string? 3\n"], []),
            (
                ["a.md": "# a\n\n## x\n\n- log_id: !bigint\n"],
                ["a.md:5:3: error: `log_id` is a reserved column name (say whose it is, as in `recipe_log_id`)"]
            ),
            (
                ["common.md": "# common\n\n- user_id: !bigint\n", "a.md": "# a\n\n## x\n\n- user_id: !bigint\n"],
                ["a.md:5:3: error: `user_id` is a common column already (it is defined in common.md:3:3)"]
            ),
            (
                ["a.md": "# a\n\n## \(long)\n\n- b\(long): !date\n"],
                [
                    "a.md:3:4: error: the event's name has 65 characters; at most 64 are allowed",
                    "a.md:5:3: error: the column's name has 66 characters; at most 64 are allowed",
                ]
            ),
            (
                ["x/a.md": "# a\n", "y/a.md": "# a\n"],
                ["y/a.md:1:3: error: the category `a` is defined twice (first in x/a.md:1:3)"]
            ),
            (
                ["x/common.md": "# common\n", "y/common.md": "# common\n"],
                [
                    "y/common.md:1:3: error: the common columns are defined a second time (they are defined in x/common.md)"
                ]
            ),
            (
                ["a.md": "# a\n\n- c: !date\n\n## x\n\n- c: !date\n- d: !date\n- d: !date\n\n## x\n"],
                [
                    "a.md:7:3: error: the column `c` is defined twice (first in a.md:3:3)",
                    "a.md:9:3: error: the column `d` is defined twice (first in a.md:8:3)",
                    "a.md:11:4: error: the event `x` is defined twice (first in a.md:5:4)",
                ]
            ),
            (
                ["a_b.md": "# a_b\n", "a__b.md": "# a__b\n"],
                [
                    "a_b.md:1:3: error: the category names `a__b` and `a_b` both become `AB` in Swift (the other is in a__b.md:1:3)"
                ]
            ),
            (
                ["a.md": "# a\n\n## go_on\n\n- x_y: !date\n- xY: !date\n\n## goOn\n"],
                [
                    "a.md:6:3: error: the column names `x_y` and `xY` both become `xY` in Swift (the other is in a.md:5:3)",
                    "a.md:8:4: error: the event names `go_on` and `goOn` both become `goOn` in Swift (the other is in a.md:3:4)",
                ]
            ),
            (
                ["a.md": "# a\n\n## 2nd\n\n- _3d: !date\n- __: !date\n- self: !date\n"],
                [
                    "a.md:3:4: error: the event name `2nd` begins with a digit (begin it with a letter)",
                    "a.md:5:3: error: the column name `_3d` begins with a digit (begin it with a letter)",
                    "a.md:6:3: error: the column name `__` has no letter",
                    "a.md:7:3: error: `self` cannot be a column's name (choose another name)",
                ]
            ),
            (
                ["string.md": "# string\n\n## x\n\n- a: String\n- b: Type\n"],
                [
                    "string.md:1:3: error: the category becomes the type `String`, which hides the one of that name (say more, as in `string_log`)",
                    "string.md:5:3: error: the type `String` has the name of a category's enum (the category is defined in string.md:1:3)",
                    "string.md:6:3: error: no Swift type can be named `Type` (choose another name)",
                ]
            ),
            (
                ["log.md": "# log\n\n## x\n"],
                [
                    "log.md:1:3: error: the category becomes the type `Log`, which hides the one of that name (say more, as in `log_log`)"
                ]
            ),
            (
                ["a.md": "# a\n\n## x\n\n- a: Kind\n  - `u`\n  - `v w`\n  - `v_w`\n- b: Kind\n  - `u`\n- c: Kind\n"],
                [
                    "a.md:5:3: error: the values `v w` and `v_w` both become `vW` in Swift",
                    "a.md:9:3: error: the values of `Kind` differ from those in a.md:5:3 (list them in one place, or the same ones in both)",
                ]
            ),
            (
                ["a.md": "# a\n\n## x\n\n- a: !double [sensitive]\n- b: Kind [sensitive]\n- c: !bigint [sensitive]\n"],
                [
                    "a.md:5:3: error: `!double` cannot be `[sensitive]` (use `!string`, a whole number or a type with declared values)",
                    "a.md:6:3: error: `Kind` cannot be `[sensitive]` (use `!string`, a whole number or a type with declared values)",
                ]
            ),
        ])
    func locatesViolations(files: [String: String], expected: [String]) { #expect(diagnose(files) == expected) }

    @Test("An event with more than 500 columns is an error") func limitsColumns() {
        let columns = (0...500).map { "- c\($0): !date\n" }.joined()
        #expect(
            diagnose(event: columns) == ["cat.md:3:4: error: the event has 501 columns; at most 500 are allowed"])
    }
}
