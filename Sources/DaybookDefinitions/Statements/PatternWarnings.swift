extension StatementReader {
    /// Reports a pattern that matches no possible value.
    mutating func match(
        _ left: SQLOperand, _ place: Range<Int>, _ word: String, _ right: SQLOperand, _ otherPlace: Range<Int>
    ) {
        guard case .text(let text)? = right.only, right.isConstant else { return }
        let isGlob = word == "glob"
        let pattern = SQLPattern(text, isGlob: isGlob, isCaseless: !isGlob && (tables.isSQLite || word == "ilike"))
        let comparison = Comparison(
            subject: left, sign: "=", other: right, written: self.text(bare(place)), otherWritten: text)
        var found: Fault?
        if !text.allSatisfy({ "%*_?".contains($0) }), let fault = masked(left) {
            found = fault
        } else {
            for kind in left.kinds ?? [] {
                guard let fault = fault(kind, pattern, text, comparison, word.uppercased()) else { return }
                found = found ?? fault
            }
        }
        guard let (what, hint) = found else { return }
        tell(at: bare(otherPlace).lowerBound, "`\(comparison.written)` is \(what) (\(hint))")
    }

    private func fault(
        _ kind: SQLKind, _ pattern: SQLPattern, _ text: String, _ comparison: Comparison, _ word: String
    ) -> Fault? {
        switch kind {
        case .number, .level, .digits:
            guard pattern.contains(where: { !($0.isASCII && $0.isNumber) && !"+-.eE".contains($0) }) else { return nil }
            return ("a number and is compared with the text '\(text.clipped)'", hint(kind, comparison, text))
        case .text(let name):
            guard !pattern.mayMatch(name, { $0 == $1 }) else { return nil }
            return ("never like '\(text.clipped)'", names(of: comparison))
        case .form(let form):
            guard !pattern.mayMatch(form.marks, SQLForm.allows) else { return nil }
            let isSpace = form == .record && text.dropFirst(10).first == " "
            return (
                isSpace
                    ? "a text with `T` between date and time"
                    : "a text like \(form.example), never like '\(text.clipped)'",
                isSpace
                    ? "write `T` for the space in '\(text.clipped)'"
                    : "write a pattern such as '\(form.example.prefix(10))%'"
            )
        case .json:
            guard let first = pattern.first, !"\"{[-0123456789tfn".contains(first) else { return nil }
            return (
                "JSON, a text in quotation marks, never like '\(text.clipped)'",
                "write `\(comparison.written.replacing("->", with: "->>")) \(word) '\(text.clipped)'`"
            )
        case .small where word == "GLOB" && text != text.lowercased(),
            .capital where word == "GLOB" && text != text.uppercased():
            return ("never like '\(text.clipped)'", "its case is another")
        case .literal, .object, .small, .capital, .anyText, .moment: return nil
        }
    }
}

/// A LIKE or GLOB pattern, analysed for what it cannot match.
struct SQLPattern {
    private enum Part { case any, one, character(Character) }
    private let parts: [Part]
    private let isCaseless: Bool

    init(_ text: String, isGlob: Bool, isCaseless: Bool) {
        var parts: [Part] = []
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "*" where isGlob, "%" where !isGlob: parts.append(.any)
            case "?" where isGlob, "_" where !isGlob: parts.append(.one)
            case "[" where isGlob:
                parts.append(.one)
                if let end = rest.dropFirst().firstIndex(of: "]") { rest = rest[rest.index(after: end)...] }
            // Either the next character is escaped, or the backslash is literal.
            case "\\": parts.append(.any)
            default: parts.append(.character(character))
            }
        }
        self.parts = parts
        self.isCaseless = isCaseless
    }

    /// The first character, unless it is a wildcard.
    var first: Character? { if case .character(let first)? = parts.first { first } else { nil } }

    func contains(where isMeant: (Character) -> Bool) -> Bool {
        parts.contains { if case .character(let character) = $0 { isMeant(character) } else { false } }
    }

    /// Whether it may match a text of such a form; `allows` compares characters.
    func mayMatch(_ marks: some Collection<Character>, _ allows: (Character, Character) -> Bool) -> Bool {
        // The parts that may come next (NFA states).
        var open: Set = [0]
        func skipped(_ places: Set<Int>) -> Set<Int> {
            var all = places
            for place in places {
                var place = place
                while place < parts.count, case .any = parts[place] {
                    place += 1
                    all.insert(place)
                }
            }
            return all
        }
        for mark in marks {
            var next: Set<Int> = []
            for place in skipped(open) where place < parts.count {
                switch parts[place] {
                case .any: next.insert(place)
                case .one: next.insert(place + 1)
                case .character(let character):
                    let isMet =
                        allows(mark, character)
                        || isCaseless && allows(Self.small(mark), Self.small(character))
                    if isMet { next.insert(place + 1) }
                }
            }
            open = next
        }
        return skipped(open).contains(parts.count)
    }

    private static func small(_ character: Character) -> Character {
        character.isASCII ? Character(character.lowercased()) : character
    }
}
