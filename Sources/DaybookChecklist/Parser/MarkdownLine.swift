import DaybookTools

/// A checklist line by its form. Offsets count Unicode scalars from the start of the line's text, in ``content(of:)``.
enum MarkdownLine: Hashable {
    case blank
    /// A code block or a rule, which are not part of a list.
    case other
    case heading(level: Int, PlacedText)
    /// `| a | b |`, cells trimmed.
    case tableRow([String])
    /// A list item with a box: the marker's offset and number, if any, the box, and the text after it.
    case task(indent: Int, number: Int?, box: Box, text: String, offset: Int)
    case item(indent: Int, text: String, offset: Int)
    /// Anything else.
    case text(indent: Int, text: String)

    /// `[ ]`, `[x]` or `[X]`.
    struct Box: Hashable {
        var isTicked: Bool
        /// The offset of the box's content.
        var offset: Int
    }

    /// The line without escapes, except in texts and regular expressions, which have their own.
    static func content(of line: MarkdownText.Line) -> PlacedText { line.content.unescaped(keepingLiterals: true) }

    /// - Throws: for a near box, which would silently not be a task.
    init(_ line: MarkdownText.Line) throws(ItemSyntaxError) {
        switch line.kind {
        case .blank, .hidden: self = .blank
        case .heading(let level, let text):
            let scalars = Array(text.text.unicodeScalars)
            if let box = Self.nearlyBox(scalars, at: 0) ?? Self.strayBox(scalars, from: 0) { throw Self.noBox(box) }
            self = .heading(level: level, text)
        case .fence, .code, .fenceEnd, .rule: self = .other
        case .text: self = try Self.text(line)
        }
    }

    private static func text(_ line: MarkdownText.Line) throws(ItemSyntaxError) -> MarkdownLine {
        // Look for boxes in the text as written: an escaped one is not a box.
        let written = Array(line.content.text.unicodeScalars)
        let read = Array(content(of: line).text.unicodeScalars)
        if written.first == "|" {
            if let box = written.indices.first(where: { nearlyBox(written, at: $0) != nil }) { throw noBox(box) }
            return .tableRow(cells(written[...]))
        }
        guard let (content, number) = line.item, content < read.count else {
            let letter = written.firstIndex(where: \.properties.isAlphabetic) ?? written.endIndex
            let box = (0..<letter).first { nearlyBox(written, at: $0) != nil } ?? strayBox(written, from: 0)
            if let box { throw noBox(box) }
            return .text(indent: line.indent, text: string(read[...]))
        }
        let box = try box(written, at: content)
        if let stray = strayBox(written, from: box?.1 ?? content) { throw noBox(stray) }
        if let (box, start) = box {
            return .task(indent: line.indent, number: number, box: box, text: string(read[start...]), offset: start)
        }
        return .item(indent: line.indent, text: string(read[content...]), offset: content)
    }

