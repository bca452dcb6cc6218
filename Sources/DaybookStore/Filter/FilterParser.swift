import DaybookBase

/// Why and where a text is not a filter.
public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Of the first wrong character, from 1, in Unicode scalars, so that a combining mark does not hide the one under
    /// it.
    public var column: Int
    /// What is wrong and what to do: one line.
    public var message: String

    public var description: String { "column \(column): \(message)" }
}

/// A parsed filter: its expression, and its parts for a screen that lists them.
public struct ParsedFilter: Sendable, Hashable {
    /// A part that narrows by itself: one of several side by side, outside of parentheses and `OR`.
    public struct Part: Sendable, Hashable {
        /// Its range in the text, in UTF-16 units.
        public var range: Range<Int>
        public var text: String
        /// The tested name, as written, if the part is a name, `=` or `:`, and values.
        public var name: String?
        /// Whether the part excludes its matches.
        public var isNegated: Bool

        package init(range: Range<Int>, text: String, name: String?, isNegated: Bool) {
            (self.range, self.text, self.name, self.isNegated) = (range, text, name, isNegated)
        }
    }

    /// The condition; `nil` for an empty text, which selects all records.
    public var expression: FilterExpression?
    /// The parts; a text with `OR` outside of parentheses is a single part.
    public var parts: [Part]
    /// Whether there is an `OR` outside of parentheses.
    public var isAlternatives = false
}

extension FilterExpression {
    /// Whether the two form a reversed or empty time range.
    fileprivate func excludes(_ other: FilterExpression) -> Bool {
        switch (self, other) {
        case (.term(.since(let start)), .term(.until(let end))), (.term(.until(let end)), .term(.since(let start))):
            start >= end
        default: false
        }
    }
}

/// Parses filters; `docs/formats/filters.md` specifies the language. Pure.
public struct FilterParser {
    /// The longest filter, in bytes; a longer text is an error.
    public static let longest = 4_096
    /// The built-in names; every other name is a column.
    public static let names =
        FilterField.allCases.map(\.rawValue) + FilterMeasure.allCases.map(\.rawValue)
        + ["level", "has", "after", "before", "last", "time"]
    /// Names that a column needs quotes for, in any case: other systems' names for built-in fields, and prefixes, which
    /// end with a dot.
    public static let taken = FilterTermReader.taken
    private static let deepest = 32
    private static let mostTerms = 200

    private let characters: [Unicode.Scalar]
    private let now: Int64
    private let isLive: Bool
    private var place = 0
    private var terms = 0
    /// Outside of parentheses, the part's name, if values can be added to it.
    private var name: String?
    private var side: FilterMistake.Side?

    /// Parses a filter.
    /// - Parameters:
    ///   - text: At most ``longest`` bytes.
    ///   - now: The time from which `last:2h` counts back, in nanoseconds since 1970.
    ///   - isLive: Whether `last` has no end, for a caller that follows new records. Default: `false`, `last` ends at
    ///     `now`.
    /// - Throws: ``FilterError`` for the first mistake.
    public static func parse(
        _ text: String, now: Int64, isLive: Bool = false
    ) throws(FilterError) -> ParsedFilter {
        guard text.utf8.count <= longest else {
            throw FilterError(column: 1, message: "a filter has at most \(longest) bytes; leave something out")
        }
        var parser = FilterParser(characters: Array(text.unicodeScalars), now: now, isLive: isLive)
        return try parser.whole()
    }

    private init(characters: [Unicode.Scalar], now: Int64, isLive: Bool) {
        self.characters = characters
        self.now = now
        self.isLive = isLive
    }

    // MARK: Structure

    private static let sides = "`OR` needs something on both sides; quote it to search for the word: \"OR\""

    private mutating func whole() throws(FilterError) -> ParsedFilter {
        skipSpace()
        guard place < characters.count else { return ParsedFilter(expression: nil, parts: []) }
        var parts: [ParsedFilter.Part] = []
        let expression = try alternatives(depth: 0, parts: &parts)
        guard place == characters.count else { throw error("this `)` closes nothing; remove it, or quote it") }
        guard parts.isEmpty else { return ParsedFilter(expression: expression, parts: parts) }
        return ParsedFilter(
            expression: expression, parts: [part(from: 0, to: place, name: nil, isNegated: false)],
            isAlternatives: true)
    }

