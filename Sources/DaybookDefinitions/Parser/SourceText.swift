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
        if String(validating: bytes, as: UTF8.self) == nil {
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
