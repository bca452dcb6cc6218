import DaybookAPI
import DaybookBase
import DaybookDatabases
import DaybookDefinitions
import DaybookInspector
import DaybookStore
import DaybookTools
import Foundation

extension Command {
    static let boardsCheck = Command(
        name: "boards check", summary: "Check the boards of a folder",
        options: [
            .value("definitions", "DIR", "those of the events' views, instead of the project's"),
            .value("store", "STORE", "also run each statement on this store: one that fails is an error"),
        ] + CollectorAddress.options,
        operands: ("DIR", 0...1),
        details: """
            Without DIR, the project's folder of boards is checked. Exit status 1 if there is an error. With --store or
            --collector, a column that a chart names and the result lacks is an error, too.
            """
    ) { arguments, console in
        let folder = try BoardFiles.folder(arguments.operands.first)
        var problems: [Diagnostic] = []
        var lines: [String] = []
        let isAsked = arguments["store"] != nil || arguments["collector"] != nil
        let statements = isAsked ? try RecordSource.statements(arguments) : nil
        let judge = try await StatementJudge(arguments, of: arguments["store"])
        MarkdownFolder.leftOut(in: folder).forEach(console.errors)
        for (board, found) in try BoardFiles.read(folder) {
            problems += found
            for warning in board.warnings(judge.tables, masking: judge.masking) {
                console.errors("\(warning)\n")
            }
            lines.append("\(board.file): \(board.title): \(board.questions.count) statements".printable + "\n")
            guard let statements else { continue }
            for block in board.questions {
                if let problem = await BoardAnswer(block, by: statements).problem(in: board) {
                    problems.append(problem)
                }
            }
        }
        for problem in problems { console.errors("\(problem)\n") }
        guard problems.isEmpty else { return .no }
        lines.forEach(console.output)
        return .done
    }

    static let boardsPrint = Command(
        name: "boards print", summary: "Run a board's statements, and print it with their results",
        options: RecordSource.options + [
            .value("format", "FORMAT", "text (default), markdown, csv or json"),
            .value("limit", "ROWS", "at most this many rows of each statement, 1 to 100000; default 1000"),
        ] + Masking.options,
        operands: ("BOARD", 1...1),
        details: """
            BOARD is a file, or the id of a board in the project's folder or, with --collector, at the collector. Exit
            status 1 if a statement fails; the others are still printed. csv has a line with the title before each
            result, and an empty line after it.
            """
    ) { arguments, console in
        guard let format = BoardFormat(rawValue: arguments["format"] ?? "text") else {
            throw UsageError(message: "--format takes text, markdown, csv or json, not `\(arguments["format"] ?? "")`")
        }
        guard let rows = Int(arguments["limit"] ?? "1000"), (1...100_000).contains(rows) else {
            throw UsageError(message: "--limit takes a number from 1 to 100000")
        }
        let board = try await BoardFiles.board(arguments.operands[0], at: CollectorAddress(arguments))
        let judge = try await StatementJudge(arguments, of: RecordSource.store(arguments))
        for warning in board.warnings(judge.tables, masking: judge.masking) {
            console.errors("\(warning)\n")
        }
        let masking = try await RecordSource.masking(arguments)
        let statements = try RecordSource.statements(arguments)
        var limits = QueryLimits()
        (limits.rows, limits.time) = (rows, .seconds(60))
        limits.masking = masking?.withPseudonyms()
        var answers: [Int: BoardAnswer] = [:]
        for block in board.questions {
            var answer = await BoardAnswer(block, by: statements, limits: limits)
            if let masking { answer.mask(by: masking) }
            answers[block.line] = answer
            if let failure = answer.failure {
                console.errors("\(board.file):\(block.line): \(failure)".printable + "\n")
            }
        }
        console.output(format.text(of: board) { answers[$0.line] })
        return answers.values.contains { $0.failure != nil } ? .no : .done
    }
}

