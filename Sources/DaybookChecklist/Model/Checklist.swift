import DaybookTools

/// A checklist: what a recording must show, read from a Markdown task list.
public struct Checklist: Sendable, Hashable {
    /// The file's name as given; locations and reports contain it.
    public var file: String
    /// The `#` heading, or the file's name without folder and extension if there is none.
    public var title: String
    /// The paragraphs before the first scenario.
    public var prose: [String]
    /// The table whose first column is headed `persona`, if there is one.
    public var personas: PersonaTable?
    /// The scenarios, in the order of the file; never empty, names unique.
    public var scenarios: [Scenario]
    /// The text that was read.
    public var source: String

    /// A `##` heading and what is under it. Items before the first such heading form a scenario named after the title.
    public struct Scenario: Sendable, Hashable {
        public var name: String
        /// The paragraphs under the heading, and list items that are not tasks.
        public var prose: [String]
        public var items: [ChecklistItem]
        public var location: SourceLocation
    }
}

/// One line with a checkbox.
public struct ChecklistItem: Sendable, Hashable {
    /// Who judges the item.
    public enum Content: Sendable, Hashable {
        /// A person; the text is for them.
        case manual
        /// The engine.
        case expectation(ChecklistExpectation)
    }

    /// The text after the box, without spaces at its ends.
    public var text: String
    public var content: Content
    /// Tests that every record that counts must pass.
    public var tests: [ColumnTest]
    /// Nested items that are not tests.
    public var notes: [String]
    /// The notes' locations; `nil` for a line that continues the previous note.
    var noteLocations: [SourceLocation?]
    /// Whether the box is ticked in the file. The engine ignores it.
    public var isTicked: Bool
    /// Which numbered list of the scenario the item belongs to, from 0; `nil` for a bulleted item. A list continues as
    /// long as its numbers do.
    public var numberedList: Int?
    /// Where the text after the box starts, or, of a fixture, the event.
    public var location: SourceLocation
    /// The offset of the box's content in its line, in Unicode scalars.
    var boxOffset: Int
    /// The last line of the item, including nested ones, from 1.
    package var lastLine: Int
    /// The box's line in the checklist's text, if ``location`` is in another text; from 1.
    var ownLine: Int?

    /// The box's line in the checklist's text, from 1.
    var boxLine: Int { ownLine ?? location.line }
}

/// The personas that scenarios are run with.
public struct PersonaTable: Sendable, Hashable {
    /// One row.
    public struct Persona: Sendable, Hashable {
        public var name: String
        /// The values by column; an empty cell has no entry.
        public var values: [String: ChecklistValue]

        /// Creates a persona.
        public init(name: String, values: [String: ChecklistValue]) {
            self.name = name
            self.values = values
        }
    }

    /// The headings after `persona`.
    public var columns: [String]
    public var personas: [Persona]

    /// The persona with a name.
    public subscript(name: String) -> Persona? { personas.first { $0.name == name } }
}

