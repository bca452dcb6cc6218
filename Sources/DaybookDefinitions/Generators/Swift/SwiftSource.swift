/// Swift text being written, line by line.
struct SwiftSource {
    private var bytes: [UInt8] = []
    private var margin = ""

    /// What was written so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a line; an empty one stays empty.
    mutating func line(_ line: String = "") {
        if !line.isEmpty {
            bytes.append(contentsOf: margin.utf8)
            bytes.append(contentsOf: line.utf8)
        }
        bytes.append(.lineFeed)
    }

    /// Adds `head item, item tail`, over several lines where one would be longer than ``width``.
    mutating func line(_ head: String, _ items: [String], _ tail: String) {
        let list = items.joined(separator: ", ")
        if margin.count + head.count + list.count + tail.count <= SwiftSource.width {
            return line(head + list + tail)
        }
        line(head)
        var row = "    "
        for (index, item) in items.enumerated() {
            let piece = item + (index == items.count - 1 ? tail : ",")
            if row.count > 4, margin.count + row.count + 1 + piece.count > SwiftSource.width {
                line(row)
                row = "    "
            }
            row += (row.count > 4 ? " " : "") + piece
        }
        line(row)
    }

    /// The most characters of a line that can be broken.
    private static let width = 120

    /// Adds `head {`, what `body` adds, indented, and `}`.
    mutating func block(_ head: String, _ body: (inout SwiftSource) -> Void) {
        line(head + " {")
        indented(body)
    }

    /// The same, with a list in the head.
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

    /// Adds documentation: every line of `markdown` behind `///`.
    mutating func documentation(_ markdown: String) {
        guard !markdown.isEmpty else { return }
        let prose = Array(markdown.utf8)
        for line in prose.split(separator: .lineFeed, omittingEmptySubsequences: false) { documentation(line: line) }
    }

    /// Without white space at the end; control characters of ASCII, which end a comment or trouble compilers, become spaces.
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

    /// `text` as a string literal.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": literal += "\\\\"
            case "\"": literal += "\\\""
            case "\n": literal += "\\n"
            case _ where scalar.properties.generalCategory == .control:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
