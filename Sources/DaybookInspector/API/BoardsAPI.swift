import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookTools

/// The team's boards, and saving statements to them. The page runs their statements like those of its SQL screen, with
/// the same limits and masking.
struct BoardsAPI: Sendable {
    private struct NewBlock {
        var title: String
        var sql: String
        var chart: String?
        var x: String?
        var y: String?
        var series: String?
        var board: String?
        /// The version of the text that the statement is added to.
        var version: String?
    }

    /// `nil` without a folder, as in an app.
    let folder: BoardFolder?

    var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.boards) { _ in try boards() },
            HTTPRoute(Endpoints.boardBlock, bodyLimit: 131_072) { try add($0.text("id"), $0.body) },
            HTTPRoute(Endpoints.boardBlockUndo, bodyLimit: 4_096) { try undo($0.text("id"), $0.body) },
        ]
    }

    func boards() throws -> BoardsAnswer {
        let found = try reading { try folder?.read() ?? [] }
        return BoardsAnswer(
            isWritable: folder?.isWritable ?? false,
            boards: found.map { ReadBoard($0.board, problems: $0.problems.map(\.description), version: $0.version) })
    }

    func add(_ id: String, _ bytes: [UInt8]) throws -> WrittenFile {
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
            return WrittenFile(file, version: version)
        }
    }

    func undo(_ id: String, _ bytes: [UInt8]) throws -> WrittenFile {
        let version = try RequestBody.version(bytes)
        let folder = try writableFolder()
        return try reading {
            let (file, version) = try folder.undo(id, over: version)
            return WrittenFile(file, version: version)
        }
    }

    private func writableFolder() throws(Problem) -> BoardFolder {
        guard let folder else {
            throw Problem(.badRequest, "This inspector has no folder of boards; start it with --boards DIR.")
        }
        return folder
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