extension Checklist {
    /// The checklist with one more item at the end of a scenario. The rest of its text is unchanged.
    /// - Parameters:
    ///   - item: The text after the box: `feed.tap_article after feed.show_article`. One line.
    ///   - scenario: The scenario's name.
    ///   - catalog: What the item may name; `nil`, the default, for anything.
    /// - Throws: ``ChecklistError``, if the item cannot be parsed or names something undefined, or there is no such
    ///   scenario; locations are in the longer text.
    public func adding(
        _ item: String, to scenario: String, catalog: EventCatalog? = nil
    ) throws(ChecklistError) -> Checklist {
        guard let index = scenarios.firstIndex(where: { $0.name == scenario }) else {
            throw Self.problem(
                "there is no scenario `\(scenario)`",
                hint: "choose one of: \(scenarios.map(\.name).joined(separator: ", "))",
                at: SourceLocation(file: file, line: 1, column: 1))
        }
        // Some programs end a line at these characters.
        guard !item.unicodeScalars.contains(where: { $0.properties.generalCategory.isUnprintable }) else {
            throw Self.problem(
                "the item has a control character or a line separator", hint: "write it in one line of text",
                at: SourceLocation(file: file, line: 1, column: 1))
        }
        let lines = TextLines.split(source, alsoAtSeparators: true)
        let end = Swift.min(endLine(ofScenario: index, lines.map(String.init)), lines.count)
        // Directly after a numbered list or a paragraph, the line would become part of it.
        let isBehindItem = scenarios[index].items.last.map { $0.numberedList == nil } ?? false
        let longer = try Checklist(
            markdown: inserting("- [ ] \(item)", behind: lines[end - 1], afterBlank: !isBehindItem), file: file)
        guard longer.scenarios[index].items.count == scenarios[index].items.count + 1,
            let added = longer.scenarios[index].items.last,
            added.text == PlacedText(item, line: 1).unescaped(keepingLiterals: true).text
        else {
            throw Self.problem(
                "`\(item)` is not one item", hint: "an item is one line, without spaces at its ends",
                at: SourceLocation(file: file, line: end + 1, column: 1))
        }
        if let catalog {
            let problems = longer.problems(with: catalog, scenarios: [scenario]).filter {
                added.location.line...added.lastLine ~= $0.diagnostic.location.line
            }
            guard problems.isEmpty else { throw ChecklistError(problems: problems) }
        }
        return longer
    }

    /// Inserts a line with the same line ending as the one before.
    private func inserting(_ text: String, behind line: Substring, afterBlank: Bool) -> String {
        let isLast = line.endIndex == source.endIndex
        let end: String
        if isLast {
            end = source.contains("\r\n") ? "\r\n" : "\n"
        } else {
            end = String(source[line.endIndex])
        }
        let place = isLast ? source.endIndex : source.index(after: line.endIndex)
        var longer = source
        longer.insert(contentsOf: (isLast ? end : "") + (afterBlank ? end : "") + text + end, at: place)
        return longer
    }

    private static func problem(_ message: String, hint: String, at location: SourceLocation) -> ChecklistError {
        ChecklistError(problems: [.init(location: location, message: message, hint: hint)])
    }

    /// The scenario's last nonblank line, from 1.
    private func endLine(ofScenario index: Int, _ lines: [String]) -> Int {
        if let item = scenarios[index].items.last { return item.lastLine }
        let next = index + 1 < scenarios.count ? scenarios[index + 1].location.line - 1 : lines.count
        return lines[..<next].lastIndex { !$0.allSatisfy(\.isWhitespace) }.map { $0 + 1 } ?? next
    }
}

/// Why a checklist cannot be used: all problems, not only the first.
public struct ChecklistError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One problem.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, where, and what to write instead.
        public var diagnostic: Diagnostic
        /// Translatable; empty for the parser's messages.
        private var phrases: [Reason.Phrase] = []

        /// Creates a problem at a location.
        public init(location: SourceLocation, message: String, hint: String? = nil) {
            diagnostic = Diagnostic(.error, at: location, message, hint: hint)
        }

        init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

        /// A translatable problem of an item that cannot be judged; the diagnostic holds the English.
        init(location: SourceLocation, message: Reason.Phrase, hint: Reason.Phrase? = nil) {
            self.init(location: location, message: message.text, hint: hint?.text)
            let brackets = hint.map { [Reason.Phrase(.open), $0, Reason.Phrase(.close)] }
            phrases = [message] + (brackets ?? [])
        }

        /// Without the location, for a reader who sees the item.
        package var reason: Reason { Reason(text: diagnostic.text, phrases: phrases) }

        /// `file:line:column: error: message (hint)`.
        public var description: String { diagnostic.description }
    }

    /// The problems, in the order of the file; never empty.
    public var problems: [Problem]

    /// Creates an error from `problems`.
    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// One problem per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension Unicode.GeneralCategory {
    /// Whether it has no place in a line of text.
    fileprivate var isUnprintable: Bool {
        switch self {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
