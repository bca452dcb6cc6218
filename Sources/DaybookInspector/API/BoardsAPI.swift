import DaybookBase
import DaybookHTTP
import DaybookTools

/// The team's boards, and statements that are saved to them. The page asks the statements themselves as those of its SQL
/// screen, so that they have the same limits and masks.
struct BoardsAPI: Sendable {
    private struct NewBlock {
        var title: String
        var sql: String
        var chart: String?
        var x: String?
        var y: String?
        var series: String?
        /// Of a board that is not there yet.
        var board: String?
        /// Of the file's text that the statement is added to.
        var version: String?
    }

    /// `nil` where there is no folder, as in an app.
    let folder: BoardFolder?

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/boards") { _ in try boards() },
            HTTPRoute("POST", "/api/v1/boards/{id}/blocks", bodyLimit: 131_072) { try add($0.text("id"), $0.body) },
            HTTPRoute("POST", "/api/v1/boards/{id}/blocks/undo", bodyLimit: 4_096) { try undo($0.text("id"), $0.body) },
        ]
    }

    func boards() throws -> HTTPResponse {
        let found = try reading { try folder?.read() ?? [] }
        return Envelope.success {
            $0.object {
                $0.key("writable")
                $0.bool(folder?.isWritable ?? false)
                $0.key("boards")
                $0.array(of: found) { $0.board($1.board, $1.problems, $1.version) }
            }
        }
    }

    /// Writes a statement into a board's file, behind its last block.
    func add(_ id: String, _ bytes: [UInt8]) throws -> HTTPResponse {
        let body = try RequestBody.read(
            bytes, "The body is a JSON object: {\"title\": \"…\", \"sql\": \"SELECT …\", \"chart\": \"line\"}."
        ) {
            NewBlock(
                title: $0.text("title"), sql: $0.text("sql", limit: nil), chart: $0.text(ifAny: "chart"),
                x: $0.text(ifAny: "x"), y: $0.text(ifAny: "y"), series: $0.text(ifAny: "series"),
                board: $0.text(ifAny: "board"), version: $0.text(ifAny: "version"))
        }
        let folder = try writableFolder()
        var chart = Board.Chart()
        guard let kind = Board.Chart.Kind(rawValue: body.chart ?? "table") else {
            let names = Board.Chart.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.badRequest, "chart is one of \(names), not “\(body.chart ?? "")”.")
        }
        chart.kind = kind
        chart.x = body.x
        chart.y = body.y.map { $0.split(separator: ",").map(String.init) } ?? []
        chart.series = body.series
        if kind == .table, let column = chart.columns.first {
            throw Problem(.badRequest, "“\(column.setting)” is for a chart, and a table has none: name the chart.")
        }
        let words = [body.title, body.board ?? "", body.x ?? "", body.y ?? "", body.series ?? ""]
        guard words.allSatisfy({ !$0.contains(where: \.isNewline) }),
            !chart.columns.contains(where: { $0.name.contains("\"") })
        else {
            throw Problem(
                .badRequest, "Titles and columns are one line each, without quotation marks in a column's name.")
        }
        let sql = body.sql.trimmingSuffix { $0.isWhitespace || $0 == ";" }
        let block = Board.text(title: body.title, sql: sql, chart: chart)
        return try reading {
            let seen = body.version.map { OwnedFile.Seen.version($0) } ?? .anything
            let (file, version) = try folder.add(block, to: id, title: body.board, over: seen)
            return written(file, version)
        }
    }

    /// Takes out what was added last.
    func undo(_ id: String, _ bytes: [UInt8]) throws -> HTTPResponse {
        let version = try RequestBody.version(bytes)
        let folder = try writableFolder()
        return try reading {
            let (file, version) = try folder.undo(id, over: version)
            return written(file, version)
        }
    }

    private func writableFolder() throws(Problem) -> BoardFolder {
        guard let folder else {
            throw Problem(.badRequest, "This inspector has no folder of boards; start it with --boards DIR.")
        }
        return folder
    }

    private func written(_ file: String, _ version: String?) -> HTTPResponse {
        Envelope.success {
            $0.object {
                $0.key("file")
                $0.string(file)
                $0.key("version")
                $0.string(version)
            }
        }
    }

    private func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as BoardFolder.Failure {
            throw Problem(.badRequest, failure.message)
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isLeftOut: (Character) -> Bool) -> String {
        lastIndex { !isLeftOut($0) }.map { String(self[...$0]) } ?? ""
    }
}

extension Board {
    /// Reads a board as the API answers it; `nil` for anything else.
    package init?(_ answer: Attributes) {
        guard let id = answer.text("id"), let title = answer.text("title"), let file = answer.text("file"),
            let values = answer.elements("blocks")
        else { return nil }
        let blocks = values.compactMap { value -> Block? in
            guard case .object(let block) = value else { return nil }
            return Block(block)
        }
        guard blocks.count == values.count else { return nil }
        self.init(id: id, title: title, file: file, blocks: blocks)
    }
}

extension Board.Block {
    fileprivate init?(_ answer: Attributes) {
        guard let title = answer.text("title"), let line = answer.number("line"),
            let content = Board.Content(answer)
        else { return nil }
        self.init(title: title, content: content, line: Int(clamping: line))
    }
}

extension Board.Content {
    fileprivate init?(_ answer: Attributes) {
        switch (answer.text("kind"), answer.text("text"), answer.text("filter"), answer.text("sql")) {
        case ("heading", _, _, _): self = .heading
        case ("prose", let text?, _, _): self = .prose(text)
        case ("filter", _, let filter?, _): self = .filter(filter)
        case ("sql", _, _, let sql?):
            var chart = Board.Chart()
            guard let kind = answer.text("chart").flatMap(Board.Chart.Kind.init(rawValue:)) else { return nil }
            (chart.kind, chart.x, chart.series) = (kind, answer.text("x"), answer.text("series"))
            chart.y = answer.text("y")?.split(separator: ",").map(String.init) ?? []
            self = .sql(sql, chart)
        default: return nil
        }
    }
}

extension JSONBuilder {
    fileprivate mutating func board(_ board: Board, _ problems: [BoardProblem], _ version: String) {
        object {
            $0.key("id")
            $0.string(board.id)
            $0.key("title")
            $0.string(board.title)
            $0.key("file")
            $0.string(board.file)
            $0.key("version")
            $0.string(version)
            $0.key("problems")
            $0.array(of: problems) { $0.string($1.description) }
            $0.key("blocks")
            $0.array(of: board.blocks) { $0.block($1) }
        }
    }

    private mutating func block(_ block: Board.Block) {
        object {
            $0.key("title")
            $0.string(block.title)
            $0.key("line")
            $0.integer(Int64(block.line))
            switch block.content {
            case .heading: $0.member("kind", "heading")
            case .prose(let text):
                $0.member("kind", "prose")
                $0.member("text", text)
            case .filter(let text):
                $0.member("kind", "filter")
                $0.member("filter", text)
            case .sql(let sql, let chart):
                $0.member("kind", "sql")
                $0.member("sql", sql)
                $0.member("chart", chart.kind.rawValue)
                $0.member("x", chart.x)
                $0.member("y", chart.y.isEmpty ? nil : chart.y.joined(separator: ","))
                $0.member("series", chart.series)
            }
        }
    }

    private mutating func member(_ name: String, _ value: String?) {
        key(name)
        string(value)
    }
}
