/// A token of a statement in any dialect.
struct SQLToken {
    enum Kind: Equatable {
        /// A keyword or unquoted name, in lower case.
        case word(String)
        /// A quoted name, in lower case and as written.
        case name(String, written: String)
        case text(String)
        /// As written.
        case number(String)
        /// An operator such as `>=` or `->>`.
        case sign(String)
        case comma, dot, open, close
    }

    let kind: Kind
    /// In scalars of the statement.
    let range: Range<Int>
    /// From 1, in the statement.
    let line: Int
    /// From 1, in Unicode scalars.
    let column: Int

    func isWord(_ words: String...) -> Bool { if case .word(let word) = kind { words.contains(word) } else { false } }
}

/// Splits a statement into tokens; skips comments.
struct SQLTokenizer {
    private let scalars: [Unicode.Scalar]
    private let escapes: Bool
    private var index = 0
    private var line = 1
    private var lineStart = 0

    /// - Parameter dialect: `nil` if unknown; a backslash in a string is then literal.
    static func tokens(of sql: String, _ dialect: SQLDialect?) -> [SQLToken] {
        var tokenizer = SQLTokenizer(scalars: Array(sql.unicodeScalars), escapes: dialect == .clickhouse)
        var tokens: [SQLToken] = []
        while let token = tokenizer.next() { tokens.append(token) }
        return tokens
    }

    private init(scalars: [Unicode.Scalar], escapes: Bool) { (self.scalars, self.escapes) = (scalars, escapes) }

    private func at(_ offset: Int) -> Unicode.Scalar? {
        index + offset < scalars.count ? scalars[index + offset] : nil
    }

    private mutating func advance() {
        if scalars[index] == "\n" { (line, lineStart) = (line + 1, index + 1) }
        index += 1
    }

    private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
        while let scalar = at(0), condition(scalar) { advance() }
    }

    private mutating func next() -> SQLToken? {
        skipSpaceAndComments()
        guard let first = at(0) else { return nil }
        let (start, line, column) = (index, line, index - lineStart + 1)
        let kind = kind(first)
        return SQLToken(kind: kind, range: start..<index, line: line, column: column)
    }

    private mutating func skipSpaceAndComments() {
        while let first = at(0) {
            if first == "-", at(1) == "-" {
                skip { $0.value != 0x0A }
            } else if first == "/", at(1) == "*" {
                advance()
                advance()
                while at(0) != nil, at(0) != "*" || at(1) != "/" { advance() }
                if at(0) != nil { advance() }
                if at(0) != nil { advance() }
            } else if first.properties.isWhitespace || first == ";" {
                advance()
            } else {
                return
            }
        }
    }

    private mutating func kind(_ first: Unicode.Scalar) -> SQLToken.Kind {
        switch first {
        case "'": return .text(quoted(by: "'"))
        case "\"", "`": return name(quoted(by: first))
        case "[": return name(bracketed())
        case "(": return single(.open)
        case ")": return single(.close)
        case ",": return single(.comma)
        case "0"..."9": return number(from: index)
        case ".":
            advance()
            guard let next = at(0), "0"..."9" ~= next else { return .dot }
            return number(from: index - 1)
        case _ where Self.isInWord(first): return word()
        default:
            let start = index
            advance()
            while let next = at(0), "=<>!|-&@:".unicodeScalars.contains(next), Self.isOneSign(scalars[start...index]) {
                advance()
            }
            return .sign(string(scalars[start..<index]))
        }
    }

    private mutating func number(from start: Int) -> SQLToken.Kind {
        skip { Self.isInWord($0) || $0 == "." }
        // A signed exponent.
        if scalars[index - 1] == "e" || scalars[index - 1] == "E", at(0) == "-" || at(0) == "+",
            let digit = at(1), "0"..."9" ~= digit,
            string(scalars[start..<index - 1]).allSatisfy({ $0.isNumber || $0 == "." })
        {
            advance()
            skip(while: Self.isInWord)
        }
        return .number(string(scalars[start..<index]))
    }

    private mutating func word() -> SQLToken.Kind {
        let start = index
        skip(while: Self.isInWord)
        let word = string(scalars[start..<index]).lowercased()
        // PostgreSQL's `E'…'`.
        if at(0) == "'", word == "e" || word == "n" { return .text(quoted(by: "'")) }
        return .word(word)
    }

    private func name(_ written: String) -> SQLToken.Kind { .name(written.lowercased(), written: written) }

    private mutating func single(_ kind: SQLToken.Kind) -> SQLToken.Kind {
        advance()
        return kind
    }

    private mutating func bracketed() -> String {
        let start = index + 1
        skip { $0 != "]" }
        let text = string(scalars[min(start, index)..<index])
        if at(0) != nil { advance() }
        return text
    }

    /// A doubled quote is part of the text.
    private mutating func quoted(by mark: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView()
        advance()
        while let scalar = at(0) {
            advance()
            if scalar == mark {
                guard at(0) == mark else { break }
                advance()
            } else if scalar == "\\", escapes, let next = at(0) {
                advance()
                result.append(next)
                continue
            }
            result.append(scalar)
        }
        return String(result)
    }

    private func string(_ slice: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: slice)
        return String(view)
    }

    private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isNameScalar || scalar == "$" || !scalar.isASCII && !scalar.properties.isWhitespace
    }

    /// Whether adjacent signs form one operator: `x >=-1` has two.
    private static func isOneSign(_ signs: ArraySlice<Unicode.Scalar>) -> Bool {
        let known = ["<=", ">=", "<>", "!=", "==", "<=>", "||", "->", "->>", "::", "@>", "<@", "<<", ">>", "&&"]
        return known.contains { $0.unicodeScalars.starts(with: signs) }
    }
}
