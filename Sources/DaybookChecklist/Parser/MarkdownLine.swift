/// One line of a checklist file, by its shape. Offsets count Unicode scalars from the line's start.
enum MarkdownLine: Hashable {
    /// Nothing but spaces.
    case blank
    /// ```` ``` ```` or `~~~`: a code block starts or ends.
    case fence(Character)
    /// `#` and a text.
    case heading(level: Int, text: String, offset: Int)
    /// `| a | b |`: the cells, trimmed.
    case tableRow([String])
    /// A list item with a box: its marker's offset, the marker where it is a number, the box, the text behind it.
    case task(indent: Int, number: Int?, box: Box, text: String, offset: Int)
    /// A list item without a box.
    case item(indent: Int, text: String, offset: Int)
    /// Anything else.
    case text(indent: Int, text: String)

    /// `[ ]`, `[x]` or `[X]`.
    struct Box: Hashable {
        var isTicked: Bool
        /// The offset of what is inside the brackets.
        var offset: Int
    }

    /// Reads a line without its line end.
    ///
    /// - Throws: where something stands that is nearly a box, and would silently be no task.
    init(_ line: some StringProtocol) throws(ItemSyntaxError) {
        let scalars = Array(line.unicodeScalars)
        let indent = scalars.prefix { $0 == " " || $0 == "\t" }.count
        let rest = scalars[indent...]
        guard let first = rest.first(where: { !$0.properties.isWhitespace }) else {
            self = .blank
            return
        }
        if rest.starts(with: "```".unicodeScalars) || rest.starts(with: "~~~".unicodeScalars) {
            self = .fence(Character(first))
            return
        }
        if let heading = Self.heading(rest) {
            if case .heading(_, _, let offset) = heading, let box = Self.nearlyBox(scalars, at: offset) {
                throw Self.noBox(box)
            }
            self = heading
            return
        }
        if first == "|" {
            if let box = scalars.indices.first(where: { Self.nearlyBox(scalars, at: $0) != nil }) {
                throw Self.noBox(box)
            }
            self = .tableRow(Self.cells(rest))
            return
        }
        guard let content = Self.contentStart(rest) else {
            let letter = rest.firstIndex(where: \.properties.isAlphabetic) ?? rest.endIndex
            if let box = (indent..<letter).first(where: { Self.nearlyBox(scalars, at: $0) != nil }) {
                throw Self.noBox(box)
            }
            self = .text(indent: indent, text: Self.string(rest))
            return
        }
        let number = Int(Self.string(rest.prefix { "0"..."9" ~= $0 }))
        if let (box, start) = try Self.box(scalars, at: content) {
            self = .task(
                indent: indent, number: number, box: box, text: Self.string(scalars[start...]), offset: start)
        } else {
            self = .item(indent: indent, text: Self.string(scalars[content...]), offset: content)
        }
    }

    private static func heading(_ rest: ArraySlice<Unicode.Scalar>) -> MarkdownLine? {
        let level = rest.prefix { $0 == "#" }.count
        guard (1...6).contains(level), let space = rest.dropFirst(level).first, space == " " || space == "\t" else {
            return nil
        }
        let text = rest.dropFirst(level).drop { $0.properties.isWhitespace }
        return .heading(level: level, text: string(text), offset: text.startIndex)
    }

    private static func cells(_ rest: ArraySlice<Unicode.Scalar>) -> [String] {
        var cells: [String] = []
        var cell: [Unicode.Scalar] = []
        var isEscaped = false
        for scalar in rest.dropFirst() {
            if scalar == "|", !isEscaped {
                cells.append(string(cell[...]))
                cell = []
            } else {
                if scalar == "|" { cell.removeLast() }
                cell.append(scalar)
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
        let last = string(cell[...])
        return last.isEmpty ? cells : cells + [last]
    }

    /// Where the text of a list item starts: behind `-`, `*`, `+`, `1.` or `1)` and spaces.
    private static func contentStart(_ rest: ArraySlice<Unicode.Scalar>) -> Int? {
        var tail = rest
        let digits = tail.prefix { "0"..."9" ~= $0 }.count
        tail = tail.dropFirst(digits)
        guard let marker = tail.first, digits <= 9 else { return nil }
        guard digits > 0 ? marker == "." || marker == ")" : marker == "-" || marker == "*" || marker == "+" else {
            return nil
        }
        tail = tail.dropFirst()
        let spaces = tail.prefix { $0 == " " || $0 == "\t" }.count
        return spaces > 0 ? tail.startIndex + spaces : nil
    }

    /// The box at `start` and where the text behind it begins; `nil` where nothing like a box stands.
    private static func box(_ scalars: [Unicode.Scalar], at start: Int) throws(ItemSyntaxError) -> (Box, Int)? {
        guard start < scalars.count, scalars[start] == "[" else {
            if let box = nearlyBox(scalars, at: start) { throw noBox(box) }
            return nil
        }
        guard let end = scalars[start...].firstIndex(of: "]"), end <= start + 4 else { return nil }
        let inside = scalars[start + 1..<end].filter { !$0.properties.isWhitespace }
        guard inside.count <= 1 else { return nil }
        let behind = end + 1 < scalars.count ? scalars[end + 1] : nil
        if behind == "(" || behind == ":" { return nil }
        let isTicked = inside == ["x"] || inside == ["X"]
        guard end == start + 2, inside.isEmpty || isTicked, behind == " " || behind == "\t" else {
            throw noBox(start)
        }
        let text = scalars[(end + 1)...].drop { $0 == " " || $0 == "\t" }
        return (Box(isTicked: isTicked, offset: start + 1), text.startIndex)
    }

    /// What looks like a box to a reader: ballot boxes and check marks, except the one with which reports begin a failure.
    private static let signs = Set(
        "☐☑☒✅✔✓❎❌✖✘□▢◻◽⬜▫🔲🔳🗹🗸🗷🗵⊠⊡".unicodeScalars)
    /// What people write into brackets.
    private static let marks = Set("xX*-~vV✓✔☑✅✗✘○●・〇済　".unicodeScalars)

    /// The place of what is a box in other editors, or elsewhere than behind a list's marker: a ballot box, or brackets that
    /// are escaped or full-width. `nil` for what is none.
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
        if close + 1 < scalars.count, "(:[".unicodeScalars.contains(scalars[close + 1]) { return nil }
        return start
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
