/// A token of an item or a nested test.
package struct ItemToken: Hashable {
    package enum Kind: Hashable {
        /// A run of letters, digits, `_`, `-`, `.` and `*`: keywords, events, columns, numbers, durations.
        case word(String)
        /// The content of `"…"`, with escapes resolved.
        case text(String)
        /// The content of `/…/`.
        case regularExpression(String)
        /// A run of `=`, `!`, `<`, `>`.
        case sign(String)
        case comma
        case open
        case close
    }

    package var kind: Kind
    /// The offset of its first scalar in the item's text.
    package var start: Int
    /// The offset after its last scalar.
    package var end: Int
}

package struct ItemSyntaxError: Error {
    /// The offset in the item's text, in Unicode scalars.
    package var offset: Int
    package var message: String
    package var hint: String?

    package init(offset: Int, message: String, hint: String? = nil) {
        (self.offset, self.message, self.hint) = (offset, message, hint)
    }
}

/// Splits an item's text into tokens, with offsets in the text as written.
struct ItemTokenizer {
    private let text: ReadableText
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: ReadableText) {
        self.text = text
        scalars = text.scalars
    }

    /// All tokens, or the first error.
    static func tokens(of text: ReadableText) throws(ItemSyntaxError) -> [ItemToken] {
        var tokenizer = ItemTokenizer(text)
        var tokens: [ItemToken] = []
        while let token = try tokenizer.next() { tokens.append(token) }
        return tokens
    }

    /// The valid tokens, skipping everything else.
    static func readableTokens(of text: ReadableText) -> [ItemToken] {
        var tokenizer = ItemTokenizer(text)
        var tokens: [ItemToken] = []
        var unclosed: Set<Unicode.Scalar> = []
        while true {
            while tokenizer.position < text.scalars.count, text.scalars[tokenizer.position].properties.isWhitespace {
                tokenizer.position += 1
            }
            guard tokenizer.position < text.scalars.count else { return tokens }
            let start = tokenizer.position
            let scalar = text.scalars[start]
            let isSlash = scalar == "/" && tokens.last?.kind != .word("matches")
            if !isSlash, !unclosed.contains(scalar), let token = try? tokenizer.next() {
                tokens.append(token)
            } else {
                if scalar == "\"" || scalar == "/", !isSlash { unclosed.insert(scalar) }
                tokenizer.position = start + 1
            }
        }
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "_", "-", ".", "*", "0"..."9", "a"..."z", "A"..."Z": true
        default: !scalar.isASCII && scalar.isLetterOrDigit
        }
    }

    private mutating func next() throws(ItemSyntaxError) -> ItemToken? {
        while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
        guard position < scalars.count else { return nil }
        let start = position
        let kind = try kind(startingWith: scalars[start])
        return ItemToken(
            kind: kind, start: text.places[start].lowerBound, end: text.places[position - 1].upperBound)
    }

    private mutating func kind(startingWith scalar: Unicode.Scalar) throws(ItemSyntaxError) -> ItemToken.Kind {
        switch scalar {
        case ",": return single(.comma)
        case "(": return single(.open)
        case ")": return single(.close)
        case "\"": return .text(try delimited(by: "\"", name: "text"))
        case "/": return .regularExpression(try delimited(by: "/", name: "regular expression"))
        case "=", "!", "<", ">": return .sign(run { "=!<>".unicodeScalars.contains($0) })
        case let other where Self.isWord(other): return .word(run(while: Self.isWord))
        default:
            throw ItemSyntaxError(
                offset: text.places[position].lowerBound, message: "unexpected `\(scalar)`",
                hint: "write a text value in \"straight quotes\"; \(ExpectationParser.stepHint)")
        }
    }

    private mutating func single(_ kind: ItemToken.Kind) -> ItemToken.Kind {
        position += 1
        return kind
    }

    private mutating func run(while belongs: (Unicode.Scalar) -> Bool) -> String {
        var result = String.UnicodeScalarView()
        while position < scalars.count, belongs(scalars[position]) {
            result.append(scalars[position])
            position += 1
        }
        return String(result)
    }

    /// In a text, a backslash makes the next scalar literal (`\n` is a line feed); in a regular expression, only `\/`
    /// is special here.
    private mutating func delimited(
        by delimiter: Unicode.Scalar, name: String
    ) throws(ItemSyntaxError) -> String {
        let start = position
        var result = String.UnicodeScalarView()
        position += 1
        while position < scalars.count {
            var scalar = scalars[position]
            position += 1
            if scalar == delimiter { return String(result) }
            if scalar == "\\", position < scalars.count {
                let escaped = scalars[position]
                position += 1
                if delimiter == "/", escaped != "/" {
                    result.append(scalar)
                    scalar = escaped
                } else {
                    scalar = delimiter == "\"" && escaped == "n" ? "\n" : escaped
                }
            }
            result.append(scalar)
        }
        throw ItemSyntaxError(
            offset: text.places[start].lowerBound, message: "the \(name) has no end", hint: "add `\(delimiter)`")
    }
}
