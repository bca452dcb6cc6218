import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookTools
import Foundation
import Testing

@testable import DaybookCollector

@Suite struct AlertFilesTests {
    private let tables = StatementTables(dialect: .sqlite)
    private let masking = MaskingPolicy()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "alerts-\(UUID().uuidString)").path

    private func prepare() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func send(_ files: AlertFiles, _ path: String = "/api/v1/alerts", body: String = "") async -> HTTPResponse {
        let head = HTTPRequest.Head(method: "POST", path: path, query: [], headers: [:])
        return await HTTPRouter(files.routes).respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
    }

    private func text(_ response: HTTPResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private let body = #"""
        {"name": "Payments fail", "sql": "SELECT count(*)\nFROM records", "every": "5m", "when": ["value > 10"],
         "for": "15m", "notify": ["${HOOK}"], "prose": "Call Ann."}
        """#

    @Test func anAlertBecomesAFileThatTheCollectorReadsAndIsTakenBack() async throws {
        try prepare()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        let response = await send(files, body: body)
        #expect(response.status == 200, "\(text(response))")
        let file = folder + "/payments_fail.md"
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(
            written == """
                # Payments fail

                Call Ann.

                ```sql
                SELECT count(*)
                FROM records
                ```

                - every 5m
                - when value > 10
                - for 15m
                - notify ${HOOK}

                """)
        let result = AlertParser.parse(written, file: file)
        #expect(result.problems == [])
        #expect(result.rules.map(\.conditionText) == ["value > 10 for 15m"])
        // The name is taken now; another of the same letters has a file of its own.
        #expect(text(await send(files, body: body)).contains("is taken by"))
        let other = await send(files, body: body.replacing("Payments fail", with: "Payments, fail"))
        #expect(text(other).contains("payments_fail_2.md"))
        #expect(await send(files, "/api/v1/alerts/undo").status == 200)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["payments_fail.md"])
        #expect(await send(files, "/api/v1/alerts/undo").status == 400)
    }

    /// What `daybook alerts check` would print of the file.
    @Test(arguments: [
        ("level >= 'error'", true), ("level >= 17", false), ("duration > '3s'", true), ("tag = 'a.b'", false),
    ])
    func whatTheStatementHardlyMeansIsToldAndWritten(_ condition: String, _ isTold: Bool) async throws {
        try prepare()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        let sql = #"SELECT count(*)\nFROM records WHERE \#(condition)"#
        let response = await send(files, body: body.replacing(#"SELECT count(*)\nFROM records"#, with: sql))
        #expect(response.status == 200, "\(text(response))")
        let rules = AlertParser.parse(
            try String(contentsOfFile: folder + "/payments_fail.md", encoding: .utf8), file: "payments_fail.md"
        ).rules
        let checked = rules.flatMap { $0.warnings(tables, masking: masking) }.map(\.message)
        #expect(checked.isEmpty == !isTold)
        guard case .object(let answer)? = try? JSONReader.value(of: Array(text(response).utf8)),
            case .object(let data)? = answer["data"], case .array(let warnings)? = data["warnings"]
        else {
            Issue.record("no warnings: \(text(response))")
            return
        }
        let told = warnings.compactMap { warning -> String? in
            guard case .object(let members) = warning else { return nil }
            #expect(members["line"] == .int(2))
            return members["message"]?.text
        }
        #expect(told == checked)
    }

    @Test(
        arguments: [
            ("value > 10", "value", "`when` takes"), ("5m", "5x", "`every` takes"),
            ("SELECT", "DELETE", "must begin with SELECT"),
            ("${HOOK}", "${GONE}", "the environment has no GONE"), ("${HOOK}", "mailto:a", "`notify` takes"),
            ("Call Ann.", "# Another", "The alert cannot be written"),
            ("Call Ann.", "- notify https://h.example", "The name and"),
            ("Payments fail", #"A\n# B"#, "one line each"), ("Payments fail", "", "“name” is empty"),
            ("\"every\"", "\"evry\"", "“evry” (did you mean every?)"),
        ])
    func whatTheCollectorCouldNotReadIsNotWritten(_ part: String, _ wrong: String, _ message: String) async throws {
        try prepare()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        let response = await send(files, body: body.replacing(part, with: wrong))
        #expect(response.status == 400)
        #expect(text(response).contains(message), "\(text(response))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test func anAlertThatSomebodyChangedStaysAndWithoutAFolderNothingIsWritten() async throws {
        try prepare()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        #expect(await send(files, body: body).status == 200)
        try "# Mine\n".write(toFile: folder + "/payments_fail.md", atomically: true, encoding: .utf8)
        #expect(text(await send(files, "/api/v1/alerts/undo")).contains("has been changed since"))
        #expect(try String(contentsOfFile: folder + "/payments_fail.md", encoding: .utf8) == "# Mine\n")
        let none = await send(AlertFiles(folder: nil, secrets: .none, tables: tables, masking: masking), body: body)
        #expect(text(none).contains("--alerts DIR"))
    }
}
