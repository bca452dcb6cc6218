import DaybookTools

extension Definitions {
    /// Reads definition files and checks them against every rule.
    ///
    /// - Parameters:
    ///   - files: The Markdown files: a path (shown in diagnostics; its last part names the category) and the bytes.
    ///     Any bytes are accepted. Their order does not matter.
    ///   - rules: Which rules apply, and how strictly. Default: ``RuleID/standardLevel``.
    /// - Returns: What could be read, and all diagnostics, ordered by location. With an error among the diagnostics,
    ///   the definitions are incomplete: show them, but generate nothing from them.
    public static func load(
        _ files: [(path: String, bytes: [UInt8])], rules: RuleSettings = RuleSettings()
    ) -> (Definitions, [Diagnostic]) {
        var definitions = Definitions()
        var diagnostics: [Diagnostic] = []
        for file in files.sorted(by: { $0.path < $1.path }) {
            let read = DefinitionFile(path: file.path, bytes: file.bytes)
            diagnostics += read.diagnostics
            if !read.isCommon {
                definitions.categories.append(read.category)
            } else if let first = definitions.commonLocation {
                diagnostics.append(
                    .error(
                        read.category.location, "the common columns are defined a second time",
                        hint: "they are defined in \(first.file)"))
            } else {
                definitions.common = read.category.columns
                definitions.commonDescription = read.category.description
                definitions.commonLocation = read.category.location
            }
        }
        definitions.categories.sort { ($0.name, $0.location.file) < ($1.name, $1.location.file) }
        diagnostics += rules.findings(in: definitions)
        return (definitions, rules.applied(to: diagnostics).ordered())
    }
}

/// A parsed Markdown file.
struct DefinitionFile {
    /// The category; for `common.md`, one whose columns are the common ones.
    let category: Category
    let diagnostics: [Diagnostic]

    var isCommon: Bool { category.name == DefinitionFile.commonName }

    static let commonName = "common"

    init(path: String, bytes: [UInt8]) {
        let source = SourceText(file: path, bytes: bytes)
        var reader = DefinitionReader(file: path, name: MarkdownFile.stem(path))
        for block in BlockScanner.blocks(of: source.lines) { reader.read(block) }
        reader.finish()
        category = reader.category
        diagnostics = source.diagnostics + reader.diagnostics
    }
}

struct DefinitionReader {
    private let file: String
    private(set) var category: Category
    private(set) var diagnostics: [Diagnostic] = []
    private var title: PlacedText?
    private var prose: [String] = []
    private var hasColumns = false
    /// A name above a list that may be meant as an event.
    private var lesserHeading: (name: String, place: SourceLocation)?
    /// The current event; `nil` before the first `##`.
    private var event: Event?

    init(file: String, name: String) {
        self.file = file
        category = Category(name: name, location: SourceLocation(file: file, line: 1, column: 1))
    }

    mutating func read(_ block: Block) {
        switch block {
        case .heading(1, let text): readTitle(text)
        case .heading(2, let text): beginEvent(text)
        case .heading(let level, let text):
            let marks = String(repeating: "#", count: min(level, 6))
            prose.append("\(marks) \(text.text)")
            noteHeading(text)
        case .paragraph(let lines):
            prose.append(lines.map(\.text).joined(separator: "\n").trimmed)
            diagnostics += LostColumn.warnings(lines, file: file)
            if lines.count == 1, lines[0].text.first.map({ "*`".contains($0) }) == true {
                noteHeading(lines[0].trimmed)
            }
        case .verbatim(let lines, let isFenced):
            prose.append(lines.map(\.text).joined(separator: "\n"))
            // Fenced code is an example.
            if !isFenced { diagnostics += LostColumn.warnings(lines, file: file) }
        case .list(let items, let followsParagraph): readList(items, followsParagraph: followsParagraph)
        }
    }

    mutating func finish() {
        endSection()
        if category.name.isEmpty || !category.name.unicodeScalars.allSatisfy(\.isNameScalar) {
            diagnostics.append(
                .error(
                    category.location, "`\(category.name.clipped)`, the file's name, cannot be a category's name",
                    hint: "rename the file: a name has only ASCII letters, digits and `_`"))
        }
        if title == nil {
            diagnoseHeading(
                category.location, "the heading with the category's name is missing",
                hint: "begin the file with `# \(category.name)`")
        }
    }

