import DaybookCollector
import DaybookHTTPServer
import DaybookInspector
import DaybookStore
import Foundation

extension Command {
    static let inspect = Command(
        name: "inspect", summary: "Open a recording in the inspector",
        options: [
            .value("port", "PORT", "listen on this port of 127.0.0.1 and ::1; default: a free one"),
            .value("definitions", "DIR", "the folder of the team's definitions"),
            .value("checklists", "DIR", "the folder of the team's checklists"),
            .value("boards", "DIR", "the folder of the team's boards"),
            .value("coverage", "FILE", "show this report of `daybook coverage --json` in the dictionary"),
        ],
        operands: ("FILE", 1...1),
        details: """
            FILE is NDJSON as written by `daybook export` and the inspector, or OTLP in JSON, also in gzip; - is standard \
            input. It is not changed, and nothing of it is kept. Ends on Ctrl-C.
            """
    ) { arguments, console in
        let recording = try await OpenRecording(arguments, Warnings(console))
        defer { recording.remove() }
        let end = try TerminationSignal()
        try recording.server.start()
        console.output("Inspector: \(recording.address)\n")
        await end.wait()
        recording.notices.close()
        await recording.server.stop()
        return .done
    }
}

/// An inspector over a recording in a temporary store.
private struct OpenRecording {
    /// Rows per transaction.
    private static let batch = 1_000

    let server: HTTPServer
    let notices = LiveNotices()
    private let token = AccessToken()
    private let folder: URL

    init(_ arguments: Arguments, _ warnings: Warnings) async throws {
        guard let port = Int(arguments["port"] ?? "0"), (0...65_535).contains(port) else {
            throw UsageError(message: "--port takes a number from 0 (any free port) to 65535")
        }
        let team = try TeamFiles(arguments)
        folder = FileManager.default.temporaryDirectory.appending(path: "daybook-inspect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            let path = folder.appending(path: "records.sqlite").path
            let store = try SQLiteStore(path: path)
            try await store.createViews(of: team.definitions)
            var rows: [RecordRow] = []
            let file = RecordFile(path: arguments.operands[0], warnings: warnings)
            try await file.forEachRecord { row, _ in rows.append(row) }
            for start in stride(from: 0, to: rows.count, by: Self.batch) {
                try await store.append(RecordBatch(rows: Array(rows[start..<min(start + Self.batch, rows.count)])))
            }
            let statements = try StoreAddress.statements("sqlite:" + path)
            let insightStatements = try StoreAddress.statements("sqlite:" + path, capacity: 1)
            let inspector = InspectorHandler(
                store: store, definitions: team.definitions, checklists: team.checklists, token: token, notices: notices
            ) {
                $0.links = team.links
                $0.coverage = team.coverage
                $0.statements = statements
                $0.statementLimits = .ofScreen(time: .seconds(10))
                $0.boards = team.boards
                $0.start = team.start.rawValue
                $0.insightStatements = insightStatements
            }
            server = HTTPServer(configuration: HTTPServerConfiguration(port: port), handler: inspector)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// The inspector's URL, once the server runs.
    var address: String { "http://\(server.endpoints.first ?? "")/#token=\(token.text)" }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
