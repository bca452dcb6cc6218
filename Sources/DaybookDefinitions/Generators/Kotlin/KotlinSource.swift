/// Kotlin text being written, line by line.
struct KotlinSource {
    private(set) var text = ""
    private var margin = ""

    /// Adds a line; an empty one stays empty.
    ///
    /// - Parameter isLast: Leave out the comma at its end: Kotlin before 1.4 has none after the last parameter.
    mutating func line(_ line: String = "", isLast: Bool = false) {
        let line = isLast && line.hasSuffix(",") ? String(line.dropLast()) : line
        text += line.isEmpty ? "\n" : margin + line + "\n"
    }

    /// Adds finished text.
    mutating func append(_ text: String) { self.text += text }

    /// Adds `head {`, what `body` adds, indented, and `}`.
    mutating func block(_ head: String, _ body: (inout KotlinSource) -> Void) {
        line(head + " {")
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
