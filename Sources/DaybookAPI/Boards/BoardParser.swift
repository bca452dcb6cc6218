import DaybookBase
import DaybookDefinitions
import DaybookTools

/// Parses a board in about linear time (pure): all valid parts, and every problem with its position.
package struct BoardParser {
    /// Largest file in bytes.
    package static let longestFile = 256 << 10
    /// Most statements and filters per board.
    package static let mostBlocks = 50

    private struct Fence {
        enum Language: String {
            case sql, filter

            /// The probable language of a word that is misspelt or marked up for Quarto, R or Pandoc.
            init?(meantBy word: some StringProtocol) {
                let bare = word.drop { !$0.isLetter }.prefix(while: \.isLetter).lowercased()
                let isSQL = bare.hasPrefix("sql") || bare.sorted() == "sql".sorted()
                let isFilter = bare == "filter" || NearestName.of(bare, among: ["filter"]) != nil
                guard isSQL || isFilter else { return nil }
                self = isSQL ? .sql : .filter
            }
        }

        /// `nil` for prose.
        var language: Language?
        var chart = Board.Chart()
        var line: Int
        var indent: Int
        var lines: [String] = []
    }

    private let file: String
    private var title: String?
    /// Whether the missing title was reported.
    private var isUntitled = false
    private var heading: String?
    private var blocks: [Board.Block] = []
    private var problems: [Diagnostic] = []
    private var prose: (lines: [String], line: Int) = ([], 0)
    private var fence: Fence?
    private var line = 0

    /// - Parameter file: The path for problems; its name is the board's id.
    package static func parse(_ text: String, file: String) -> (board: Board, problems: [Diagnostic]) {
        var parser = BoardParser(file: file)
        guard text.utf8.count <= longestFile else {
            parser.line = 1
            parser.problem("a board has at most \(longestFile >> 10) KiB")
            return parser.result
        }
        let markdown = MarkdownText(text, file: file)
        parser.problems = markdown.problems
        for line in markdown.lines {
            parser.line = line.number
            parser.read(line)
        }
        parser.finish()
        return parser.result
    }

    package static func id(of file: String) -> String { MarkdownFile.stem(file) }

    private init(file: String) { self.file = file }

    private var result: (Board, [Diagnostic]) {
        let id = Self.id(of: file)
        return (Board(id: id, title: title ?? id, file: file, blocks: blocks), problems)
    }

    private mutating func read(_ line: MarkdownText.Line) {
        switch line.kind {
        case .hidden: break
        case .heading(level: 1, let text):
            if title != nil { return problem("a second `# Title`; a file is one board, its parts are `## …`") }
            title = text.text
            if text.text.isEmpty { problem("the board has no title after `#`") }
        case .heading(level: 2, let text):
            endProse()
            if text.text.isEmpty { problem("a heading without words") }
            heading = text.text
            blocks.append(.init(title: text.text, content: .heading, line: self.line))
        case .fence(_, let info): openFence(info, line)
        case .code where fence?.language != nil: fence?.lines.append(line.text.text)
        // A code block in prose keeps its fences.
        case .code: prose.lines.append(String(line.source))
        case .fenceEnd:
            if let fence { closeFence(fence, line) }
        case .blank, .rule, .text, .heading:
            if case .blank = line.kind {} else { checkTitle() }
            if prose.lines.isEmpty, line.content.text.isEmpty { return }
            findHiddenFence(line.content)
            if prose.lines.isEmpty { prose.line = self.line }
            prose.lines.append(line.text.text)
        }
    }

    /// A code block in a quotation or list is prose, so its statement would not run.
    private mutating func findHiddenFence(_ text: PlacedText) {
        let signs = text.text.unicodeScalars.prefix { " \t>-*+.)0123456789".unicodeScalars.contains($0) }.count
        let rest = text[signs..<text.text.unicodeScalars.count]
        guard signs > 0, rest.text.hasPrefix("```") || rest.text.hasPrefix("~~~"),
            let meant = Fence.Language(meantBy: rest.text.drop { "`~ ".contains($0) }.prefix { !$0.isWhitespace })
        else { return }
        problem(
            "a block is no part of a quotation or a list: write ```\(meant.rawValue) at the line's beginning",
            column: rest.column(at: 0))
    }

    private mutating func openFence(_ info: PlacedText, _ line: MarkdownText.Line) {
        checkTitle()
        let word = info.text.prefix { !$0.isWhitespace }
        let count = word.unicodeScalars.count
        let rest = info[count..<info.text.unicodeScalars.count]
        var fence = Fence(language: .init(rawValue: word.lowercased()), line: self.line, indent: line.indent)
        if fence.language == nil, let meant = Fence.Language(meantBy: word) {
            problem("a block is ```\(meant.rawValue), not ```\(word)", column: info.column(at: 0))
        }
        if let language = fence.language {
            endProse()
            if language == .sql {
                fence.chart = settings(rest)
            } else if !rest.text.trimmed.isEmpty {
                problem("a filter has no settings", column: rest.trimmed.column(at: 0))
            }
        } else {
            if prose.lines.isEmpty { prose.line = self.line }
            prose.lines.append(String(line.source))
        }
        self.fence = fence
    }

    private mutating func closeFence(_ open: Fence, _ line: MarkdownText.Line) {
        fence = nil
        guard let language = open.language else { return prose.lines.append(String(line.source)) }
        let text = open.lines.joined(separator: "\n").trimmed
        let name = language == .sql ? "statement" : "filter"
        let place = StatementPlace(of: open.lines, line: open.line + 1, indent: open.indent)
        if text.isEmpty { problem("the \(name) is empty", line: open.line) }
        if language == .filter, text.contains(where: \.isNewline) {
            problem("a filter is one line; write a block for each", line: open.line)
        } else if language == .filter, !text.isEmpty, let (column, message) = BoardFilter.problem(of: String(text)) {
            problem(message, line: place.line, column: place.column + column - 1)
        }
        let count = blocks.count {
            if case .sql = $0.content { true } else if case .filter = $0.content { true } else { false }
        }
        if count == Self.mostBlocks {
            problem("a board has at most \(Self.mostBlocks) statements and filters", line: open.line)
        }
        guard count < Self.mostBlocks, !text.isEmpty else { return }
        blocks.append(
            .init(
                title: heading ?? title ?? Self.id(of: file),
                content: language == .sql ? .sql(String(text), open.chart) : .filter(String(text)), line: open.line,
                place: place))
    }

    /// `chart=line x=day y="searches, users"`.
    private mutating func settings(_ placed: PlacedText) -> Board.Chart {
        let text = placed.text[...]
        var chart = Board.Chart()
        var seen: Set<Substring> = []
        var isDrawn: (name: Substring, column: Int)?
        var rest = text
        // Offsets are requested in ascending order.
        var last = (index: text.startIndex, offset: 0)
        func place(_ index: Substring.Index) -> Int {
            last = (index, last.offset + text.unicodeScalars.distance(from: last.index, to: index))
            return placed.column(at: last.offset)
        }
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard !rest.isEmpty else { break }
            let start = rest.startIndex
            let name = rest.prefix { $0 != "=" && !$0.isWhitespace }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else {
                problem("a setting is `name=value`, such as `chart=line`, not `\(name)`", column: place(start))
                continue
            }
            rest = rest.dropFirst()
            let valuePlace = place(rest.startIndex)
            let value: Substring
            if rest.first == "\"" {
                let inner = rest.dropFirst()
                guard let end = inner.firstIndex(of: "\"") else {
                    problem("the quotation mark that begins here has no end", column: valuePlace)
                    break
                }
                value = inner[..<end]
                rest = inner[inner.index(after: end)...]
            } else {
                value = rest.prefix { !$0.isWhitespace }
                rest = rest[value.endIndex...]
            }
            guard ["chart", "x", "y", "series"].contains(name) else {
                let near = NearestName.of(String(name), among: ["chart", "x", "y", "series"])
                problem(
                    "a block has no setting `\(name)` "
                        + (near.map { "(did you mean `\($0)`?)" } ?? "(it has chart, x, y and series)"),
                    column: place(start))
                continue
            }
            guard seen.insert(name).inserted else {
                problem("`\(name)` is given twice", column: place(start))
                continue
            }
            guard !value.trimmed.isEmpty else {
                problem("`\(name)` has no value", column: place(start))
                continue
            }
            if name != "chart", isDrawn == nil { isDrawn = (name, place(start)) }
            switch name {
            case "chart":
                guard let kind = Board.Chart.Kind(rawValue: String(value)) else {
                    let names = Board.Chart.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                    problem("`chart` is one of \(names), not `\(value)`", column: valuePlace)
                    continue
                }
                chart.kind = kind
            case "x": chart.x = String(value)
            case "series": chart.series = String(value)
            default: chart.y = value.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty }
            }
        }
        if chart.kind == .table, let (name, column) = isDrawn, !seen.contains("chart") {
            problem("`\(name)` is for a chart; say which, such as `chart=line`", column: column)
        }
        return chart
    }

    private mutating func checkTitle() {
        guard title == nil, !isUntitled else { return }
        problem("a board begins with its title, `# …`")
        isUntitled = true
    }

    private mutating func endProse() {
        let text = prose.lines.joined(separator: "\n").trimmed
        if !text.isEmpty {
            blocks.append(.init(title: heading ?? title ?? "", content: .prose(String(text)), line: prose.line))
        }
        prose = ([], 0)
    }

    private mutating func finish() {
        endProse()
        if title == nil, !isUntitled {
            line = 1
            problem("a board begins with its title, `# …`")
        }
    }

    private mutating func problem(_ message: String, line: Int? = nil, column: Int = 1) {
        problems.append(.error(SourceLocation(file: file, line: line ?? self.line, column: column), message))
    }
}

extension StringProtocol {
    fileprivate var trimmed: SubSequence {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start
    }
}
