extension GeneratedText {
    /// Adds `head item, item tail`, over several lines if it would be too long.
    mutating func line(_ head: String, _ items: [String], _ tail: String) {
        let list = items.joined(separator: ", ")
        if fits(head.utf8.count + list.utf8.count + tail.utf8.count) { return line(head + list + tail) }
        line(head)
        var row = "    "
        for (index, item) in items.enumerated() {
            let piece = index == items.count - 1 ? item : item + ","
            if row.utf8.count > 4, !fits(row.utf8.count + 1 + piece.utf8.count) {
                line(row)
                row = "    "
            }
            row += (row.utf8.count > 4 ? " " : "") + piece
        }
        line(row)
        line(tail)
    }

    /// Adds a block with a list in its head.
    mutating func block(_ head: String, _ items: [String], _ tail: String, _ body: (inout GeneratedText) -> Void) {
        line(head, items, tail + " {")
        indented(body)
    }

    /// Adds documentation: every line of `markdown` after `///`.
    mutating func documentation(_ markdown: String) {
        guard !markdown.isEmpty else { return }
        let prose = Array(markdown.utf8)
        for line in prose.split(separator: .lineFeed, omittingEmptySubsequences: false) { documentation(line: line) }
    }

    /// Trims the end; ASCII control characters, which end a comment or upset compilers, become spaces.
    private mutating func documentation(line: ArraySlice<UInt8>) {
        guard let end = line.lastIndex(where: { $0 != .space && $0 != .tab && $0 != .carriageReturn }) else {
            return self.line("///")
        }
        let plain = line[...end].map { $0 < 0x20 || $0 == 0x7F ? .space : $0 }
        self.line("/// " + String(decoding: plain, as: UTF8.self))
    }
}

enum SwiftLiteral {
    static func text(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": literal += "\\\\"
            case "\"": literal += "\\\""
            case "\n": literal += "\\n"
            case " "..."~": literal.unicodeScalars.append(scalar)
            case _ where scalar.properties.generalCategory == .control:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A file's text as a multi-line raw literal, which compiles fast at any length. Line endings become line feeds,
    /// and characters invalid in source become U+FFFD.
    static func raw(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var (run, longestRun) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            run = byte == UInt8(ascii: "#") ? run + 1 : 0
            longestRun = max(longestRun, run)
            switch byte {
            case .carriageReturn where index + 1 < bytes.count && bytes[index + 1] == .lineFeed: continue
            case .carriageReturn: text.append(.lineFeed)
            case 0: text += "\u{FFFD}".utf8
            default: text.append(byte)
            }
        }
        // Longer than any run of `#` in the text, so that neither the end nor an escape can occur within.
        let fence = String(repeating: "#", count: longestRun + 1)
        return "\(fence)\"\"\"\n\(String(decoding: text, as: UTF8.self))\n\"\"\"\(fence)"
    }
}
