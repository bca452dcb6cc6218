import DaybookTrials
import Testing

@testable import DaybookStore

struct PatternMatcherTests {
    private func isFound(_ pattern: String, in text: String) throws -> Bool? {
        var matcher = try PatternMatcher(pattern)
        var text = text
        return text.withUTF8 { matcher.isFound(in: $0) }
    }

    @Test(
        "A pattern finds what it describes",
        arguments: [
            ("time ?out", "the request timed out: timeout", true), ("^time", "a time", false),
            ("out$", "time out", true),
            ("", "", true), ("^$", "", true), ("^$", "a", false), ("a.c", "a\nc", false), ("a.c", "a卵c", true),
            ("[0-9]{2,3} ms", "1 ms", false), ("[0-9]{2,3} ms", "412 ms", true), (#"^\d{3}$"#, "4123", false),
            (#"^\w+$"#, "卵焼き_1é", true), (#"^\d$"#, "１", false), (#"a\sb"#, "a\u{3000}b", true),
            (#"\bcat\b"#, "a cat.", true),
            (#"\bcat\b"#, "concat", false), (#"\Bcat"#, "concat", true), ("(?i)straße", "STRASSE Straße", true),
            ("(?i)É[а-я]", "éЖ", true), ("[^a-c]", "abc", false), (#"[\]\-a]"#, "-", true), ("[a-]", "-", true),
            ("(a|b|)c", "c", true),
            (#"GET /(?:menu|recipes)/\d+"#, "GET /recipes/12", true), ("a{0}b", "b", true),
            ("^(ab){2,}$", "ababab", true),
            ("^(a?){3}$", "aaaa", false), ("a*?b+?c??", "b", true), (#"\.\*\\"#, #"x.*\"#, true), ("a}]", "a}]", true),
            (#"[\d\s]x"#, " x", true), ("^(()*)*$", "", true), ("a|b$|^c", "xb", true),
        ])
    func findsPatterns(_ pattern: String, _ text: String, _ isThere: Bool) throws {
        #expect(try isFound(pattern, in: text) == isThere)
    }

    @Test(
        "What a pattern cannot have is told with its place",
        arguments: [
            (#"(a)\1"#, 4), ("a(?=b)", 3), ("(?<n>a)", 2), ("a(?i)b", 3), ("(a", 3), ("a)", 2), ("[a", 3), ("*a", 1),
            ("a**", 3),
            ("a{2,1}", 7), ("a{x}", 3), (#"\pL"#, 1), (#"a\"#, 2), ("[[:alpha:]]", 2), ("[b-a]", 5), ("a{1001}", 7),
            ("[]", 2),
            ("(a{900}){900}", 14), (#"[^\D]"#, 5), ("(ab{600}c{600}d{600}e{600})", 27),
        ])
    func namesMistakes(_ pattern: String, _ place: Int) {
        let error = #expect(throws: PatternProgram.Mistake.self) { try PatternMatcher(pattern) }
        #expect(error?.place == place, "\(error?.reason ?? "")")
    }

    @Test("Long and deep patterns are refused") func refusesLargePatterns() {
        for pattern in [
            String(repeating: "a", count: 1_001), String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
        ] {
            #expect(throws: PatternProgram.Mistake.self) { try PatternMatcher(pattern) }
        }
    }

    @Test(
        "A hostile pattern takes as many steps as the text is long",
        arguments: ["(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)(.*)(.*)b", "^(a?){50}a{50}b", "((a*)*)*b", "(x+x+)+y"])
    func staysLinear(_ pattern: String) throws {
        var steps: [Int] = []
        for length in [1_000, 2_000, 4_000] {
            var matcher = try PatternMatcher(pattern)
            var text = String(repeating: pattern.contains("x") ? "x" : "a", count: length)
            #expect(text.withUTF8 { matcher.isFound(in: $0) } == false)
            #expect(matcher.steps <= 2 * (length + 1) * PatternProgram.mostInstructions)
            steps.append(matcher.steps)
        }
        #expect(steps[2] <= 5 * steps[0] && steps[1] <= 3 * steps[0])
    }

    @Test("A search ends when it is told to") func endsWhenStopped() throws {
        var matcher = try PatternMatcher("(a*)*b")
        var text = String(repeating: "a", count: 1_000)
        #expect(text.withUTF8 { matcher.isFound(in: $0) { $0 > 100 } } == nil)
        #expect(matcher.steps < 200)
    }

    /// A small pattern without what the two understand differently.
    private static func pattern(_ depth: Int, _ random: inout SeededGenerator) -> String {
        let atoms = [
            "a", "b", "1", ".", "[ab]", "[^a]", "[a-c1]", #"\d"#, #"\w"#, #"\s"#, "c", " ", #"\b"#, "^", "$", "_",
        ]
        func inner() -> String { pattern(depth - 1, &random) }
        guard depth > 0 else { return atoms.randomElement(using: &random) ?? "" }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return inner() + inner()
        case 1: return "(\(inner())|\(inner()))"
        case 2:
            return "(?:\(inner()))" + (["*", "+", "?", "{2}", "{1,3}", "{0,2}"].randomElement(using: &random) ?? "")
        case 3: return inner() + inner() + inner()
        case 4: return "(\(inner()))"
        default: return inner()
        }
    }

    @Test("Patterns find what Swift's expressions find") func agreesWithSwift() throws {
        var random = SeededGenerator(seed: 3)
        var found = 0
        for _ in 0..<600 {
            let pattern = Self.pattern(3, &random)
            // Swift refuses to repeat an anchor.
            guard let regex = try? Regex(pattern) else { continue }
            let swift = regex.matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
            var matcher = try PatternMatcher(pattern)
            for _ in 0..<8 {
                let letters = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                    // Swift's simple boundaries take digits for no part of a word.
                    ["a", "b", "c", pattern.contains("\\b") ? "a" : "1", "_", " "].randomElement(using: &random) ?? ""
                }
                var text = letters.joined()
                let right = try swift.firstMatch(in: text) != nil
                let answer = text.withUTF8 { matcher.isFound(in: $0) }
                #expect(answer == right, "\(pattern) in `\(text)`")
                if right { found += 1 }
            }
        }
        #expect(found > 500)
    }
}
