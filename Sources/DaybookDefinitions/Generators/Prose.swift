import DaybookTools

/// Extracts text from descriptions in Markdown.
enum Prose {
    /// The paragraphs, without headings, quotes, indented code and numbered lists, which the original format leaves
    /// out.
    static func paragraphs(of description: String) -> [String] {
        let source = SourceText(file: "", bytes: Array(description.utf8))
        var paragraphs: [String] = []
        for block in BlockScanner.blocks(of: source.lines) {
            switch block {
            case .paragraph(let lines): paragraphs.append(text(lines))
            // A list that the parser kept as prose belongs to the preceding paragraph.
            case .list(let items, followsParagraph: true):
                if let last = paragraphs.popLast() {
                    paragraphs.append(([last] + items.map { "- " + text($0.lines) }).joined(separator: "\n"))
                }
            // The original has no fenced code: three backticks are a code span, which ends with its paragraph.
            case .verbatim(let lines, _) where lines[0].text.hasPrefix("```") && !lines.contains(where: \.text.isEmpty):
                paragraphs.append(text(lines))
            case .heading, .list, .verbatim: break
            }
        }
        return paragraphs
    }

    /// The first paragraph as one line of plain text, at most 1,000 characters, for comments.
    static func line(of description: String) -> String {
        let paragraph = PlainText.of(paragraphs(of: description).first ?? description)
        var line = ""
        for scalar in paragraph.unicodeScalars {
            if scalar.properties.generalCategory == .control || scalar.properties.isWhitespace {
                if !line.isEmpty, line.last != " " { line.append(" ") }
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        line = String(line.prefix(1000))
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func text(_ lines: [PlacedText]) -> String { lines.map(\.text).joined(separator: "\n") }
}

/// Removes Markdown's inline markup, as the original format does before it prints a description: code spans, bold,
/// links, images, HTML tags, character references and backslashes. Single `*` and `_` stay; the original does not treat
/// them as markup.
struct PlainText {
    private let input: [Unicode.Scalar]
    private var index = 0
    private var output = String.UnicodeScalarView()
    /// Offsets of closing marks whose opening was removed, with the scalars to skip there.
    private var closings: [Int: Int] = [:]
    /// The last search for each mark, so that no text is searched twice for the same one.
    private var searches: [[Unicode.Scalar]: (from: Int, found: Int?)] = [:]

    private init(_ input: [Unicode.Scalar]) { self.input = input }

    static func of(_ markdown: String) -> String {
        let input = Array(markdown.unicodeScalars)
        guard input.contains(where: { marks.contains($0) }) else { return markdown }
        var text = PlainText(input)
        while text.index < input.count { text.step() }
        return String(text.output)
    }

    private static let marks: Set<Unicode.Scalar> = ["\\", "`", "*", "_", "[", "!", "<", "&", "\n"]
    private static let escapable = Set("\\`*_{}[]()#+-.!:|&<>^~=\"$".unicodeScalars)

    private mutating func step() {
        if let skipped = closings[index] {
            index += skipped
            return
        }
        switch input[index] {
        case "\\" where index + 1 < input.count && PlainText.escapable.contains(input[index + 1]):
            index += 1
            keep(1)
        case "`": codeSpan()
        case "*", "_": bold()
        case "[": link()
        case "!": image()
        case "<": tag()
        case "&": reference()
        case " ": spaces()
        default: keep(1)
        }
    }

    private mutating func keep(_ count: Int) {
        output.append(contentsOf: input[index..<(index + count)])
        index += count
    }

    private var run: Int { input[index...].prefix { $0 == input[index] }.count }

    private func hasPrefix(_ scalars: some Sequence<Unicode.Scalar>, at index: Int) -> Bool {
        input[index...].starts(with: scalars)
    }

    private mutating func find(_ wanted: [Unicode.Scalar], from start: Int) -> Int? {
        if let last = searches[wanted], last.from <= start, (last.found ?? .max) >= start { return last.found }
        var found: Int?
        var place = start
        while place + wanted.count <= input.count {
            if hasPrefix(wanted, at: place) {
                found = place
                break
            }
            place += 1
        }
        searches[wanted] = (start, found)
        return found
    }

    private mutating func codeSpan() {
        let ticks = Array(input[index..<(index + run)])
        guard let end = find(ticks, from: index + ticks.count) else { return keep(ticks.count) }
        var content = input[(index + ticks.count)..<end]
        while content.first == " " { content.removeFirst() }
        while content.last == " " { content.removeLast() }
        output.append(contentsOf: content)
        index = end + ticks.count
    }

    private mutating func bold() {
        let pair = [input[index], input[index]]
        if hasPrefix(pair, at: index), let end = find(pair, from: index + 2), end > index + 2 {
            closings[end] = 2
            index += 2
        } else {
            keep(run)
        }
    }

    private mutating func link() {
        guard let middle = find(["]"], from: index), hasPrefix(["]", "("], at: middle), closings[middle] == nil,
            let end = find([")"], from: middle)
        else { return keep(1) }
        closings[middle] = end + 1 - middle
        index += 1
    }

    private mutating func image() {
        guard hasPrefix(["!", "["], at: index), let middle = find(["]", "("], from: index),
            let end = find([")"], from: middle)
        else { return keep(1) }
        index = end + 1
    }

    private mutating func tag() {
        guard index + 1 < input.count, input[index + 1].properties.isAlphabetic || input[index + 1] == "/",
            let end = find([">"], from: index)
        else { return keep(1) }
        let content = input[(index + 1)..<end]
        // Autolinks keep their address.
        if content.contains(":"), !content.contains(" ") { output.append(contentsOf: content) }
        index = end + 1
    }

    private mutating func reference() {
        let known: [(String, Unicode.Scalar)] = [
            ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", "\u{A0}"),
        ]
        for (text, scalar) in known where hasPrefix(text.unicodeScalars, at: index) {
            output.append(scalar)
            index += text.unicodeScalars.count
            return
        }
        keep(1)
    }

    /// Two or more spaces before a line end are a line break, and disappear.
    private mutating func spaces() {
        let count = run
        let isBreak = count >= 2 && index + count < input.count && input[index + count] == "\n"
        if isBreak { index += count } else { keep(count) }
    }
}

extension Column {
    /// The deprecation message of an obsolete column.
    var obsolescence: String {
        let reason = notes.map(\.asOneLine).joined(separator: "; ")
        return "the column \(name) is obsolete" + (reason.isEmpty ? "" : ": \(reason)")
    }

    /// The column's documentation in one line: notes and declared values, and in parentheses `facts` (its limits) and
    /// who may see the value. May be empty.
    func documentation(_ facts: [String]) -> String {
        let facts =
            switch classification {
            case .plain: facts
            case .private: facts + ["private: masked on screens and in exports"]
            // A hash has a fixed length, so the value's limits do not apply.
            case .sensitive: ["sensitive: stored as a keyed hash"]
            }
        var parts = details.filter { $0.depth == 1 }.map(\.text.asOneLine)
        if parts.isEmpty { parts = notes.map(\.asOneLine) }
        let text = parts.joinedAsSentences
        guard !facts.isEmpty else { return text }
        let limits = facts.joined(separator: "; ")
        return text.isEmpty ? limits.prefix(1).uppercased() + limits.dropFirst() : "\(text) (\(limits))"
    }
}

extension [String] {
    /// Joins parts into one line, with a semicolon after one that does not end like a sentence.
    fileprivate var joinedAsSentences: String {
        reduce("") { text, part in
            guard let last = text.last else { return part }
            return text + (".。!?！？".contains(last) ? " " : "; ") + part
        }
    }
}

extension String {
    var asOneLine: String {
        guard utf8.contains(.lineFeed) else { return trimmed }
        return split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }.joined(
            separator: " ")
    }
}
