/// A checklist: what a recording must show, read from a Markdown task list.
public struct Checklist: Sendable, Hashable {
    /// The file's name as given; locations and reports repeat it.
    public var file: String
    /// The `#` heading, or the file's name without folder and ending if there is none.
    public var title: String
    /// The paragraphs before the first scenario.
    public var prose: [String]
    /// The table whose first column is headed `persona`, if there is one.
    public var personas: PersonaTable?
    /// In the order of the file; never empty, names unique.
    public var scenarios: [Scenario]
    /// The text that was read.
    public var source: String

    /// A `##` heading and what stands under it. Items before the first such heading form a scenario named as the title.
    public struct Scenario: Sendable, Hashable {
        public var name: String
        /// The paragraphs under the heading, and list items that are no task.
        public var prose: [String]
        public var items: [ChecklistItem]
        public var location: ChecklistLocation
    }
}

/// One line with a box.
public struct ChecklistItem: Sendable, Hashable {
    /// Who judges the item.
    public enum Content: Sendable, Hashable {
        /// A person; the text is for them.
        case manual
        /// The engine.
        case expectation(ChecklistExpectation)
    }

    /// What follows the box, without spaces at its ends.
    public var text: String
    public var content: Content
    /// Tests that hold for every record that counts.
    public var tests: [ColumnTest]
    /// Nested items that are no test.
    public var notes: [String]
    /// Where the notes stand; `nil` for a line that goes on with the note above.
    var noteLocations: [ChecklistLocation?]
    /// Whether the file has the box ticked. The engine takes no notice.
    public var isTicked: Bool
    /// Which numbered list of the scenario the item belongs to, from 0; `nil` for a bulleted item. A list goes on
    /// as long as its numbers do.
    public var numberedList: Int?
    /// Where the text after the box starts.
    public var location: ChecklistLocation
    /// The offset of the box's inside in its line, in Unicode scalars.
    var boxOffset: Int
    /// The last line of the item and of what is nested in it, from 1.
    var lastLine: Int
}

/// The personas that scenarios are run with.
public struct PersonaTable: Sendable, Hashable {
    /// One row.
    public struct Persona: Sendable, Hashable {
        public var name: String
        /// By column; an empty cell has no entry.
        public var values: [String: ChecklistValue]

        /// A persona.
        public init(name: String, values: [String: ChecklistValue]) {
            self.name = name
            self.values = values
        }
    }

    /// The headings after `persona`.
    public var columns: [String]
    public var personas: [Persona]

    /// The persona of a name.
    public subscript(name: String) -> Persona? { personas.first { $0.name == name } }
}
