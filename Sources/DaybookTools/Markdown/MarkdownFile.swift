/// Recognizes Markdown files by name.
package enum MarkdownFile {
    private static let endings: Set = ["md", "markdown", "mdown", "mkd", "mkdn"]
    /// Extensions that may be meant as Markdown.
    private static let nearEndings: Set = [
        "txt", "text", "mdx", "mdwn", "mdtext", "mdtxt", "markdn", "rmd", "qmd", "mmd", "rst", "adoc", "asciidoc",
        "org",
        "textile", "rtf",
    ]

    /// Whether a file is read: a Markdown extension in any case, and not hidden.
    package static func isMarkdown(_ path: some StringProtocol) -> Bool {
        let name = lastPart(path)
        return !name.hasPrefix(".") && endings.contains(ending(name))
    }

    /// A file's name without folder and Markdown extension.
    package static func stem(_ path: some StringProtocol) -> String {
        let name = lastPart(path)
        return endings.contains(ending(name)) ? String(name.dropLast(ending(name).count + 1)) : String(name)
    }

    package static func isReadme(_ path: some StringProtocol) -> Bool {
        isMarkdown(path) && stem(path).lowercased() == "readme"
    }

    /// A file's name without folder and any extension.
    package static func stem(withoutEndings path: some StringProtocol) -> String {
        String(lastPart(path).prefix { $0 != "." })
    }

    /// Why a file was skipped, if someone may expect it to be read.
    package static func reasonLeftOut(_ path: some StringProtocol) -> String? {
        let name = lastPart(path)
        guard !name.hasPrefix("."), !isMarkdown(name) else { return nil }
        let parts = name.lowercased().split(separator: ".").dropFirst()
        let words = parts.map { $0.prefix { $0 != "~" && !$0.isWhitespace } }
        // `code.swift.txt` is not meant as Markdown.
        let isNear = words.count == 1 && nearEndings.contains(String(words[0]))
        guard isNear || words.contains(where: { endings.contains(String($0)) }) else { return nil }
        return "this file is not read, because its name does not end in `.md`"
    }

    private static func lastPart(_ path: some StringProtocol) -> Substring {
        Substring(path).split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? Substring(path)
    }

    private static func ending(_ name: Substring) -> String {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }
}
