/// A place among the tokens of one item, with what a recursive-descent parser asks of it.
struct TokenCursor {
    /// The scalars of the item's text.
    let scalars: [Unicode.Scalar]
    /// Where the item's text starts.
    let origin: ChecklistLocation
    private let tokens: [ItemToken]
    private var index = 0

    /// Cuts the text of an item that starts at `origin`.
    init(text: String, origin: ChecklistLocation) throws(ItemSyntaxError) {
        scalars = Array(text.unicodeScalars)
        self.origin = origin
        tokens = try ItemTokenizer.tokens(of: scalars)
    }

    /// The next token, `nil` at the end.
    var current: ItemToken? { index < tokens.count ? tokens[index] : nil }

    /// The offset of the next token, or of the text's end.
    var offset: Int { current?.start ?? scalars.count }

    /// The offset behind the token that was taken last.
    var endOfPrevious: Int { index > 0 ? tokens[index - 1].end : 0 }

    /// The text of the next token where it is a word.
    var word: String? {
        guard case .word(let word) = current?.kind else { return nil }
        return word
    }

    /// Goes to the next token.
    mutating func advance() { index += 1 }

    /// Takes the next token if it is `kind`.
    mutating func take(_ kind: ItemToken.Kind) -> Bool {
        guard current?.kind == kind else { return false }
        advance()
        return true
    }

    /// The location of an offset in the text.
    func location(_ offset: Int) -> ChecklistLocation {
        ChecklistLocation(file: origin.file, line: origin.line, column: origin.column + offset)
    }

    /// The text between two offsets.
    func text(from start: Int, to end: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<end])
        return String(view)
    }

    /// An error at the next token: "expected …; found …".
    func expected(_ what: String, hint: String? = nil) -> ItemSyntaxError {
        let found = current.map { "found `\(text(from: $0.start, to: $0.end))`" } ?? "the item ends here"
        return ItemSyntaxError(offset: offset, message: "expected \(what); \(found)", hint: hint)
    }
}
