import DaybookTools

extension Checklist {
    /// Parses a Markdown task list: any text gives a checklist or all its problems, in roughly linear time.
    ///
    /// - Parameters:
    ///   - markdown: the file's text.
    ///   - file: the name used in locations and reports.
    /// - Throws: every problem of the file, with its location.
    public init(markdown: String, file: String) throws(ChecklistError) {
        var parser = ChecklistParser(source: markdown, file: file)
        self = try parser.parse()
    }

    /// A test's expectation: one item, which must be about an event, with its tests.
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
                    location: SourceLocation(file: file, line: 1, column: 1),
                    message: "an expectation is one item and nested tests; the rest would not be judged")
            ])
        }
    }

    /// Parses a signed text, perhaps one that an earlier, laxer version accepted, and ignores its problems.
    /// - Throws: if it has no items.
    package init(signed markdown: String, file: String) throws(ChecklistError) {
        var parser = ChecklistParser(source: markdown, file: file)
        parser.passesOverProblems = true
        self = try parser.parse()
    }
}

struct ChecklistParser {
    /// What a line without a marker would belong to.
    private enum Previous {
        case nothing, prose, item, nestedTest, nestedNote
    }

    /// Begins report lines below a failed item or scenario; the parser skips them, so that a report can be parsed
    /// again.
    static let failureMark = "✗ "

    /// Whether manual steps are not allowed.
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
    /// The current line's readable text; offsets refer to it.
    private var written = PlacedText("", line: 0)
    private var previous = Previous.nothing
    /// The indent of the item that nested lines belong to, if any.
    private var itemIndent: Int?
    /// The number of the scenario's last numbered list, and of its last item.
    private var numberedLists = 0
    private var lastNumber = 0
    private var isInNumberedList = false
    /// The previous line, if it is a list item without a box.
    private var unboxed: SourceLocation?

    init(source: String, file: String) {
        self.source = source
        self.file = file
    }

    mutating func parse() throws(ChecklistError) -> Checklist {
        let markdown = MarkdownText(source, file: file)
        problems = markdown.problems.map { ChecklistError.Problem($0) }
        for text in markdown.lines {
            line = text.number
            written = MarkdownLine.content(of: text)
            let above = unboxed
            unboxed = nil
            do throws(ItemSyntaxError) {
                let markdown = try MarkdownLine(text)
                if case .task = markdown, let above { problem(above, Self.noBox, hint: Self.boxHint) }
                try read(markdown)
            } catch {
                report(error, offset: 0)
            }
        }
        problems.append(contentsOf: personas.problems)
        checkNames()
        checkPersonas()
        if passesOverProblems { problems = [] }
        if problems.isEmpty, !scenarios.contains(where: { !$0.items.isEmpty }) {
            problem(
                SourceLocation(file: file, line: 1, column: 1), "the checklist has no items",
                hint: "an item is a line such as `- [ ] category.event`")
        }
        guard problems.isEmpty else {
            throw ChecklistError(
                problems: problems.sorted {
                    ($0.diagnostic.location.line, $0.diagnostic.location.column) < (
                        $1.diagnostic.location.line, $1.diagnostic.location.column
                    )
                })
        }
        return Checklist(
            file: file, title: title ?? defaultTitle, prose: prose, personas: personas.table, scenarios: scenarios,
            source: source)
    }

    private var defaultTitle: String {
        let name = MarkdownFile.stem(file)
        return name.isEmpty ? "checklist" : name
    }

    private mutating func read(_ markdown: MarkdownLine) throws(ItemSyntaxError) {
        if case .tableRow(let cells) = markdown {
            if personas.read(cells, at: place(0), isAllowed: scenarios.isEmpty) { return endList() }
        } else {
            personas.end()
        }
        switch markdown {
        case .blank: previous = .nothing
        case .other: endList()
        case .heading(let level, let text): heading(level, text)
        case .task(let indent, let number, let box, let text, let offset):
            try task(indent, number, box, text, offset)
        case .item(let indent, let text, let offset):
            if let itemIndent, indent >= itemIndent + 2 {
                try nested(text, offset)
            } else if text.hasPrefix(Self.failureMark) {
                endList()
            } else if itemIndent != nil || isUnjudged(text) {
                throw ItemSyntaxError(offset: offset, message: Self.noBox, hint: Self.boxHint)
            } else {
                endList()
                addProse(text, joins: false)
                unboxed = place(offset)
            }
        case .text(let indent, let text):
            if PersonaTableParser.isHeading(text.split(separator: "|").first.map(String.init)), text.contains("|") {
                throw ItemSyntaxError(
                    offset: 0, message: "a row of the persona table begins with `|`", hint: "write `| persona | … |`")
            }
            try plain(text, indent)
        case .tableRow(let cells):
            endList()
            addProse(cells.joined(separator: " | "), joins: false)
            for text in cells + [cells.joined(separator: " ")]
            where ItemReader(text).isRequirementInProse(isTitle: true) {
                throw ItemSyntaxError(offset: 0, message: Self.unjudgedProse, hint: Self.boxHint)
            }
        }
    }

