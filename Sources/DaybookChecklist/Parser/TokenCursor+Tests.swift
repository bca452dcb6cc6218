extension TokenCursor {
    /// `TEST [and TEST…]`.
    mutating func tests() throws(ItemSyntaxError) -> [ColumnTest] {
        var tests = [try test()]
        while take(.word("and")) { tests.append(try test()) }
        return tests
    }

    /// `COLUMN OPERATOR VALUE`, `COLUMN in (…)`, `COLUMN matches /…/`, `COLUMN exists`, `COLUMN absent`.
    mutating func test() throws(ItemSyntaxError) -> ColumnTest {
        let start = offset
        let column = try column()
        let condition = try condition()
        return ColumnTest(
            column: column, condition: condition, location: location(start),
            text: text(from: start, to: endOfPrevious))
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

    mutating func column() throws(ItemSyntaxError) -> String {
        guard let word, !word.contains("*"), word.unicodeScalars.first.map({ !("0"..."9" ~= $0) && $0 != "-" }) == true
        else { throw expected("a column") }
        advance()
        return word
    }

    /// `(VALUE, VALUE…)`.
    mutating func valueList() throws(ItemSyntaxError) -> [ChecklistValue] {
        guard take(.open) else { throw expected("`(` and a list of values") }
        var values = [try value()]
        while take(.comma) { values.append(try value()) }
        guard take(.close) else { throw expected("`,` or `)`") }
        return values
    }

    mutating func value() throws(ItemSyntaxError) -> ChecklistValue {
        let value: ChecklistValue?
        switch current?.kind {
        case .text(let text): value = .text(text)
        case .word(let word): value = ChecklistValue(word: word)
        default: value = nil
        }
        guard let value else {
            throw expected("a value", hint: "a number, true, false, or a text in \"quotes\"")
        }
        advance()
        return value
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
                throw ItemSyntaxError(offset: offset, message: "`\(sign)` is no operator", hint: hint)
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
    /// The value of a word without quotes: a whole number, a decimal number, `true` or `false`; `nil` for other words.
    package init?(word: String) {
        if let integer = Int64(word) {
            self = .integer(integer)
        } else if word == "true" || word == "false" {
            self = .boolean(word == "true")
        } else if let first = word.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            word.utf8.allSatisfy({ (0x2D...0x39).contains($0) && $0 != 0x2F || $0 | 0x20 == UInt8(ascii: "e") }),
            let number = Double(word), number.isFinite
        {
            self = .number(number)
        } else {
            return nil
        }
    }
}
