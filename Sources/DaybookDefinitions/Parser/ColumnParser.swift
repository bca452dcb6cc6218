import DaybookBase
import DaybookTools

/// Parses a column's line: `[obsolete] name: !type? limit [private]`.
struct ColumnParser {
    private let file: String
    private let line: PlacedText
    private var cursor: ScalarCursor
    private var diagnostics: [Diagnostic] = []

    private init(line: PlacedText, file: String) {
        self.file = file
        self.line = line
        cursor = ScalarCursor(line.text)
    }

    /// A list item's column, or `nil` with an error in `diagnostics`.
    static func parse(_ item: ListItem, file: String, diagnostics: inout [Diagnostic]) -> Column? {
        var parser = ColumnParser(line: item.lines[0].unescaped(), file: file)
        var column = parser.column()
        diagnostics += parser.diagnostics
        if item.lines.count > 1, !PrivacyMark.diagnose(item.lines[1], file: file, &diagnostics) {
            diagnostics.append(
                .warning(
                    item.lines[1].location(in: file), "this text belongs to no item and is ignored",
                    hint: "begin it with `- ` and indent it below the column to make it a note"))
        }
        column?.add(item.nested, file: file, diagnostics: &diagnostics)
        return column
    }

    /// Whether a list item is meant as a column: a name with a colon, or any word beginning with `!`.
    static func looksLikeColumn(_ item: ListItem) -> Bool {
        var cursor = ScalarCursor(item.lines[0].unescaped().text)
        if cursor.skip("[") {
            _ = cursor.take { $0 != "]" }
            cursor.advance()
            cursor.skipSpaces()
        }
        _ = cursor.take { $0 == "`" || $0 == "*" }
        let name = cursor.take { $0.isNameScalar || $0 == "-" }
        _ = cursor.take { $0 == "`" || $0 == "*" }
        cursor.skipSpaces()
        if !name.isEmpty, cursor.next == ":" || cursor.next == "：" { return true }
        return zip(cursor.scalars, cursor.scalars.dropFirst()).contains { $0 == "!" && $1.isNameScalar }
    }

    private mutating func column() -> Column? {
        let isObsolete = cursor.skip("[obsolete]")
        cursor.skipSpaces()
        let start = cursor.offset
        guard let (name, nameOffset) = cursor.decoratedName(), cursor.skip(":") else {
            explainMissingName(from: start)
            return nil
        }
        if let warning = DecoratedName.warning(name, in: line, at: nameOffset, file: file) {
            diagnostics.append(warning)
        }
        cursor.skipSpaces()
        guard let (type, isOptional) = TypeParser.parse(&cursor, line: line, file: file, diagnostics: &diagnostics)
        else {
            return nil
        }
        let classification = marks()
        return Column(
            name: name, type: type, isOptional: isOptional, isObsolete: isObsolete, classification: classification,
            location: line.location(in: file, offset: start))
    }

    private mutating func explainMissingName(from nameOffset: Int) {
        let here = line.location(in: file, offset: nameOffset)
        let afterName = cursor.offset
        cursor.skipSpaces()
        if cursor.next == "：" || (cursor.next == ":" && cursor.offset > afterName) {
            let wide = cursor.next == "："
            diagnostics.append(
                .error(
                    line.location(in: file, offset: cursor.offset),
                    wide ? "the colon after a column's name is a full-width `：`" : "there is a space before the colon",
                    hint: "write `name: !type` with `:` right after the name"))
            return
        }
        cursor.move(to: nameOffset)
        let word = cursor.take { $0 != ":" && !$0.isWhiteSpace }
        if cursor.next == ":", !word.isEmpty {
            diagnostics.append(
                .error(
                    here, "`\(word.clipped)` cannot be a column's name", hint: DecoratedName.hint(word)))
        } else {
            diagnostics.append(.error(here, "this item is not a column", hint: "write `- name: !type`"))
        }
    }

    /// `[private]` or `[sensitive]` at the end of the line.
    private mutating func marks() -> Column.Classification {
        var classification = Column.Classification.plain
        while true {
            cursor.skipSpaces()
            let place = line.location(in: file, offset: cursor.offset)
            guard !cursor.isAtEnd else { return classification }
            guard cursor.skip("[") else {
                diagnostics.append(
                    .warning(
                        place, "`\(cursor.rest.clipped)` after the type is ignored",
                        hint: "put notes into an item below the column"))
                return classification
            }
            let mark = cursor.take { $0 != "]" }
            guard cursor.skip("]") else {
                diagnostics.append(.error(place, "`[\(mark.clipped)` has no `]`"))
                return classification
            }
            if let found = Column.Classification(rawValue: mark), found != .plain {
                if classification != .plain, classification != found {
                    diagnostics.append(.error(place, "a column is either `[private]` or `[sensitive]`"))
                }
                classification = found
            } else if mark == "obsolete" {
                diagnostics.append(
                    .warning(
                        place, "`[obsolete]` after the type is ignored",
                        hint: "write it before the name: `- [obsolete] name: !type`"))
            } else {
                explainUnknownMark(mark, at: place)
            }
        }
    }

    /// A misspelt privacy mark must not pass as prose, which would expose the value.
    private mutating func explainUnknownMark(_ mark: String, at place: SourceLocation) {
        if let near = NearestName.of(mark, among: ["private", "sensitive", "obsolete"]) {
            diagnostics.append(.error(place, "unknown mark `[\(mark.clipped)]`", hint: "did you mean `[\(near)]`?"))
        } else {
            diagnostics.append(
                .warning(
                    place, "`[\(mark.clipped)]` after the type is ignored",
                    hint: "the marks are `[private]` and `[sensitive]`"))
        }
    }
}

extension Column {
    /// Sorts nested items into declared values and notes.
    mutating func add(_ nested: [NestedItem], file: String, diagnostics: inout [Diagnostic]) {
        var known = Set(values.map(\.value))
        for item in nested {
            details.append(Detail(text: item.text, depth: item.depth, indent: item.indent))
            let place = item.lines[0].location(in: file)
            switch DeclaredValueLine(item) {
            case .value(let value):
                if known.insert(value.value).inserted {
                    values.append(value)
                } else {
                    diagnostics.append(.error(place, "the value `\(value.value.clipped)` is declared twice"))
                }
            case .several:
                diagnostics.append(
                    .warning(
                        place, "these values are not declared: an item declares one",
                        hint: "give each value its own item: ``- `value`: note``"))
                notes.append(item.text)
            case .empty:
                diagnostics.append(.error(place, "the declared value is empty"))
            case .note:
                if !item.lines.contains(where: { PrivacyMark.diagnose($0, file: file, &diagnostics) }) {
                    diagnostics += LostColumn.warnings(item.lines, file: file)
                }
                notes.append(item.text)
            }
        }
        guard case .custom(let type) = self.type else { return }
        // A single word among sentences is a note; if every item is one, they are meant as values.
        let direct = nested.filter { $0.depth == 1 }
        let areValues = direct.allSatisfy { $0.valueWithoutMarks != nil || DeclaredValueLine($0).isValue }
        for item in direct {
            guard let (value, isCertain) = item.valueWithoutMarks, areValues || isCertain else { continue }
            var diagnostic = Diagnostic.warning(
                item.lines[0].location(in: file), "`\(value.clipped)` is a note, not a value of `\(type.clipped)`",
                hint: "to list it as a value, put it in backticks: ``- `\(value.clipped)` ``")
            diagnostic.rule = .unmarkedValues
            diagnostics.append(diagnostic)
        }
    }
}
