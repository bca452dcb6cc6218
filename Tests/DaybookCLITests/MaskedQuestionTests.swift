import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// A key must not learn by asking what it may not see: two collectors whose records differ only in private values
/// answer a read key the same, on every route.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct MaskedQuestionTests {
    /// Streams, which send only record numbers; the page; and routes with a body, tested below.
    private static let unasked: Set = ["/api/v1/live", "/", "/assets/{file…}"]
    private static let definitions = Definitions.load([
        (path: "common.md", bytes: Array("# common\n\n- user_id: !integer? [private]\n- plan: !string 8?\n".utf8)),
        (
            path: "user.md",
            bytes: Array(
                """
                # user

                ## sign_up

                Signed up

                - mail: !string 8 [private]
                - age: !integer? [private]
                - title: !string 64?
                - told: !string 64?

                ## show

                Shown

                - mail: !string 64?

                """.utf8)
        ),
    ]).0

    /// A collector with a read key.
    private struct Collector {
        let handler: InspectorHandler
        let reader: HTTPHeaders = ["authorization": "Bearer reader"]
        let manager: HTTPHeaders

        init(_ store: any EventStore, _ items: String = "", persona: String = "") throws {
            let token = AccessToken()
            manager = ["authorization": "Bearer \(token.text)"]
            let checklist = try Checklist(
                markdown: """
                    # signs

                    \(persona)
                    - [ ] user.sign_up exactly 2 per mail
                    - [ ] user.sign_up
                        - title = "soup"
                    \(items)
                    """, file: "signs.md")
            handler = InspectorHandler(
                store: store, definitions: definitions, checklists: [checklist], token: token, notices: LiveNotices()
            ) {
                $0.routes = AlertsAPI(nil).routes
                $0.uptime = { .zero }
                $0.keys = { $0["authorization"] == "Bearer reader" ? .reading : nil }
            }
        }

        func answer(
            _ method: String, _ path: String, _ query: [(name: String, value: String)] = [], _ body: Value? = nil,
            by headers: HTTPHeaders
        ) async throws -> String {
            let head = HTTPRequest.Head(method: method, path: path, query: query, headers: headers)
            let text = body.map { Array(JSONWriter.text($0).utf8) } ?? []
            let answer = await handler.respond(to: HTTPRequest(head: head, body: text))
            guard case .bytes(let bytes) = answer.body else { return "\(answer.status)" }
            guard let value = try? JSONReader.value(of: bytes) else { return "\(answer.status) no JSON" }
            return "\(answer.status) \(JSONWriter.text(plain(value)))"
        }
    }

    /// An answer without what differs between processes: pseudonyms and durations.
    private static func plain(_ value: Value) -> Value {
        switch value {
        case .string(let text): return .string(text.replacing(/\[private [0-9a-f]{12}\]/, with: "[private]"))
        case .int(let number) where number < -1_000: return .string("[private]")
        case .array(let items): return .array(items.map(plain))
        case .object(let members):
            let kept = members.elements.filter { $0.key != "milliseconds" }
            return .object(Attributes(kept.map { ($0.key, $0.key == "values" ? sorted($0.value) : plain($0.value)) }))
        default: return value
        }
    }

    /// Counts by value, most frequent first, ties by text.
    private static func sorted(_ values: Value) -> Value {
        guard case .object(let fields) = values else { return plain(values) }
        return .object(
            Attributes(
                fields.elements.map { field in
                    guard case .array(let items) = plain(field.value) else { return (field.key, .null) }
                    return (field.key, .array(items.sorted { JSONWriter.text($0) < JSONWriter.text($1) }))
                }))
    }

    /// Items about columns of which some are private, in some or all records.
    private static func items(_ count: Int, _ random: inout SeededGenerator) -> [String] {
        (0..<count).map { number in
            func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
            let (tag, other) = (pick(["user.sign_up", "user.show", "user.*"]), pick(["user.sign_up", "user.**"]))
            let column = pick(["mail", "age", "user_id", "told", "body", "title", "plan"])
            let test =
                column + pick([" = \"bob\"", " = 17", " > 40", " matches /a/", " in (\"d\", 3)", " exists", " != 4"])
            return pick([
                "- [ ] \(tag) where \(test)", "- [ ] never \(tag) where \(test)", "- [ ] \(tag)\n    - \(test)",
                "- [ ] \(tag) exactly \(number + 1) per \(column)", "- [ ] \(tag) at least 20 where \(test)",
                "- [ ] \(tag) after \(other)(\(test))", "- [ ] \(tag) before \(other) joining \(column)",
                "- [ ] \(tag) exactly 1 until \(other)(\(test))",
                "- [ ] \(tag) each \(column) in (\"bob\", 3, \"soup\")",
                "1. [ ] \(tag) where \(test)\n2. [ ] \(other) at most 30\n3. [ ] \(tag)",
            ])
        }
    }

    /// Two stores with the same records except for private values; equal ones are equal in both.
    private static func collectors(
        _ random: inout SeededGenerator, items: String = "", persona: String = ""
    ) async throws -> [Collector] {
        let secrets = [
            ["ann@a.example", "bob", "egg soup", "4", "x\"y", "[redacted]", "a name of more than eight"],
            ["cyn@b.example", "d", "hunter2", "44", "plain", "token=abc", "{\"mail\":\"z\"}"],
        ]
        let numbers: [[Int64]] = [[3, 17, 1_000, 42], [4, 2_147_483_600, 7, 5]]
        var rows: [[RecordRow]] = [[], []]
        for number in 0..<60 {
            let (place, whole) = (Int.random(in: 0..<7, using: &random), Int.random(in: 0..<4, using: &random))
            let tag = ["user.sign_up", "user.show", "user.sing_up", "feed.tap"].randomElement(using: &random) ?? ""
            let title = ["soup", "egg", "stew"].randomElement(using: &random) ?? ""
            let form = Int.random(in: 0..<4, using: &random)
            for side in 0..<2 {
                let (secret, count) = (secrets[side][place], numbers[side][whole])
                var attributes: Attributes = ["title": .string(title), "age": .int(count)]
                attributes[["mail", "MAIL", "m ail", "ｍａｉｌ"][form]] = tag == "user.show" ? "open" : .string(secret)
                attributes["told"] = .string(secret)
                attributes["daybook.private"] = .array([.string("told")])
                attributes["body"] = .string(JSONWriter.text(["age": .int(count), "page": 3] as Attributes))
                var row = RecordRow(
                    uid: "0123456789abcdef0123456789abcdef0123456789abcdef-\(number)",
                    time: 1_795_168_931_000_000_000 + Int64(number) * 1_000_000_000, kind: .event, level: 9, tag: tag,
                    attributes: JSONWriter.text(.object(attributes)),
                    context: JSONWriter.text(
                        .object(["user_id": .int(count), "plan": "free", "service.version": "4.12.0"])))
                row.message = form == 0 ? "sent \(JSONWriter.text(["mail": .string(secret)] as Attributes))" : "sent"
                (row.session, row.installation) = ("s\(number % 4)", "i\(number % 2)")
                rows[side].append(row)
            }
        }
        var collectors: [Collector] = []
        for side in 0..<2 {
            let store = try SQLiteStore(path: TemporaryDirectory.current.file("\(side).sqlite"))
            try await store.append(RecordBatch(rows: rows[side]))
            try await store.createViews(of: definitions)
            collectors.append(try Collector(store, items, persona: persona))
        }
        return collectors
    }

    /// Values for a parameter by its name, some of them wrong.
    private static func value(_ name: String, _ random: inout SeededGenerator) -> String {
        func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
        let secret = pick([
            "ann@a.example", "bob", "d", "*a*", "hunter2", "4", "17", "private", "*", "egg", "soup", "stew", "open",
        ])
        let column = pick(["mail", "MAIL", "\"m ail\"", "age", "user_id", "told", "title", "body", "message", "plan"])
        return switch name {
        case "filter":
            pick([
                "\(column)=\(secret)", "\(column)>10", "\(column):1..50", "has:\(column)", secret,
                "-\(column)=\(secret)",
                "title=soup -\(secret)", "told=\(secret) OR title=egg", "session=s1 \(secret)", "\(column)=*\(secret)*",
            ])
        case "kind": pick(["event", "error", "x"])
        case "level": pick(["info", "error"])
        case "tag": pick(["user.*", "user.sign_up", "no"])
        case "session": pick(["s1", "s9"])
        case "installation": pick(["i0", "i9"])
        case "version", "against": pick(["4.12.0", "9"])
        case "since", "until", "received_before": pick(["2026-11-20", "2030-01-01", "1970-01-02"])
        case "violations":
            pick(["1", "missing_column", "wrong_type:mail", "out_of_range:mail", "out_of_range", "undefined_column"])
        case "own", "live": "1"
        case "fields":
            pick([
                "tag", "attributes.mail", "attributes.age,kind", "attributes.told", "attributes.title",
                "attributes.body",
            ])
        case "by": pick(["kind", "level", "tag", "attributes.mail", "attributes.title"])
        case "values": pick(["[\"\(secret)\"]", "[\"soup\",\"egg\"]"])
        case "order": pick(["newest", "oldest"])
        case "sort": pick(["time", "arrival"])
        case "form": pick(["stored", "markdown", "junit"])
        case "limit", "buckets": pick(["1", "7", "100"])
        case "after", "before", "arrived_after", "arrived_before": pick(["0", "13", "50"])
        case "search": pick([secret, "s1"])
        default: pick(["1", "x", secret])
        }
    }

    @Test("No route's answer depends on values that its reader cannot see") func routesHidePrivateValues() async throws
    {
        var random = SeededGenerator(seed: 12)
        let collectors = try await Self.collectors(&random)
        for route in collectors[0].handler.routes where route.methods == ["GET"] {
            let path = route.path.description
            guard !Self.unasked.contains(path) else { continue }
            let names = try #require(route.parameters, "\(path) takes any parameter").subtracting(["private"]).sorted()
            for attempt in 0..<(names.isEmpty ? 8 : 60) {
                var query: [(name: String, value: String)] = []
                for name in names where name == "filter" || Int.random(in: 0..<4, using: &random) == 0 {
                    if attempt > 0 { query.append((name, Self.value(name, &random))) }
                }
                let named = path.replacing("{id…}", with: "signs").replacing("{id}", with: "\(attempt + 1)")
                var answers: [String] = []
                for collector in collectors {
                    answers.append(try await collector.answer("GET", named, query, by: collector.reader))
                }
                #expect(answers[0] == answers[1], "\(named) \(query)")
            }
        }
    }

    /// An answer without what differs between runs.
    private static func timeless(_ answer: String) -> String {
        answer.replacing(/"(started|finished|time|uid|run)":"[^"]*"|signed off by Ann, [^`]*/, with: "")
    }

    /// Readers learn nothing of private values from verdicts or the frozen verdict of a sign-off; managers see all.
    @Test("DefinedEvents reveal no private values to readers", arguments: 0..<6) func verdictsHideValues(_ seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let persona = seed % 2 == 0 ? "| persona | user_id |\n|---|---|\n| one | 17 |\n\n" : ""
        let items = Self.items(12, &random).enumerated().map { "## part \($0.offset)\n\n\($0.element)\n" }
        let text = "\n" + items.joined(separator: "\n")
        let collectors = try await Self.collectors(&random, items: text, persona: persona)
        let who = persona.isEmpty ? [] : [(name: "persona", value: "one")]
        var (seen, whole): ([[String]], [[String]]) = ([], [])
        for collector in collectors {
            var answers: [[String]] = []
            let waivers = try await Self.waivers(collector, who)
            let body: Value = [
                "tester": "Ann", "persona": persona.isEmpty ? .null : "one", "waivers": .array(waivers),
            ]
            let signed = try await collector.answer(
                "POST", "/api/v1/checklists/signs/signoff", [], body, by: collector.manager)
            #expect(signed.hasPrefix("200"), "\(signed)")
            let asked: [(String, [(name: String, value: String)])] = [
                ("/api/v1/checklists", who), ("/api/v1/checklists", who + [("session", "s1")]),
                ("/api/v1/checklists", [("run", "61")]), ("/api/v1/checklists/signs/report", [("run", "61")]),
                ("/api/v1/checklists/signs/report", who), ("/api/v1/records/61", []), ("/api/v1/runs", []),
                ("/api/v1/records", [("kind", "run"), ("form", "stored")]),
                ("/api/v1/facets", [("fields", "attributes.failed,attributes.ok,attributes.waived")]),
            ]
            for headers in [collector.reader, collector.manager] {
                var all: [String] = []
                for (path, query) in asked {
                    all.append(Self.timeless(try await collector.answer("GET", path, query, by: headers)))
                }
                #expect(all.allSatisfy { $0.hasPrefix("200") }, "\(all.map { $0.prefix(200) })")
                answers.append(all)
            }
            seen.append(answers[0])
            whole.append(answers[1])
        }
        for (left, right) in zip(seen[0], seen[1]) { #expect(left == right) }
        #expect(seen[0][0].contains("compares_hidden") && !whole[0][0].contains("compares_hidden"))
        #expect(whole[0][0] != whole[1][0] && whole[0][2] != whole[1][2])
    }

    private static func waivers(
        _ collector: Collector, _ who: [(name: String, value: String)]
    ) async throws -> [Value] {
        let answer = try await collector.answer("GET", "/api/v1/checklists", who, by: collector.manager)
        struct Answer: Decodable {
            struct Data: Decodable { var checklists: [Checklist] }
            struct Checklist: Decodable { var scenarios: [Scenario] }
            struct Scenario: Decodable {
                var id: String
                var problem: String?
                var items: [Item]
            }
            struct Item: Decodable { var id, state: String }
            var data: Data
        }
        let data = try JSONDecoder().decode(Answer.self, from: Data(answer.dropFirst(4).utf8)).data
        let names = data.checklists.flatMap(\.scenarios).flatMap { scenario in
            (scenario.problem == nil ? [] : ["\(scenario.id)/0"])
                + scenario.items.filter { !["ok", "not_applicable"].contains($0.state) }.map {
                    "\(scenario.id)/\($0.id)"
                }
        }
        return names.map { ["item": .string($0), "reason": "known"] }
    }

    @Test(
        "No statement's result depends on values hidden from its reader",
        arguments: [
            "SELECT attributes, context, message FROM records ORDER BY id",
            "SELECT mail, age, user_id FROM user__sign_up",
            "SELECT count(*) AS n FROM records WHERE attributes LIKE '%ann@%'",
            "SELECT count(*) AS n FROM user__sign_up WHERE mail = 'bob' OR age = 17",
            "SELECT n, count(*) AS users FROM (SELECT count(*) AS n FROM user__sign_up GROUP BY mail) GROUP BY n ORDER BY n",
            "SELECT count(DISTINCT value) AS users FROM records AS r, json_each(r.context) WHERE key = 'user_id'",
            "SELECT id FROM records WHERE message LIKE '%ann%' OR json_extract(context, '$.user_id') = 1000 ORDER BY id",
        ])
    func statementsHideValues(_ sql: String) async throws {
        var random = SeededGenerator(seed: 13)
        var answers: [String] = []
        for collector in try await Self.collectors(&random) {
            answers.append(
                try await collector.answer("POST", "/api/v1/sql", [], ["sql": .string(sql)], by: collector.reader))
        }
        #expect(answers[0] == answers[1] && answers[0].hasPrefix("200"), "\(answers)")
    }

    @Test("Only those who may see private values get insights on them") func insightsHideValues() async throws {
        var random = SeededGenerator(seed: 14)
        let collector = try await Self.collectors(&random)[0]
        let insight: Value = ["insight": "user.sign_up(mail = \"bob\") -> user.show within 1h joining session"]
        let refused = try await collector.answer("POST", "/api/v1/insights", [], insight, by: collector.manager)
        #expect(refused.hasPrefix("400") && refused.contains("mail is private"), "\(refused)")
        let shown = [(name: "private", value: "show")]
        let begun = try await collector.answer("POST", "/api/v1/insights", shown, insight, by: collector.manager)
        #expect(begun.hasPrefix("200"), "\(begun)")
        for headers in [collector.reader, collector.manager] {
            let answer = try await collector.answer("GET", "/api/v1/insights/1", by: headers)
            #expect(answer.hasPrefix("404") && !answer.contains("bob"), "\(answer)")
        }
        #expect(try await collector.answer("DELETE", "/api/v1/insights/1", by: collector.manager).hasPrefix("404"))
        #expect(try await collector.answer("GET", "/api/v1/insights/1", shown, by: collector.reader).hasPrefix("403"))
        #expect(try await collector.answer("GET", "/api/v1/insights/1", shown, by: collector.manager).contains("bob"))
    }
}
