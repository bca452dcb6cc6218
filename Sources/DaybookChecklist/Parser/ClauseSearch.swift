import DaybookTools

/// Distinguishes clauses from words of a sentence among an item's tokens: `at least 2`, but not `at least 5 seconds`;
/// `until feed.show`, but not `until the`.
struct ClauseSearch {
    let tokens: [ItemToken]

    init(_ tokens: [ItemToken]) { self.tokens = tokens }

    func begins(at index: Int) -> Bool {
        guard let first = word(index)?.lowercased() else { return false }
        let next = word(index + 1)
        switch first {
        case "where", "when":
            guard next != nil, index + 2 < tokens.count else { return false }
            return isOperator(at: index + 2)
        case "until", "after", "before", "per": return next.map(ItemReader.isEventName) ?? false
        case "joining": return next.map(ItemReader.isEventName) ?? false || next != nil && index + 2 == tokens.count
        case "each": return next.map(ItemReader.isEventName) ?? false || isList(at: index + 2)
        default:
            if isCount(at: index) { return true }
            if index == 1, isUnfinishedCount { return true }
            // `login plan = "free"`
            return index == 1 && index + 2 < tokens.count && [.sign("="), .sign("!=")].contains(tokens[index + 1].kind)
        }
    }

    /// Whether the text begins with a count of one word, `at least 1 login`.
    var isLeadingCount: Bool {
        guard let number = number(at: 0) else { return false }
        if number + 2 == tokens.count { return word(number + 1) != nil }
        return word(number + 1).map(ItemReader.isEventName) ?? false
    }

    /// The first clause that no sentence would contain: a count with nothing after it, or a test against a text.
    /// - Parameter isQuoted: whether the text begins with a quotation, perhaps meant as a tag: then any clause counts.
    func stray(isQuoted: Bool) -> ItemToken? {
        tokens.indices.first { index in
            if isCount(at: index) || isQuoted && begins(at: index) { return true }
            guard ["where", "when"].contains(word(index)?.lowercased()), begins(at: index), index + 3 < tokens.count,
                case .text = tokens[index + 3].kind
            else { return false }
            return true
        }.map { tokens[$0] }
    }

    private func word(_ index: Int) -> String? {
        guard tokens.indices.contains(index), case .word(let word) = tokens[index].kind else { return nil }
        return word
    }

    /// `exactly 1`, `at least 1` or `at most 1`, at the end or before another clause.
    private func isCount(at index: Int) -> Bool {
        guard let number = number(at: index) else { return false }
        let rest = tokens[(number + 1)...].drop { $0.kind == .close }
        guard let behind = rest.first else { return true }
        guard case .word(let word) = behind.kind, rest.count > 1 else { return false }
        if word == "at" { return ["least", "most"].contains(self.word(rest.startIndex + 1)) }
        return ExpectationParser.keywords.contains(word)
    }

    private func number(at index: Int) -> Int? {
        guard let first = word(index)?.lowercased() else { return nil }
        let place = index + (first == "at" ? 2 : 1)
        guard let digits = word(place)?.split(separator: ".").first, digits.count < 10,
            Int(ReadableText.narrow(digits.unicodeScalars)) != nil
        else { return nil }
        if first == "at" { return ["least", "most"].contains(word(index + 1)?.lowercased()) ? place : nil }
        return NearestName.of(first, among: ["exactly"]) != nil || first == "exactly" ? place : nil
    }

    /// Only `exactly once`.
    var isVagueCount: Bool { tokens.count == 2 && word(0)?.lowercased() == "exactly" && isTimes(1) }

    private func isTimes(_ index: Int) -> Bool { ["once", "twice"].contains(word(index)?.lowercased()) }

    /// `login at least`, `login exactly once`.
    private var isUnfinishedCount: Bool {
        switch word(1)?.lowercased() {
        case "exactly": tokens.count == 2 || tokens.count == 3 && isTimes(2)
        case "at": tokens.count == 3 && ["least", "most"].contains(word(2)?.lowercased())
        default: false
        }
    }

    private func isOperator(at index: Int) -> Bool {
        switch tokens[index].kind {
        case .sign: true
        case .word("exists"), .word("absent"): true
        case .word("matches"): index + 1 < tokens.count && tokens[index + 1].isRegularExpression
        default: isList(at: index)
        }
    }

    private func isList(at index: Int) -> Bool {
        word(index) == "in" && index + 1 < tokens.count && tokens[index + 1].kind == .open
    }
}

extension ItemToken {
    fileprivate var isRegularExpression: Bool {
        if case .regularExpression = kind { true } else { false }
    }
}