private enum BoardFiles {
    /// - Throws: ``UsageError`` if there is neither a folder nor a project.
    static func folder(_ named: String?) throws -> String {
        if let named { return named }
        guard let project = try TeamFiles.source(nil)?.project else {
            throw UsageError(message: "DIR is missing, and no project file is here or above", hint: "LogBoards")
        }
        return project.boardFolder
    }

    /// All boards of a folder, with their problems.
    /// - Throws: ``InputError`` if the folder or a file is unreadable.
    static func read(_ folder: String) throws -> [(board: Board, problems: [Diagnostic])] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw InputError(file: folder, message: "there is no such folder")
        }
        guard isFolder.boolValue else {
            throw InputError(file: folder, message: "this is a file, not a folder of boards")
        }
        let boards: [(Board, [Diagnostic])]
        do {
            boards = try BoardFolder(folder).read().map { ($0.board, $0.problems + statementProblems(of: $0.board)) }
        } catch {
            throw InputError(file: folder, message: "\(error)")
        }
        guard !boards.isEmpty else { throw InputError(file: folder, message: MarkdownFolder.hasNone) }
        return boards
    }

    /// A valid board: a file, or by id one of the project or collector.
    /// - Throws: ``InputError`` with all problems, or the collector's error.
    static func board(_ name: String, at collector: CollectorAddress?) async throws -> Board {
        if let collector, !MarkdownFile.isMarkdown(name) { return try await self.collector(collector, board: name) }
        let file = MarkdownFile.isMarkdown(name) ? name : try BoardFolder(folder(nil)).file(of: name)
        let (board, problems) = BoardParser.parse(try TextFile.read(file), file: file)
        return try sound(board, problems.map(\.description))
    }

    private static func collector(_ address: CollectorAddress, board id: String) async throws -> Board {
        let found = try await CollectorClient(address: address).ask(Endpoints.boards).boards
        guard let read = found.first(where: { $0.board.id == id }) else {
            throw UsageError(
                message: "the collector has no board `\(id)`",
                hint: NearestName.of(id, among: found.map(\.board.id)).map { "did you mean `\($0)`?" })
        }
        return try sound(read.board, read.problems)
    }

    private static func sound(_ board: Board, _ problems: [String]) throws -> Board {
        let all = problems + statementProblems(of: board).map(\.description)
        guard all.isEmpty else { throw Problems(file: board.file, all: all) }
        return board
    }

    /// A board's problems, one per line.
    private struct Problems: SeveralProblems, CustomStringConvertible {
        let file: String
        let all: [String]

        var description: String { (["\(file): "] + all).map(\.printable).joined(separator: "\n") }
    }

    private static func statementProblems(of board: Board) -> [Diagnostic] {
        board.questions.compactMap { block in
            guard case .sql(let sql, _) = block.content, !StatementText.mayRead(sql) else { return nil }
            return .error(
                SourceLocation(file: board.file, line: block.line + 1, column: 1),
                "a statement must begin with SELECT or WITH: a store refuses statements that may write")
        }
    }
}

extension Board {
    fileprivate var questions: [Block] {
        blocks.filter { if case .sql = $0.content { true } else { false } }
    }
}

private struct BoardAnswer {
    let block: Board.Block
    private(set) var result: QueryResult?
    private(set) var failure: String?

    init(_ block: Board.Block, by statements: any StatementRunner, limits: QueryLimits = .ofBoard) async {
        self.block = block
        guard case .sql(let sql, _) = block.content else { return }
        do {
            result = try await statements.query(sql, limits: limits)
        } catch let error as StoreError {
            failure = error.message
        } catch {
            failure = "\(error)"
        }
    }

    mutating func mask(by policy: MaskingPolicy) { result = result.map { $0.masked(by: policy) } }

