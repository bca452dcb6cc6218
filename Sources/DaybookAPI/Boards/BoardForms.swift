import DaybookTools

package struct ReadBoard: Sendable {
    package var board: Board
    package var problems: [String]
    package var version: String

    package init(_ board: Board, problems: [String], version: String) {
        (self.board, self.problems, self.version) = (board, problems, version)
    }

    package static let form = Form<ReadBoard>.object(
        "Board", FormField("id", .text) { $0.board.id }, FormField("title", .text) { $0.board.title },
        FormField("file", .text) { $0.board.file },
        FormField("version", .text, about: "Of the file's text, which an addition is made over.") { $0.version },
        FormField("problems", .list(.text), about: "What is wrong with the file, with the places.") { $0.problems },
        FormField("blocks", .list(Board.Block.form)) { $0.board.blocks }
    ) { id, title, file, version, problems, blocks in
        ReadBoard(Board(id: id, title: title, file: file, blocks: blocks), problems: problems, version: version)
    }
}

package struct BoardsAnswer: Sendable {
    package var isWritable: Bool
    package var boards: [ReadBoard]

    package init(isWritable: Bool, boards: [ReadBoard]) { (self.isWritable, self.boards) = (isWritable, boards) }

    package static let form = Form<BoardsAnswer>.object(
        "BoardsAnswer", FormField("writable", .bool) { $0.isWritable },
        FormField("boards", .list(ReadBoard.form)) { $0.boards }
    ) { BoardsAnswer(isWritable: $0, boards: $1) }
}

extension Board.Block {
    fileprivate static let form = Form<Board.Block>.union(
        "BoardBlock", by: "kind",
        [
            FormCase("heading", heading) { $0.content == .heading },
            FormCase("prose", prose) { if case .prose = $0.content { true } else { false } },
            FormCase("filter", filter) { if case .filter = $0.content { true } else { false } },
            FormCase("sql", statementForm) { if case .sql = $0.content { true } else { false } },
        ])

    private static let heading = Form<Board.Block>.object(
        "HeadingBlock", FormField("title", .text) { $0.title }, FormField("line", .number) { $0.line },
        FormField("kind", .constant("heading")) { _ in }
    ) { title, line, _ in Board.Block(title: title, content: .heading, line: line) }

    private static let prose = Form<Board.Block>.object(
        "ProseBlock", FormField("title", .text) { $0.title }, FormField("line", .number) { $0.line },
        FormField("kind", .constant("prose")) { _ in },
        FormField("text", .text) { if case .prose(let text) = $0.content { text } else { "" } }
    ) { title, line, _, text in Board.Block(title: title, content: .prose(text), line: line) }

    private static let filter = Form<Board.Block>.object(
        "FilterBlock", FormField("title", .text) { $0.title }, FormField("line", .number) { $0.line },
        FormField("kind", .constant("filter")) { _ in },
        FormField("filter", .text) { if case .filter(let text) = $0.content { text } else { "" } }
    ) { title, line, _, text in Board.Block(title: title, content: .filter(text), line: line) }

    private static let statementForm = Form<Board.Block>.object(
        "StatementBlock", FormField("title", .text) { $0.title }, FormField("line", .number) { $0.line },
        FormField("kind", .constant("sql")) { _ in }, FormField("sql", .text) { $0.statement.sql },
        FormField("chart", .word.named("ChartKind")) { $0.statement.chart.kind },
        FormField("x", .optional(.text)) { $0.statement.chart.x },
        FormField("y", .optional(.text), about: "Columns, with commas.") {
            let columns = $0.statement.chart.y
            return columns.isEmpty ? nil : columns.joined(separator: ",")
        },
        FormField("series", .optional(.text)) { $0.statement.chart.series }
    ) { title, line, _, sql, kind, x, y, series in
        var chart = Board.Chart()
        (chart.kind, chart.x, chart.series) = (kind, x, series)
        chart.y = y?.split(separator: ",").map(String.init) ?? []
        return Board.Block(title: title, content: .sql(sql, chart), line: line)
    }

    private var statement: (sql: String, chart: Board.Chart) {
        if case .sql(let sql, let chart) = content { (sql, chart) } else { ("", Board.Chart()) }
    }
}
