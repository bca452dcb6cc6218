/// Swift text being written, line by line.
struct SwiftSource {
    private(set) var text = ""
    private var margin = ""

    /// Adds a line; an empty one stays empty.
    mutating func line(_ line: String = "") {
        if !line.isEmpty {
            text += margin
            text += line
        }
        text += "\n"
    }

    /// Adds finished text.
    mutating func append(_ text: String) { self.text += text }

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
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = SwiftSource.visible(line)
            self.line(text.isEmpty ? "///" : "/// " + text)
        }
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

    /// Without white space at the end; control characters, which could end a comment early, as spaces.
    private static func visible(_ line: Substring) -> String {
        let end = line.unicodeScalars.lastIndex { !$0.properties.isWhitespace }
        guard let end else { return "" }
        let kept = line.unicodeScalars[...end]
        guard kept.contains(where: { $0.properties.generalCategory == .control }) else { return String(kept) }
        return String(
            String.UnicodeScalarView(kept.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
