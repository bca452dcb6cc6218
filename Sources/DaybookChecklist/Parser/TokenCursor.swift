import DaybookTools

/// A cursor over an item's tokens for a recursive-descent parser.
package struct TokenCursor {
    let scalars: [Unicode.Scalar]
    let origin: SourceLocation
    /// What the text is called in errors.
    private let name: String
    /// Whether part of the text is struck through.
    let isStruck: Bool
    private let tokens: [ItemToken]
    private var index = 0

    /// Tokenizes an item, which is Markdown, at `origin`.
    init(text: String, origin: SourceLocation) throws(ItemSyntaxError) {
        try self.init(text, origin, "item", ReadableText(text))
    }

    /// Tokenizes another text with this grammar, which is not Markdown.
    /// - Parameter name: What the text is called in errors.
    package init(plain text: String, name: String) throws(ItemSyntaxError) {
        try self.init(text, SourceLocation(file: "", line: 1, column: 1), name, ReadableText(plain: text))
    }

    private init(
        _ text: String, _ origin: SourceLocation, _ name: String, _ readable: ReadableText
    ) throws(ItemSyntaxError) {
        (self.name, self.origin) = (name, origin)
        scalars = Array(text.unicodeScalars)
        isStruck = readable.isStruck
        tokens = try ItemTokenizer.tokens(of: readable)
    }

    /// `nil` at the end.
    package var current: ItemToken? { index < tokens.count ? tokens[index] : nil }

    /// The next token's offset, or the end of the text.
    package var offset: Int { current?.start ?? scalars.count }

    /// The offset after the previous token.
    package var endOfPrevious: Int { index > 0 ? tokens[index - 1].end : 0 }

    package var word: String? {
        guard case .word(let word) = current?.kind else { return nil }
        return word
    }

    package mutating func advance() { index += 1 }

    /// Takes the next token if it is `kind`.
    package mutating func take(_ kind: ItemToken.Kind) -> Bool {
        guard current?.kind == kind else { return false }
        advance()
        return true
    }

    func location(_ offset: Int) -> SourceLocation {
        SourceLocation(file: origin.file, line: origin.line, column: origin.column + offset)
    }

    package func text(from start: Int, to end: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<end])
        return String(view)
    }

    /// An error at the next token: "expected …; found …".
    package func expected(_ what: String, hint: String? = nil) -> ItemSyntaxError {
        let found = current.map { "found `\(text(from: $0.start, to: $0.end))`" } ?? "the \(name) ends here"
        return ItemSyntaxError(offset: offset, message: "expected \(what); \(found)", hint: hint)
    }
}

extension TokenCursor {
    /// `TEST [and TEST…]`.
    package mutating func tests() throws(ItemSyntaxError) -> [ColumnTest] {
        var tests = [try test()]
        while take(.word("and")) { tests.append(try test()) }
        return tests
    }

    /// `COLUMN OPERATOR VALUE`, `COLUMN in (…)`, `COLUMN matches /…/`, `COLUMN exists`, `COLUMN absent`.
    mutating func test() throws(ItemSyntaxError) -> ColumnTest {
        let start = offset
        let column = try column()
        let condition = try condition()
        let test = ColumnTest(
            column: column, condition: condition, location: location(start),
            text: text(from: start, to: endOfPrevious))
        try refuseImpossible(test, at: start)
        return test
    }

    private func refuseImpossible(_ test: ColumnTest, at start: Int) throws(ItemSyntaxError) {
        let values = test.comparedValues
        switch test.condition {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if case .boolean? = values.first {
                throw ItemSyntaxError(
                    offset: start, message: "`\(test.text)` never holds: true and false have no order",
                    hint: "write `=` or `!=`")
            }
        case .matches where test.column == "_level":
            throw ItemSyntaxError(
                offset: start, message: "`\(test.text)` compares a number with a text", hint: Self.levelHint(17))
        default: break
        }
        for value in values {
            switch (test.column, value) {
            case ("_level", .text(let name)):
                throw ItemSyntaxError(
                    offset: start, message: "`\(test.text)` never holds: `_level` is a number",
                    hint: Self.levelHint(Severity.number(of: name) ?? 17))
            case ("_level", .boolean):
                throw ItemSyntaxError(
                    offset: start, message: "`\(test.text)` never holds: `_level` is a number", hint: Self.levelHint(17)
                )
            case ("_session", .text), ("_installation", .text): break
            case ("_session", _), ("_installation", _):
                throw ItemSyntaxError(
                    offset: start, message: "`\(test.text)` never holds: `\(test.column)` is a text",
                    hint: "write the value in \"quotes\"")
            default: break
            }
        }
    }

    private static func levelHint(_ number: Int) -> String {
        "write its number, as in `_level >= \(number)`: 9 is info, 13 a warning, 17 an error"
    }

