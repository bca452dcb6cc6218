/// Tells the paragraphs of a description from its other parts.
enum Prose {
    /// The paragraphs: not headings, quotes, indented code and numbered lists, which the original format leaves out.
    static func paragraphs(of description: String) -> [String] {
        let source = SourceText(file: "", bytes: Array(description.utf8))
        var paragraphs: [String] = []
        for block in BlockScanner.blocks(of: source.lines) {
            switch block {
            case .paragraph(let lines): paragraphs.append(text(lines))
            // A list that the parser kept as prose belongs to the paragraph before it.
            case .list(let items, followsParagraph: true):
                if let last = paragraphs.popLast() {
                    paragraphs.append(([last] + items.map { "- " + text($0.lines) }).joined(separator: "\n"))
                }
            // The original knows no fenced code: three backticks are a code span, which ends with its paragraph.
            case .verbatim(let lines) where lines[0].text.hasPrefix("```") && !lines.contains(where: \.text.isEmpty):
                paragraphs.append(text(lines))
            case .heading, .list, .verbatim, .unclosed: break
            }
        }
        return paragraphs
    }

    private static func text(_ lines: [TextLine]) -> String { lines.map(\.text).joined(separator: "\n") }
}
