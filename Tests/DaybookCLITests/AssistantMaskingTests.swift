import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookInspector
import DaybookStore
import DaybookTestTraits
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// No assistant tool can tell apart two stores that differ only in private values, whatever its key allows.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AssistantMaskingTests {
    private let tool = Tool()

    /// Calls for each tool; `EMAIL` stands for a private value of one of the stores.
    private static let calls: [(tool: String, arguments: String)] = [
        ("search_records", #"{"filter":"ann1"}"#), ("search_records", #"{"filter":"email=EMAIL"}"#),
        ("search_records", #"{"filter":"email=*a*"}"#), ("search_records", #"{"filter":"-email=EMAIL"}"#),
        ("search_records", #"{"filter":"EMAIL"}"#), ("search_records", #"{"filter":"told=t1"}"#),
        ("search_records", #"{"filter":"n=1 email=EMAIL"}"#), ("search_records", "{}"),
        ("search_records", #"{"tag":"user.*","order":"oldest"}"#), ("get_record", #"{"id":1}"#),
        ("get_record", #"{"id":2}"#),
        ("query_sql", #"{"sql":"SELECT count(*) FROM records WHERE attributes LIKE '%ann%'"}"#),
        ("query_sql", #"{"sql":"SELECT count(*) FROM records WHERE attributes ->> 'email' = 'EMAIL'"}"#),
        ("query_sql", #"{"sql":"SELECT count(*) FROM records WHERE attributes ->> 'told' = 't1'"}"#),
        ("query_sql", #"{"sql":"SELECT tag, count(*) FROM records WHERE message LIKE '%ann%' GROUP BY 1"}"#),
        ("verify", "{}"), ("verify", #"{"checklist":"equal"}"#), ("verify", #"{"checklist":"told"}"#),
        ("verify", #"{"checklist":"equal","session":"s"}"#), ("verify", #"{"checklist":"equal","version":"1"}"#),
        ("coverage", "{}"), ("list_events", "{}"), ("get_event", #"{"tag":"user.login"}"#),
    ]

    private static let checklists = [
        (
            "equal",
            "- [ ] user.login where email = \"EMAIL\"\n- [ ] user.login exactly 1 per email\n- [ ] user.login at least 2"
        ),
        ("told", "- [ ] user.login where told = \"t1\"\n- [ ] never user.login where told = \"t2\""),
    ]

    private static let definitions =
        "# user\n\nUsers.\n\n## login\n\nSomebody logs in.\n\n- email: !string 64 [private]\n- n: !integer\n"

    /// An inspector over a store with these private values. Its token allows everything, `reader` what a read key does.
    private func inspector(
        _ tool: Tool, _ emails: [String], _ told: String
    ) async throws -> (handler: InspectorHandler, token: String) {
        let store = try SQLiteStore(path: tool.directory.appending(path: "\(UUID().uuidString).sqlite").path)
        let rows = emails.enumerated().map { number, email in
            RecordRow.event(
                "\(number)", #"{"email":"\#(email)","told":"\#(told)","n":\#(number),"daybook.private":["told"]}"#)
        }
        try await store.append(RecordBatch(rows: rows))
        try tool.write(Self.definitions, to: "definitions/user.md")
        let definitions = try DefinitionsSource(tool.directory.appending(path: "definitions").path).soundDefinitions()
        let checklists = try Self.checklists.map { name, items in
            try Checklist(
                markdown: "# \(name)\n\n## all\n\(items.replacing("EMAIL", with: "ann1@example.com"))\n",
                file: "\(name).md")
        }
        let token = AccessToken()
        let handler = InspectorHandler(
            store: store, definitions: definitions, checklists: checklists, token: token, notices: LiveNotices()
        ) {
            $0.keys = { $0["authorization"] == "Bearer reader" ? .reading : nil }
        }
        return (handler, token.text)
    }

    private func answer(_ handler: InspectorHandler, _ key: String, _ call: (tool: String, arguments: String)) async
        -> String
    {
        let arguments = call.arguments.replacing("EMAIL", with: "ann1@example.com")
        let body =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(call.tool)","arguments":\#(arguments)}}"#
        let head = HTTPRequest.Head(method: "POST", path: "/mcp", headers: ["authorization": "Bearer \(key)"])
        let response = await AssistantHandler(inspector: handler).respond(
            to: HTTPRequest(head: head, body: Array(body.utf8)))
        guard case .bytes(let bytes) = response.body else { return "" }
        // Each process has its own key for pseudonyms.
        return String(decoding: bytes, as: UTF8.self).replacing(/\[private [0-9a-f]+\]/, with: "[private …]")
            .replacing(/milliseconds\\*":\d+/, with: "")
    }

    @Test("No assistant tool reveals private values, whatever the key") func toolsHidePrivateValues() async throws {
        let one = try await inspector(tool, ["ann1@example.com", "bob2@example.com"], "t1")
        let other = try await inspector(tool, ["eve3@example.com", "eve3@example.com"], "t2")
        #expect(Set(Self.calls.map(\.tool)) == Set(AssistantTools.all.map(\.name)))
        for call in Self.calls {
            let answers = [
                await answer(one.handler, one.token, call), await answer(one.handler, "reader", call),
                await answer(other.handler, other.token, call), await answer(other.handler, "reader", call),
            ]
            #expect(Set(answers).count == 1, "\(call): \(answers)")
            #expect(!answers[0].contains("does not know this key"), "\(answers[0])")
        }
        let verdict = await answer(one.handler, one.token, ("verify", #"{"checklist":"equal"}"#))
        #expect(verdict.contains("not_judged"), "\(verdict)")
    }

    /// Only assistants get masked verdicts: managers see private values.
    @Test("Managers see private values unless they ask as an assistant") func managersSeePrivateValues() async throws {
        let (handler, token) = try await inspector(tool, ["ann1@example.com"], "t1")
        for (fields, isTold) in [([:], true), ([Credentials.readingField: "only"], false)] as [(HTTPHeaders, Bool)] {
            var head = HTTPRequest.Head(method: "GET", path: "/api/v1/checklists", headers: fields)
            head.headers["authorization"] = "Bearer \(token)"
            var text = ""
            try await eventually("the records are judged") {
                guard case .bytes(let bytes) = await handler.respond(to: HTTPRequest(head: head)).body else {
                    return false
                }
                text = String(decoding: bytes, as: UTF8.self)
                return text.contains(#""judged":1"#)
            }
            #expect(text.contains("whose values are hidden") != isTold, "\(text)")
            let shown = HTTPRequest.Head(
                method: "GET", path: "/api/v1/records", query: [("private", "show")], headers: head.headers)
            #expect(await handler.respond(to: HTTPRequest(head: shown)).status == (isTold ? 200 : 403))
        }
    }
}

extension RecordRow {
    fileprivate static func event(_ uid: String, _ attributes: String) -> RecordRow {
        var row = RecordRow(uid: uid, time: 1_795_168_931_000_000_000, kind: .event, level: 9, tag: "user.login")
        (row.attributes, row.context, row.session) = (attributes, #"{"service.version":"1"}"#, "s")
        return row
    }
}
