import DaybookBase
import DaybookTools

/// Decides what stands behind a box: something to judge, a step for a person, or what is nearly an event, which is an
/// error: taken for a step it would pass unjudged.
struct ItemReader {
    private let text: String
    private let plain: ReadableText
    /// The tokens up to the first place that is none.
    private let tokens: [ItemToken]
    /// The first word of the text that is no number, without what stands around it.
    private let word: Range<Int>

    init(_ text: String) {
        self.text = text
        plain = ReadableText(text)
        tokens = ItemTokenizer.readableTokens(of: plain)
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
        guard try isAboutEvent() else { return nil }
        if plain.isStruck {
            throw ItemSyntaxError(
                offset: 0, message: "the item is struck through, but would be judged",
                hint: "take the `~~` away, or delete the item")
        }
        return try ExpectationParser.event(text: text, at: origin)
    }

    /// Whether the text of a line without a box begins with an event.
    var namesEvent: Bool {
        eventName != nil || name.lowercased() == "never" && ItemReader(rest).eventName != nil
    }

    // The first word.

    private static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        let scalar = scalar.narrow
        return ItemTokenizer.isWord(scalar) && scalar != "-" && scalar != "."
    }

    /// The first word in usual width.
    private var name: String { ReadableText.narrow(plain.scalars[word]) }

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

    /// Whether a word is no word of a sentence: terms with letters and dots between them, or underscores within. An
    /// abbreviation is none.
    private static func isEventName(_ name: String) -> Bool {
        var name = name[...]
        let ends = name.last == "."
        while name.last == "." { name.removeLast() }
        let terms = name.split(separator: ".", omittingEmptySubsequences: false)
        let isWord = terms.allSatisfy { $0.contains(where: \.isLetter) || $0.allSatisfy { $0 == "*" } && !$0.isEmpty }
        if terms.count > 1 { return isWord && !(ends && terms.allSatisfy { $0.count == 1 }) }
        let inner = name.drop { $0 == "_" }
        return isWord && (inner.contains("_") || inner.count < name.count && inner.count > 1)
    }

    /// The event that the first word is, or that begins it where prose of another script follows without a space.
    private var eventName: String? {
        guard Self.isEventName(name), !name.contains(".") else { return Self.isEventName(name) ? name : nil }
        let scalars = Array(name.unicodeScalars)
        let change = scalars.indices.dropFirst().first { index in
            scalars[index].isASCII != scalars[index - 1].isASCII
                && scalars[(index - 1)...index].allSatisfy(\.properties.isAlphabetic)
        }
        let start = ReadableText.narrow(scalars[..<(change ?? scalars.endIndex)])
        return Self.isEventName(start) ? start : nil
    }

    // What the text is.

    private func isAboutEvent() throws(ItemSyntaxError) -> Bool {
        if plain.scalars.allSatisfy(\.properties.isWhitespace) {
            throw ItemSyntaxError(offset: 0, message: "the item is empty", hint: "write the event after the box")
        }
        if plain.scalars.first == "\"" { return try isAboutQuoted() }
        guard isClean else {
            try refuseNearlyEvent()
            return false
        }
        let isWildcard = (try? TagPattern(name))?.hasWildcard == true
        if name == "never" || isWildcard || name.dropLast().contains(".") { return true }
        if let eventName {
            guard eventName == name else { throw nearly(eventName) }
            return true
        }
        if ExpectationParser.keywords.contains(name) {
            try refuseLeadingClause()
            return false
        }
        if name.lowercased() == "never" {
            let isExpectation = (try? ExpectationParser.event(text: rest, at: .nowhere)) != nil
            if isExpectation || ItemReader(rest).namesEvent { throw nearly("never", hint: "write `never`") }
            return false
        }
        if isAlone, isASCIIName {
            guard !hasSigns else { throw nearly(name) }
            return true
        }
        return isCode || hasClause(behind: 1)
    }

    /// `"Product Viewed"` alone or with clauses is an event; what else begins with a quotation is prose.
    private func isAboutQuoted() throws(ItemSyntaxError) -> Bool {
        guard case .text(let quoted)? = tokens.first?.kind else {
            try refuseNearlyEvent()
            return false
        }
        if tokens[0].end == plain.places.last?.upperBound || hasClause(behind: 1) { return true }
        let inner = ItemReader(quoted)
        if let event = inner.eventName { throw nearly(event) }
        return false
    }

    private func refuseNearlyEvent() throws(ItemSyntaxError) {
        guard !word.isEmpty, !isAddress else { return }
        let isNumbered = plain.scalars[..<word.lowerBound].contains { $0.properties.numericType != nil }
        if namesEvent || isASCIIName && (isAlone && !isNumbered || hasClauseBehindSigns) {
            throw nearly(eventName ?? name)
        }
    }

    /// Whether the word is a part of an address or of a path.
    private var isAddress: Bool {
        let behind = plain.scalars[word.upperBound...]
        if let before = plain.scalars[..<word.lowerBound].last, "@/\\".unicodeScalars.contains(before) { return true }
        if behind.starts(with: "://".unicodeScalars) || behind.first == "@" { return true }
        return behind.first == "/" && behind.dropFirst().first.map(Self.beginsWord) == true
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
        guard beginsClause(at: 0) else { return }
        throw ItemSyntaxError(
            offset: 0, message: "`\(name)` stands before any event", hint: "write the event first: `EVENT \(text)`")
    }

    private var hasSigns: Bool { plain.scalars[word.upperBound...].contains { !$0.properties.isWhitespace } }

    private var isCode: Bool {
        text.hasPrefix("`") && text.hasSuffix("`") && !plain.scalars.contains(where: \.properties.isWhitespace)
    }

    // Clauses.

    private func hasClause(behind index: Int) -> Bool {
        tokens.count > 1 && (try? ExpectationParser.event(text: text, at: .nowhere)) != nil || beginsClause(at: index)
    }

    private var hasClauseBehindSigns: Bool {
        let rest = rest
        return ItemReader(rest).beginsClause(at: 0)
            || !rest.isEmpty && (try? ExpectationParser.event(text: "x \(rest)", at: .nowhere)) != nil
    }

    /// Whether a clause begins at a token, and not only a word of a sentence: `at least`, but not `at the`; `until feed.show`,
    /// but not `until the`.
    private func beginsClause(at index: Int) -> Bool {
        func word(_ offset: Int) -> String? {
            guard index + offset < tokens.count, case .word(let word) = tokens[index + offset].kind else { return nil }
            return word
        }
        if index + 1 < tokens.count, case .sign = tokens[index].kind { return true }
        guard let first = word(0)?.lowercased() else { return false }
        let next = word(1)
        let isNumber = next.map { Int($0) != nil } ?? false
        switch first {
        case "exactly": return true
        case "at": return ["least", "most"].contains(next?.lowercased())
        case "within": return next?.first?.isNumber == true
        case "where", "when":
            guard index + 2 < tokens.count else { return false }
            if case .sign = tokens[index + 2].kind { return true }
            return next != nil && ["in", "matches", "exists", "absent"].contains(word(2))
        case "until", "after", "before", "per", "joining": return next.map(Self.isEventName) ?? false
        case "each": return next.map(Self.isEventName) ?? false || word(2) == "in" && tokens.count > index + 3
        default: return isNumber && NearestName.of(first, among: ["exactly"]) != nil
        }
    }
}

extension ChecklistLocation {
    /// Of a text that is only tried.
    fileprivate static let nowhere = ChecklistLocation(file: "", line: 1, column: 1)
}