    private mutating func alternatives(
        depth: Int, parts: inout [ParsedFilter.Part]
    ) throws(FilterError) -> FilterExpression {
        var found = [try conjunction(depth: depth, parts: &parts)]
        while accept(word: "OR") {
            if depth > 0, peek() == ")" { throw error(Self.sides) }
            var others: [ParsedFilter.Part] = []
            found.append(try conjunction(depth: depth, parts: &others))
            parts = []
        }
        return found.count == 1 ? found[0] : .any(found)
    }

    private mutating func conjunction(
        depth: Int, parts: inout [ParsedFilter.Part]
    ) throws(FilterError) -> FilterExpression {
        var found: [FilterExpression] = []
        side = nil
        while true {
            skipSpace()
            if !found.isEmpty, accept(word: "AND") {
                skipSpace()
                side = nil
            } else if isAtEnd || peek() == ")" || isNext(word: "OR") {
                break
            }
            if isAtEnd || peek() == ")" || isNext(word: "OR") { throw error("`AND` needs something after it") }
            let start = place
            let previous = side
            name = nil
            let expression = try negated(depth: depth)
            side?.start = start
            if let side, let error = FilterMistake.error(of: side, after: previous) { throw error }
            let isNegated = if case .not = expression { true } else { false }
            parts.append(part(from: start, to: place, name: name, isNegated: isNegated))
            guard !found.contains(where: { $0.excludes(expression) }) else {
                throw FilterError(
                    column: start + 1,
                    message:
                        "this leaves nothing of what stands before it: a range goes from the lower end to the higher")
            }
            found.append(expression)
        }
        guard !found.isEmpty else {
            if depth == 0, peek() == ")" { throw error("this `)` closes nothing; remove it, or quote it") }
            throw error(
                isNext(word: "OR") || isAtEnd
                    ? Self.sides : "nothing is between these parentheses; quote them to search for them: \"()\"")
        }
        return found.count == 1 ? found[0] : .all(found)
    }

    private mutating func negated(depth: Int) throws(FilterError) -> FilterExpression {
        guard depth < Self.deepest else { throw error("at most \(Self.deepest) levels of parentheses and `NOT`") }
        if accept(word: "NOT") {
            skipSpace()
            guard !isAtEnd, peek() != ")" else { throw error("`NOT` needs something after it") }
            return Self.not(try negated(depth: depth + 1))
        }
        if peek() == "-", let next = peek(1), !next.properties.isWhitespace, next != ")" {
            place += 1
            return Self.not(try negated(depth: depth + 1))
        }
        guard peek() == "(" else { return try term() }
        let start = place
        place += 1
        skipSpace()
        guard !isAtEnd else { throw error("this `(` is not closed; close it, or quote it", at: start) }
        var parts: [ParsedFilter.Part] = []
        let inner = try alternatives(depth: depth + 1, parts: &parts)
        guard peek() == ")" else { throw error("this `(` is not closed; close it, or quote it", at: start) }
        place += 1
        name = nil
        side = FilterMistake.Side(start: start, isGroup: true)
        return inner
    }

    private static func not(_ expression: FilterExpression) -> FilterExpression {
        if case .not(let inner) = expression { inner } else { .not(expression) }
    }

    private func part(from start: Int, to end: Int, name: String?, isNegated: Bool) -> ParsedFilter.Part {
        let before = characters[..<start].reduce(0) { $0 + UTF16.width($1) }
        let text = self.text(from: start, to: end)
        return ParsedFilter.Part(
            range: before..<(before + text.utf16.count), text: text, name: name, isNegated: isNegated)
    }

    // MARK: Terms

