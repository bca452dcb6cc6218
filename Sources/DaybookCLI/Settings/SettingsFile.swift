import DaybookChecklist

/// A file of settings: `name = value` lines, named as the options are. A line that begins with `#`, or what follows ` #`,
/// is a comment. A repeatable option stands on several lines; a flag is `true` or `false`.
struct SettingsFile {
    struct Entry {
        var name: String
        var value: String
        var line: Int
    }

    let path: String
    private(set) var entries: [Entry] = []

    /// Reads a file's text.
    /// - Parameter options: what may be set.
    /// - Throws: ``InputError`` with the line of the first fault.
    init(_ text: String, path: String, options: [Option]) throws(InputError) {
        self.path = path
        // Some editors write a byte order mark.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = Self.trimmed(Self.withoutComment(line))
            if content.isEmpty { continue }
            entries.append(try entry(content, line: index + 1, options))
        }
    }

    private func entry(_ content: Substring, line: Int, _ options: [Option]) throws(InputError) -> Entry {
        guard let equals = content.firstIndex(of: "=") else {
            throw InputError(file: path, line: line, message: "a line is `name = value`")
        }
        let name = String(Self.trimmed(content[..<equals]))
        let value = String(Self.trimmed(content[content.index(after: equals)...]))
        guard let option = options.first(where: { $0.name == name }) else {
            let near = NearestName.of(name, among: options.map(\.name)).map { "; did you mean `\($0)`?" } ?? ""
            throw InputError(file: path, line: line, message: "there is no setting `\(name)`\(near)")
        }
        if value.isEmpty { throw InputError(file: path, line: line, message: "the value of `\(name)` is empty") }
        if !option.isRepeatable, let first = entries.first(where: { $0.name == name }) {
            throw InputError(file: path, line: line, message: "`\(name)` is set twice; first on line \(first.line)")
        }
        if option.argument == .none, value != "true", value != "false" {
            throw InputError(file: path, line: line, message: "`\(name)` is true or false")
        }
        return Entry(name: name, value: value, line: line)
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        if trimmed(line).hasPrefix("#") { return "" }
        return line.firstRange(of: " #").map { line[..<$0.lowerBound] } ?? line
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
