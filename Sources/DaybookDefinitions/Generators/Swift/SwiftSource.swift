struct SwiftSource {
    private var bytes: [UInt8] = []
    private var margin = ""

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a line; an empty one gets no indentation.
    mutating func line(_ line: String = "") {
        if !line.isEmpty {
            bytes.append(contentsOf: margin.utf8)
            bytes.append(contentsOf: line.utf8)
        }
        bytes.append(.lineFeed)
    }

    /// Adds `head item, item tail`, over several lines if it would be longer than ``width``.
    mutating func line(_ head: String, _ items: [String], _ tail: String) {
        let list = items.joined(separator: ", ")
        let length = margin.utf8.count + head.utf8.count + list.utf8.count + tail.utf8.count
        if length <= SwiftSource.width {
            return line(head + list + tail)
        }
        line(head)
        var row = "    "
        for (index, item) in items.enumerated() {
            let piece = index == items.count - 1 ? item : item + ","
            if row.utf8.count > 4, margin.utf8.count + row.utf8.count + 1 + piece.utf8.count > SwiftSource.width {
                line(row)
                row = "    "
            }
            row += (row.utf8.count > 4 ? " " : "") + piece
        }
        line(row)
        line(tail)
    }

    /// In bytes.
    private static let width = 120

    /// Adds `head {`, the indented body, and `}`.
    mutating func block(_ head: String, _ body: (inout SwiftSource) -> Void) {
        line(head + " {")
        indented(body)
    }

    /// As above, with a list in the head.
    mutating func block(_ head: String, _ items: [String], _ tail: String, _ body: (inout SwiftSource) -> Void) {
        line(head, items, tail + " {")
        indented(body)
    }

    private mutating func indented(_ body: (inout SwiftSource) -> Void) {
        margin += "    "
        body(&self)
        margin.removeLast(4)
        line("}")
    }

    /// Adds documentation: every line of `markdown` after `///`.
    mutating func documentation(_ markdown: String) {
        guard !markdown.isEmpty else { return }
        let prose = Array(markdown.utf8)
        for line in prose.split(separator: .lineFeed, omittingEmptySubsequences: false) { documentation(line: line) }
    }

    /// Trims the end; ASCII control characters, which end a comment or upset compilers, become spaces.
    private mutating func documentation(line: ArraySlice<UInt8>) {
        let end = line.lastIndex { $0 != .space && $0 != .tab && $0 != .carriageReturn }
        bytes.append(contentsOf: margin.utf8)
        bytes.append(contentsOf: "///".utf8)
        if let end {
            bytes.append(.space)
            for byte in line[...end] { bytes.append(byte < 0x20 || byte == 0x7F ? .space : byte) }
        }
        bytes.append(.lineFeed)
    }

    static func literal(_ text: String) -> String {
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
    static func rawLiteral(_ bytes: [UInt8]) -> String {
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
