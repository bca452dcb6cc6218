extension Checklist {
    /// Reads a Markdown task list: any text gives a checklist or all its problems, in time roughly linear in its size.
    ///
    /// - Parameters:
    ///   - markdown: the file's text.
    ///   - file: the name that locations and reports contain.
    /// - Throws: every problem of the file, with its location.
    public init(markdown: String, file: String) throws(ChecklistError) {
        var parser = ChecklistParser(source: markdown, file: file)
        self = try parser.parse()
    }

    /// What a test expects: one item, which must be about an event, with its tests.
    /// - Throws: for what cannot be judged.
    package init(expecting item: String) throws(ChecklistError) {
        let file = "expectation"
        var parser = ChecklistParser(source: "- [ ] " + item, file: file)
        parser.takesEventsOnly = true
        self = try parser.parse()
        guard scenarios.count == 1, scenarios[0].items.count == 1, scenarios[0].prose.isEmpty,
            scenarios[0].items[0].notes.isEmpty
        else {
            throw ChecklistError(problems: [
                .init(
                    location: ChecklistLocation(file: file, line: 1, column: 1),
                    message: "an expectation is one item and nested tests; the rest would not be judged")
            ])
        }
    }

    /// A text that was read once, perhaps by an earlier version that refused less: what is wrong with it is passed over.
    /// - Throws: if it has no items.
    package init(signed markdown: String, file: String) throws(ChecklistError) {
        var parser = ChecklistParser(source: markdown, file: file)
        parser.passesOverProblems = true
        self = try parser.parse()
    }
}

/// Reads the lines of a checklist one after the other.
struct ChecklistParser {
    /// What a line without a marker would belong to.
    private enum Previous {
        case nothing, prose, item, nestedTest, nestedNote
    }

    /// How reports begin the lines that they nest below a failed item; a checklist that carries them can be read again.
    static let failureMark = "✗ "

    /// Whether an item cannot be a step for a person.
    fileprivate var takesEventsOnly = false
    fileprivate var passesOverProblems = false
    private let source: String
    private let file: String
    private var title: String?
    private var prose: [String] = []
    private var personas = PersonaTableParser()
    private var scenarios: [Checklist.Scenario] = []
    private var problems: [ChecklistError.Problem] = []
    private var line = 0
    private var fence: Character?
    private var previous = Previous.nothing
    /// The indent of the item that nested lines belong to, while there is one.
    private var itemIndent: Int?
    /// The number of the scenario's numbered list that was begun last, and of its last item.
    private var numberedLists = 0
    private var lastNumber = 0
    private var isInNumberedList = false
    /// The line above, where it is a list item without a box.
    private var unboxed: ChecklistLocation?

    init(source: String, file: String) {
        self.source = source
        self.file = file
    }

    mutating func parse() throws(ChecklistError) -> Checklist {
        for text in Self.lines(of: source) {
            line += 1
            let above = unboxed
            unboxed = nil
            do throws(ItemSyntaxError) {
                let markdown = try MarkdownLine(text)
                if case .task = markdown, fence == nil, let above { problem(above, Self.noBox, hint: Self.boxHint) }
                try read(markdown)
            } catch  where fence == nil {
                report(error, column: 1)
            } catch {}
        }
        problems.append(contentsOf: personas.problems)
        checkNames()
        if passesOverProblems { problems = [] }
        if problems.isEmpty, !scenarios.contains(where: { !$0.items.isEmpty }) {
            problem(
                ChecklistLocation(file: file, line: 1, column: 1), "the checklist has no items",
                hint: "an item is a line such as `- [ ] category.event`")
        }
        guard problems.isEmpty else {
            throw ChecklistError(
                problems: problems.sorted {
                    ($0.location.line, $0.location.column) < ($1.location.line, $1.location.column)
                })
        }
        return Checklist(
            file: file, title: title ?? defaultTitle, prose: prose, personas: personas.table, scenarios: scenarios,
            source: source)
    }

