import DaybookBase
import DaybookTools

/// Parses `[never] EVENT-OR-PATTERN clause…`.
struct ExpectationParser {
    private var cursor: TokenCursor

    /// For hints: how to write a manual step.
    static let stepHint = "a step for a person begins with a word that is no event"

    static func event(text: String, at origin: SourceLocation) throws(ItemSyntaxError) -> ChecklistExpectation {
        var parser = ExpectationParser(cursor: try TokenCursor(text: text, origin: origin))
        return try parser.expectation()
    }

    private mutating func expectation() throws(ItemSyntaxError) -> ChecklistExpectation {
        if cursor.isStruck {
            throw ItemSyntaxError(
                offset: 0, message: "a part of the item is struck through, but would be judged",
                hint: "take the `~~` away, or delete what is struck")
        }
        let isNever = cursor.take(.word("never"))
        var expectation = ChecklistExpectation(isNever: isNever, pattern: try pattern(), clauses: [])
        while cursor.current != nil {
            let clause = try clause(isNever: isNever)
            let kind = Self.kind(of: clause)
            if expectation.clauses.contains(where: { Self.kind(of: $0) == kind }) {
                throw ItemSyntaxError(
                    offset: clause.location.column - cursor.origin.column,
                    message: "a second `\(kind)` clause", hint: "each clause may occur once")
            }
            expectation.clauses.append(clause)
        }
        try check(expectation)
        return expectation
    }

    /// The kind that must not be repeated; the three counts are one.
    private static func kind(of clause: ChecklistExpectation.Clause) -> String {
        if case .count = clause.meaning { return "count" }
        return clause.keyword
    }

    private mutating func pattern() throws(ItemSyntaxError) -> TagPattern {
        let word: String
        switch cursor.current?.kind {
        case .word(let name) where !Self.keywords.contains(name): word = name
        case .text(let name): word = name
        default:
            throw cursor.expected(
                "an event", hint: "a tag such as `category.event`; one of several words stands in \"quotes\"")
        }
        if let lookalike = Self.mixedWord(in: word) {
            throw ItemSyntaxError(
                offset: cursor.offset, message: "`\(lookalike)` mixes letters of two alphabets that look alike",
                hint: "type it again in one of them")
        }
        let pattern: TagPattern
        do throws(TagPattern.Problem) {
            pattern = try TagPattern(word)
        } catch {
            let message =
                switch error {
                case .emptyTerm: "`\(word)` has an empty term"
                case .wildcardNotLast: "the wildcard of `\(word)` is not the last term"
                case .whiteSpace: "`\(word)` has white space in a term"
                case .wildcardInTerm: "the `*` in `\(word)` is not a whole term"
                }
            throw ItemSyntaxError(
                offset: cursor.offset, message: message,
                hint: error == .emptyTerm
                    ? "an event is `category.event`" : "`a.*` is one more term, `a.**` any number of further terms")
        }
        if OwnRecords.have(word), !OwnRecords.tags.contains(where: pattern.matches) {
            throw ItemSyntaxError(
                offset: cursor.offset, message: "the collector has no records of its own that are called `\(word)`",
                hint: NearestName.of(word, among: OwnRecords.tags).map { "did you mean `\($0)`?" }
                    ?? "there are: \(OwnRecords.tags.joined(separator: ", "))")
        }
        cursor.advance()
        return pattern
    }

    /// A word that mixes ASCII letters with Greek or Cyrillic ones, which look alike.
    private static func mixedWord(in tag: String) -> String? {
        tag.unicodeScalars.split { !$0.properties.isAlphabetic }.first { letters in
            letters.contains(where: \.isASCII) && letters.contains { (0x370...0x52F).contains($0.value) }
        }.map { String($0) }
    }

    private mutating func reference() throws(ItemSyntaxError) -> ChecklistExpectation.EventReference {
        var reference = ChecklistExpectation.EventReference(pattern: try pattern(), filter: [])
        if cursor.take(.open) {
            reference.filter = try cursor.tests()
            guard cursor.take(.close) else { throw cursor.expected("`and` or `)`") }
        }
        return reference
    }

    private mutating func clause(isNever: Bool) throws(ItemSyntaxError) -> ChecklistExpectation.Clause {
        let start = cursor.offset
        guard let keyword = cursor.word, Self.keywords.contains(keyword) else {
            if let word = cursor.word, let near = NearestName.of(word, among: Self.keywords) {
                throw cursor.expected("a clause", hint: "did you mean `\(near)`?")
            }
            throw cursor.expected(
                "a clause", hint: "\(Self.keywords.joined(separator: ", ")); \(Self.stepHint)")
        }
        cursor.advance()
        let meaning = try meaning(of: keyword)
        return ChecklistExpectation.Clause(keyword: keyword, meaning: meaning, location: cursor.location(start))
    }