    private mutating func readTitle(_ text: PlacedText) {
        let place = text.location(in: file)
        guard title == nil else {
            diagnoseHeading(
                place, "a file has one category, and this is its second `#` heading", hint: "an event is `##`")
            return
        }
        if event != nil {
            diagnoseHeading(place, "the `#` heading comes after an event", hint: "it goes at the top of the file")
        }
        title = text
        category.location = place
        var cursor = ScalarCursor(text.text)
        let name = cursor.decoratedName().flatMap { cursor.isAtEnd ? $0.text : nil }
        if name != category.name {
            diagnoseHeading(
                place, "the heading `\(text.text.clipped)` differs from the file's name `\(category.name)`",
                hint: "write `# \(category.name)`"
                    + (name.map { " or rename the file to `\($0.clipped).md`" } ?? ""))
        }
    }

    /// Only a warning, because the original format uses the file's name alone.
    private mutating func diagnoseHeading(_ place: SourceLocation, _ message: String, hint: String) {
        var diagnostic = Diagnostic.warning(place, message, hint: hint)
        diagnostic.rule = .categoryHeading
        diagnostics.append(diagnostic)
    }

    private mutating func beginEvent(_ text: PlacedText) {
        endSection()
        var cursor = ScalarCursor(text.text)
        let isObsolete = cursor.skip("[obsolete]")
        cursor.skipSpaces()
        var offset = cursor.offset
        var name = cursor.rest
        if let decorated = cursor.decoratedName(), cursor.isAtEnd { (name, offset) = decorated }
        let place = text.location(in: file, offset: offset)
        if name.isEmpty {
            diagnostics.append(.error(place, "the event has no name", hint: "write `## name`"))
        } else if let bad = name.unicodeScalars.firstIndex(where: { !$0.isNameScalar }) {
            let there = name.unicodeScalars.distance(from: name.startIndex, to: bad)
            let marked = name.contains("[obsolete]")
            diagnostics.append(
                .error(
                    text.location(in: file, offset: offset + there), "`\(name.clipped)` cannot be an event's name",
                    hint: marked
                        ? "`[obsolete]` goes before the name: `## [obsolete] name`" : DecoratedName.hint(name)))
        } else if let warning = DecoratedName.warning(name, in: text, at: offset, file: file) {
            diagnostics.append(warning)
        }
        event = Event(name: name, isObsolete: isObsolete, location: place)
        hasColumns = false
        lesserHeading = nil
    }

    /// Notes `### name` or `**name**`: columns below it belong to the event above. `### Columns` is not an event.
    private mutating func noteHeading(_ text: PlacedText) {
        var cursor = ScalarCursor(text.text)
        guard let (name, offset) = cursor.decoratedName(), cursor.isAtEnd, hasColumns || name.first?.isLowercase == true
        else { return }
        lesserHeading = (name, text.location(in: file, offset: offset))
    }

    private mutating func warnOfLesserHeading() {
        guard let (name, place) = lesserHeading else { return }
        let owner = event.map { "the event `\($0.name.clipped)`" } ?? "the category"
        diagnostics.append(
            .warning(
                place, "`\(name.clipped)` is no event, and the columns below it are those of \(owner)",
                hint: "write `## \(name.clipped)`"))
        lesserHeading = nil
    }

    /// Ends the event, or the part before the first event.
    private mutating func endSection() {
        let description = prose.joined(separator: "\n\n")
        prose = []
        guard var event else {
            category.description = description
            return
        }
        event.description = description
        self.event = nil
        if category.name == DefinitionFile.commonName {
            diagnostics.append(
                .warning(
                    event.location, "events in `\(DefinitionFile.commonName).md` are ignored",
                    hint: "move the event to its own category"))
        } else {
            category.events.append(event)
        }
    }

    private mutating func readList(_ items: [ListItem], followsParagraph: Bool) {
        // The original format treats a list directly after a paragraph, or after the first list, as prose.
        let mayBeProse = followsParagraph || hasColumns
        let bullets: ArraySlice<ListItem> = mayBeProse ? items.prefix { !ColumnParser.looksLikeColumn($0) } : []
        if !bullets.isEmpty { keepAsProse(bullets, followsParagraph: followsParagraph) }
        for item in items.dropFirst(bullets.count) {
            hasColumns = true
            warnOfLesserHeading()
            guard let column = ColumnParser.parse(item, file: file, diagnostics: &diagnostics) else { continue }
            if event != nil { event?.columns.append(column) } else { category.columns.append(column) }
        }
    }

    private mutating func keepAsProse(_ items: ArraySlice<ListItem>, followsParagraph: Bool) {
        var lines: [String] = []
        for item in items {
            lines.append("- " + item.lines.map(\.text).joined(separator: "\n"))
            for nested in item.nested {
                lines.append(String(repeating: "  ", count: nested.depth) + "- \(nested.text)")
            }
        }
        let text = lines.joined(separator: "\n")
        if followsParagraph, let last = prose.popLast() {
            prose.append(last + "\n" + text)
        } else {
            prose.append(text)
        }
    }
}