    /// The lines without their ends (`\n` or `\r\n`) and without a byte order mark.
    static func lines(of source: String) -> [Substring] {
        let text =
            source.unicodeScalars.first == "\u{FEFF}" ? Substring(source.unicodeScalars.dropFirst()) : source[...]
        return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    private var defaultTitle: String {
        let name = file.split(separator: "/").last ?? "checklist"
        return String(name.hasSuffix(".md") ? name.dropLast(3) : name)
    }

    private mutating func read(_ markdown: MarkdownLine) throws(ItemSyntaxError) {
        if case .fence(let mark) = markdown {
            if fence == nil { fence = mark } else if fence == mark { fence = nil }
            endList()
            return
        }
        guard fence == nil else { return }
        if case .tableRow(let cells) = markdown {
            if personas.read(cells, at: place(0), isAllowed: scenarios.isEmpty) { return endList() }
        } else {
            personas.end()
        }
        switch markdown {
        case .blank: previous = .nothing
        case .heading(let level, let text, let offset): heading(level, text, offset)
        case .task(let indent, let number, let box, let text, let offset):
            try task(indent, number, box, text, offset)
        case .item(let indent, let text, let offset):
            if let itemIndent, indent >= itemIndent + 2 {
                try nested(text, offset)
            } else if itemIndent != nil || !scenarios.isEmpty && ItemReader(text).namesEvent {
                throw ItemSyntaxError(offset: offset, message: Self.noBox, hint: Self.boxHint)
            } else {
                endList()
                addProse(text, joins: false)
                unboxed = place(offset)
            }
        case .text(let indent, let text): try plain(text, indent)
        case .tableRow(let cells):
            endList()
            addProse(cells.joined(separator: " | "), joins: false)
        case .fence: break
        }
    }

    private static let noBox = "a list item without a box is not judged"
    private static let boxHint = "write `- [ ] ` for an item, and notes without a marker"

    private mutating func heading(_ level: Int, _ text: String, _ offset: Int) {
        endList()
        numberedLists = 0
        lastNumber = 0
        if level == 1 {
            if title != nil {
                problem(place(offset), "a second `#` heading", hint: "a scenario's heading begins with `##`")
            }
            title = text
        } else if level == 2 {
            if text.isEmpty { problem(place(offset), "the scenario has no name") }
            scenarios.append(
                Checklist.Scenario(name: text, prose: [], items: [], location: place(offset)))
        } else {
            addProse(text, joins: false)
        }
    }

    private mutating func task(
        _ indent: Int, _ number: Int?, _ box: MarkdownLine.Box, _ text: String, _ offset: Int
    ) throws(ItemSyntaxError) {
        if let itemIndent, indent >= itemIndent + 2 {
            throw ItemSyntaxError(
                offset: box.offset - 1, message: "an item inside an item",
                hint: "move it to the left, or leave the box out if it is a note or a test of the item above")
        }
        if text.isEmpty {
            throw ItemSyntaxError(
                offset: box.offset - 1, message: "the item is empty", hint: "write the event after it")
        }
        if scenarios.isEmpty {
            scenarios.append(
                Checklist.Scenario(name: title ?? defaultTitle, prose: [], items: [], location: place(box.offset - 1)))
        }
        if let number {
            // Prose between two items does not end a list whose numbers go on: 1. … prose … 2. …
            if !isInNumberedList, number <= lastNumber { numberedLists += 1 }
            lastNumber = number
        }
        isInNumberedList = number != nil
        itemIndent = indent
        previous = .item
        var content = ChecklistItem.Content.manual
        do throws(ItemSyntaxError) {
            if takesEventsOnly {
                content = .expectation(try ExpectationParser.event(text: text, at: place(offset)))
            } else if let expectation = try ItemReader(text).expectation(at: place(offset)) {
                content = .expectation(expectation)
            }
        } catch {
            report(error, column: offset + 1)
        }
        scenarios[scenarios.count - 1].items.append(
            ChecklistItem(
                text: text, content: content, tests: [], notes: [], noteLocations: [], isTicked: box.isTicked,
                numberedList: number.map { _ in numberedLists }, location: place(offset), boxOffset: box.offset,
                lastLine: line))
    }

    private mutating func nested(_ text: String, _ offset: Int) throws(ItemSyntaxError) {
        let scenario = scenarios.count - 1
        let index = scenarios[scenario].items.count - 1
        scenarios[scenario].items[index].lastLine = line
        previous = .nestedNote
        if text.hasPrefix(Self.failureMark) { return }
        guard case .expectation(let expectation) = scenarios[scenario].items[index].content else {
            return addNote(text, at: place(offset), to: index)
        }
        do throws(ItemSyntaxError) {
            guard let tests = try ExpectationParser.nestedTests(text: text, at: place(offset)) else {
                return addNote(text, at: place(offset), to: index)
            }
            if expectation.isNever {
                throw ItemSyntaxError(
                    offset: 0, message: "a `never` item has no records to test",
                    hint: "write `where` in the item to say which records must not occur")
            }
            scenarios[scenario].items[index].tests.append(contentsOf: tests)
            previous = .nestedTest
        } catch {
            report(error, column: offset + 1)
        }
    }

    /// A line without a marker: prose, unless it continues an item, which then would lose its end.
    private mutating func plain(_ text: String, _ indent: Int) throws(ItemSyntaxError) {
        let scenario = scenarios.count - 1
        switch previous {
        case .item, .nestedTest:
            let index = scenarios[scenario].items.count - 1
            if case .manual = scenarios[scenario].items[index].content {
                return addNote(text, at: place(indent), to: index)
            }
            throw ItemSyntaxError(
                offset: indent, message: "this line continues the item above, but an item is one line",
                hint: "move it up, or leave an empty line before prose")
        case .nestedNote:
            addNote(text, at: nil, to: scenarios[scenario].items.count - 1)
        case .prose: addProse(text, joins: true)
        case .nothing where indent >= (itemIndent ?? indent) + 2:
            addNote(text, at: place(indent), to: scenarios[scenario].items.count - 1)
            previous = .nestedNote
        case .nothing:
            endList()
            addProse(text, joins: false)
        }
    }

    /// Adds a note to an item of the present scenario.
    private mutating func addNote(_ text: String, at location: ChecklistLocation?, to index: Int) {
        let scenario = scenarios.count - 1
        scenarios[scenario].items[index].notes.append(text)
        scenarios[scenario].items[index].noteLocations.append(location)
        scenarios[scenario].items[index].lastLine = line
    }

    /// Adds a paragraph, or a line to the last one, where prose stands: in the scenario, or before the first.
    private mutating func addProse(_ text: String, joins: Bool) {
        func add(to paragraphs: inout [String]) {
            if joins, let last = paragraphs.indices.last {
                paragraphs[last] += "\n" + text
            } else {
                paragraphs.append(text)
            }
        }
        if scenarios.isEmpty { add(to: &prose) } else { add(to: &scenarios[scenarios.count - 1].prose) }
        previous = .prose
    }

    private mutating func endList() {
        previous = .nothing
        itemIndent = nil
        isInNumberedList = false
    }

    private mutating func checkNames() {
        if fence != nil {
            problem(
                ChecklistLocation(file: file, line: line, column: 1), "a code block has no end",
                hint: "everything in it would be ignored")
        }
        var seen: Set<String> = []
        for scenario in scenarios where !seen.insert(scenario.name).inserted {
            problem(scenario.location, "a second scenario `\(scenario.name)`", hint: "give each its own name")
        }
    }

    private func place(_ offset: Int) -> ChecklistLocation {
        ChecklistLocation(file: file, line: line, column: offset + 1)
    }

    private mutating func problem(_ location: ChecklistLocation, _ message: String, hint: String? = nil) {
        problems.append(ChecklistError.Problem(location: location, message: message, hint: hint))
    }

    private mutating func report(_ error: ItemSyntaxError, column: Int) {
        let location = ChecklistLocation(file: file, line: line, column: column + error.offset)
        problem(location, error.message, hint: error.hint)
    }
}

/// Reads the rows of the persona table: the table before the first scenario whose first column is headed `persona`.
struct PersonaTableParser {
    private(set) var table: PersonaTable?
    private(set) var problems: [ChecklistError.Problem] = []
    private var isOpen = false

