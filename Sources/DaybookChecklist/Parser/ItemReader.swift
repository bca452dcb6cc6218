import DaybookBase
import DaybookTools

/// Decides what stands behind a box: something to judge, a step for a person, or what is nearly an event, which is an
/// error: taken for a step it would pass unjudged.
struct ItemReader {
    private let text: String
    private let plain: ReadableText
    private let clauses: ClauseSearch
    /// The first word of the text that is no number, without what stands around it.
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
        } while !word.isEmpty && plain.scalars[word].allSatisfy { $0 == "." || $0.properties.numericType != nil }
        self.word = word
    }

    /// What the item requires; `nil` for a step for a person.
    /// - Throws: for what is nearly an event, and for an event with wrong clauses.
    func expectation(at origin: ChecklistLocation) throws(ItemSyntaxError) -> ChecklistExpectation? {
        guard try isAboutEvent() else {
            try refuseStrayRequirement()
            return nil
        }
        if plain.isStruck {
            throw ItemSyntaxError(
                offset: 0, message: "the item is struck through, but would be judged",
                hint: "take the `~~` away, or delete the item")
        }
        return try ExpectationParser.event(text: text, at: origin)
    }

    /// Whether the text of a line without a box begins with an event.
    var namesEvent: Bool { eventName != nil || isNever && ItemReader(rest).eventName != nil }

    /// Whether a text that is no item asks for an event as an item does.
    var isRequirement: Bool {
        if let expectation = try? ExpectationParser.event(text: text, at: .nowhere) {
            if !expectation.clauses.isEmpty || expectation.isNever || eventName != nil { return true }
        }
        return strayEvent != nil
    }

    /// Where the first word begins that a tag may be: behind numbers and behind `never`.
    var beginnings: [Int] {
        guard isNever, let start = plain.scalars[word.upperBound...].firstIndex(where: Self.beginsWord) else {
            return [word.lowerBound]
        }
        return [word.lowerBound, start]
    }

    // The first word.

    private static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        let scalar = scalar.narrow
        return ItemTokenizer.isWord(scalar) && scalar != "-" && scalar != "."
    }

    /// The first word in usual width.
    private var name: String { ReadableText.narrow(plain.scalars[word]) }

    private var isNever: Bool { name.lowercased() == "never" }

    /// What stands behind the first word, and behind signs that touch it.
    private var rest: String {
        let start = plain.scalars[word.upperBound...].firstIndex { Self.beginsWord($0) || $0 == "\"" }
        return plain.text((start ?? plain.scalars.endIndex)..<plain.scalars.endIndex)
    }

    /// Whether the first word begins the text, in usual width, and ends with a space or with the text.
    private var isClean: Bool {
        plain.scalars[..<word.lowerBound].allSatisfy(\.properties.isWhitespace) && !isWide
            && (word.upperBound == plain.scalars.endIndex || plain.scalars[word.upperBound].properties.isWhitespace)
    }

    private var isWide: Bool { plain.scalars[word].contains { $0 != $0.narrow } }

    /// Whether nothing but signs stands behind the first word.
    private var isAlone: Bool {
        !plain.scalars[word.upperBound...].contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// Letters of ASCII, digits and what tags have between them.
    private var isASCIIName: Bool {
        name.utf8.allSatisfy { $0 < 0x80 } && (name.first?.isLetter == true || name.first == "_")
    }

    /// Whether a word is no word of a sentence: terms with dots between them, the first of which begins with a letter and
    /// none of which is a number, or underscores within. An abbreviation is none.
    static func isEventName(_ name: String) -> Bool {
        var name = name[...]
        let ends = name.last == "."
        while name.last == "." { name.removeLast() }
        let terms = name.split(separator: ".")
        guard let first = name.first, first.isLetter || first == "_" || first == "*", !name.contains("...") else {
            return false
        }
        let isWord = terms.allSatisfy { $0.contains(where: \.isLetter) || $0.allSatisfy { $0 == "*" } }
        if terms.count > 1 { return isWord && !(ends && terms.allSatisfy { $0.count == 1 }) }
        let inner = name.drop { $0 == "_" }
        return isWord && (inner.contains("_") || inner.count < name.count && inner.count > 1)
    }

    /// The event that the first word is, or that begins it where prose of another script follows without a space, or ends
    /// it where nothing follows.
    private var eventName: String? {
        var parts: [[Unicode.Scalar]] = [[]]
        for scalar in name.unicodeScalars {
            if let last = parts[parts.count - 1].last, last.isASCII != scalar.isASCII,
                [last, scalar].allSatisfy({ $0.properties.isAlphabetic || "0"..."9" ~= $0 })
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
        if isNever, let behind = plain.scalars[word.upperBound...].first(where: { !$0.properties.isWhitespace }),
            behind != "\"", !ItemTokenizer.isWord(behind.narrow)
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

    /// `"Product Viewed"` alone or with clauses is an event; what else begins with a quotation is prose.
    private func isAboutQuoted() throws(ItemSyntaxError) -> Bool {
        guard case .text(let quoted)? = clauses.tokens.first?.kind else {
            try refuseNearlyEvent()
            return false
        }
        if clauses.tokens[0].end == plain.places.last?.upperBound || hasClause { return true }
        let inner = ItemReader(quoted)
        if let event = inner.eventName { throw nearly(event) }
        return false
    }

    private func refuseNearlyEvent() throws(ItemSyntaxError) {
        guard !word.isEmpty, !isAddress else { return }
        let isNumbered = plain.scalars[..<word.lowerBound].contains { $0.properties.numericType != nil }
        let isWord =
            isASCIIName && name.last != "." && (isAlone && !isNumbered && hasPlainSigns || hasClauseBehindSigns)
        if namesEvent || isWord { throw nearly(eventName ?? name) }
    }

    /// `never crashes` would be kept by any recording, whether the word is a tag or not.
    private func refuseNeverOfAWord() throws(ItemSyntaxError) {
        guard clauses.tokens.count == 2, case .word(let other) = clauses.tokens[1].kind,
            !other.contains(where: { "._*".contains($0) }), !ExpectationParser.keywords.contains(other)
        else { return }
        throw ItemSyntaxError(
            offset: clauses.tokens[1].start, message: "`\(other)` may be a tag or a word of a sentence",
            hint: "write `never \"\(other)\"`, or begin with another word")
    }

    /// Whether the word is a part of an address or of a path, and not one of several events.
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

    // What of a step asks for an event all the same.

    private func refuseStrayRequirement() throws(ItemSyntaxError) {
        if let strayEvent {
            throw ItemSyntaxError(
                offset: strayEvent.start, message: "the event is not at the beginning, and would not be judged",
                hint: "write the event and clauses alone, and notes on nested lines")
        }
        let isQuoted = plain.scalars.first.map { Self.quotes.contains($0) } == true || text.hasPrefix("`")
        if let clause = clauses.stray(isQuoted: isQuoted) {
            throw ItemSyntaxError(
                offset: clause.start, message: "a clause of a step for a person would not be judged",
                hint: "write `EVENT clause…`, with a tag of several words in \"straight quotes\"")
        }
    }

    /// An event behind other words: with a clause, or alone behind a label.
    private var strayEvent: ItemToken? {
        let tokens = clauses.tokens
        for index in tokens.indices.dropFirst() {
            guard case .word(let name) = tokens[index].kind, Self.isEventName(name) else { continue }
            let isLast = tokens[(index + 1)...].allSatisfy { [.close, .comma, .sign("!")].contains($0.kind) }
            if isLast ? isLabelled(at: index) : clauses.begins(at: index + 1) { return tokens[index] }
        }
        return nil
    }

    private static let labelEnds = Set(":：]】)）」』》>*–—→|".unicodeScalars)
    private static let quotes = Set("\"'“”„‘’«»「『`＂".unicodeScalars)

    /// Whether a label stands before a token: `[P0]`, `iOS:`, `**P0**`, `no`, but not `Open`.
    private func isLabelled(at index: Int) -> Bool {
        let before = text.unicodeScalars.prefix(clauses.tokens[index].start).reversed()
            .first { !$0.properties.isWhitespace && !Self.quotes.contains($0) && $0 != "(" && $0 != "[" }
        if before.map({ Self.labelEnds.contains($0) }) == true { return true }
        guard case .word(let word) = clauses.tokens[index - 1].kind else { return false }
        if ["never", "no", "not"].contains(word.lowercased()) { return true }
        let second = word.dropFirst().first
        return index == 1 && !(word.first?.isUppercase == true && second?.isLowercase != false)
    }

    private func nearly(_ name: String, hint: String? = nil) -> ItemSyntaxError {
        let end =
            plain.scalars[word.upperBound...].firstIndex(where: \.properties.isWhitespace) ?? plain.scalars.endIndex
        return ItemSyntaxError(
            offset: 0, message: "`\(plain.text(0..<end))` is nearly `\(name)`, and would not be judged",
            hint: hint ?? "write `\(name)` and clauses alone, and notes on nested lines; \(ExpectationParser.stepHint)")
    }

    /// `exactly 1 feed.show`: the event comes first.
    private func refuseLeadingClause() throws(ItemSyntaxError) {
        guard clauses.begins(at: 0) || clauses.isLeadingCount else { return }
        throw ItemSyntaxError(
            offset: 0, message: "`\(name)` stands before any event", hint: "write the event first: `EVENT \(text)`")
    }

    /// Whether what stands around the words is punctuation, and no emoji, `#` or `…`.
    private var hasPlainSigns: Bool {
        plain.scalars.allSatisfy { scalar in
            ItemTokenizer.isWord(scalar.narrow) || scalar.properties.isWhitespace || scalar == "<" || scalar == ">"
                || scalar.properties.generalCategory.isPunctuation && scalar != "#" && scalar != "…"
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

extension Unicode.GeneralCategory {
    fileprivate var isPunctuation: Bool {
        [
            .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation,
            .connectorPunctuation,
        ].contains(self)
    }
}

extension ChecklistLocation {
    /// Of a text that is only tried.
    fileprivate static let nowhere = ChecklistLocation(file: "", line: 1, column: 1)
}
