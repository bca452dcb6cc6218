import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import Foundation
import Testing

@testable import DaybookCollector

@Suite(.temporaryDirectory) struct AlertFilesTests {
    private let tables = StatementTables(dialect: .sqlite)
    private let masking = MaskingPolicy()
    private let folder = TemporaryDirectory.current.path

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

    @Test("Writes an alert as a file and undoes it") func writesAndUndoesAlertFile() async throws {
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
        // The name is taken; a name with the same letters gets another file.
        #expect(text(await send(files, body: body)).contains("is taken by"))
        let other = await send(files, body: body.replacing("Payments fail", with: "Payments, fail"))
        #expect(text(other).contains("payments_fail_2.md"))
        #expect(await send(files, "/api/v1/alerts/undo").status == 200)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["payments_fail.md"])
        #expect(await send(files, "/api/v1/alerts/undo").status == 400)
    }

    @Test("Of concurrent alerts with one name, only one is written") func writesOneAlertPerName() async throws {
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<40 { group.addTask { await send(files, body: body).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + Array(repeating: 400, count: 39))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["payments_fail.md"])
    }

    @Test("Each undo removes only its own alert file") func undoRemovesOwnAlert() async throws {
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        // All have the same stem and so want the same file.
        let names = (1...20).map { String(repeating: "!", count: $0) + " Payments fail" }
        let answers = await withTaskGroup(of: (name: String, text: String).self) { group in
            for name in names {
                group.addTask { (name, text(await send(files, body: body.replacing("Payments fail", with: name)))) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 20)
        for answer in answers {
            guard case .object(let members)? = try? JSONReader.value(of: Array(answer.text.utf8)),
                case .object(let data)? = members["data"], let file = data["file"]?.text
            else {
                Issue.record("not written: \(answer.text)")
                continue
            }
            let written = try String(contentsOfFile: file, encoding: .utf8)
            #expect(AlertParser.parse(written, file: file).rules.map(\.name) == [answer.name])
            let wrong = #"{"file": "\#(file)", "version": "0"}"#
            #expect(await send(files, "/api/v1/alerts/undo", body: wrong).status == 409)
            let own = #"{"file": "\#(file)", "version": "\#(data["version"]?.text ?? "")"}"#
            #expect(await send(files, "/api/v1/alerts/undo", body: own).status == 200)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        let foreign = #"{"file": "/etc/hostname"}"#
        #expect(await send(files, "/api/v1/alerts/undo", body: foreign).status == 400)
    }

    /// What `daybook alerts check` would print for the file.
    @Test(
        "Warns of a doubtful condition but writes the alert",
        arguments: [
            ("level >= 'error'", true), ("level >= 17", false), ("duration > '3s'", true), ("tag = 'a.b'", false),
        ])
    func warnsOfDoubtfulCondition(_ condition: String, _ isTold: Bool) async throws {
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
        "Does not write an alert that the collector could not read",
        arguments: [
            ("value > 10", "value", "`when` takes"), ("5m", "5x", "`every` takes"),
            ("SELECT", "DELETE", "must begin with SELECT"),
            ("${HOOK}", "${GONE}", "the environment has no GONE"), ("${HOOK}", "mailto:a", "`notify` takes"),
            ("Call Ann.", "# Another", "The alert cannot be written"),
            ("Call Ann.", "- notify https://h.example", "The name and"),
            ("Payments fail", #"A\n# B"#, "one line each"), ("Payments fail", "", "“name” is empty"),
            ("\"every\"", "\"evry\"", "“evry” (did you mean every?)"),
        ])
    func refusesUnreadableAlert(_ part: String, _ wrong: String, _ message: String) async throws {
        let files = AlertFiles(
            folder: folder, secrets: try .holding(["HOOK": "http://127.0.0.1:9/"]), tables: tables, masking: masking)
        let response = await send(files, body: body.replacing(part, with: wrong))
        #expect(response.status == 400)
        #expect(text(response).contains(message), "\(text(response))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("Undo keeps an edited alert, and without a folder nothing is written") func undoSparesEditedAlert()
        async throws
    {
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