    /// Takes a row; `false` if it belongs to another table.
    mutating func read(_ cells: [String], at location: ChecklistLocation, isAllowed: Bool) -> Bool {
        if isOpen {
            row(cells, at: location)
            return true
        }
        guard isAllowed, cells.first == "persona" else { return false }
        if table != nil {
            fail(location, "a second persona table")
        } else if Set(cells).count != cells.count || cells.contains("") {
            fail(location, "the persona table has an empty column name, or one twice")
        }
        table = PersonaTable(columns: Array(cells.dropFirst()), personas: [])
        isOpen = true
        return true
    }

    /// Ends the table at the first line that is no row.
    mutating func end() { isOpen = false }

    private mutating func row(_ cells: [String], at location: ChecklistLocation) {
        guard let columns = table?.columns else { return }
        if cells.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { "-: ".utf8.contains($0) } }) { return }
        guard let name = cells.first, !name.isEmpty else { return fail(location, "the persona has no name") }
        guard cells.count <= columns.count + 1 else {
            return fail(location, "the row has \(cells.count) cells; the table has \(columns.count + 1) columns")
        }
        if table?.personas.contains(where: { $0.name == name }) == true {
            return fail(location, "a second persona `\(name)`")
        }
        var values: [String: ChecklistValue] = [:]
        for (column, cell) in zip(columns, cells.dropFirst()) where !cell.isEmpty {
            values[column] = ChecklistValue(word: cell) ?? .text(cell)
        }
        table?.personas.append(PersonaTable.Persona(name: name, values: values))
    }

    private mutating func fail(_ location: ChecklistLocation, _ message: String) {
        problems.append(ChecklistError.Problem(location: location, message: message, hint: nil))
    }
}
