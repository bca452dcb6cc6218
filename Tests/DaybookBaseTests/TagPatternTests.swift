import DaybookBase
import Testing

struct TagPatternTests {
    @Test(
        "A match captures the part under the wildcard",
        arguments: [
            ("recipe.show", "recipe.show", ""),
            ("recipe.*", "recipe.show", "show"),
            ("*", "recipe", "recipe"),
            ("**", "recipe.show.again", "recipe.show.again"),
            ("recipe.**", "recipe.show.again", "show.again"),
            ("feed.**", "feed", ""),
            ("a.b.**", "a.b", ""),
            ("**", "", ""),
            ("料理.*", "料理.表示", "表示"),
        ])
    func captureIsTail(pattern: String, tag: String, captured: String) throws {
        let pattern = try TagPattern(pattern)
        #expect(pattern.match(tag) == Substring(captured))
        #expect(pattern.matches(tag))
    }

    @Test(
        "A pattern does not match other tags",
        arguments: [
            ("recipe.show", "recipe.showing"), ("recipe.show", "recipe"), ("recipe.*", "recipe"),
            ("recipe.*", "recipe.show.again"), ("recipe.*", "recipes.show"), ("feed.**", "feeds"), ("feed.**", "fee"),
            ("a.b.**", "a"), ("a.b.**", "a.bc"), ("*", "a.b"), ("a.*", "a."),
        ])
    func otherTagsDiffer(pattern: String, tag: String) throws {
        let pattern = try TagPattern(pattern)
        #expect(pattern.match(tag) == nil)
        #expect(!pattern.matches(tag))
    }

    @Test(
        "Rejects patterns that could never match",
        arguments: [
            ("", TagPattern.Problem.emptyTerm), ("a.", .emptyTerm), (".a", .emptyTerm), ("a..b", .emptyTerm),
            ("a.*.c", .wildcardNotLast), ("**.a", .wildcardNotLast), ("a.**.*", .wildcardNotLast),
            ("a.b*", .wildcardInTerm), ("a*", .wildcardInTerm), ("a.***", .wildcardInTerm),
        ])
    func rejectsDeadPatterns(pattern: String, problem: TagPattern.Problem) {
        #expect(throws: problem) { try TagPattern(pattern) }
    }

    @Test(
        "White space in a term is an error with its position",
        arguments: [
            ("a. .c", 3), ("a.\n.c", 3), (" ", 1), ("a.b ", 4), (" a.*", 1), ("a.b\nc", 4), ("a.\t", 3), ("料理. 表示", 4),
        ])
    func locatesWhiteSpace(pattern: String, place: Int) {
        #expect(throws: TagPattern.Problem.whiteSpace(at: place)) { try TagPattern(pattern) }
    }

    @Test("A term can consist of several words") func allowsInnerSpaces() throws {
        #expect(try TagPattern("View Lifecycle.*").matches("View Lifecycle.appear"))
    }

    @Test("A pattern describes itself as written", arguments: ["recipe.show", "recipe.*", "recipe.**", "*", "**"])
    func describesPattern(text: String) throws {
        let pattern = try TagPattern(text)
        #expect(pattern.description == text)
        #expect(pattern.onlyTag == (text == "recipe.show" ? text : nil))
        #expect(pattern.hasWildcard == (text != "recipe.show"))
    }

    @Test(
        "At least one of a pattern's examples matches it",
        arguments: ["recipe.show", "recipe.*", "recipe.**", "*", "**"])
    func examplesMatch(text: String) throws {
        let pattern = try TagPattern(text)
        #expect(pattern.examples.contains { pattern.matches($0) })
    }
}
