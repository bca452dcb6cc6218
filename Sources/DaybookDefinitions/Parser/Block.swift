/// A part of a Markdown file, as far as definitions tell parts apart.
enum Block {
    /// `# text` or a text underlined with `===` or `---`.
    case heading(level: Int, TextLine)
    /// Lines of prose, as they were written.
    case paragraph([TextLine])
    /// A bulleted list. `followsParagraph`: no blank line stands between it and the prose before it.
    case list([ListItem], followsParagraph: Bool)
    /// Code, a quote or a numbered list: kept as prose, never read as definitions.
    case verbatim([TextLine])
    /// A comment or fenced code that begins here and never ends, so that it hides the rest of the file.
    case unclosed(TextLine, what: String)
}

/// An item of a bulleted list with everything nested below it, flattened so that no depth of nesting costs stack.
struct ListItem {
    /// The item's own lines; the first is the text behind the bullet.
    var lines: [TextLine]
    var nested: [NestedItem] = []
}

/// An item somewhere below a list item.
struct NestedItem {
    /// 1 directly below.
    var depth: Int
    /// Columns of white space before the bullet.
    var indent: Int
    var lines: [TextLine]

    var text: String { lines.map(\.text).joined(separator: "\n") }
}
