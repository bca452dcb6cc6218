import DaybookChecklist
import DaybookDatabases
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// Parses alerts from Markdown (pure): all valid alerts, and all problems with their locations, in about linear time.
///
/// A `#` heading begins an alert. Prose, one ```` ```sql ```` or ```` ```checklist ```` block (or `- checklist FILE`)
/// and a list of settings follow, in any order.
package struct AlertParser {
    package struct Result: Sendable {
        package var rules: [AlertRule]
        package var problems: [Diagnostic]
    }

    private let file: String
    private let checklistText: (String) throws -> (path: String, text: String)
    private var rules: [AlertRule] = []
    private var problems: [Diagnostic] = []
    private var draft: Draft?
    private var line = 0
    /// The alert block that is open; `nil` for code within prose.
    private var language: Block.Language?
    /// Whether the line above is a setting, which a plain line would continue.
    private var isBehindSetting = false

    private struct Draft {
        var name: String
        var line: Int
        var prose: [String] = []
        var question: Block?
        var over: Int64?
        var every: Int64?
        var condition: AlertRule.Condition?
        var firesWithoutData = false
        var duration: Int64?
        var targets: [String] = []
        var template: Block?
        var quiet: [QuietHours] = []
        var choice = ChecklistChoice()
        var hasProblem = false
    }

    private struct Block {
        enum Language: String { case sql, checklist, template }

        var language: Language
        /// Line of its fence.
        var line: Int
        var indent: Int
        var lines: [String] = []
    }

    /// Parses a file's text.
    /// - Parameters:
    ///   - file: the name in locations.
    ///   - checklist: reads a checklist file by its path from the alert's folder; throws why it cannot. Default: always
    ///     throws.
    package static func parse(
        _ text: String, file: String,
        checklist: @escaping (String) throws -> (path: String, text: String) = { throw NoFiles(path: $0) }
    ) -> Result {
        var parser = AlertParser(file: file, checklistText: checklist)
        let markdown = MarkdownText(text, file: file)
        for line in markdown.lines {
            parser.line = line.number
            parser.read(line)
        }
        parser.finishDraft()
        return Result(rules: parser.rules, problems: markdown.problems + parser.problems)
    }

    /// The default checklist reader's error.
    package struct NoFiles: Error, CustomStringConvertible {
        var path: String
        package var description: String { "\(path) cannot be read here" }
    }

    private init(file: String, checklistText: @escaping (String) throws -> (path: String, text: String)) {
        self.file = file
        self.checklistText = checklistText
    }

    private mutating func read(_ line: MarkdownText.Line) {
        let continues = isBehindSetting
        isBehindSetting = false
        switch line.kind {
        case .heading(level: 1, let name):
            finishDraft()
            draft = Draft(name: name.text, line: self.line)
            if name.text.isEmpty { problem("the alert has no name") }
        case .fence(_, let info):
            openFence(info.text, column: line.content.column(at: 0), indent: line.indent)
        case .code where language == .template: draft?.template?.lines.append(line.text.text)
        // The source line, so that the checklist's problems get the right columns.
        case .code where language == .checklist: draft?.question?.lines.append(String(line.source))
        case .code where language == .sql: draft?.question?.lines.append(line.text.text)
        case .code, .fenceEnd, .hidden: break
        case .text:
            guard line.indent < 2, let item = line.item, item.number == nil else {
                findDisguise(line.content.unescaped(), continues)
                fallthrough
            }
            isBehindSetting = true
            let content = line.content.unescaped()
            setting(content[item.offset..<content.text.unicodeScalars.count].trimmed)
        case .blank, .rule, .heading: draft?.prose.append(line.content.text)
        }
    }

    /// Reports lines that look like settings but would be prose: with another bullet sign, indented, or without a sign
    /// where the line continues a setting or is nothing else.
    private mutating func findDisguise(_ text: PlacedText, _ continues: Bool) {
        let bullet = text.text.unicodeScalars.prefix { scalar in
            switch scalar.properties.generalCategory {
            case .openPunctuation, .initialPunctuation, .uppercaseLetter, .lowercaseLetter, .otherLetter: false
            default: scalar != "\"" && scalar != "'"
            }
        }
        guard draft != nil else { return }
        let rest = text[bullet.count..<text.text.unicodeScalars.count]
        let word = rest.text.prefix(while: \.isLetter).lowercased()
        let value = rest.text.dropFirst(word.count).drop { $0.isWhitespace || "*`|:=".contains($0) }
        let isSetting =
            switch word {
            // These words occur in prose, too.
            case "every", "for", "over": value.first?.isNumber == true
            case "when": value.hasPrefix("value") || value.hasPrefix("no data")
            case "notify", "quiet", "checklist", "scenario", "event", "persona": !value.isEmpty
            default: false
            }
        if isSetting, !bullet.isEmpty || continues || isWhole(word, value) {
            isBehindSetting = continues
            problem("this is no setting: write `- \(word) …` at the line's beginning", column: rest.column(at: 0))
        }
    }

    /// Whether a plain line is a complete setting, not a sentence.
    private func isWhole(_ word: String, _ value: Substring) -> Bool {
        switch word {
        case "every", "for", "over": Self.seconds(value, in: 0...Int64.max) != nil
        case "when": value == "no data" || Self.condition(value) != nil
        case "notify": (try? AlertTarget(String(value))) != nil
        case "quiet": QuietHours(value) != nil
        default: false
        }
    }

    private mutating func openFence(_ info: String, column: Int, indent: Int) {
        language = Block.Language(rawValue: info.lowercased())
        guard let language else { return }
        if language == .template {
            if draft == nil { problem("a template without an alert; a `# Heading` begins one", column: column) }
            if draft?.template != nil { problem("a second template; an alert has one", column: column) }
            draft?.template = Block(language: language, line: line, indent: indent)
            return
        }
        let name = language == .sql ? "statement" : "checklist"
        if draft == nil { problem("a \(name) without an alert; a `# Heading` begins one", column: column) }
        if draft?.question != nil { problem("a second statement; an alert has one", column: column) }
        draft?.question = Block(language: language, line: line, indent: indent)
    }

    private mutating func setting(_ item: PlacedText) {
        let column = item.column(at: 0)
        guard draft != nil else {
            return problem("a setting without an alert; a `# Heading` begins one", column: column)
        }
        let text = item.text[...]
        let word = text.prefix { !$0.isWhitespace }
        let value = Self.trimmed(text.dropFirst(word.count))
        let offset = text.unicodeScalars.distance(from: text.startIndex, to: value.startIndex)
        let valueColumn = item.column(at: offset)
        switch word {
        case "every": set(\.every, word, Self.seconds(value, in: 1...86_400), column, valueColumn)
        case "for": set(\.duration, word, Self.seconds(value, in: 0...2_592_000), column, valueColumn)
        case "over": set(\.over, word, Self.seconds(value, in: 10...604_800), column, valueColumn)
        case "when": condition(value, column, valueColumn)
        case "notify": target(value, valueColumn)
        case "quiet":
            guard let hours = QuietHours(value) else {
                return problem(
                    "`quiet` takes hours and the place of a time zone, such as 22:00-07:00 Asia/Tokyo, or UTC",
                    column: valueColumn)
            }
            draft?.quiet.append(hours)
        case "checklist", "scenario", "event", "persona":
            choose(word, .init(text: String(value), line: line, column: valueColumn), column)
        default:
            problem(
                "an alert has no setting `\(ShownAddress.of(word))`; it has every, over, when, for, notify, quiet, checklist, scenario, "
                    + "event and persona", column: column)
        }
    }

    /// `nil` if invalid or out of range.
    private static func seconds(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
        guard text.first?.isNumber == true else { return nil }
        let seconds = DurationText.seconds(text, units: [.second, .minute, .hour, .day])
        return seconds.flatMap { range.contains($0) ? $0 : nil }
    }

    private mutating func set(
        _ field: WritableKeyPath<Draft, Int64?>, _ word: Substring, _ seconds: Int64?, _ column: Int, _ valueColumn: Int
    ) {
        if draft?[keyPath: field] != nil { return problem("`\(word)` is given twice", column: column) }
        guard let seconds else {
            let range = ["every": "1s to 1d", "over": "10s to 7d"][word] ?? "0s to 30d"
            return problem("`\(word)` takes a time from \(range), such as 30s, 5m, 1h or 1d", column: valueColumn)
        }
        draft?[keyPath: field] = seconds
    }

    private mutating func choose(_ word: Substring, _ setting: ChecklistChoice.Setting, _ column: Int) {
        guard !setting.text.isEmpty else { return problem("`\(word)` needs a value", column: column) }
        switch word {
        case "scenario": draft?.choice.scenarios.append(setting)
        case "event": draft?.choice.events.append(setting)
        case "checklist":
            if draft?.choice.file != nil { return problem("`checklist` is given twice", column: column) }
            draft?.choice.file = setting
        default:
            if draft?.choice.persona != nil { return problem("`persona` is given twice", column: column) }
            draft?.choice.persona = setting
        }
    }

    private mutating func condition(_ value: Substring, _ column: Int, _ valueColumn: Int) {
        if value == "no data" {
            draft?.firesWithoutData = true
            return
        }
        if draft?.condition != nil { return problem("a second condition on the value", column: column) }
        guard let condition = Self.condition(value) else {
            return problem(
                "`when` takes `value > 0` (also >=, <, <=, =, !=) or `no data`", column: valueColumn)
        }
        draft?.condition = condition
    }

    private static func condition(_ text: Substring) -> AlertRule.Condition? {
        let rest = text.hasPrefix("value") ? trimmed(text.dropFirst(5)) : ""
        guard let comparison = AlertRule.Condition.Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
            let bound = Double(trimmed(rest.dropFirst(comparison.rawValue.count))), bound.isFinite
        else { return nil }
        return .init(comparison: comparison, bound: bound)
    }

    private mutating func target(_ value: Substring, _ column: Int) {
        do throws(AlertTargetProblem) {
            _ = try AlertTarget(String(value))
            draft?.targets.append(value.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        } catch {
            problem(error.message, column: column)
        }
    }

    private mutating func template(of draft: Draft) -> AlertTemplate? {
        let isWanted = draft.targets.contains { (try? AlertTarget($0))?.kind == .template }
        guard let block = draft.template else {
            if isWanted {
                problem("`notify template` needs a ```template block in the alert", line: draft.line)
            }
            return nil
        }
        if !isWanted { problem("no target uses this template; write `- notify template URL`", line: block.line) }
        do throws(AlertTemplate.Problem) {
            return try AlertTemplate(block.lines.joined(separator: "\n"))
        } catch {
            problem(error.message, line: block.line)
            return nil
        }
    }

    private mutating func finishDraft() {
        guard let draft else { return }
        let question = question(of: draft)
        let template = template(of: draft)
        if draft.every == nil { problem("the alert `\(draft.name)` has no `- every 5m`", line: draft.line) }
        if rules.contains(where: { $0.name == draft.name }) {
            problem("a second alert `\(draft.name)` in this file", line: draft.line)
        }
        if let question, let every = draft.every, self.draft?.hasProblem == false {
            rules.append(
                AlertRule(
                    name: draft.name, prose: String(Self.trimmed(Substring(draft.prose.joined(separator: "\n")))),
                    question: question, every: every, condition: draft.condition,
                    firesWithoutData: draft.firesWithoutData, duration: draft.duration ?? 0, targets: draft.targets,
                    file: file, line: draft.line, template: template, quiet: draft.quiet, place: place(of: draft)))
        }
        self.draft = nil
    }

    /// `nil` if incomplete.
    private mutating func question(of draft: Draft) -> AlertRule.Question? {
        if let file = draft.choice.file {
            if let block = draft.question {
                problem("an alert has a block or a checklist's file, not both", line: block.line)
            }
            return watch(of: draft, file)
        }
        for setting in draft.choice.scenarios + draft.choice.events {
            problem("this chooses from a file; the alert has no `- checklist FILE`", line: setting.line)
        }
        switch draft.question?.language {
        case .checklist?: return watch(of: draft)
        case .sql?, .template?, nil:
            let sql = Self.trimmed(Substring(draft.question?.lines.joined(separator: "\n") ?? ""))
            if sql.isEmpty {
                problem("the alert `\(draft.name)` has no ```sql or ```checklist block", line: draft.line)
            } else if let block = draft.question, !StatementText.mayRead(String(sql)) {
                let skipped = block.lines.prefix { Self.trimmed($0[...]).isEmpty }.count
                problem(
                    "a statement must begin with SELECT or WITH: a store refuses statements that may write",
                    line: block.line + 1 + skipped)
            }
            if let persona = draft.choice.persona {
                problem("`persona` is for a checklist; a statement chooses its own records", line: persona.line)
            }
            if draft.over != nil {
                problem("`over` is for a ```checklist block; a statement chooses its own times", line: draft.line)
            }
            if draft.condition == nil, !draft.firesWithoutData {
                problem("the alert `\(draft.name)` has no condition, such as `- when value > 0`", line: draft.line)
            }
            return sql.isEmpty ? nil : .sql(String(sql))
        }
    }

    private func place(of draft: Draft) -> StatementPlace? {
        draft.question.map { StatementPlace(of: $0.lines, line: $0.line + 1, indent: $0.indent) }
    }

    private mutating func watch(of draft: Draft, _ file: ChecklistChoice.Setting? = nil) -> AlertRule.Question? {
        if draft.condition != nil || draft.firesWithoutData {
            problem("an alert with a checklist has no `when`: it fires for items not fulfilled", line: draft.line)
        }
        guard let over = draft.over else {
            problem("the alert `\(draft.name)` has no `- over 1h`, the window that is judged", line: draft.line)
            return nil
        }
        if let every = draft.every, every > over || every * Int64(ChecklistWatch.windowLimit) < over {
            problem("`every` is at least a hundredth of `over`, and at most as long", line: draft.line)
        }
        do {
            var checklist: Checklist
            if let file {
                let found = try checklistText(file.text)
                checklist = try draft.choice.items(of: try Checklist(markdown: found.text, file: found.path))
            } else if let block = draft.question {
                // As many lines as precede it in the file, so that problems get the right lines.
                let text = String(repeating: "\n", count: block.line) + block.lines.joined(separator: "\n")
                checklist = try Checklist(markdown: text, file: self.file)
                for item in checklist.scenarios.flatMap(\.items) where item.content == .manual {
                    problem("an alert cannot have a manual step: \(item.text)", line: item.location.line)
                }
            } else {
                return nil
            }
            let persona = try draft.choice.persona.map { try checklist.persona(named: $0.text) }
            let run = try ChecklistRun(checklist, persona: persona)
            if run.verdicts(finished: false).result == .nothingJudged {
                problem("no item of the checklist is judged, so the alert could not fire", line: draft.line)
            }
            return .watch(.init(checklist: checklist, persona: persona, over: over, file: file?.text))
        } catch let error as ChecklistError {
            problems += error.problems.map(\.diagnostic)
            self.draft?.hasProblem = true
        } catch let error as ChecklistChoiceError {
            problem(error.message, line: error.setting.line, column: error.setting.column)
        } catch {
            problem("the checklist cannot be read: \(error)", line: file?.line, column: file?.column ?? 1)
        }
        return nil
    }

    private mutating func problem(_ message: String, line: Int? = nil, column: Int = 1) {
        problems.append(.error(SourceLocation(file: file, line: line ?? self.line, column: column), message))
        draft?.hasProblem = true
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start
    }
}
