/// A text as readers see it: without markup and editors' artefacts, such as escapes, code spans, emphasis, links,
/// character references, comments and zero-width characters. Quoted texts and regular expressions stay.
struct ReadableText {
    private(set) var scalars: [Unicode.Scalar] = []
    /// Each scalar's range in the text as written.
    private(set) var places: [Range<Int>] = []
    /// Whether part of the text is struck through.
    private(set) var isStruck = false
    private let source: [Unicode.Scalar]
    private var position = 0
    /// Closing markup: where it begins and ends.
    private var closings: [Int: Int] = [:]
    /// Matching brackets.
    private let brackets: [Int: Int]
    /// Runs of signs known to have no closing one, so that a long line is searched once.
    private var unclosed: Set<[Unicode.Scalar]> = []

    init(_ text: some StringProtocol) {
        source = Array(text.unicodeScalars)
        brackets = Self.brackets(of: source)
        while position < source.count { take(source[position]) }
    }

    /// A text without markup, every scalar of which is meant.
    init(plain text: some StringProtocol) {
        source = Array(text.unicodeScalars)
        brackets = [:]
        scalars = source
        places = source.indices.map { $0..<$0 + 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if let end = closings[position] {
            position = end
            return
        }
        switch scalar {
        case "`": position += 1
        case "\"": takeDelimited(by: scalar)
        case "/" where isBehindMatches: takeDelimited(by: scalar)
        case "\\" where position + 1 < source.count && source[position + 1].isPunctuationOfASCII:
            position += 1
            append(source[position], to: position + 1)
        case "&": takeReference()
        case "<": takeTag()
        case "[": takeLink()
        case "!": takeImage()
        case ":": takeShortcode()
        case "*", "_", "~": takeEmphasis(scalar)
        default:
            if scalar.properties.isDefaultIgnorableCodePoint { position += 1 } else { append(scalar, to: position + 1) }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, to end: Int) {
        scalars.append(scalar)
        places.append(position..<end)
        position = end
    }

    private var isBehindMatches: Bool {
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return false }
        return scalars[...last].suffix(8).drop { $0.properties.isWhitespace }.elementsEqual("matches".unicodeScalars)
    }

    private mutating func takeDelimited(by delimiter: Unicode.Scalar) {
        repeat {
            if source[position] == "\\", position + 1 < source.count { append(source[position], to: position + 1) }
            append(source[position], to: position + 1)
        } while position < source.count && source[position] != delimiter
        if position < source.count { append(delimiter, to: position + 1) }
    }

    private static let references: [String: Unicode.Scalar] = [
        "nbsp": "\u{A0}", "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "lowbar": "_", "period": ".",
        "ast": "*", "grave": "`", "lsqb": "[", "rsqb": "]", "lbrack": "[", "rbrack": "]", "ensp": "\u{2002}",
        "emsp": "\u{2003}", "thinsp": "\u{2009}", "comma": ",", "equals": "=", "lpar": "(", "rpar": ")", "sol": "/",
    ]

    private mutating func takeReference() {
        guard let end = source[position...].prefix(12).firstIndex(of: ";") else {
            return append("&", to: position + 1)
        }
        let name = Self.string(source[(position + 1)..<end])
        var scalar = Self.references[name]
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        } else if name.hasPrefix("#") {
            scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        }
        guard let scalar else { return append("&", to: position + 1) }
        if scalar.properties.isDefaultIgnorableCodePoint { position = end + 1 } else { append(scalar, to: end + 1) }
    }

    /// Skips a comment or tag; keeps the content of `<feed.show>`.
    private mutating func takeTag() {
        let rest = source[(position + 1)...]
        if rest.starts(with: "!--".unicodeScalars) {
            let end = rest.indices.first { source[$0...].starts(with: "-->".unicodeScalars) }
            position = end.map { $0 + 3 } ?? source.count
            return
        }
        let name = rest.drop { $0 == "/" }
        guard let first = name.first, first.isASCII, first.properties.isAlphabetic,
            let end = rest.prefix(500).firstIndex(of: ">")
        else { return append("<", to: position + 1) }
        let inside = source[name.startIndex..<end]
        let behind = inside.first { !$0.isLetterOrDigitOfASCII }
        if inside.contains("."), inside.allSatisfy(ItemTokenizer.isWord) {
            closings[end] = end + 1
            position += 1
            return
        }
        let element = Self.string(inside.prefix { $0.isLetterOrDigitOfASCII }).lowercased()
        guard Self.elements.contains(element), behind == nil || behind == "/" || inside.contains("=") else {
            return append("<", to: position + 1)
        }
        isStruck = isStruck || ["del", "s", "strike"].contains(element)
        // A line break ends a word, and a footnote is not part of one.
        if let sign = Self.signs[element] { append(sign, to: end + 1) } else { position = end + 1 }
    }