    /// Whether a list item without a box requires an event, at its beginning or with a clause.
    private func isUnjudged(_ text: String) -> Bool {
        let reader = ItemReader(text)
        return reader.namesEvent || reader.isRequirement || reader.isClauseOfNoSentence
    }

    /// Refuses prose that requires an event or is a test.
    private func refuseUnjudgedProse(_ text: String) throws(ItemSyntaxError) {
        var quoted = Substring(text)
        while let first = quoted.first, first == ">" || first.isWhitespace { quoted.removeFirst() }
        let isQuotedItem =
            quoted.startIndex != text.startIndex && ["- ", "* ", "+ "].contains { quoted.hasPrefix($0) }
        if isQuotedItem { quoted = quoted.dropFirst() }
        let reader = ItemReader(String(quoted))
        let isTest = quoted.contains { "=<>(/".contains($0) } && isTest(String(quoted), 0)
        let asksForEvent = reader.isRequirementInProse() || isQuotedItem && reader.namesEvent
        if isTest || asksForEvent || reader.isClauseOfNoSentence {
            throw ItemSyntaxError(offset: 0, message: Self.unjudgedProse, hint: Self.boxHint)
        }
    }

    private func isTest(_ text: String, _ offset: Int) -> Bool {
        (try? ExpectationParser.nestedTests(text: text, at: place(offset)))?.isEmpty == false
    }

    private static let unjudgedProse = "prose is not judged, but this asks for something"
    private static let noBox = "a list item without a box is not judged"
    private static let boxHint = "write `- [ ] ` for an item, and notes without a marker"

