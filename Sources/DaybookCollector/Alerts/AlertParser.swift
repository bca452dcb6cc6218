/// Reads alerts from Markdown (pure): every alert that is right and every problem, with its place, in about linear time.
///
/// A `#` heading begins an alert; prose, one ```` ```sql ```` block and a list of settings follow, in any order.
package struct AlertParser {
    /// What a file came to.
    package struct Result: Sendable {
        package var rules: [AlertRule]
        package var problems: [AlertProblem]
    }

    private let file: String
    private var rules: [AlertRule] = []
    private var problems: [AlertProblem] = []
    private var draft: Draft?
    private var line = 0
    /// The fence that is open, and whether its block is the alert's statement.
    private var fence: (mark: Substring, isSQL: Bool, line: Int)?

    /// An alert that is being read.
    private struct Draft {
        var name: String
        var line: Int
        var prose: [Substring] = []
        var sql: [Substring]?
        var every: Int64?
        var condition: AlertRule.Condition?
        var firesWithoutData = false
        var duration: Int64?
        var targets: [String] = []
        var hasProblem = false
    }

    /// Reads a file's text.
    /// - Parameter file: the name that places repeat.
    package static func parse(_ text: String, file: String) -> Result {
        var parser = AlertParser(file: file)
        let text = text.unicodeScalars.first == "\u{FEFF}" ? Substring(text.unicodeScalars.dropFirst()) : text[...]
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            parser.line += 1
            parser.read(line)
        }
        parser.finish()
        return Result(rules: parser.rules, problems: parser.problems)
    }

    private init(file: String) {
        self.file = file
    }

    private mutating func read(_ line: Substring) {
        let indent = line.prefix { $0 == " " || $0 == "\t" }.count
        let content = line.dropFirst(indent)
        if let open = fence {
            if content.hasPrefix(open.mark), content.dropFirst(open.mark.count).allSatisfy({ $0 == " " }) {
                fence = nil
            } else if open.isSQL {
                draft?.sql?.append(line)
            }
        } else if content.hasPrefix("```") || content.hasPrefix("~~~") {
            openFence(content, column: indent + 1)
        } else if line.hasPrefix("# ") {
            finishDraft()
            let name = Self.trimmed(line.dropFirst(2))
            draft = Draft(name: String(name), line: self.line)
            if name.isEmpty { problem("the alert has no name") }
        } else if indent == 0, let item = Self.item(content) {
            setting(item.text, column: item.offset + 1)
        } else {
            draft?.prose.append(content)
        }
    }

    private mutating func openFence(_ content: Substring, column: Int) {
        let mark = content.prefix { $0 == content.first }
        let isSQL = Self.trimmed(content.dropFirst(mark.count)).lowercased() == "sql"
        fence = (mark, isSQL, line)
        guard isSQL else { return }
        if draft == nil { problem("a statement without an alert; a `# Heading` begins one", column: column) }
        if draft?.sql != nil { problem("a second statement; an alert has one", column: column) }
        draft?.sql = []
    }

    private mutating func setting(_ text: Substring, column: Int) {
        guard draft != nil else {
            return problem("a setting without an alert; a `# Heading` begins one", column: column)
        }
        let word = text.prefix { $0 != " " }
        let value = Self.trimmed(text.dropFirst(word.count))
        let valueColumn = column + text.distance(from: text.startIndex, to: value.startIndex)
        switch word {
        case "every": set(\.every, word, try? AlertDuration.seconds(value, range: 1...86_400), column, valueColumn)
        case "for": set(\.duration, word, try? AlertDuration.seconds(value, range: 0...2_592_000), column, valueColumn)
        case "when": condition(value, column, valueColumn)
        case "notify": target(value, valueColumn)
        default:
            problem("an alert has no setting `\(word)`; it has every, when, for and notify", column: column)
        }
    }

    private mutating func set(
        _ field: WritableKeyPath<Draft, Int64?>, _ word: Substring, _ seconds: Int64?, _ column: Int, _ valueColumn: Int
    ) {
        if draft?[keyPath: field] != nil { return problem("`\(word)` is given twice", column: column) }
        guard let seconds else {
            let range = word == "every" ? "1s to 1d" : "0s to 30d"
            return problem("`\(word)` takes a time from \(range), such as 30s, 5m, 1h or 1d", column: valueColumn)
        }
        draft?[keyPath: field] = seconds
    }

    private mutating func condition(_ value: Substring, _ column: Int, _ valueColumn: Int) {
        if value == "no data" {
            draft?.firesWithoutData = true
            return
        }
        if draft?.condition != nil { return problem("a second condition on the value", column: column) }
        let rest = value.hasPrefix("value") ? Self.trimmed(value.dropFirst(5)) : ""
        guard let comparison = AlertRule.Condition.Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
            let bound = Double(Self.trimmed(rest.dropFirst(comparison.rawValue.count))), bound.isFinite
        else {
            return problem(
                "`when` takes `value > 0` (also >=, <, <=, =, !=) or `no data`", column: valueColumn)
        }
        draft?.condition = .init(comparison: comparison, bound: bound)
    }

    private mutating func target(_ value: Substring, _ column: Int) {
        let names = AlertTarget.names(in: value)
        guard let names, !names.isEmpty || AlertTarget.url(String(value)) != nil else {
            return problem(
                "`notify` takes an http or https address, or ${NAME} for one in the environment", column: column)
        }
        draft?.targets.append(String(value))
    }

    private mutating func finish() {
        if let fence { problem("the code block that begins here has no end", line: fence.line) }
        finishDraft()
    }

    private mutating func finishDraft() {
        guard let draft else { return }
        let sql = draft.sql.map { Self.trimmed(Substring($0.joined(separator: "\n"))) } ?? ""
        if sql.isEmpty { problem("the alert `\(draft.name)` has no ```sql block", line: draft.line) }
        if draft.condition == nil, !draft.firesWithoutData {
            problem("the alert `\(draft.name)` has no condition, such as `- when value > 0`", line: draft.line)
        }
        if draft.every == nil { problem("the alert `\(draft.name)` has no `- every 5m`", line: draft.line) }
        if rules.contains(where: { $0.name == draft.name }) {
            problem("a second alert `\(draft.name)` in this file", line: draft.line)
        }
        if let every = draft.every, self.draft?.hasProblem == false {
            rules.append(
                AlertRule(
                    name: draft.name, prose: String(Self.trimmed(Substring(draft.prose.joined(separator: "\n")))),
                    sql: String(sql), every: every, condition: draft.condition,
                    firesWithoutData: draft.firesWithoutData, duration: draft.duration ?? 0, targets: draft.targets,
                    file: file, line: draft.line))
        }
        self.draft = nil
    }

    private mutating func problem(_ message: String, line: Int? = nil, column: Int = 1) {
        problems.append(AlertProblem(file: file, line: line ?? self.line, column: column, message: message))
        draft?.hasProblem = true
    }

    /// The text of a list item and where it begins.
    private static func item(_ content: Substring) -> (text: Substring, offset: Int)? {
        guard let marker = content.first, marker == "-" || marker == "*", content.dropFirst().first == " " else {
            return nil
        }
        let text = content.dropFirst().drop { $0 == " " }
        return (trimmed(text), content.count - text.count)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start
    }
}
