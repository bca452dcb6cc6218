import DaybookBase
import Testing

struct TagPatternTests {
    @Test(arguments: [
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
    func matchCapturesTheTail(pattern: String, tag: String, captured: String) throws {
        let pattern = try TagPattern(pattern)
        #expect(pattern.match(tag) == Substring(captured))
        #expect(pattern.matches(tag))
    }

    @Test(arguments: [
        ("recipe.show", "recipe.showing"), ("recipe.show", "recipe"), ("recipe.*", "recipe"),
        ("recipe.*", "recipe.show.again"), ("recipe.*", "recipes.show"), ("feed.**", "feeds"), ("feed.**", "fee"),
        ("a.b.**", "a"), ("a.b.**", "a.bc"), ("*", "a.b"), ("a.*", "a."),
    ])
    func otherTagsDoNotMatch(pattern: String, tag: String) throws {
        let pattern = try TagPattern(pattern)
        #expect(pattern.match(tag) == nil)
        #expect(!pattern.matches(tag))
    }

    @Test(arguments: [
        ("", TagPattern.Problem.emptyTerm), ("a.", .emptyTerm), (".a", .emptyTerm), ("a..b", .emptyTerm),
        ("a.*.c", .wildcardNotLast), ("**.a", .wildcardNotLast), ("a.**.*", .wildcardNotLast),
        ("a.b*", .wildcardInTerm), ("a*", .wildcardInTerm), ("a.***", .wildcardInTerm),
    ])
    func patternsThatCouldNeverMatchAreErrors(pattern: String, problem: TagPattern.Problem) {
        #expect(throws: problem) { try TagPattern(pattern) }
    }

    @Test(arguments: [
        ("a. .c", 3), ("a.\n.c", 3), (" ", 1), ("a.b ", 4), (" a.*", 1), ("a.b\nc", 4), ("a.\t", 3), ("料理. 表示", 4),
    ])
    func whiteSpaceWhereNoTermHasItIsAnErrorWithItsPlace(pattern: String, place: Int) {
        #expect(throws: TagPattern.Problem.whiteSpace(at: place)) { try TagPattern(pattern) }
    }

    @Test func aTermOfSeveralWordsIsWhatOtherLibrariesHave() throws {
        #expect(try TagPattern("View Lifecycle.*").matches("View Lifecycle.appear"))
    }

    @Test(arguments: ["recipe.show", "recipe.*", "recipe.**", "*", "**"])
    func patternIsDescribedAsItWasWritten(text: String) throws {
        let pattern = try TagPattern(text)
        #expect(pattern.description == text)
        #expect(pattern.onlyTag == (text == "recipe.show" ? text : nil))
        #expect(pattern.hasWildcard == (text != "recipe.show"))
    }

    @Test(arguments: ["recipe.show", "recipe.*", "recipe.**", "*", "**"])
    func examplesTellPatternsApart(text: String) throws {
        let pattern = try TagPattern(text)
        #expect(pattern.examples.contains { pattern.matches($0) })
    }
}