    static let keywords = [
        "exactly", "at", "per", "each", "until", "after", "before", "within", "joining", "where", "when",
    ]

    private mutating func meaning(of keyword: String) throws(ItemSyntaxError) -> ChecklistExpectation.Clause.Meaning {
        switch keyword {
        case "exactly": return .count(.exactly(try number()))
        case "at":
            if cursor.take(.word("least")) { return .count(.atLeast(try number())) }
            guard cursor.take(.word("most")) else { throw cursor.expected("`least` or `most`") }
            return .count(.atMost(try number()))
        case "per": return .per(try cursor.columns())
        case "each":
            let column = try cursor.column()
            return .each(column: column, values: cursor.take(.word("in")) ? try cursor.valueList() : nil)
        case "until": return .until(try reference())
        case "after": return .after(try reference())
        case "before": return .before(try reference())
        case "within": return .within(try cursor.duration())
        case "joining": return .joining(try cursor.columns())
        case "where": return .where(try cursor.tests())
        default: return .when(try cursor.test())
        }
    }

    private mutating func number() throws(ItemSyntaxError) -> Int {
        guard let word = cursor.word, let number = Int(word), number >= 0 else {
            throw cursor.expected("a whole number", hint: cursor.current == nil ? nil : Self.stepHint)
        }
        guard number > 0 else {
            throw ItemSyntaxError(
                offset: cursor.offset, message: "a count of 0", hint: "write `never EVENT` if none may occur")
        }
        cursor.advance()
        return number
    }

    private func check(_ expectation: ChecklistExpectation) throws(ItemSyntaxError) {
        let has = { expectation.clause($0) }
        func fail(_ clause: ChecklistExpectation.Clause, _ message: String, _ hint: String) -> ItemSyntaxError {
            ItemSyntaxError(
                offset: clause.location.column - cursor.origin.column, message: message, hint: hint)
        }
        if expectation.isNever {
            if let clause = has("until") {
                throw fail(
                    clause, "`never` with `until`",
                    "write `before`: none before the first such event; or `after`: none after it")
            }
            let senseless = expectation.clauses.first { ["exactly", "at", "per", "each"].contains($0.keyword) }
            if let clause = senseless {
                throw fail(clause, "`never` with `\(clause.keyword)`", "`never` means none: leave the clause out")
            }
        }
        if let each = has("each"), case .each(let column, _) = each.meaning, let per = has("per"),
            case .per(let columns) = per.meaning, columns.contains(column)
        {
            throw fail(per, "`per` and `each` of one column, `\(column)`", "leave one of them out")
        }
        guard has("after") == nil, has("before") == nil else { return }
        if let clause = has("within") ?? has("joining") {
            throw fail(clause, "`\(clause.keyword)` without `after` or `before`", "say to which event it relates")
        }
    }
}

extension ExpectationParser {
    /// A nested item's tests, or `nil` for a note.
    ///
    /// What looks like a test must be one, so that a mistyped operator never silently becomes prose.
    static func nestedTests(text: String, at origin: SourceLocation) throws(ItemSyntaxError) -> [ColumnTest]? {
        guard looksLikeTest(text) else { return nil }
        var cursor = try TokenCursor(text: text, origin: origin)
        let tests = try cursor.tests()
        guard cursor.current == nil else { throw cursor.expected("`and` or the end of the test") }
        return tests
    }

    /// Whether a text is, or nearly is, a test.
    static func looksLikeTest(_ text: String) -> Bool {
        let plain = ReadableText(text)
        if plain.scalars.contains(where: { "=<>＝＜＞≠≤≥≦≧".unicodeScalars.contains($0) }) { return true }
        var words = plain.text(plain.scalars.indices).lowercased().split(whereSeparator: \.isWhitespace)
            .drop { !$0.contains { $0.isLetter || $0.isNumber } }.dropFirst()
        guard let first = words.popFirst() else { return false }
        let word = first.prefix { $0.isLetter }
        let isMarked = first.count > word.count
        let next = isMarked ? first.dropFirst(word.count).first : words.first?.first
        switch word {
        case "exists", "exist", "absent": return words.isEmpty || isMarked || next == "(" || words.first == "and"
        case "in": return next == "(" || next == "["
        case "not": return words.first.map { ["in", "exists", "absent"].contains($0) || $0.hasPrefix("in(") } ?? false
        case "matches", "match": return next.map { "/\"“'".contains($0) } ?? false
        default: return false
        }
    }
}
