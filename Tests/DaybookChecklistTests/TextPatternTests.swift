import DaybookChecklist
import Testing

@Suite struct TextPatternTests {
    @Test(
        "An expression matches anywhere in the text",
        arguments: [
            ("^\\d+$", "123", true), ("^\\d+$", "12a", false), ("b", "abc", true), ("^b", "abc", false),
            ("a|b|", "x", true), ("^(a|bc)+$", "abcbca", true), ("^(a|bc)+$", "abcb", false),
            ("^[a-c_-]{2,3}$", "a-_", true), ("^[a-c_-]{2,3}$", "a", false), ("^[^0-9]*$", "五", true),
            ("^.{2}$", "検索", true), ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false),
            ("^[\\w.]+@[\\w.]+$", "a.b@c.d", true), ("^a{2,}$", "aaaa", true), ("^a{0}$", "", true),
            ("\\/\\.", "a/.b", true), ("[]a]", "]", true), ("^(?:x(y(z)?)?)?$", "xy", true),
            ("^\\D\\S\\W$", "ab-", true),
        ])
    func searchesAnywhere(pattern: String, text: String, expected: Bool) throws {
        #expect(try TextPattern(pattern).matches(text) == expected)
    }

    @Test(
        "A mistake in an expression is located",
        arguments: [
            ("a(b", 1, "`(` without `)`"), ("a)b", 1, "`)` without `(`"), ("*a", 0, "`*` repeats nothing"),
            ("a**", 2, "`*` repeats nothing"), ("[a", 0, "`[` without `]`"),
            ("[z-a]", 1, "this range in `[…]` runs backwards"),
            ("a\\", 1, "nothing follows the last `\\`"), ("\\1", 0, "`\\1` is not an escape"),
            ("a{3,2}", 1, "{3,2} has its numbers reversed"), ("(?=a)", 0, "`(?` is supported only as `(?:`"),
            ("((a{99}){99}){99}", 0, "the expression is too long: over 2000 steps"),
        ])
    func locatesPatternMistake(pattern: String, offset: Int, message: String) throws {
        do throws(TextPattern.Problem) {
            _ = try TextPattern(pattern)
            Issue.record("\(pattern) was accepted")
        } catch {
            #expect(error.offset == offset)
            #expect(error.message == message)
        }
    }

    /// A backtracking engine takes 2⁴⁰ steps on this expression.
    @Test("Matching takes time linear in the text") func matchingIsLinear() throws {
        let text = String(repeating: "a", count: 5_000)
        #expect(try !TextPattern("^(a+)+b$").matches(text))
    }

    @Test("Random expressions agree with the standard library") func matchesStandardRegex() throws {
        var random = SystemRandomNumberGenerator()
        func expression(_ depth: Int) -> String {
            let atoms = ["a", "b", ".", "[ab]", "[^a]", "\\w", "^", "$", "\\b"]
            var result = ""
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                var atom = atoms.randomElement(using: &random) ?? "a"
                if depth > 0, Bool.random(using: &random) { atom = "(?:" + expression(depth - 1) + ")" }
                let isAnchor = ["^", "$", "\\b"].contains(atom)
                result +=
                    atom + (isAnchor ? "" : ["", "", "*", "+?", "?", "{1,2}"].randomElement(using: &random) ?? "")
            }
            return Int.random(in: 0..<4, using: &random) == 0 ? result + "|b" : result
        }
        for _ in 0..<400 {
            let pattern = expression(2)
            let text = String((0..<Int.random(in: 0...5, using: &random)).map { _ in "ab-".randomElement() ?? "a" })
            let reference = try Regex(pattern).matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
            #expect(
                try TextPattern(pattern).matches(text) == (text.firstMatch(of: reference) != nil),
                "/\(pattern)/ in \"\(text)\"")
        }
    }

    @Test("A mistake in an item's expression is located in the file") func locatesPatternInItem() {
        #expect(
            problems("- [ ] a.b where c matches /x(/") == [
                "test.md:1:29: error: the regular expression: `(` without `)`"
            ])
    }
}
