/// A Markdown file's front matter: YAML between `---` and `---` (or `...`), TOML between `+++` and `+++`. Without data
/// after it, the first line is a rule, and there is no front matter.
struct FrontMatter {
    /// Line indices, delimiters included.
    private(set) var lines: Range<Int> = 0..<0
    private(set) var problems: [Diagnostic] = []

    private enum Format { case yaml, toml }

    init(_ sources: [Substring], of file: String) {
        guard let first = sources.firstIndex(where: { !Self.trimmed($0).isEmpty }) else { return }
        let format: Format
        switch Self.trimmedEnd(sources[first]) {
        case "---": format = .yaml
        case "+++": format = .toml
        default: return
        }
        let ends = format == .yaml ? ["---", "..."] : ["+++"]
        let end = sources[(first + 1)...].firstIndex { ends.contains(String(Self.trimmedEnd($0))) }
        let inside = sources[(first + 1)..<(end ?? sources.count)]
        let data = inside.first { !Self.trimmed($0).isEmpty && $0.first != "#" }
        guard data.map({ Self.isEntry($0, format) }) ?? (end != nil && format == .toml) else { return }
        let foreign = Self.firstForeign(inside, format)
        let mark = format == .yaml ? "---" : "+++"
        if let foreign, end != nil {
            problems.append(
                .error(
                    SourceLocation(file: file, line: foreign + 1, column: 1),
                    "this line is in the file's front matter, and is no data",
                    hint: "end the front matter above it with `\(mark)`"))
        } else if end == nil {
            problems.append(
                .error(
                    SourceLocation(file: file, line: first + 1, column: 1),
                    "the front matter that begins here has no end",
                    hint: "close it with `\(mark)`, or leave out this line"))
        }
        lines = first..<(foreign ?? end.map { $0 + 1 } ?? sources.count)
    }

    /// The index of the first line that is not data; a list item must be directly below its key or another item.
    private static func firstForeign(_ lines: ArraySlice<Substring>, _ format: Format) -> Int? {
        var mayBeItem = false
        for (index, line) in zip(lines.indices, lines) {
            let text = trimmed(line)
            let isIndented = line.first == " " || line.first == "\t"
            if isIndented, !text.isEmpty { continue }
            let isItem = format == .yaml && (text == "-" || text.hasPrefix("- "))
            guard
                text.isEmpty || text.first == "#" || isEntry(line, format) || isItem && mayBeItem
                    || text.first.map({ "]}\"'".contains($0) }) == true
            else { return index }
            mayBeItem = isItem || text.last == ":"
        }
        return nil
    }

    /// `key: value`, or in TOML `key = value` or `[table]`.
    private static func isEntry(_ line: Substring, _ format: Format) -> Bool {
        guard let first = line.first, first.isLetter || first.isNumber || "_\"'[".contains(first) else { return false }
        switch format {
        case .yaml:
            guard first != "[", let colon = line.firstIndex(of: ":") else { return false }
            let next = line.index(after: colon)
            return next == line.endIndex || line[next].isWhitespace
        case .toml: return first == "[" ? trimmedEnd(line).last == "]" : line.contains("=")
        }
    }

    private static func trimmed(_ line: Substring) -> Substring { trimmedEnd(line.drop(while: \.isWhitespace)) }

    private static func trimmedEnd(_ line: Substring) -> Substring {
        line.lastIndex { !$0.isWhitespace }.map { line[...$0] } ?? line.prefix(0)
    }
}
