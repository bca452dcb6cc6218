import Testing

@testable import Daybook

struct TagPatternTests {
    @Test(arguments: [
        ("recipe.show", "recipe.show", ""),
        ("recipe.*", "recipe.show", "show"),
        ("*", "recipe", "recipe"),
        ("**", "recipe.show.again", "recipe.show.again"),
        ("recipe.**", "recipe.show.again", "show.again"),
        ("a.b.**", "a.b", ""),
        ("**", "", ""),
        ("料理.*", "料理.表示", "表示"),
    ])
    func matchCapturesTheTail(pattern: String, tag: String, captured: String) throws {
        #expect(try TagPattern(pattern).match(tag) == Substring(captured))
    }

    @Test(arguments: [
        ("recipe.show", "recipe.showing"), ("recipe.*", "recipe"), ("recipe.*", "recipe.show.again"),
        ("recipe.*", "recipes.show"), ("a.b.**", "a"), ("a.b.**", "a.bc"), ("*", "a.b"), ("a.*", "a."),
    ])
    func otherTagsDoNotMatch(pattern: String, tag: String) throws {
        #expect(try TagPattern(pattern).match(tag) == nil)
    }

    @Test(arguments: ["", "a..b", ".a", "a.", "a.*.c", "a*", "**.a", "a.***", "a.b*"])
    func patternsThatCouldNeverMatchAreErrors(pattern: String) {
        let error = #expect(throws: PipelineError.self) { try TagPattern(pattern) }
        #expect(error?.code == .badPattern)
        #expect(error?.description.contains("\"\(pattern)\"") == true)
    }
}
