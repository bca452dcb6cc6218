/// Splits a text into lines by its bytes: at `\n`, `\r` and `\r\n`. Swift's own splitting treats `\r\n` as one
/// character, and so finds no `\n` in such a file; `scripts/check-architecture` checks for it.
package enum TextLines {
    /// The lines without line ends and byte order mark, including a possibly empty last one.
    /// - Parameter alsoAtSeparators: whether U+2028 and U+2029 end a line: for text by people, where the rest looks
    ///   like a new line, but not for JSON, whose strings may contain them.
    package static func split(_ text: some StringProtocol, alsoAtSeparators: Bool = false) -> [Substring] {
        let text = Substring(text)
        let bytes = text.utf8
        var lines: [Substring] = []
        var start =
            bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.index(bytes.startIndex, offsetBy: 3) : bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            let byte = bytes[index]
            var end = bytes.index(after: index)
            if byte == 0x0D, end < bytes.endIndex, bytes[end] == 0x0A { bytes.formIndex(after: &end) }
            if alsoAtSeparators, byte == 0xE2,
                bytes[index...].starts(with: [0xE2, 0x80, 0xA8]) || bytes[index...].starts(with: [0xE2, 0x80, 0xA9])
            {
                end = bytes.index(index, offsetBy: 3)
            } else if byte != 0x0A, byte != 0x0D {
                index = end
                continue
            }
            lines.append(text[start..<index])
            (start, index) = (end, end)
        }
        return lines + [text[start...]]
    }

    /// The line ending of a text; `nil` without any, or if they differ.
    package static func end(_ text: String) -> String? {
        var ends: Set<String> = []
        _ = each(of: text) { ends.insert($1) }
        return ends.count == 1 ? ends.first : nil
    }

    /// A text's bytes with uniform line endings.
    package static func ending(_ text: String, _ end: String) -> [UInt8] {
        var bytes: [UInt8] = []
        let rest = each(of: text) { line, _ in bytes += Array(line) + Array(end.utf8) }
        return bytes + rest
    }

    /// Calls `body` for each terminated line; returns the rest.
    private static func each(
        of text: String, _ body: (_ line: ArraySlice<UInt8>, _ end: String) -> Void
    ) -> ArraySlice<UInt8> {
        let bytes = Array(text.utf8)
        var (start, index) = (0, 0)
        while index < bytes.count {
            let isPair = bytes[index...].starts(with: [0x0D, 0x0A])
            if isPair || bytes[index] == 0x0A || bytes[index] == 0x0D {
                body(bytes[start..<index], isPair ? "\r\n" : bytes[index] == 0x0A ? "\n" : "\r")
                start = index + (isPair ? 2 : 1)
            }
            index = max(index + 1, start)
        }
        return bytes[start...]
    }
}
