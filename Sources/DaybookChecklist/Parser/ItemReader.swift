import DaybookBase
import DaybookTools

/// Classifies the text after a box: something to judge, a manual step, or nearly an event, which is an error, because
/// it would pass unjudged as a step.
struct ItemReader {
    private let text: String
    private let plain: ReadableText
    private let clauses: ClauseSearch
    /// The first word that is not a number, without surrounding signs.
    private let word: Range<Int>

    init(_ text: String) {
        self.text = text
        plain = ReadableText(text)
        clauses = ClauseSearch(ItemTokenizer.readableTokens(of: plain))
        var word = 0..<0
        repeat {
            let rest = plain.scalars[word.upperBound...]
            let start = rest.firstIndex(where: Self.beginsWord) ?? rest.endIndex
            word = start..<(rest[start...].firstIndex { !ItemTokenizer.isWord($0.narrow) } ?? rest.endIndex)
        } while !word.isEmpty
            && plain.scalars[word].allSatisfy { $0 == "." || $0 == "_" || $0.properties.numericType != nil }
        self.word = word
    }

    /// The item's expectation; `nil` for a manual step.
    /// - Throws: for a near event, and for an event with invalid clauses.
    func expectation(at origin: SourceLocation) throws(ItemSyntaxError) -> ChecklistExpectation? {
        guard try isAboutEvent() else {
            try refuseStrayRequirement()
            return nil
        }
        return try ExpectationParser.event(text: text, at: origin)
    }

    /// Whether a line without a box begins with an event.
    var namesEvent: Bool { eventName != nil || isNever && ItemReader(rest).eventName != nil }

    /// Whether a text outside an item requires an event.
    var isRequirement: Bool {
        isRequirement(at: 0) || isRequirement(at: word.lowerBound, isTitle: true) || strayEvent != nil
    }

    /// Whether a text is a clause without its event: `exactly 5`, and below an item also `after login`.
    var isClause: Bool {
        isClauseOfNoSentence || clauses.isVagueCount
            || ExpectationParser.keywords.contains(name)
                && (try? ExpectationParser.event(text: "x \(text)", at: .nowhere)) != nil
    }

    /// `exactly 5` and `where tab exists`, but not `After feed.show the list scrolls`.
    var isClauseOfNoSentence: Bool {
        ["exactly", "at", "where", "when"].contains(name.lowercased()) && clauses.begins(at: 0)
    }

    /// Whether a line of prose requires an event: from its beginning, after a label, or after a bullet that is not
    /// Markdown's.
    /// - Parameter isTitle: whether an event's bare name does not count.
    func isRequirementInProse(isTitle: Bool = false) -> Bool {
        let starts = [word.lowerBound] + labelled.prefix(10)
        if isRequirement(at: 0, isTitle: isTitle) || starts.contains(where: { isRequirement(at: $0, isTitle: true) }) {
            return true
        }
        let signs = plain.scalars[..<word.lowerBound]
        guard !isTitle, namesEvent, let last = signs.last, !signs.allSatisfy(\.properties.isWhitespace) else {
            return false
        }
        let isBullet = last.properties.isWhitespace || !last.isASCII && !Self.openings.contains(last)
        return isBullet && !signs.contains { "※→⇒†（【［".unicodeScalars.contains($0) }
    }

    /// Whether the text from a scalar on is an item, with enough certainty for prose.
    private func isRequirement(at start: Int, isTitle: Bool = false) -> Bool {
        let part = start == 0 ? text : plain.text(start..<plain.scalars.endIndex)
        guard let expectation = try? ExpectationParser.event(text: part, at: .nowhere) else { return false }
        if expectation.isNever { return true }
        let reader = start == 0 ? self : ItemReader(part)
        return expectation.clauses.isEmpty
            ? !isTitle && reader.eventName != nil : reader.eventName != nil || reader.clauses.begins(at: 1)
    }

    /// Where the tag that the text is about may begin: at its beginning, after numbers, signs and `never`, and after
    /// labels.
    var beginnings: [Int] {
        let first = plain.scalars.firstIndex { !$0.properties.isWhitespace } ?? 0
        let signs = plain.scalars[..<word.lowerBound].lastIndex(where: \.properties.isWhitespace).map { $0 + 1 } ?? 0
        var starts = [first, min(first + 1, plain.scalars.count), signs, word.lowerBound] + labelled
        if isNever, let start = plain.scalars[word.upperBound...].firstIndex(where: Self.beginsWord) {
            starts.append(start)
        }
        return Array(Set(starts)).sorted()
    }