    private mutating func term() throws(FilterError) -> FilterExpression {
        terms += 1
        guard terms <= Self.mostTerms else { throw error("a filter has at most \(Self.mostTerms) terms") }
        let start = place
        if let text = try quoted() {
            guard let sign = sign() else {
                guard !text.isEmpty else { throw error("an empty text is in every record; remove it", at: start) }
                try checkEnd()
                side = FilterMistake.Side(start: start, isGroup: false)
                return .term(.text(text))
            }
            return try comparison(self.text(from: start, to: place - sign.count), column: text, sign, start: start)
        }
        var isAddress = false
        while let next = peek(), !Self.endsWord(next) {
            if !isAddress, let sign = sign() {
                let name = self.text(from: start, to: place - sign.count)
                isAddress = sign == ":" && peek() == "/" && peek(1) == "/"
                guard Self.isName(name), !isAddress else { continue }
                return try comparison(name, column: nil, sign, start: start)
            }
            try check(next, behind: start)
            place += 1
        }
        guard place > start else { throw error("this `)` closes nothing; remove it, or quote it") }
        let word = self.text(from: start, to: place)
        if let message = FilterMistake.message(of: word, after: side?.word, before: following) {
            throw error(message, at: start)
        }
        try checkEnd()
        side = FilterMistake.Side(start: start, word: word, isGroup: false)
        return .term(.text(word))
    }

    /// Rejects invisible characters, and a full-width operator after a name.
    private func check(_ next: Unicode.Scalar, behind start: Int) throws(FilterError) {
        if FilterMistake.isInvisible(next) {
            throw error(
                "here is an invisible character, U+\(String(next.value, radix: 16, uppercase: true)); remove it, or "
                    + "quote the text")
        }
        guard let sign = FilterMistake.narrow(next) else { return }
        let name = text(from: start, to: place)
        guard name.utf8.count == place - start, Self.isName(name) else { return }
        throw error("`\(next)` is written \(sign) here; quote the text to search for it")
    }

    /// Requires a space or `)` after a word or a quotation.
    private func checkEnd() throws(FilterError) {
        guard let next = peek(), !next.properties.isWhitespace, next != ")" else { return }
        throw error("a space must stand before this `\(next)`; quote a text that has it, such as \"f(x)\"")
    }

    private var following: String {
        let rest = characters[place...].drop { $0.properties.isWhitespace }
        return String(String.UnicodeScalarView(rest.prefix { !$0.properties.isWhitespace && $0 != ")" }))
    }