    private static func cells(_ rest: ArraySlice<Unicode.Scalar>) -> [String] {
        var cells: [String] = []
        var cell: [Unicode.Scalar] = []
        var isEscaped = false
        for scalar in rest.dropFirst() {
            if scalar == "|", !isEscaped {
                cells.append(text(cell))
                cell = []
            } else {
                if scalar == "|" { cell.removeLast() }
                cell.append(scalar)
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
        let last = text(cell)
        return last.isEmpty ? cells : cells + [last]
    }

    private static func text(_ cell: [Unicode.Scalar]) -> String {
        PlacedText(string(cell[...]), line: 0).unescaped().text
    }

    /// The box at `start` and the offset after it; `nil` if there is none.
    private static func box(_ scalars: [Unicode.Scalar], at start: Int) throws(ItemSyntaxError) -> (Box, Int)? {
        if scalars[start...].prefix(3).elementsEqual("( )".unicodeScalars)
            || String(String.UnicodeScalarView(scalars[start...].prefix(3))).lowercased() == "(x)"
        {
            throw noBox(start)
        }
        guard start < scalars.count, scalars[start] == "[" else {
            if let box = nearlyBox(scalars, at: start) { throw noBox(box) }
            return nil
        }
        guard let end = scalars[start...].firstIndex(of: "]"), end <= start + 4 else { return nil }
        let inside = scalars[start + 1..<end].filter { !$0.properties.isWhitespace }
        guard inside.count <= 1 else { return nil }
        let behind = end + 1 < scalars.count ? scalars[end + 1] : nil
        let isTicked = inside == ["x"] || inside == ["X"]
        if behind == "(" || behind == ":" && !inside.isEmpty && !isTicked { return nil }
        guard end == start + 2, inside.isEmpty || isTicked, behind == " " || behind == "\t" else {
            if let space = scalars[(start + 1)...(min(end + 1, scalars.count - 1))].first(where: isForeignSpace) {
                let code = String(space.value, radix: 16, uppercase: true)
                throw ItemSyntaxError(
                    offset: start, message: "a space that is none of Markdown's is in the box or behind it: U+\(code)",
                    hint: "write `- [ ] ` with the space bar's")
            }
            throw noBox(start)
        }
        let text = scalars[(end + 1)...].drop { $0 == " " || $0 == "\t" }
        return (Box(isTicked: isTicked, offset: start + 1), text.startIndex)
    }

    /// Signs that look like boxes: ballot boxes and check marks, except the one that begins a report's failure.
    private static let signs = Set(
        "☐☑☒✅✔✓❎❌✖✘□▢◻◽⬜▫🔲🔳🗹🗸🗷🗵⊠⊡".unicodeScalars)
    /// What people write between the brackets.
    private static let marks = Set("xX*-_~vV✓✔☑✅✗✘○●・〇済　".unicodeScalars)

    /// The offset of a near box: another editor's, one not after a list marker, a ballot box, or brackets that are
    /// escaped or full-width.
    private static func nearlyBox(_ scalars: [Unicode.Scalar], at start: Int) -> Int? {
        guard start < scalars.count else { return nil }
        if signs.contains(scalars[start]) { return start }
        var open = start
        if scalars[open] == "\\", open + 1 < scalars.count { open += 1 }
        guard scalars[open] == "[" || scalars[open] == "［" else { return nil }
        let inside = scalars[(open + 1)...].prefix { $0.properties.isWhitespace || marks.contains($0) }
        var close = inside.endIndex
        if close < scalars.count, scalars[close] == "\\" { close += 1 }
        guard close < scalars.count, scalars[close] == "]" || scalars[close] == "］",
            inside.count(where: { !$0.properties.isWhitespace }) <= 1
        else { return nil }
        // `[ ]: x` is not a link definition.
        let isLink = inside.isEmpty ? "([" : inside.allSatisfy(\.properties.isWhitespace) ? "[" : "(:["
        if close + 1 < scalars.count, isLink.unicodeScalars.contains(scalars[close + 1]) { return nil }
        return start
    }

    /// The offset of a box inside a line, outside code and quotations: of a second item, after another marker or in
    /// HTML. A space or sign precedes it, and it is not a link.
    private static func strayBox(_ scalars: [Unicode.Scalar], from start: Int) -> Int? {
        var quote: Unicode.Scalar?
        for index in scalars.indices[start...] {
            let scalar = scalars[index]
            if scalar == "`" || scalar == "\"" {
                quote = quote == nil ? scalar : quote == scalar ? nil : quote
            } else if quote != nil {
                continue
            } else if "☐☑☒🔲".unicodeScalars.contains(scalar) {
                return index
            } else if scalar == "<" {
                let tag = String(String.UnicodeScalarView(scalars[index...].prefix(80).prefix { $0 != ">" }))
                if tag.lowercased().hasPrefix("<input"), tag.lowercased().contains("checkbox") { return index }
            } else if scalar == "[", isBox(scalars, at: index, from: start) {
                return index
            }
        }
        return nil
    }

    /// Whether `[ ]`, or `[x]` after a marker, is at an offset, and is not a link.
    private static func isBox(_ scalars: [Unicode.Scalar], at index: Int, from start: Int) -> Bool {
        guard let close = scalars[index...].prefix(4).firstIndex(of: "]"), close > index + 1 else { return false }
        let before = index > start ? scalars[index - 1] : " "
        let isLink = close + 1 < scalars.count && "(:[".unicodeScalars.contains(scalars[close + 1])
        guard !isLink, before.properties.isWhitespace || ">-*|[".unicodeScalars.contains(before) else { return false }
        switch scalars[index + 1..<close].filter({ !$0.properties.isWhitespace }) {
        case []: return true
        case ["x"], ["X"]:
            // `Press [x] to close` is prose.
            guard let mark = scalars[start..<index].suffix(8).last(where: { !$0.properties.isWhitespace }) else {
                return true
            }
            return "-*+>.)|[•・".unicodeScalars.contains(mark)
        default: return false
        }
    }

    private static func isForeignSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace && !scalar.isASCII
    }

    private static func noBox(_ offset: Int) -> ItemSyntaxError {
        ItemSyntaxError(
            offset: offset, message: "this is not a box, so the line would not be judged",
            hint: "write `- [ ] ` or `- [x] `, followed by a space")
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        let trimmed = scalars.drop { $0.properties.isWhitespace }
        let end = trimmed.lastIndex { !$0.properties.isWhitespace }.map { $0 + 1 } ?? trimmed.startIndex
        view.append(contentsOf: trimmed[..<end])
        return String(view)
    }
}
