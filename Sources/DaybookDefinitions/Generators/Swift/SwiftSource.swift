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

    /// Adds finished text.
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Adds `head {`, what `body` adds, indented, and `}`.
    mutating func block(_ head: String, _ body: (inout SwiftSource) -> Void) {
        line(head + " {")
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