    /// HTML elements that editors and people write in Markdown; `Open <feed>` is not one.
    private static let elements = Set(
        ("a abbr b big blockquote body br center code dd del details div dl dt em figure font h1 h2 h3 h4 h5 h6 hr i img "
            + "input ins kbd label li mark nobr ol p picture pre q rp rt ruby s samp section small source span strike "
            + "strong sub summary sup table tbody td th thead tr tt u ul var video wbr").split(separator: " ")
            .map(String.init))

    private static let signs: [String: Unicode.Scalar] = [
        "br": " ", "hr": " ", "p": " ", "div": " ", "li": " ", "td": " ", "th": " ", "tr": " ", "sup": "^", "sub": "^",
    ]

    /// `:rocket:` is one sign.
    private mutating func takeShortcode() {
        let isAtStart = position == 0 || source[position - 1].properties.isWhitespace
        let name = source[(position + 1)...].prefix(40).prefix {
            $0.isLetterOrDigitOfASCII || "_+-".unicodeScalars.contains($0)
        }
        let end = name.endIndex + 1
        guard isAtStart, !name.isEmpty, name.endIndex < source.count, source[name.endIndex] == ":",
            end == source.count || source[end].properties.isWhitespace
        else { return append(":", to: position + 1) }
        append(":", to: end)
    }

    private mutating func takeImage() {
        guard let link = linkEnd(from: position + 1) else { return append("!", to: position + 1) }
        position = link.end
    }

    private mutating func takeLink() {
        guard let (close, end) = linkEnd(from: position) else { return append("[", to: position + 1) }
        closings[close] = end
        position += 1
    }

    /// Where the text of a link at an index ends, and where the link does; `nil` if it is not a link.
    private func linkEnd(from start: Int) -> (close: Int, end: Int)? {
        guard start < source.count, source[start] == "[", let close = brackets[start], close + 1 < source.count,
            ["(", "["].contains(source[close + 1])
        else { return nil }
        return brackets[close + 1].map { (close, $0 + 1) }
    }

    private static func brackets(of source: [Unicode.Scalar]) -> [Int: Int] {
        var (pairs, square, round): ([Int: Int], [Int], [Int]) = ([:], [], [])
        var index = 0
        while index < source.count {
            switch source[index] {
            case "\\": index += 1
            case "[": square.append(index)
            case "(": round.append(index)
            case "]": if let start = square.popLast() { pairs[start] = index }
            case ")": if let start = round.popLast() { pairs[start] = index }
            default: break
            }
            index += 1
        }
        return pairs
    }

    /// Emphasis begins and ends at word boundaries. Underscores are removed only around the first word, because column
    /// names may begin with one.
    private mutating func takeEmphasis(_ sign: Unicode.Scalar) {
        let start = position
        let count = source[start...].prefix { $0 == sign }.count
        let isAtWord = start == 0 || scalars.isEmpty || !ItemTokenizer.isWord(source[start - 1])
        guard isAtWord, sign != "_" || scalars.isEmpty, let end = emphasisEnd(sign, count, from: start + count)
        else {
            // Take the whole run at once, since each of its signs would give the same result.
            while position < start + count, closings[position] == nil { append(sign, to: position + 1) }
            return
        }
        if sign == "~" { isStruck = true }
        closings[end] = end + count
        position += count
    }

    private mutating func emphasisEnd(_ sign: Unicode.Scalar, _ count: Int, from start: Int) -> Int? {
        let run = Array(repeating: sign, count: count)
        guard start < source.count, !source[start].properties.isWhitespace, !unclosed.contains(run) else { return nil }
        var index = start
        while index < source.count {
            if sign == "_", source[index].properties.isWhitespace { return nil }
            guard source[index] == sign else {
                index += source[index] == "\\" ? 2 : 1
                continue
            }
            let end = index + source[index...].prefix { $0 == sign }.count
            let isEdge = end == source.count || !source[end].properties.isAlphabetic && !("0"..."9" ~= source[end])
            if end - index >= count, index > start, isEdge, !source[index - 1].properties.isWhitespace,
                closings[end - count] == nil
            {
                return end - count
            }
            index = end
        }
        unclosed.insert(run)
        return nil
    }

    static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    func text(_ range: Range<Int>) -> String { Self.string(scalars[range]) }
}

extension Unicode.Scalar {
    fileprivate var isLetterOrDigitOfASCII: Bool { isASCII && (properties.isAlphabetic || "0"..."9" ~= self) }

    fileprivate var isPunctuationOfASCII: Bool {
        isASCII && value > 0x20 && value < 0x7F && !isLetterOrDigitOfASCII
    }
}
