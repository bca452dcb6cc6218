import DaybookTools

/// Splits lines into blocks in one pass.
///
/// The Markdown subset is what the original format's parser accepts, without three of its traps: a list may follow a
/// paragraph directly, a heading ends a list, and fenced code never contains definitions.
struct BlockScanner {
    private let lines: [SourceLine]
    private var index = 0
    private var blocks: [Block] = []
    /// Pending prose; empty between paragraphs.
    private var paragraph: [PlacedText] = []
    /// The line after the last quote, numbered list or indented code.
    private var proseEnd = 0

    private init(lines: [SourceLine]) { self.lines = lines }

    static func blocks(of lines: [SourceLine]) -> [Block] {
        var scanner = BlockScanner(lines: lines)
        scanner.scan()
        return scanner.blocks
    }

    private mutating func scan() {
        while index < lines.count {
            let line = lines[index]
            if line.isBlank {
                endParagraph()
                index += 1
            } else if let (level, text) = line.heading {
                endParagraph()
                blocks.append(.heading(level: level, text))
                index += 1
            } else if line.isFence {
                endParagraph()
                let rest = lines[index...]
                collect(to: (rest.firstIndex(where: \.endsFence) ?? lines.count - 1) + 1)
            } else if line.isRule {
                endParagraph()
                index += 1
            } else if line.bulletText != nil, line.indent < 4 || !paragraph.isEmpty {
                let followsParagraph = !paragraph.isEmpty || index > 0 && index == proseEnd
                endParagraph()
                let items = ListScanner.list(in: lines, from: &index)
                blocks.append(.list(items, followsParagraph: followsParagraph))
            } else if paragraph.isEmpty, line.isQuote || line.numberText != nil || line.indent >= 4 {
                // A quote, a numbered list or indented code. It includes what is nested in a numbered item; another
                // bullet begins a list.
                let number = line.line.item.map { line.indent + $0.offset } ?? 4
                let end = lines[index...].firstIndex {
                    $0.isBlank || $0.heading != nil || $0.bulletText != nil && $0.indent < min(number, 4)
                }
                collect(to: end ?? lines.count)
                proseEnd = index
            } else {
                paragraph.append(paragraph.isEmpty ? line.content : line.text)
                index += 1
            }
        }
        endParagraph()
    }

    private mutating func endParagraph() {
        guard !paragraph.isEmpty else { return }
        blocks.append(.paragraph(paragraph))
        paragraph = []
    }

    private mutating func collect(to end: Int) {
        blocks.append(.verbatim(lines[index..<end].map(\.text), isFenced: lines[index].isFence))
        index = end
    }
}

/// A block of a Markdown file.
enum Block {
    /// `# text` or a text underlined with `===` or `---`.
    case heading(level: Int, PlacedText)
    /// Lines of prose as written.
    case paragraph([PlacedText])
    /// A bulleted list. `followsParagraph`: no blank line separates it from the preceding prose.
    case list([ListItem], followsParagraph: Bool)
    /// Code, a quote or a numbered list: kept as prose, never read as definitions.
    case verbatim([PlacedText], isFenced: Bool)
}

/// A list item with everything nested below it, flattened so that nesting takes no stack.
struct ListItem {
    /// The item's own lines; the first begins after the bullet.
    var lines: [PlacedText]
    var nested: [NestedItem] = []
}

/// An item nested in a list item.
struct NestedItem {
    /// From 1, directly below.
    var depth: Int
    /// Columns of white space before the bullet.
    var indent: Int
    var lines: [PlacedText]

    var text: String { lines.map(\.text).joined(separator: "\n").trimmed }
}

/// Parses a bulleted list with everything nested in it.
enum ListScanner {
    /// Deeper items count as this deep.
    static let greatestDepth = 8

    /// Parses the list at `lines[index]`, and advances `index` past it.
    static func list(in lines: [SourceLine], from index: inout Int) -> [ListItem] {
        let base = lines[index].indent
        var items: [ListItem] = []
        // Indents of the open nested items, outermost first.
        var open: [Int] = []
        var afterBlank = false
        while index < lines.count {
            let line = lines[index]
            if line.isBlank || line.isCode && line.content.text.isEmpty {
                afterBlank = true
                index += 1
                continue
            }
            if line.heading != nil || line.isRule || (line.indent <= base && line.isFence) { break }
            if let text = line.bulletText, line.indent <= base {
                items.append(ListItem(lines: [text]))
                open = []
            } else if let text = line.bulletText ?? line.numberText, line.indent > base {
                while let last = open.last, last >= line.indent { open.removeLast() }
                open.append(line.indent)
                let depth = min(open.count, greatestDepth)
                items[items.count - 1].nested.append(
                    NestedItem(depth: depth, indent: line.indent, lines: [text]))
            } else if line.indent <= base, !line.isCode, afterBlank || line.numberText != nil || line.isQuote {
                break
            } else {
                continueItem(&items[items.count - 1], with: line.content)
            }
            afterBlank = false
            index += 1
        }
        return items
    }

    /// Text without a bullet continues the innermost item.
    private static func continueItem(_ item: inout ListItem, with line: PlacedText) {
        if item.nested.isEmpty {
            item.lines.append(line)
        } else {
            item.nested[item.nested.count - 1].lines.append(line)
        }
    }
}
