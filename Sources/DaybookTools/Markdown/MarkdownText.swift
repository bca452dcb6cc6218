/// A Markdown file split into lines, with everything resolved that must mean the same to all readers: byte order mark,
/// line endings, front matter, comments, both kinds of headings, code blocks and escapes. Accepts any text, in about
/// linear time.
package struct MarkdownText: Sendable {
    package private(set) var lines: [Line] = []
    /// What would hide or damage part of the file.
    package private(set) var problems: [Diagnostic] = []

    package struct Line: Sendable {
        package enum Kind: Sendable {
            case blank
            /// Front matter or a heading's underline: nothing to read.
            case hidden
            /// `# text`, or a text underlined with `===` or `---`; without escapes.
            case heading(level: Int, PlacedText)
            /// Three or more `` ` `` or `~` that begin a code block, and the text after them.
            case fence(mark: String, info: PlacedText)
            case fenceEnd
            /// A line of a code block.
            case code
            /// Only three or more of `-`, `*` or `_`.
            case rule
            /// Anything else: prose, list items, tables, quotes.
            case text
        }

        /// From 1.
        package let number: Int
        package fileprivate(set) var kind: Kind
        /// Without comments; in a code block, without the fence's indentation.
        package let text: PlacedText
        /// As written.
        package let source: Substring
        /// The offset in ``text`` after its white space.
        package let contentOffset: Int
        /// The columns of that white space; tabs advance to the next multiple of 4.
        package let indent: Int

        /// The text after its white space.
        package var content: PlacedText { text[contentOffset..<text.text.unicodeScalars.count] }

        /// A list item's text offset in ``content``, after `-`, `*`, `+`, `1.` or `1)` and white space, and its number;
        /// `nil` if it is not an item.
        package var item: (offset: Int, number: Int?)? {
            if case .text = kind {
                MarkdownText.item(Array(text.text.unicodeScalars.dropFirst(contentOffset)))
            } else {
                nil
            }
        }
    }

    /// What an unindented line would belong to.
    private enum Context { case nothing, paragraph, other }

    private let file: String
    private let isLoose: Bool
    private var fence: (mark: String, indent: Int, number: Int, column: Int)?
    private var comment: (number: Int, column: Int)?
    private var context = Context.nothing
    private var isInList = false

    /// - Parameters:
    ///   - file: where problems are located.
    ///   - looseHeadings: whether `#text` without a space is a heading, as in daifuku. From `##` on it always
    ///     is, since no hashtag can be meant.
    package init(_ text: some StringProtocol, file: String = "", looseHeadings: Bool = false) {
        self.file = file
        isLoose = looseHeadings
        let sources = TextLines.split(String(text).streamSafe, alsoAtSeparators: true)
        let frontMatter = FrontMatter(sources, of: file)
        problems = frontMatter.problems
        for (index, source) in sources.enumerated() {
            if frontMatter.lines.contains(index) {
                append(.hidden, PlacedText(String(source), line: index + 1), source)
            } else {
                read(source, number: index + 1)
            }
        }
        if let fence {
            problem(
                fence.number, fence.column, "the code block that begins here has no end",
                "close it with \(fence.mark) on a line of its own")
        }
        if let comment {
            problem(comment.number, comment.column, "the comment that begins here has no end", "close it with `-->`")
        }
        for (index, source) in sources.enumerated() where ConflictMarkers.isMarker(source) {
            problem(index + 1, 1, ConflictMarkers.message, ConflictMarkers.hint)
        }
        findLostText(sources)
    }

    /// Escapes a text for use after `# `.
    package static func heading(_ text: String) -> String {
        let marks = InlineMarkdown(text)
        let escaped = Set(marks.escapes + marks.comments.map(\.lowerBound) + [marks.openComment].compactMap(\.self))
        let hashes = text.reversed().prefix { $0 == "#" }.count
        var result = String.UnicodeScalarView()
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if escaped.contains(offset) || offset == text.unicodeScalars.count - hashes { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    private mutating func read(_ source: Substring, number: Int) {
        let written = PlacedText(String(source), line: number)
        if let open = fence { return readCode(written, source, in: open) }
        if comment == nil, openFence(written, source) { return }
        let text = withoutComments(written)
        if text != written, openFence(text, source) { return }
        let scalars = Array(text.text.unicodeScalars)
        let (offset, indent) = Self.indent(of: scalars)
        let content = scalars[offset...]
        if content.isEmpty {
            context = .nothing
            return append(.blank, text, source)
        }
        if indent < 4 { findDisguise(content, at: offset, in: text) }
        // In an item, too, as in CommonMark; no format needs it otherwise there.
        if indent < 4, let heading = heading(text, content) {
            (context, isInList) = (.nothing, false)
            return append(heading, text, source)
        }
        if context == .paragraph, indent < 4, let level = Self.underlineLevel(content) {
            lines[lines.count - 1].kind = .heading(level: level, lines[lines.count - 1].content.trimmed.unescaped())
            context = .nothing
            return append(.hidden, text, source)
        }
        if Self.isRule(content) {
            (context, isInList) = (.nothing, isInList && indent >= 2)
            return append(.rule, text, source)
        }
        follow(content, indent)
        append(.text, text, source)
    }

    /// Notes what a further line would belong to.
    private mutating func follow(_ content: ArraySlice<Unicode.Scalar>, _ indent: Int) {
        if Self.item(Array(content)) != nil {
            (context, isInList) = (.other, true)
        } else if content.first == ">" || content.first == "|" {
            context = .other
        } else if context == .nothing {
            if indent < 2 { isInList = false }
            context = isInList || indent >= 4 ? .other : .paragraph
        }
    }

    private mutating func append(_ kind: Line.Kind, _ text: PlacedText, _ source: Substring) {
        let (offset, indent) = Self.indent(of: Array(text.text.unicodeScalars))
        lines.append(
            Line(number: text.line, kind: kind, text: text, source: source, contentOffset: offset, indent: indent))
    }

    private mutating func withoutComments(_ written: PlacedText) -> PlacedText {
        guard comment != nil || written.text.utf8.contains(UInt8(ascii: "<")) else { return written }
        let marks = InlineMarkdown(written.text, isInComment: comment != nil)
        guard let open = marks.openComment else {
            comment = nil
            return marks.comments.isEmpty ? written : written.removing(marks.comments).trimmedEnd
        }
        // A comment that ended on this line was another one.
        if comment == nil || open > 0 { comment = (written.line, written.column(at: open)) }
        return written.removing(marks.comments + [open..<written.text.unicodeScalars.count]).trimmedEnd
    }

    private mutating func problem(_ line: Int, _ column: Int, _ message: String, _ hint: String) {
        problems.append(.error(SourceLocation(file: file, line: line, column: column), message, hint: hint))
    }

    /// Finds a mark made ineffective by a full-width `＃` or an invisible character, which would attach its section to
    /// another.
    private mutating func findDisguise(_ content: ArraySlice<Unicode.Scalar>, at offset: Int, in text: PlacedText) {
        let seen = content.drop(while: \.properties.isDefaultIgnorableCodePoint)
        let marks = seen.prefix { $0 == "#" || $0 == "＃" || $0.properties.isDefaultIgnorableCodePoint }
        // A single mark without a space is a hashtag.
        let isHashtag = marks.count == 1 && seen.dropFirst().first.map { !$0.properties.isWhitespace } ?? false
        if marks.contains("＃"), isLoose || !isHashtag {
            let place = marks.firstIndex(of: "＃") ?? offset
            problem(text.line, text.column(at: place), "the mark of this heading is a full-width `＃`", "write `#`")
        } else if seen.startIndex > offset, let first = seen.first,
            "#`~|".unicodeScalars.contains(first) || Self.item(Array(seen)) != nil
        {
            let hidden = String(content[offset].value, radix: 16, uppercase: true)
            problem(
                text.line, text.column(at: offset),
                "a character that is not seen stands before `\(first)`: U+\(hidden)",
                "delete it")
        }
    }

    /// Finds U+FFFD, which replaces invalid UTF-8.
    private mutating func findLostText(_ sources: [Substring]) {
        for (index, source) in sources.enumerated() {
            guard let column = source.unicodeScalars.enumerated().first(where: { $0.element == "\u{FFFD}" })?.offset
            else { continue }
            return problem(index + 1, column + 1, "this is not UTF-8 text", "save the file in the encoding UTF-8")
        }
    }
}

// MARK: Blocks of code

extension MarkdownText {
    private mutating func openFence(_ text: PlacedText, _ source: Substring) -> Bool {
        let scalars = Array(text.text.unicodeScalars)
        let (offset, indent) = Self.indent(of: scalars)
        guard let mark = scalars.dropFirst(offset).first, mark == "`" || mark == "~" else { return false }
        let count = scalars[offset...].prefix { $0 == mark }.count
        // Three backticks followed by another are a code span.
        guard count >= 3, mark == "~" || !scalars[(offset + count)...].contains("`") else { return false }
        let marks = String(repeating: Character(mark), count: count)
        fence = (marks, indent, text.line, text.column(at: offset))
        let info = text[offset + count..<scalars.count].trimmed.unescaped()
        if indent < 2 { isInList = false }
        context = isInList ? .other : .nothing
        append(.fence(mark: marks, info: info), text, source)
        return true
    }

    private mutating func readCode(
        _ written: PlacedText, _ source: Substring, in open: (mark: String, indent: Int, number: Int, column: Int)
    ) {
        let content = written.trimmed.text
        if content.utf8.count >= open.mark.utf8.count, content.allSatisfy({ $0 == open.mark.first }) {
            fence = nil
            return append(.fenceEnd, written, source)
        }
        let scalars = Array(written.text.unicodeScalars)
        var (offset, column) = (0, 0)
        while offset < scalars.count, column < open.indent, scalars[offset] == " " || scalars[offset] == "\t" {
            column = scalars[offset] == "\t" ? (column / 4 + 1) * 4 : column + 1
            offset += 1
        }
        append(.code, written[offset..<scalars.count], source)
    }
}

// MARK: The shapes of lines

extension MarkdownText {
    /// Where white space ends, and its columns. Unicode white space counts before a mark, as a typing error, and is
    /// text in prose.
    private static func indent(of scalars: [Unicode.Scalar]) -> (offset: Int, columns: Int) {
        var (offset, columns) = (0, 0)
        func skip(while isSpace: (Unicode.Scalar) -> Bool) {
            while offset < scalars.count, isSpace(scalars[offset]) {
                switch scalars[offset] {
                case "\t": columns = (columns / 4 + 1) * 4
                case "\u{3000}": columns += 2
                default: columns += 1
                }
                offset += 1
            }
        }
        skip { $0 == " " || $0 == "\t" }
        let plain = (offset, columns)
        skip(while: \.properties.isWhitespace)
        guard plain.0 < offset, offset < scalars.count, !"#`~|".unicodeScalars.contains(scalars[offset]),
            item(Array(scalars[offset...])) == nil
        else { return (offset, columns) }
        return plain
    }

    private func heading(_ text: PlacedText, _ content: ArraySlice<Unicode.Scalar>) -> Line.Kind? {
        let level = content.prefix { $0 == "#" }.count
        guard level >= 1, level <= 6 || isLoose else { return nil }
        let behind = content.dropFirst(level)
        guard isLoose || level > 1 || behind.first?.properties.isWhitespace ?? true else { return nil }
        var end = content.endIndex
        while end > behind.startIndex, content[end - 1].properties.isWhitespace { end -= 1 }
        var closing = end
        while closing > behind.startIndex, content[closing - 1] == "#" { closing -= 1 }
        // `# C#` has no closing marks.
        if closing == behind.startIndex || content[closing - 1].properties.isWhitespace { end = closing }
        return .heading(level: level, text[behind.startIndex..<end].trimmed.unescaped())
    }

    /// The heading level that this line gives the prose above.
    private static func underlineLevel(_ content: ArraySlice<Unicode.Scalar>) -> Int? {
        guard let first = content.first, first == "=" || first == "-",
            content.drop(while: { $0 == first }).allSatisfy(\.properties.isWhitespace)
        else { return nil }
        return first == "=" ? 1 : 2
    }

    private static func isRule(_ content: some Collection<Unicode.Scalar>) -> Bool {
        guard let first = content.first, "-*_".unicodeScalars.contains(first) else { return false }
        var count = 0
        for scalar in content {
            if scalar == first { count += 1 } else if !scalar.properties.isWhitespace { return false }
        }
        return count >= 3
    }

    fileprivate static func item(_ content: [Unicode.Scalar]) -> (offset: Int, number: Int?)? {
        let digits = content.prefix { "0"..."9" ~= $0 }.count
        guard digits <= 9, digits < content.count, !isRule(content) else { return nil }
        guard (digits > 0 ? ".)" : "-*+").unicodeScalars.contains(content[digits]) else { return nil }
        let spaces = content.dropFirst(digits + 1).prefix(while: \.properties.isWhitespace).count
        guard spaces > 0 || digits + 1 == content.count else { return nil }
        let number = content.prefix(digits).reduce(0) { $0 * 10 + Int(truncatingIfNeeded: $1.value - 0x30) }
        return (digits + 1 + spaces, digits > 0 ? number : nil)
    }
}