    /// `COLUMN, COLUMN…`.
    mutating func columns() throws(ItemSyntaxError) -> [String] {
        var columns = [try column()]
        while take(.comma) {
            let start = offset
            let next = try column()
            if columns.contains(next) {
                throw ItemSyntaxError(offset: start, message: "the column `\(next)` is named twice")
            }
            columns.append(next)
        }
        return columns
    }

    package mutating func column() throws(ItemSyntaxError) -> String {
        guard let word, !word.contains("*"), word.unicodeScalars.first.map({ !("0"..."9" ~= $0) && $0 != "-" }) == true
        else { throw expected("a column") }
        advance()
        return word
    }

    /// `(VALUE, VALUE…)`.
    package mutating func valueList() throws(ItemSyntaxError) -> [ChecklistValue] {
        guard take(.open) else { throw expected("`(` and a list of values") }
        var values = [try value()]
        while take(.comma) { values.append(try value()) }
        guard take(.close) else { throw expected("`,` or `)`") }
        return values
    }

    package mutating func value() throws(ItemSyntaxError) -> ChecklistValue {
        let value: ChecklistValue?
        switch current?.kind {
        case .text(let text): value = .text(text)
        case .word(let word):
            value = ChecklistValue(word: word)
            if value == nil, Double(word) != nil {
                throw expected("a number whose digits are all compared", hint: "or a text: \"\(word)\"")
            }
        default: value = nil
        }
        guard let value else {
            throw expected("a value", hint: "a number, true, false, or a text in \"quotes\"")
        }
        advance()
        return value
    }

    /// `10s`, `1.5s`, `250ms`, `5m`, `1h`, in nanoseconds.
    /// - Parameter longer: further units in nanoseconds. Default: none.
    package mutating func duration(and longer: [(String, Double)] = []) throws(ItemSyntaxError) -> Int64 {
        let units: [(String, Double)] = [("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)] + longer
        if let word, let (unit, nanoseconds) = units.first(where: { word.hasSuffix($0.0) }),
            let amount = ChecklistValue(word: String(word.dropLast(unit.count)))
        {
            let total: Double =
                switch amount {
                case .integer(let amount): Double(amount) * nanoseconds
                case .number(let amount): amount * nanoseconds
                default: -1
                }
            if total >= 1, total < 0x1p63 {
                advance()
                return Int64(total)
            }
        }
        throw expected(
            "a duration", hint: longer.isEmpty ? "such as 10s, 250ms, 5m or 1h" : "such as 30s, 10m, 1h or 7d")
    }

    private mutating func condition() throws(ItemSyntaxError) -> ColumnTest.Condition {
        switch current?.kind {
        case .word("exists"):
            advance()
            return .exists
        case .word("absent"):
            advance()
            return .absent
        case .word("in"):
            advance()
            return .oneOf(try valueList())
        case .word("matches"):
            advance()
            guard case .regularExpression(let expression) = current?.kind else {
                throw expected("a regular expression in `/…/`")
            }
            do throws(TextPattern.Problem) {
                let pattern = try TextPattern(expression)
                advance()
                return .matches(pattern)
            } catch {
                throw ItemSyntaxError(
                    offset: offset + 1 + error.offset, message: "the regular expression: \(error.message)")
            }
        case .sign(let sign):
            guard let make = Self.comparisons[sign] else {
                let hint = ["=>": "write `>=`", "=<": "write `<=`", "==": "write `=`", "<>": "write `!=`"][sign]
                throw ItemSyntaxError(offset: offset, message: "`\(sign)` is not an operator", hint: hint)
            }
            advance()
            return make(try value())
        default:
            throw expected("an operator", hint: "= != < <= > >= in (…) matches /…/ exists absent")
        }
    }

    private static let comparisons: [String: @Sendable (ChecklistValue) -> ColumnTest.Condition] = [
        "=": { .equal($0) }, "!=": { .notEqual($0) }, "<": { .less($0) }, "<=": { .lessOrEqual($0) },
        ">": { .greater($0) }, ">=": { .greaterOrEqual($0) },
    ]
}

extension ChecklistValue {
    /// The value of an unquoted word: an integer, a decimal number, `true` or `false`; `nil` for other words, and for a
    /// number that a double cannot represent.
    package init?(word: String) {
        if let integer = Int64(word) {
            self = .integer(integer)
        } else if word == "true" || word == "false" {
            self = .boolean(word == "true")
        } else if let first = word.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            word.utf8.allSatisfy({ (0x2D...0x39).contains($0) && $0 != 0x2F || $0 | 0x20 == UInt8(ascii: "e") }),
            let number = Double(exactly: word)
        {
            self = .number(number)
        } else {
            return nil
        }
    }
}