    /// A name starts with a letter, `_` or `$`, so `10:30` and `=` are texts.
    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.first.map { $0.properties.isAlphabetic || $0 == "_" || $0 == "$" } ?? false
    }

    private mutating func sign() -> String? {
        for sign in ["!=", "!~", ">=", "<=", "=", ":", ">", "<", "~"]
        where characters[place...].starts(with: sign.unicodeScalars) {
            place += sign.count
            return sign
        }
        return nil
    }

    private mutating func comparison(
        _ name: String, column: String?, _ sign: String, start: Int
    ) throws(FilterError) -> FilterExpression {
        if column == nil { try FilterTermReader.checkSpelling(name, at: start + 1) }
        var values: [FilterWord] = []
        repeat {
            if !values.isEmpty { place += 1 }
            values.append(try value(name, sign))
        } while peek() == ","
        let term = FilterTermReader(
            name: name, column: column, sign: sign, start: start + 1, now: now, isLive: isLive)
        let expression = try term.expression(values)
        side = FilterMistake.Side(start: start, name: name, isGroup: false)
        self.name = sign == "=" || sign == ":" || sign == "!=" ? (values.contains(where: \.isRange) ? nil : name) : nil
        return sign == "!=" ? .not(expression) : expression
    }

    private mutating func value(_ name: String, _ sign: String) throws(FilterError) -> FilterWord {
        let start = place
        try checkSign(name, sign)
        if let text = try quoted() {
            if peek() != "," { try checkEnd() }
            return FilterWord(isQuoted: true, parts: [text], column: start + 1)
        }
        if let bracket = peek(), bracket == "[" || bracket == "{" {
            throw error(
                "there are no `\(bracket)…`: values are written \(name)=a,b and ranges \(name):1..2; quote a text that begins so"
            )
        }
        var parts = [""]
        var second: [String]?
        while let next = peek(), !Self.endsWord(next), next != "," {
            try check(next, behind: place)
            place += 1
            switch next {
            case "\\":
                guard let escaped = peek() else {
                    throw error("a backslash must precede a character: \\\\ is a backslash", at: place - 1)
                }
                parts[parts.count - 1].unicodeScalars.append(Self.unescaped(escaped))
                place += 1
            case "*": parts.append("")
            case "." where peek() == "." && second == nil:
                place += 1
                second = parts
                parts = [""]
            case "&" where peek() == "&", "|" where peek() == "|":
                throw error(
                    "`&&` and `||` are written AND and OR here, between spaces; or quote the text", at: place - 1)
            case "…":
                throw error("`…` is written .. here, as in \(name):1..2; quote a text that has it", at: place - 1)
            default: parts[parts.count - 1].unicodeScalars.append(next)
            }
        }
        guard place > start else {
            throw error(
                "`\(name)\(sign)` needs a value right after it, without a space; the empty text is written \(name)=\"\"; "
                    + "quote it to search for it", at: start)
        }
        if peek() != "," { try checkEnd() }
        if text(from: start, to: place) == "null" {
            throw error(
                "where there is no value is written -has:\(name); the text is written \(name)=\"null\"", at: start)
        }
        if let lower = second {
            guard parts.count == 1, lower.count == 1 else {
                throw error("a range has no stars; quote the text to find it as it is", at: start)
            }
            guard !lower[0].isEmpty || !parts[0].isEmpty else {
                throw error("a range needs an end, such as 100.. or ..200", at: start)
            }
            return FilterWord(isQuoted: false, parts: lower, upper: parts[0], column: start + 1)
        }
        return FilterWord(isQuoted: false, parts: parts, column: start + 1)
    }

    /// Keeps another language's operator from becoming part of the value.
    private func checkSign(_ name: String, _ sign: String) throws(FilterError) {
        let rest = characters[place...].prefix { FilterMistake.signs.contains($0) }
        guard !rest.isEmpty || sign.hasSuffix("~") else { return }
        let written = sign + String(String.UnicodeScalarView(rest))
        var value = String(
            String.UnicodeScalarView(characters[(place + rest.count)...].prefix { !$0.properties.isWhitespace }))
        if written.contains("~") { value = "*\(value)*" }
        throw error(
            "there is no `\(written)`: write \(name)\(FilterMistake.meant(by: written))\(value), or quote a text "
                + "that has it")
    }

    /// A quoted text; `nil` if no quotation mark is next.
    private mutating func quoted() throws(FilterError) -> String? {
        guard let closing = peek().flatMap(FilterMistake.closing) else { return nil }
        let start = place
        place += 1
        var text = ""
        while let next = peek() {
            place += 1
            switch next {
            case _ where closing.contains(next): return text
            case "\\":
                guard let escaped = peek() else { break }
                text.unicodeScalars.append(Self.unescaped(escaped))
                place += 1
            default: text.unicodeScalars.append(next)
            }
        }
        throw error(
            "this quotation mark is not closed; close it, or quote a text that has one: \"it's\", \"a \\\" b\"",
            at: start)
    }

    private static func unescaped(_ character: Unicode.Scalar) -> Unicode.Scalar {
        switch character {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        default: character
        }
    }

    // MARK: Characters

    private func text(from start: Int, to end: Int) -> String {
        String(String.UnicodeScalarView(characters[start..<end]))
    }

    private var isAtEnd: Bool { place >= characters.count }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        place + offset < characters.count ? characters[place + offset] : nil
    }

    private static func endsWord(_ character: Unicode.Scalar) -> Bool {
        character.properties.isWhitespace || character == "(" || character == ")" || character == "\""
    }

    private mutating func skipSpace() { while let next = peek(), next.properties.isWhitespace { place += 1 } }

    private func isNext(word: String) -> Bool {
        guard characters[min(place, characters.count)...].starts(with: word.unicodeScalars) else { return false }
        return peek(word.unicodeScalars.count).map { Self.endsWord($0) } ?? true
    }

    private mutating func accept(word: String) -> Bool {
        skipSpace()
        guard isNext(word: word) else { return false }
        place += word.unicodeScalars.count
        skipSpace()
        return true
    }

    private func error(_ message: String, at place: Int? = nil) -> FilterError {
        FilterError(column: (place ?? self.place) + 1, message: message)
    }
}

struct FilterWord {
    var isQuoted: Bool
    var parts: [String]
    var upper: String?
    var column: Int

    var isRange: Bool { upper != nil }
    var isPattern: Bool { parts.count > 1 }
    /// For a value without stars.
    var text: String { parts.joined(separator: "*") }
}
