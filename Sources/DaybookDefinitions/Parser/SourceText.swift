import DaybookBase
import DaybookTools

/// A file split into lines for the block scanner. Accepts any bytes.
struct SourceText {
    let lines: [SourceLine]
    let diagnostics: [Diagnostic]

    init(file: String, bytes: [UInt8]) {
        let markdown = MarkdownText(String(decoding: bytes, as: UTF8.self), file: file, looseHeadings: true)
        (lines, diagnostics) = (markdown.lines.map(SourceLine.init), markdown.problems)
    }
}

/// A line without its ending.
struct SourceLine {
    let line: MarkdownText.Line

    var indent: Int { line.indent }

    var isBlank: Bool {
        switch line.kind {
        case .blank, .hidden: true
        default: false
        }
    }

    var isText: Bool { if case .text = line.kind { true } else { false } }

    var isFence: Bool { if case .fence = line.kind { true } else { false } }

    var endsFence: Bool { if case .fenceEnd = line.kind { true } else { false } }

    /// Whether it is in a code block or one of its fences.
    var isCode: Bool {
        switch line.kind {
        case .fence, .code, .fenceEnd: true
        default: false
        }
    }

    var isRule: Bool { if case .rule = line.kind { true } else { false } }

    var heading: (level: Int, text: PlacedText)? {
        if case .heading(let level, let text) = line.kind { (level, text) } else { nil }
    }

    /// An item's text after `- `, `* ` or `+ `, or `nil`.
    var bulletText: PlacedText? { line.item.flatMap { $0.number == nil ? itemText(from: $0.offset) : nil } }

    /// An item's text after `1. ` or `1) `, or `nil`.
    var numberText: PlacedText? { line.item.flatMap { $0.number == nil ? nil : itemText(from: $0.offset) } }

    private func itemText(from offset: Int) -> PlacedText {
        let content = line.content
        return content[offset..<content.text.unicodeScalars.count]
    }

    var isQuote: Bool { isText && line.content.text.hasPrefix(">") }

    /// The line as written, without comments.
    var text: PlacedText {
        // Code, including its fences, is prose here.
        if isCode { return PlacedText(String(line.source), line: line.number) }
        return line.text
    }

    /// The text after leading white space.
    var content: PlacedText {
        let white = text.text.unicodeScalars.prefix { $0 == " " || $0 == "\t" }.count
        return isCode ? text[white..<text.text.unicodeScalars.count] : line.content
    }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}

extension PlacedText {
    /// The location of the scalar at `offset`.
    func location(in file: String, offset: Int = 0) -> SourceLocation {
        SourceLocation(file: file, line: line, column: column(at: offset))
    }
}
