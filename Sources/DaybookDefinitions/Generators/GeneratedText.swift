/// The text of a generated source file, written line by line.
struct GeneratedText {
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

    /// Whether an indented line of so many bytes is at most 120 long.
    func fits(_ count: Int) -> Bool { margin.utf8.count + count <= 120 }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Adds `head {`, the indented body, and `}`.
    mutating func block(_ head: String, _ body: (inout GeneratedText) -> Void) {
        line(head + " {")
        indented(body)
    }

    /// Adds a block's indented body, and `}`.
    mutating func indented(_ body: (inout GeneratedText) -> Void) {
        margin += "    "
        body(&self)
        margin.removeLast(4)
        line("}")
    }
}