    var isNegative: Bool {
        ["ない", "なし", "ません"].contains { plain.text(plain.scalars.indices).contains($0) }
            || clauses.tokens.contains { token in
                if case .word(let word) = token.kind { Labels.negations.contains(word.lowercased()) } else { false }
            }
    }

    /// The offsets in the readable text after labels.
    private var labelled: [Int] { Labels.places(in: plain, of: text) }

    // The first word.

    private static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        let scalar = scalar.narrow
        return ItemTokenizer.isWord(scalar) && scalar != "-" && scalar != "."
    }

    /// Half-width.
    private var name: String { ReadableText.narrow(plain.scalars[word]) }

    private var isNever: Bool { name.lowercased() == "never" }

    /// The text after the first word and signs attached to it.
    private var rest: String {
        let start = plain.scalars[word.upperBound...].firstIndex { Self.beginsWord($0) || $0 == "\"" }
        return plain.text((start ?? plain.scalars.endIndex)..<plain.scalars.endIndex)
    }

    /// Whether the first word begins the text, is half-width, and ends with a space or the text.
    private var isClean: Bool {
        plain.scalars[..<word.lowerBound].allSatisfy(\.properties.isWhitespace) && !isWide
            && (word.upperBound == plain.scalars.endIndex || plain.scalars[word.upperBound].properties.isWhitespace)
    }

    private var isWide: Bool { plain.scalars[word].contains { $0 != $0.narrow } }

    /// Whether only signs follow the first word.
    private var isAlone: Bool { !plain.scalars[word.upperBound...].contains { $0.narrow.isLetterOrDigit } }

    /// ASCII letters, digits and the separators of tags.
    private var isASCIIName: Bool {
        name.utf8.allSatisfy { $0 < 0x80 } && (name.first?.isLetter == true || name.first == "_")
    }

    /// Whether a word is not an ordinary one: dotted terms, none of them a number; inner underscores; or an inner
    /// capital, as in `loginEvent`. Abbreviations, `iPhone` and `macOS` do not count.
    static func isEventName(_ name: some StringProtocol) -> Bool {
        var name = Substring(name)
        let ends = name.last == "."
        while name.last == "." { name.removeLast() }
        let terms = name.split(separator: ".")
        guard let first = name.first, first.isLetter || first.isNumber || first == "_" || first == "*",
            !name.contains("...")
        else { return false }
        let isWord = terms.allSatisfy { $0.contains(where: \.isLetter) || $0.allSatisfy { $0 == "*" } }
        if terms.count > 1 { return isWord && !(ends && terms.allSatisfy { $0.count == 1 }) }
        let inner = name.drop { $0 == "_" }
        return isWord && (inner.contains("_") || inner.count < name.count && inner.count > 1 || isCamel(inner))
    }

    private static func isCamel(_ name: Substring) -> Bool {
        let rest = name.drop { ("a"..."z").contains($0) }
        return name.count - rest.count > 1 && rest.first.map { ("A"..."Z").contains($0) } == true
            && rest.dropFirst().first.map { ("a"..."z").contains($0) } == true
    }

    /// The event that is the first word, or begins it directly before prose in another script, or ends it at the end of
    /// the text.
    private var eventName: String? {
        var parts: [[Unicode.Scalar]] = [[]]
        for scalar in name.unicodeScalars {
            if let last = parts[parts.count - 1].last, last.isEastAsian != scalar.isEastAsian,
                last.isLetterOrDigit, scalar.isLetterOrDigit
            {
                parts.append([])
            }
            parts[parts.count - 1].append(scalar)
        }
        guard parts.count > 1 else { return Self.isEventName(name) ? name : nil }
        let candidates = [parts[0]] + (isAlone ? [parts[parts.count - 1]] : [])
        // `README.mdを更新` and `iOS17.5で確認` are prose.
        return candidates.filter { $0.first.map { $0.isASCII && !$0.properties.isUppercase } ?? false }
            .map { ReadableText.narrow($0) }.first(where: Self.isEventName)
    }

    // What the text is.

    private func isAboutEvent() throws(ItemSyntaxError) -> Bool {
        if plain.scalars.allSatisfy(\.properties.isWhitespace) {
            throw ItemSyntaxError(offset: 0, message: "the item is empty", hint: "write the event after the box")
        }
        if plain.scalars.first == "\"" { return try isAboutQuoted() }
        try refuseLoneQuotation()
        if isNever, let behind = plain.scalars[word.upperBound...].first(where: { !$0.properties.isWhitespace }),
            behind != "\"", !ItemTokenizer.isWord(behind.narrow), !behind.properties.isAlphabetic
        {
            throw nearly("never", hint: "write `never EVENT`, or begin with another word")
        }
        guard isClean else {
            try refuseNearlyEvent()
            return false
        }
        let isWildcard = (try? TagPattern(name))?.hasWildcard == true
        if isWildcard { return true }
        if name == "never" {
            try refuseNeverOfAWord()
            return true
        }
        if let eventName {
            guard eventName == name else { throw nearly(eventName) }
            return true
        }
        if ExpectationParser.keywords.contains(name) {
            try refuseLeadingClause()
            return false
        }
        if isNever {
            let isExpectation = (try? ExpectationParser.event(text: rest, at: .nowhere)) != nil
            if isExpectation || ItemReader(rest).namesEvent { throw nearly("never", hint: "write `never`") }
            return false
        }
        if isAlone, isASCIIName, name.last != "." {
            guard hasPlainSigns else { return false }
            guard !hasSigns else { throw nearly(name) }
            return true
        }
        return isCode || hasClause
    }

    /// `"Product Viewed"`, alone or with clauses, is an event; any other text that begins with a quotation is prose.
    private func isAboutQuoted() throws(ItemSyntaxError) -> Bool {
        guard case .text(let quoted)? = clauses.tokens.first?.kind else {
            try refuseNearlyEvent()
            return false
        }
        if clauses.tokens[0].end == plain.places.last?.upperBound || hasClause { return true }
        let inner = ItemReader(quoted)
        if isSigns(behind: clauses.tokens[0].end) {
            throw ItemSyntaxError(
                offset: clauses.tokens[0].end,
                message: "a sign stands behind the quoted tag, which would not be judged",
                hint: "write `\"\(quoted)\"` and clauses alone, or begin with another word")
        }
        if let event = inner.eventName { throw nearly(event) }
        return false
    }

    /// Refuses a text that is only a quotation in other marks than `"`, or code.
    private func refuseLoneQuotation() throws(ItemSyntaxError) {
        guard let end = plain.scalars.lastIndex(where: { !$0.isClosingPunctuation }), end > 1 else { return }
        let isOpening = Self.openings.contains(plain.scalars[0])
        let inside = isOpening ? plain.scalars[1..<end] : plain.scalars[...end]
        let isQuoted =
            isOpening && Self.closings.contains(plain.scalars[end])
            && !inside.contains { "“”„«»「」『』＂".unicodeScalars.contains($0) }
        let spans = text.split(separator: "`", omittingEmptySubsequences: false)
        let isCode =
            spans.count == 3 && spans[0].isEmpty && spans[2].unicodeScalars.allSatisfy(\.isClosingPunctuation)
            && inside.contains(where: \.properties.isWhitespace)
        guard isQuoted || isCode else { return }
        throw ItemSyntaxError(
            offset: 0, message: "a quotation alone may be a tag, and would not be judged",
            hint: "write `\"\(ReadableText.string(inside))\"` in straight quotes, or begin with another word")
    }

    private func isSigns(behind offset: Int) -> Bool {
        let rest = plain.places.firstIndex { $0.lowerBound >= offset } ?? plain.places.endIndex
        return !plain.scalars[rest...].contains(where: \.isLetterOrDigit)
    }

    private func refuseNearlyEvent() throws(ItemSyntaxError) {
        guard !word.isEmpty, !isAddress else { return }
        let isNumbered = plain.scalars[..<word.lowerBound].contains { $0.properties.numericType != nil }
        let isWord =
            isASCIIName && name.last != "." && (isAlone && !isNumbered && hasPlainSigns || hasClauseBehindSigns)
        if namesEvent || isWord { throw nearly(eventName ?? name) }
    }

    /// Any recording would fulfil `never crashes`, whether or not the word is a tag.
    private func refuseNeverOfAWord() throws(ItemSyntaxError) {
        guard clauses.tokens.count == 2, case .word(let other) = clauses.tokens[1].kind,
            !other.contains(where: { "._*".contains($0) }), !ExpectationParser.keywords.contains(other)
        else { return }
        throw ItemSyntaxError(
            offset: clauses.tokens[1].start, message: "`\(other)` may be a tag or a word of a sentence",
            hint: "write `never \"\(other)\"`, or begin with another word")
    }

    /// Whether the word is part of an address or path, and not one of several events.
    private var isAddress: Bool {
        let behind = plain.scalars[word.upperBound...]
        if let before = plain.scalars[..<word.lowerBound].last {
            if before == "@" { return !(isAlone && eventName != nil) }
            if before == "/" || before == "\\" { return true }
        }
        if behind.starts(with: "://".unicodeScalars) || behind.first == "@" { return true }
        guard behind.first == "/", behind.dropFirst().first.map(Self.beginsWord) == true else { return false }
        let parts = plain.text(word.lowerBound..<plain.scalars.endIndex).split(separator: "/")
        return !parts.allSatisfy { Self.isEventName(String($0)) }
    }

    // Requirements within a manual step.

    private func refuseStrayRequirement() throws(ItemSyntaxError) {
        if let strayEvent {
            throw ItemSyntaxError(
                offset: strayEvent.start, message: "the event is not at the beginning, and would not be judged",
                hint: "write the event and clauses alone, and notes on nested lines")
        }
        let isQuoted = plain.scalars.first.map { Labels.quotes.contains($0) } == true || text.hasPrefix("`")
        if let clause = clauses.stray(isQuoted: isQuoted) {
            throw ItemSyntaxError(
                offset: clause.start, message: "a clause of a step for a person would not be judged",
                hint: "write `EVENT clause…`, with a tag of several words in \"straight quotes\"")
        }
    }

    /// An event after other words: with a clause, or alone after a label.
    private var strayEvent: ItemToken? {
        let tokens = clauses.tokens
        let labelled = Set(labelled.map { plain.places[$0].lowerBound })
        for index in tokens.indices.dropFirst() {
            let name: String
            switch tokens[index].kind {
            case .word(let word): name = word
            case .text(let text) where !text.contains(where: \.isWhitespace): name = text
            default: continue
            }
            guard Self.isEventName(name) else { continue }
            let isLast = tokens[(index + 1)...].allSatisfy { [.close, .comma, .sign("!")].contains($0.kind) }
            if isLast ? labelled.contains(tokens[index].start) : clauses.begins(at: index + 1) { return tokens[index] }
        }
        return nil
    }

    private static let openings = Set("'‘‚“„«‹»「『＂".unicodeScalars)
    private static let closings = Set("'’‘”“»›«」』＂".unicodeScalars)

    private func nearly(_ name: String, hint: String? = nil) -> ItemSyntaxError {
        let end =
            plain.scalars[word.upperBound...].firstIndex(where: \.properties.isWhitespace) ?? plain.scalars.endIndex
        // Analytics SDKs have tags that begin with `$`.
        let tag = plain.scalars.first == "$" ? "\"\(plain.text(0..<word.upperBound))\"" : name
        return ItemSyntaxError(
            offset: 0, message: "`\(plain.text(0..<end))` is nearly `\(name)`, and would not be judged",
            hint: hint ?? "write `\(tag)` and clauses alone, and notes on nested lines; \(ExpectationParser.stepHint)")
    }

    /// `exactly 1 feed.show`: the event comes first.
    private func refuseLeadingClause() throws(ItemSyntaxError) {
        guard clauses.begins(at: 0) || clauses.isLeadingCount else { return }
        throw ItemSyntaxError(
            offset: 0, message: "`\(name)` stands before any event", hint: "write the event first: `EVENT \(text)`")
    }

    /// Whether all signs are punctuation, without emoji, `#` or `…`.
    private var hasPlainSigns: Bool {
        plain.scalars.allSatisfy { scalar in
            ItemTokenizer.isWord(scalar.narrow) || scalar.properties.isWhitespace || scalar == "<" || scalar == ">"
                || scalar.properties.generalCategory.isPunctuation && scalar != "#" && scalar != "…" || scalar == "$"
                || scalar.properties.generalCategory == .otherNumber
        }
    }

    private var hasSigns: Bool { plain.scalars[word.upperBound...].contains { !$0.properties.isWhitespace } }

    private var isCode: Bool {
        text.hasPrefix("`") && text.hasSuffix("`") && !plain.scalars.contains(where: \.properties.isWhitespace)
    }

    private var hasClause: Bool {
        clauses.tokens.count > 1 && (try? ExpectationParser.event(text: text, at: .nowhere)) != nil
            || clauses.begins(at: 1)
    }

    private var hasClauseBehindSigns: Bool {
        let rest = rest
        return ItemReader(rest).clauses.begins(at: 0)
            || !rest.isEmpty && (try? ExpectationParser.event(text: "x \(rest)", at: .nowhere)) != nil
    }
}

extension Unicode.Scalar {
    fileprivate var isClosingPunctuation: Bool {
        ".,:;!?。、：；！？".unicodeScalars.contains(self) || properties.isWhitespace
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isPunctuation: Bool {
        [
            .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation,
            .connectorPunctuation,
        ].contains(self)
    }
}

extension SourceLocation {
    /// For trial parses.
    fileprivate static let nowhere = SourceLocation(file: "", line: 1, column: 1)
}
