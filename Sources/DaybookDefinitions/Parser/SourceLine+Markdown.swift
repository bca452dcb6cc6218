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
