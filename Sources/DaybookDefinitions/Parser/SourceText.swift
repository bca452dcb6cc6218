import DaybookBase

/// A file cut into lines, ready for the block scanner. Any bytes are accepted.
struct SourceText {
    let file: String
    let lines: [SourceLine]
    let diagnostics: [Diagnostic]

    /// Cuts at `\n`, `\r\n` and `\r`. Bytes that are not UTF-8 are diagnosed once and replaced by U+FFFD.
    init(file: String, bytes: [UInt8]) {
        self.file = file
        var bytes = bytes
        var diagnostics: [Diagnostic] = []
        if String(wellFormed: bytes) == nil {
            diagnostics.append(
                .error(
                    SourceText.firstInvalid(in: bytes, file: file), "this is not UTF-8 text",
                    hint: "save the file in the encoding UTF-8"))
            bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
        }
        let hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        lines = SourceText.cut(bytes[(hasByteOrderMark ? 3 : 0)...])
        self.diagnostics = diagnostics
    }

    private static func cut(_ bytes: ArraySlice<UInt8>) -> [SourceLine] {
        var lines: [SourceLine] = []
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == .lineFeed || byte == .carriageReturn {
                lines.append(SourceLine(number: lines.count + 1, bytes: bytes[start..<index]))
                if byte == .carriageReturn, index + 1 < bytes.endIndex, bytes[index + 1] == .lineFeed { index += 1 }
                start = index + 1
            }
            index += 1
        }
        if start < bytes.endIndex { lines.append(SourceLine(number: lines.count + 1, bytes: bytes[start...])) }
        return lines
    }

    private static func firstInvalid(in bytes: [UInt8], file: String) -> SourceLocation {
        var location = SourceLocation(file: file, line: 1, column: 1)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if scalar == "\n" {
                location.line += 1
                location.column = 1
            } else {
                location.column += 1
            }
        }
        return location
    }
}

/// One line without its ending.
struct SourceLine {
    let number: Int
    let bytes: ArraySlice<UInt8>
    /// The index of the first byte that is neither space nor tab; `bytes.endIndex` in a blank line.
    let start: Int
    /// Columns of white space before `start`; a tab goes to the next multiple of 4.
    let indent: Int

    init(number: Int, bytes: ArraySlice<UInt8>) {
        self.number = number
        self.bytes = bytes
        var start = bytes.startIndex
        var indent = 0
        while start < bytes.endIndex, bytes[start] == .space || bytes[start] == .tab {
            indent = bytes[start] == .tab ? (indent / 4 + 1) * 4 : indent + 1
            start += 1
        }
        self.start = start
        self.indent = indent
    }

    var isBlank: Bool { start == bytes.endIndex }

    /// The line from its first visible byte.
    var content: ArraySlice<UInt8> { bytes[start...] }

    /// The whole line as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text from byte `index` to the end, with its place.
    func text(from index: Int) -> TextLine {
        TextLine(line: number, column: column(of: index), text: String(decoding: bytes[index...], as: UTF8.self))
    }

    /// The column of byte `index`, counted from 1 in Unicode scalars.
    func column(of index: Int) -> Int {
        bytes[..<index].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}

/// A stretch of one line with the place of its first character.
struct TextLine {
    var line: Int
    var column: Int
    var text: String

    func location(in file: String, offset: Int = 0) -> SourceLocation {
        SourceLocation(file: file, line: line, column: column + offset)
    }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}

/// What a line looks like to Markdown.
extension SourceLine {
    /// The number of `#` at the line's beginning; 0 if it is no heading. As in the original format no space is needed.
    var headingLevel: Int { indent == 0 ? content.prefix { $0 == UInt8(ascii: "#") }.count : 0 }

    /// The heading's text without `#` and the white space around it.
    var headingText: TextLine {
        var from = start + headingLevel
        while from < bytes.endIndex, bytes[from] == .space || bytes[from] == .tab { from += 1 }
        var to = bytes.endIndex
        while to > from, bytes[to - 1] == .space || bytes[to - 1] == .tab { to -= 1 }
        var closing = to
        while closing > from, bytes[closing - 1] == UInt8(ascii: "#") { closing -= 1 }
        if closing < to {
            to = closing
            while to > from, bytes[to - 1] == .space || bytes[to - 1] == .tab { to -= 1 }
        }
        return TextLine(
            line: number, column: column(of: from), text: String(decoding: bytes[from..<to], as: UTF8.self))
    }

    /// The level of the heading that this line, as an underline, makes of the prose above it; 0 if it is none.
    var underlineLevel: Int {
        guard indent == 0, let first = content.first else { return 0 }
        let visible = content.drop { $0 == first }
        guard visible.allSatisfy({ $0 == .space || $0 == .tab }) else { return 0 }
        return first == UInt8(ascii: "=") ? 1 : first == UInt8(ascii: "-") ? 2 : 0
    }

    /// Three or more of `-`, `*` or `_` and nothing else.
    var isRule: Bool {
        guard let first = content.first,
            first == UInt8(ascii: "-") || first == UInt8(ascii: "*")
                || first == UInt8(ascii: "_")
        else { return false }
        var count = 0
        for byte in content {
            if byte == first { count += 1 } else if byte != .space, byte != .tab { return false }
        }
        return count >= 3
    }

    /// The index of an item's text behind `- `, `* ` or `+ `, or `nil`.
    var bulletText: Int? {
        guard let first = content.first, !isRule else { return nil }
        guard first == UInt8(ascii: "-") || first == UInt8(ascii: "*") || first == UInt8(ascii: "+") else { return nil }
        return textIndex(after: start + 1)
    }

    /// The index of an item's text behind `1. ` or `1) `, or `nil`.
    var numberText: Int? {
        let digits = content.prefix { $0.isDigit }
        guard (1...9).contains(digits.count), digits.endIndex < bytes.endIndex else { return nil }
        guard bytes[digits.endIndex] == UInt8(ascii: ".") || bytes[digits.endIndex] == UInt8(ascii: ")") else {
            return nil
        }
        return textIndex(after: digits.endIndex + 1)
    }

    private func textIndex(after marker: Int) -> Int? {
        guard marker == bytes.endIndex || bytes[marker] == .space || bytes[marker] == .tab else { return nil }
        var index = marker
        while index < bytes.endIndex, bytes[index] == .space || bytes[index] == .tab { index += 1 }
        return index
    }

    /// The fence that this line opens or closes: its character and length, or `nil`.
    var fence: (character: UInt8, count: Int)? {
        guard let first = content.first, first == UInt8(ascii: "`") || first == UInt8(ascii: "~") else { return nil }
        let count = content.prefix { $0 == first }.count
        guard count >= 3, !content.dropFirst(count).contains(first) else { return nil }
        return (first, count)
    }

    var isQuote: Bool { content.first == UInt8(ascii: ">") }

    var opensComment: Bool { content.starts(with: "<!--".utf8) }

    var closesComment: Bool {
        bytes.indices.dropLast(2).contains { bytes[$0...].starts(with: "-->".utf8) }
    }
}