    func problem(in board: Board) -> Diagnostic? {
        let place = SourceLocation(file: board.file, line: block.line, column: 1)
        if let failure { return .error(place, failure) }
        guard case .sql(_, let chart) = block.content, let result else { return nil }
        let missing = chart.columns.first { !result.columns.contains($0.name) }
        return missing.map {
            .error(
                place,
                "`\($0.setting)` names the column \($0.name), but the result has "
                    + result.columns.joined(separator: ", "))
        }
    }
}

extension QueryLimits {
    /// For statements that are only tried.
    fileprivate static var ofBoard: QueryLimits {
        var limits = QueryLimits()
        limits.time = .seconds(60)
        return limits
    }
}

private enum BoardFormat: String {
    case text
    case markdown
    case csv
    case json

    func text(of board: Board, _ answer: (Board.Block) -> BoardAnswer?) -> String {
        switch self {
        case .text: document(of: board, answer) { $0.map { QueryFormat.table.text(of: $0) } ?? "" }
        case .markdown: document(of: board, answer) { $0.map(Self.markdown) ?? "" }
        case .csv:
            board.questions.map { block in
                "# \(block.title)\n" + (answer(block)?.result.map { QueryFormat.csv.text(of: $0) } ?? "")
            }
            .joined(separator: "\n")
        case .json: JSONWriter.text(.object(Self.object(board, answer))).printableJSON + "\n"
        }
    }

    /// The board as written, with results in place of statements.
    private func document(
        of board: Board, _ answer: (Board.Block) -> BoardAnswer?, _ shown: (QueryResult?) -> String
    ) -> String {
        let isMarkdown = self == .markdown
        let parts = board.blocks.compactMap { block -> String? in
            switch block.content {
            case .heading: return (isMarkdown ? "## " : "") + block.title
            case .prose(let text): return text
            case .filter(let filter): return isMarkdown ? Markdown.text(filter) : "\(block.title): \(filter)".printable
            case .sql:
                let found = answer(block)
                if let failure = found?.failure {
                    return isMarkdown ? "> " + Markdown.text(failure) : "\(block.title): \(failure)".printable
                }
                return shown(found?.result).trimmingCharacters(in: .newlines)
            }
        }
        return ([isMarkdown ? "# \(board.title)" : board.title] + parts).joined(separator: "\n\n") + "\n"
    }

    private static func markdown(_ result: QueryResult) -> String {
        func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        func shown(_ cell: QueryResult.Cell) -> String {
            switch cell {
            case .integer, .real, .null: QueryFormat.plain(cell)
            case .text, .blob: Markdown.cell(QueryFormat.plain(cell))
            }
        }
        let numbers = result.columns.indices.map { column in
            result.rows.allSatisfy { row in
                switch row[column] {
                case .integer, .real, .null: true
                case .text, .blob: false
                }
            }
        }
        let lines =
            [row(result.columns.map(Markdown.cell)), row(numbers.map { $0 ? "---:" : "---" })]
            + result.rows.map { row($0.map(shown)) }
        return lines.joined(separator: "\n")
            + (result.isTruncated ? "\n\nOnly the first \(result.rows.count) rows." : "")
    }

    private static func object(_ board: Board, _ answer: (Board.Block) -> BoardAnswer?) -> Attributes {
        let blocks = board.blocks.compactMap { block -> Value? in
            switch block.content {
            case .heading: return nil
            case .prose(let text): return ["title": .string(block.title), "prose": .string(text)]
            case .filter(let filter): return ["title": .string(block.title), "filter": .string(filter)]
            case .sql(let sql, let chart):
                let found = answer(block)
                return [
                    "title": .string(block.title), "sql": .string(sql), "chart": .string(chart.kind.rawValue),
                    "failure": Value(found?.failure),
                    "answer": found?.result.map { .object(QueryFormat.members(of: $0)) } ?? .null,
                ]
            }
        }
        return ["id": .string(board.id), "title": .string(board.title), "blocks": .array(blocks)]
    }
}
