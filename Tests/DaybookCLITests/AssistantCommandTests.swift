import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// Messages byte for byte as assistants' clients write them.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AssistantCommandTests {
    private let tool = Tool()

    /// The answers to messages, ordered by ID.
    private func answers(_ messages: [String], mark: String = "") async throws -> [String] {
        let store = try SQLiteStore(path: tool.directory.appending(path: "s.sqlite").path)
        let now = Int64(Date.now.timeIntervalSince1970) * 1_000_000_000
        let rows = (1...9).map {
            RecordRow(uid: "\($0)", time: now, kind: .event, level: 9, tag: "feed.show", attributes: "{\"n\":\($0)}")
        }
        try await store.append(RecordBatch(rows: rows))
        await store.close()
        let result = try await tool.run(
            "mcp", "--store", "s.sqlite", input: mark + messages.joined(separator: "\n") + "\n")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// The results of calls, each with its message's ID.
    private func results(_ calls: [String]) async throws -> [(text: String, isError: Bool)] {
        let messages = calls.enumerated().map {
            #"{"jsonrpc":"2.0","id":\#($0),"method":"tools/call","params":\#($1)}"#
        }
        let answers = try await answers(messages).map {
            try Value(json: $0)
        }
        #expect(answers.count == calls.count)
        return try answers.sorted { ($0["id"].int ?? 0) < ($1["id"].int ?? 0) }.map { answer in
            guard let result = answer["result"] else { return ("\(answer["error"] ?? "")", true) }
            let content = try #require(result["content"].list)
            // A statement's duration varies.
            let text = (content[0]["text"].text ?? "").replacing(/"milliseconds":\d+/, with: "")
            return (text, result["isError"] == true)
        }
    }

    @Test("No message is lost, even after one that is too long") func losesNoMessage() async throws {
        try tool.write("{\"tag\":\"feed.show\"}\n", to: "records.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "records.ndjson").status == 0)
        let long = String(repeating: "x", count: AssistantServer.messageLimit + 1)
        let pings = (1...3).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"ping"}"# }
        // An overlong line is skipped, and the last may lack a line feed.
        let input = [pings[0], long, pings[1], "", pings[2]].joined(separator: "\n")
        let result = try await tool.run("mcp", "--store", "s.sqlite", input: input)
        let answers = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0 && answers.count == 4, "\(result)")
        for id in 1...3 { #expect(answers.contains(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)) }
        #expect(answers.contains { $0.contains("-32700") && $0.contains("A message has at most 1048576 bytes.") })
    }

    @Test("Splits lines the same for chunks of any size", arguments: [1, 2, 3, 5, 100]) func splitsLinesInAnyChunks(
        size: Int
    ) {
        let input = Array("a\n\n \r\nbbbb\nccccc\ndddddddd\ne\n\nff".utf8)
        var lines = AssistantLines(limit: 4)
        var found: [AssistantLines.Line] = []
        for start in stride(from: 0, to: input.count, by: size) {
            found += lines.add(input[start..<min(input.count, start + size)])
        }
        if let last = lines.end() { found.append(last) }
        let texts = ["a", "bbbb", nil, nil, "e", "ff"]
        #expect(found == texts.map { $0.map { .message(Array($0.utf8)) } ?? .tooLong })
    }

    @Test("An unreadable message is explained under its ID") func explainsUnreadableMessage() async throws {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let unreadable = [
            ("1e400", "a number out of range"), (deep, "arrays and objects nest too deep"), ("nul", "an unknown word"),
        ]
        for (value, reason) in unreadable {
            let found = try await answers([
                #"{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":\#(value)}}"#,
                #"{"jsonrpc":"2.0","method":"ping","params":{"x":\#(value)},"id":18446744073709551616}"#,
            ])
            for id in [#""a""#, "18446744073709551616"] {
                let head = #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32700,"#
                #expect(found.contains { $0.hasPrefix(head) && $0.contains(reason) }, "\(value): \(found)")
            }
        }
        for (message, reason) in [("5", "a message is one JSON object"), ("{\"id\":1", "\\\"}\\\" is expected")] {
            #expect(try await answers([message])[0].contains(reason), "\(message)")
        }
    }

    @Test("A batch is answered as one array") func answersBatchTogether() async throws {
        func ping(_ id: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"# }
        func pong(_ id: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"# }
        let note = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        let found = try await answers([
            "[\(ping("1")), \(note),\(ping("18446744073709551616"))]", "[\(note)]", " [ \(ping("2")) , 5]",
        ])
        #expect(found.count == 2, "\(found)")
        #expect(found.contains("[\(pong("1")),\(pong("18446744073709551616"))]"))
        #expect(found.contains { $0.hasPrefix("[\(pong("2")),") && $0.contains("a message is one JSON object") })
        for batch in ["[]", "[" + Array(repeating: ping("1"), count: 101).joined(separator: ",") + "]"] {
            let answer = try await answers([batch])
            #expect(answer.count == 1 && answer[0].contains("-32600") && answer[0].contains("1 to 100 messages"))
        }
        #expect(try await answers(["[\(ping("1"))"])[0].contains("-32700"))
    }

    @Test("Rejects a number out of range and names the range") func namesNumberRange() async throws {
        let calls = [("search_records", "", 100), ("query_sql", #""sql":"SELECT 1","#, 500)].flatMap {
            tool, rest, most in
            [-3, 0, most + 1].map { ($0, most, #"{"name":"\#(tool)","arguments":{\#(rest)"limit":\#($0)}}"#) }
        }
        for (call, result) in zip(calls, try await results(calls.map(\.2))) {
            let words = "`limit` is a number from 1 to \(call.1), not \(call.0)."
            #expect(result.isError && result.text == words, "\(call.2): \(result)")
        }
    }

    /// As the dictionary's own search: width, case and kana do not matter, and every word must match.
    @Test(
        "Finds events whatever the width, case or kana",
        arguments: [
            ("レシピ", true), ("ﾚｼﾋﾟ", true), ("れしぴ", true), ("ＳＨＯＷ", true), ("show ﾚｼﾋﾟ", true), ("レシピ　recipe", true),
            ("れしび", false), ("show egg", false), (" ", true),
        ])
    func findsEventsInAnyKana(_ words: String, _ isFound: Bool) async throws {
        try tool.write("{\"tag\":\"recipe.show\"}\n", to: "records.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "records.ndjson").status == 0)
        try tool.write("# recipe\n\nA recipe.\n\n## show\n\nレシピを開いた\n", to: "definitions/recipe.md")
        let call =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_events","arguments":{"search":"\#(words)"}}}"#
        let result = try await tool.run("mcp", "--store", "s.sqlite", "--definitions", "definitions", input: call)
        #expect(result.output.contains("recipe.show") == isFound, "\(result)")
    }

    @Test("Truncates the texts of a row that is too large", arguments: [1, 60, 400])
    func truncatesLargeRow(columns: Int) async throws {
        let text = "replace(hex(zeroblob(\(100_000 / columns))), '0', 'x')"
        let list = (["7 AS number"] + (1...columns).map { "\(text) AS c\($0)" }).joined(separator: ", ")
        let found = try await results([
            #"{"name":"query_sql","arguments":{"sql":"SELECT \#(list) UNION ALL SELECT \#(list)"}}"#
        ])
        #expect(
            !found[0].isError && found[0].text.utf8.count <= AssistantTools.answerLimit, "\(found[0].text.prefix(200))")
        guard
            case .object(let answer)? = try? JSONReader.value(of: Array(found[0].text.replacing(",,", with: ",").utf8)),
            case .array(let rows)? = answer["rows"], case .array(let cells)? = rows.first
        else {
            Issue.record("no row: \(found[0].text.prefix(200))")
            return
        }
        #expect(rows.count == 1 && cells.count == columns + 1 && cells[0] == .int(7))
        #expect(cells.dropFirst().allSatisfy { $0.text?.hasSuffix("…") == true })
        #expect(answer["truncated"] == .bool(true) && answer["cut"]?.text?.contains("larger than an answer") == true)
    }

    @Test("A verdict without records is that nothing was judged") func noRecordIsNothingJudged() async throws {
        try tool.write("{\"tag\":\"feed.show\"}\n", to: "records.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "records.ndjson").status == 0)
        try tool.write("# Feed\n- [ ] feed.show\n- [ ] never feed.fail\n", to: "lists/feed.md")
        for arguments in [#"{"version":"9.9.9"}"#, #"{"checklist":"feed","session":"none"}"#] {
            let call =
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"verify","arguments":\#(arguments)}}"#
            let answer = try await tool.run("mcp", "--store", "s.sqlite", "--checklists", "lists", input: call).output
                .replacing("\\\"", with: "\"")
            #expect(answer.contains(#""passed":false,"result":"nothing_judged","judged":0"#), "\(answer)")
        }
    }

    @Test("A verdict says why a scenario failed or was not judged") func verdictGivesReasons() async throws {
        try tool.write(#"{"tag":"feed.offer","context":{"plan":"paid"}}"# + "\n", to: "records.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "records.ndjson").status == 0)
        let table = "| persona | plan |\n|---|---|\n| new | free |\n"
        try tool.write("# Plans\n\n\(table)\n## Offers\n- [ ] feed.offer\n", to: "lists/plans.md")
        try tool.write("# Manual\n\n## Looks\n- [ ] It looks fine\n", to: "lists/manual.md")
        func verify(_ arguments: String) async throws -> String {
            let call =
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"verify","arguments":\#(arguments)}}"#
            return try await tool.run("mcp", "--store", "s.sqlite", "--checklists", "lists", input: call).output
                .replacing("\\\"", with: "\"")
        }
        let problem = #"{"scenario":"Offers","problem":"the records are not of persona"#
        for arguments in [#"{"persona":"new"}"#, #"{"persona":"new","checklist":"plans"}"#] {
            let answer = try await verify(arguments)
            #expect(
                answer.contains(problem) && answer.contains(#""passed":false,"result":"failed","judged":1"#),
                "\(answer)")
        }
        for arguments in ["{}", #"{"checklist":"manual"}"#] {
            let answer = try await verify(arguments)
            #expect(answer.contains(#""passed":false,"result":"nothing_judged","judged":0"#), "\(answer)")
        }
        for arguments in [#"{"persona":"nobody"}"#, #"{"persona":"nobody","checklist":"plans"}"#] {
            let answer = try await verify(arguments)
            #expect(
                answer.contains(#""isError":true"#) && answer.contains("no persona is called `nobody`"), "\(answer)")
        }
        let other = try await verify(#"{"persona":"new","checklist":"manual"}"#)
        #expect(other.contains(#""isError":true"#) && other.contains("no table of personas"), "\(other)")
    }

    private static let spellings = [
        "5", "5.0", "5e0", "0.5e1", "50e-1", #""5""#, #"" 5 ""#, #""5.0""#, #""5e0""#, #""+5""#,
    ]

    @Test("Understands a number however it is written") func readsNumberSpellings() async throws {
        let calls = Self.spellings.flatMap {
            [
                #"{"name":"get_record","arguments":{"id":\#($0)}}"#,
                #"{"name":"search_records","arguments":{"limit":\#($0),"order":"oldest"}}"#,
                #"{"name":"search_records","arguments":{"after":\#($0)}}"#,
                #"{"name":"query_sql","arguments":{"sql":"SELECT id FROM records","limit":\#($0)}}"#,
            ]
        }
        let found = try await results(calls)
        for (index, result) in found.enumerated() {
            #expect(!result.isError && result.text == found[index % 4].text, "\(calls[index]): \(result)")
        }
        #expect(found[0].text.contains(#""id":5"#))
        #expect(found[1].text.components(separatedBy: #""tag""#).count == 6)
    }

    @Test("A `null` argument counts as absent") func nullMeansAbsent() async throws {
        let required = [
            "get_record": #""id":1,"#, "query_sql": #""sql":"SELECT 1","#, "get_event": #""tag":"a.b","#,
        ]
        // Optional arguments behave as if absent; required ones are reported.
        var same: [[String]] = []
        var needs: [(name: String, call: String)] = []
        for tool in AssistantTools.all {
            let given = required[tool.name] ?? ""
            func call(_ arguments: some StringProtocol) -> String {
                #"{"name":"\#(tool.name)","arguments":{\#(arguments)}}"#
            }
            let optional = tool.parameters.filter { !$0.isRequired }
            same.append([call(given.dropLast())] + optional.map { call(given + "\"\($0.name)\":null") })
            for parameter in tool.parameters where parameter.isRequired {
                for value in ["null", "\"\""] where value == "null" || parameter.type == .integer {
                    needs.append((parameter.name, call("\"\(parameter.name)\":\(value)")))
                }
            }
        }
        var found = try await results(same.flatMap(\.self) + needs.map(\.call))[...]
        for calls in same {
            for (call, result) in zip(calls, found) { #expect(result == found[found.startIndex], "\(call)") }
            found = found.dropFirst(calls.count)
        }
        for ((name, call), result) in zip(needs, found) {
            #expect(result.isError && result.text.contains("needs `\(name)`"), "\(call): \(result)")
        }
        #expect(found.count == needs.count && !needs.isEmpty)
    }

    @Test("Rejects an argument of the wrong type by name") func namesBadArgument() async throws {
        let wrong: [AssistantTool.Parameter.Kind: [String]] = [
            .integer: [
                "5.5", "true", "[5]", "{}", #""five""#, #""5.5""#, #""0x5""#, #""inf""#, "1e30", "9007199254740993.0",
                "99999999999999999999",
            ],
            .text: ["5.5", "true", "[\"a\"]", "{}"],
            .list: ["5", "true", "{}", "[1]"],
        ]
        var calls: [(name: String, call: String)] = []
        for tool in AssistantTools.all {
            for parameter in tool.parameters {
                for value in wrong[parameter.type] ?? [] {
                    let call = #"{"name":"\#(tool.name)","arguments":{"\#(parameter.name)":\#(value)}}"#
                    calls.append((parameter.name, call))
                }
            }
        }
        for ((name, call), result) in zip(calls, try await results(calls.map(\.call))) {
            #expect(result.isError && result.text.contains("`\(name)` is "), "\(call): \(result)")
        }
    }

    @Test("Arguments may be an object or its JSON text") func readsArgumentsAsText() async throws {
        func search(_ arguments: [String]) async throws -> [(text: String, isError: Bool)] {
            try await results(arguments.map { #"{"name":"search_records","arguments":\#($0)}"# })
        }
        let all = try await search(["{}", "null", "[]", #""""#, #""{}""#])
        for result in all { #expect(!result.isError && result == all[0]) }
        let two = try await search([#"{"limit":2}"#, #""{\"limit\": 2}""#])
        #expect(!two[0].isError && two[0] == two[1])
        for result in try await search(["5", #""x""#, "[1]"]) {
            #expect(result.isError && result.text.contains("`arguments` is an object"))
        }
        let lists = [
            #""event,error""#, #""event, error""#, #"" event ,error ""#, #"["event","error"]"#,
            #""[\"event\", \"error\"]""#,
        ]
        let kinds = try await search(lists.map { #"{"kind":\#($0)}"# })
        for result in kinds { #expect(!result.isError && result == kinds[0]) }
    }

    @Test("Reads record IDs beyond the precision of a double") func readsLargeRecordIDs() async throws {
        let found = try await results(
            [#"9223372036854775807"#, #""9223372036854775807""#].map {
                #"{"name":"get_record","arguments":{"id":\#($0)}}"#
            })
        #expect(found[0] == found[1] && found[0].isError && found[0].text.contains("9223372036854775807"), "\(found)")
    }

    @Test("Returns a message's ID exactly as it was sent") func echoesMessageID() async throws {
        let ids = [
            "1", "0", "-1", "9007199254740993", "18446744073709551616", String(repeating: "9", count: 400), "1.0",
            "1.50", "1e2",
            "-0", #""a""#, #""""#, #""\u0041\/é""#, #""9007199254740993""#,
        ]
        for method in ["ping", "nothing"] {
            let found = try await answers(ids.map { #"{"method":"\#(method)", "id" : \#($0) ,"jsonrpc":"2.0"}"# })
            #expect(found.count == ids.count)
            for id in ids {
                let head = #"{"jsonrpc":"2.0","id":"# + id + ","
                #expect(found.contains { $0.hasPrefix(head) }, "\(id): \(found)")
            }
        }
    }

    @Test("Does not answer notifications and rejects invalid IDs") func ignoresNotifications() async throws {
        let found = try await answers([
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"ping","id":null}"#,
            #"{"jsonrpc":"2.0","method":"ping","id":{"id":1}}"#, #"{"jsonrpc":"2.0","method":"ping","id":true}"#, "{",
        ])
        #expect(found.filter { $0.contains(#""id":null"#) && $0.contains("-32600") }.count == 3, "\(found)")
        #expect(found.filter { $0.contains("-32700") }.count == 1 && found.count == 4)
    }

    @Test("Skips a byte order mark before the first message") func skipsAssistantBOM() async throws {
        let found = try await answers(
            [#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#],
            mark: "\u{FEFF}")
        #expect(Set(found) == [#"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":2,"result":{}}"#])
    }
}
