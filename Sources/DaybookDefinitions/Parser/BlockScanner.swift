/// Cuts lines into blocks in one pass.
///
/// The subset of Markdown follows what the original format's parser accepts, with three of its traps removed: a list
/// may follow a paragraph without a blank line, a heading ends a list, and fenced code is never read as definitions.
struct BlockScanner {
    private let lines: [SourceLine]
    private var index = 0
    private var blocks: [Block] = []
    /// The prose being collected; empty between paragraphs.
    private var paragraph: [TextLine] = []

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
            } else if line.headingLevel > 0 {
                endParagraph()
                blocks.append(.heading(level: line.headingLevel, line.headingText))
                index += 1
            } else if let title = paragraph.last, line.underlineLevel > 0 {
                paragraph.removeLast()
                endParagraph()
                blocks.append(.heading(level: line.underlineLevel, title))
                index += 1
            } else if line.opensComment {
                endParagraph()
                skipComment()
            } else if let fence = line.fence {
                endParagraph()
                collectFence(fence)
            } else if line.isRule {
                endParagraph()
                index += 1
            } else if line.bulletText != nil, line.indent < 4 || !paragraph.isEmpty {
                let followsParagraph = !paragraph.isEmpty
                endParagraph()
                let items = ListScanner.list(in: lines, from: &index)
                blocks.append(.list(items, followsParagraph: followsParagraph))
            } else if paragraph.isEmpty, line.isQuote || line.numberText != nil || line.indent >= 4 {
                collectVerbatim()
            } else {
                paragraph.append(
                    paragraph.isEmpty ? line.text(from: line.start) : line.text(from: line.bytes.startIndex))
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

    private mutating func skipComment() {
        let opening = lines[index]
        while index < lines.count {
            index += 1
            if lines[index - 1].closesComment { return }
        }
        blocks.append(.unclosed(opening.text(from: opening.start), what: "comment"))
    }

    private mutating func collectFence(_ opening: (character: UInt8, count: Int)) {
        var collected: [TextLine] = []
        var isClosed = false
        while index < lines.count, !isClosed {
            let line = lines[index]
            if !collected.isEmpty, let closing = line.fence {
                isClosed = closing.character == opening.character && closing.count >= opening.count
            }
            collected.append(line.text(from: line.bytes.startIndex))
            index += 1
        }
        if !isClosed { blocks.append(.unclosed(collected[0], what: "code block")) }
        blocks.append(.verbatim(collected))
    }

    /// A quote, a numbered list or indented code: up to the next blank line or heading.
    private mutating func collectVerbatim() {
        var collected: [TextLine] = []
        while index < lines.count, !lines[index].isBlank, lines[index].headingLevel == 0 {
            collected.append(lines[index].text(from: lines[index].bytes.startIndex))
            index += 1
        }
        blocks.append(.verbatim(collected))
    }
}