    private mutating func heading(_ level: Int, _ heading: PlacedText) {
        let text = heading.text
        let place = SourceLocation(file: file, line: line, column: heading.column(at: 0))
        endList()
        numberedLists = 0
        lastNumber = 0
        if level == 1 {
            if title != nil {
                problem(place, "a second `#` heading", hint: "a scenario's heading begins with `##`")
            }
            title = text
        } else if level == 2 {
            if text.isEmpty { problem(place, "the scenario has no name") }
            scenarios.append(
                Checklist.Scenario(name: text, prose: [], items: [], location: place))
        } else {
            addProse(text, joins: false)
        }
        if level > 1, ItemReader(text).isRequirementInProse(isTitle: true) {
            problem(place, "a heading is not judged, but this asks for an event", hint: Self.boxHint)
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
        let control = text.unicodeScalars.enumerated().first {
            $0.element.properties.generalCategory == .control && $0.element != "\t"
        }
        if let control {
            throw ItemSyntaxError(
                offset: offset + control.offset,
                message: "a control character: U+\(String(control.element.value, radix: 16, uppercase: true))",
                hint: "delete it")
        }
        if scenarios.isEmpty {
            scenarios.append(
                Checklist.Scenario(name: title ?? defaultTitle, prose: [], items: [], location: place(box.offset - 1)))
        }
        if let number {
            // Prose between two items does not end a list whose numbers continue: 1. … prose … 2. …
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
            report(error, offset: offset)
        }
        scenarios[scenarios.count - 1].items.append(
            ChecklistItem(
                text: text, content: content, tests: [], notes: [], noteLocations: [], isTicked: box.isTicked,
                numberedList: number.map { _ in numberedLists }, location: place(offset),
                boxOffset: written.column(at: box.offset) - 1,
                lastLine: line))
    }

    private mutating func nested(_ text: String, _ offset: Int) throws(ItemSyntaxError) {
        let scenario = scenarios.count - 1
        let index = scenarios[scenario].items.count - 1
        scenarios[scenario].items[index].lastLine = line
        previous = .nestedNote
        if text.hasPrefix(Self.failureMark) { return }
        guard case .expectation(let expectation) = scenarios[scenario].items[index].content else {
            return try addNote(text, at: place(offset), offset: offset, to: index)
        }
        do throws(ItemSyntaxError) {
            guard let tests = try ExpectationParser.nestedTests(text: text, at: place(offset)) else {
                return try addNote(text, at: place(offset), to: index)
            }
            if ReadableText(text).isStruck {
                throw ItemSyntaxError(
                    offset: 0, message: "the test is struck through, but would be judged", hint: "delete it")
            }
            if expectation.isNever {
                throw ItemSyntaxError(
                    offset: 0, message: "a `never` item has no records to test",
                    hint: "write `where` in the item to say which records must not occur")
            }
            scenarios[scenario].items[index].tests.append(contentsOf: tests)
            previous = .nestedTest
        } catch {
            report(error, offset: offset)
        }
    }

    /// A line without a marker: prose, or the continuation of an item, which would lose its end.
    private mutating func plain(_ text: String, _ indent: Int) throws(ItemSyntaxError) {
        let scenario = scenarios.count - 1
        switch previous {
        case .item, .nestedTest:
            let index = scenarios[scenario].items.count - 1
            if case .manual = scenarios[scenario].items[index].content {
                return try addNote(text, at: place(0), to: index)
            }
            throw ItemSyntaxError(
                offset: 0, message: "this line continues the item above, but an item is one line",
                hint: "move it up, or leave an empty line before prose")
        case .nestedNote:
            try addNote(text, at: nil, to: scenarios[scenario].items.count - 1)
        case .prose:
            addProse(text, joins: true)
            try refuseUnjudgedProse(text)
        case .nothing where indent >= (itemIndent ?? indent) + 2:
            try addNote(text, at: place(0), to: scenarios[scenario].items.count - 1)
            previous = .nestedNote
        case .nothing:
            endList()
            addProse(text, joins: false)
            try refuseUnjudgedProse(text)
        }
    }

    /// Adds a note to an item of the current scenario.
    /// - Throws: for what would be an item with a box, a clause within the item, or a test with a marker.
    private mutating func addNote(
        _ text: String, at location: SourceLocation?, offset: Int = 0, to index: Int
    ) throws(ItemSyntaxError) {
        let reader = ItemReader(text)
        if reader.isRequirement {
            throw ItemSyntaxError(
                offset: offset, message: "a note is not judged, but this asks for an event", hint: Self.boxHint)
        }
        if reader.isClause {
            throw ItemSyntaxError(
                offset: offset, message: "a clause below an item is not judged",
                hint: "write it in the item, behind the event")
        }
        let scenario = scenarios.count - 1
        if case .manual = scenarios[scenario].items[index].content {
            if isTest(text, offset) {
                throw ItemSyntaxError(
                    offset: offset, message: "a step for a person has no records to test",
                    hint: "move the test below an event, or word it as a note")
            }
        } else if ExpectationParser.looksLikeTest(text) {
            throw ItemSyntaxError(
                offset: offset, message: "a test without a marker is not judged",
                hint: "write `    - \(text)` directly below the item, or word it as a note")
        }
        scenarios[scenario].items[index].notes.append(text)
        scenarios[scenario].items[index].noteLocations.append(location)
        scenarios[scenario].items[index].lastLine = line
    }

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
        var seen: Set<String> = []
        for scenario in scenarios where !seen.insert(scenario.name).inserted {
            problem(scenario.location, "a second scenario `\(scenario.name)`", hint: "give each its own name")
        }
    }

    /// Reports a `when` with a misspelt value, which would apply to nobody. Other values can come from the command
    /// line.
    private mutating func checkPersonas() {
        guard let table = personas.table else { return }
        var values: [String: [ChecklistValue]] = [:]
        for item in scenarios.flatMap(\.items) {
            guard case .expectation(let expectation) = item.content,
                case .when(let test)? = expectation.clause("when")?.meaning
            else { continue }
            let known =
                values[test.column]
                ?? Array(Set(table.personas.compactMap { $0.values[test.column] }))
                .sorted { $0.description < $1.description }
            values[test.column] = known
            guard !known.isEmpty else { continue }
            let asked: [ChecklistValue] =
                switch test.condition {
                case .equal(let value), .notEqual(let value): [value]
                case .oneOf(let values): values
                default: []
                }
            // A table with thousands of values is not a list of words that could be misspelt.
            guard known.count <= 1_000 else { continue }
            for value in asked where !known.contains(where: { $0.equals(value) }) {
                guard let near = NearestName.of(value.description, among: known.map(\.description)) else { continue }
                problem(
                    test.location, "no persona has \(value) as `\(test.column)`", hint: "did you mean \(near)?")
            }
        }
    }

    private func place(_ offset: Int) -> SourceLocation {
        SourceLocation(file: file, line: line, column: written.column(at: offset))
    }

    private mutating func problem(_ location: SourceLocation, _ message: String, hint: String? = nil) {
        problems.append(ChecklistError.Problem(location: location, message: message, hint: hint))
    }

    private mutating func report(_ error: ItemSyntaxError, offset: Int) {
        problem(place(offset + error.offset), error.message, hint: error.hint)
    }
}
