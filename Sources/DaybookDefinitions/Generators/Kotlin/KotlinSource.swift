/// Kotlin text being written, line by line.
struct KotlinSource {
    private(set) var text = ""
    private var margin = ""

    /// Adds a line; an empty one stays empty.
    mutating func line(_ line: String = "") { text += line.isEmpty ? "\n" : margin + line + "\n" }

    /// Adds `head(item, item)tail`, with a line for each item where one line would be longer than ``width``. The last item
    /// has no comma: Kotlin before 1.4 takes none there.
    mutating func line(_ head: String, _ items: [String], _ tail: String) {
        let whole = "\(head)(\(items.joined(separator: ", ")))\(tail)"
        guard margin.utf8.count + whole.utf8.count > KotlinSource.width else { return line(whole) }
        line(head + "(")
        for (index, item) in items.enumerated() { line("    " + item + (index < items.count - 1 ? "," : "")) }
        line(")" + tail)
    }

    /// The most bytes of a line that can be broken.
    private static let width = 120

    /// Adds finished text.
    mutating func append(_ text: String) { self.text += text }

    /// Adds `head {`, what `body` adds, indented, and `}`.
    mutating func block(_ head: String, _ body: (inout KotlinSource) -> Void) {
        line(head + " {")
        indented(body)
    }

    /// The same, with a list in the head.
    mutating func block(_ head: String, _ items: [String], _ tail: String, _ body: (inout KotlinSource) -> Void) {
        line(head, items, tail + " {")
        indented(body)
    }

    private mutating func indented(_ body: (inout KotlinSource) -> Void) {
        margin += "    "
        body(&self)
        margin.removeLast(4)
        line("}")
    }

    /// Adds documentation, with a line for each of `parameters` that has one; nothing where there is nothing to say.
    mutating func documentation(_ markdown: String, _ parameters: [KotlinParameter] = []) {
        let properties = parameters.map(\.documentation).filter { !$0.isEmpty }
        guard !markdown.isEmpty || !properties.isEmpty else { return }
        var lines = markdown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if !properties.isEmpty { lines += [""] + properties }
        lines = lines.map(KotlinSource.harmless)
        if lines.count == 1 {
            line("/** \(lines[0]) */")
        } else {
            line("/**")
            for text in lines { line(text.isEmpty ? " *" : " * \(text)") }
            line(" */")
        }
    }

    /// Text that neither ends a comment nor begins one inside it: Kotlin's comments nest.
    private static func harmless(_ line: String) -> String {
        var result = ""
        for scalar in line.unicodeScalars {
            let isEnd = scalar == "/" && result.hasSuffix("*")
            let isStart = scalar == "*" && result.hasSuffix("/")
            if isEnd || isStart { result += "\u{200B}" }
            result.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return result
    }
}
