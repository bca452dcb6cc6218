import DaybookChecklist
import Testing

@Suite struct TagPatternTests {
    @Test(arguments: [
        ("feed.show", "feed.show", true), ("feed.show", "feed.shown", false), ("feed.show", "feed", false),
        ("feed.*", "feed.show", true), ("feed.*", "feed", false), ("feed.*", "feed.show.more", false),
        ("feed.*", "feed.", false), ("feed.*", "feeds.show", false),
        ("feed.**", "feed", true), ("feed.**", "feed.show", true), ("feed.**", "feed.show.more", true),
        ("feed.**", "feeds", false), ("feed.**", "fee", false),
        ("a.b.**", "a", false), ("a.b.**", "a.b", true), ("a.b.**", "a.bc", false),
        ("*", "feed", true), ("*", "feed.show", false), ("**", "", true), ("**", "feed.show", true),
    ])
    func patternMatches(pattern: String, tag: String, expected: Bool) throws {
        #expect(try TagPattern(pattern).matches(tag) == expected)
        #expect(try TagPattern(pattern).description == pattern)
    }

    @Test(arguments: [
        ("", TagPattern.Problem.emptyTerm), ("a.", .emptyTerm), (".a", .emptyTerm), ("a..b", .emptyTerm),
        ("a.*.c", .wildcardNotLast), ("**.a", .wildcardNotLast), ("a.**.*", .wildcardNotLast),
        ("a.b*", .wildcardInTerm), ("a.***", .wildcardInTerm),
    ])
    func badPatternIsRefused(pattern: String, problem: TagPattern.Problem) {
        #expect(throws: problem) { try TagPattern(pattern) }
    }
}
