import Daybook
import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookInspector
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

/// Every way of judging a run gives the same verdict, whatever the records and checklist, even if nothing is judged:
/// the page, the API, `daybook verify` on an export, an expectation in a test, JUnit and Markdown reports, a sign-off,
/// and a watch in production.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AgreementTests {
    private static let tags = ["a.x", "a.y", "b.x"]
    /// The collector's own tags, which are judged only if an item names them.
    private static let own = ["daybook.alert", "daybook.violation"]
    private static let tests = ["c = 1", "c != 2", "d > 1", "d exists", "d absent", #"plan = "free""#, "_level >= 9"]

    private static func item(_ random: inout SeededGenerator) -> String {
        if random.chance(8) { return "Look at the screen" }
        if random.chance(35) { return random.pick(tags + ["**"]) }
        let event = random.chance(8) ? random.pick(own + ["daybook.**"]) : random.pick(tags + ["a.*", "**"])
        let when = random.chance(25) ? " when plan = \"\(random.pick(["free", "paid"]))\"" : ""
        if random.chance(20) {
            return "never \(event)" + (random.chance(60) ? " after \(random.pick(tags))" : "") + when
        }
        var clauses = random.chance(40) ? [" where \(random.pick(tests))"] : []
        if random.chance(50) {
            clauses.append(" \(random.pick(["exactly", "at least", "at most"])) \(random.pick([1, 2]))")
        }
        if random.chance(30) { clauses.append(" per c") }
        if random.chance(20) { clauses.append(" until \(random.pick(tags))") }
        if random.chance(30) { clauses.append(" after \(random.pick(tags))" + (random.chance(50) ? " within 3s" : "")) }
        let nested = random.chance(35) ? "\n    - \(random.pick(tests))\n    - \(random.pick(tests))" : ""
        return event + clauses.joined() + when + nested
    }

    private static func checklist(_ random: inout SeededGenerator) -> String {
        let isManual = random.chance(6)
        var lines = ["# trial", "", "| persona | plan |", "|---|---|", "| free | free |", "| paid | paid |"]
        for scenario in ["one", "two"] {
            lines += ["", "## \(scenario)"]
            let isNumbered = random.chance(30)
            for number in 1...Int.random(in: 1...3, using: &random) {
                lines.append(
                    (isNumbered ? "\(number). [ ] " : "- [ ] ") + (isManual ? "Look at the screen" : item(&random)))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rows(_ random: inout SeededGenerator, plan: String, trial: Int) -> [RecordRow] {
        var time: Int64 = 1_795_166_531_000_000_000
        return (0..<Int.random(in: 0...10, using: &random)).map { index in
            time += Int64.random(in: 0...2, using: &random) * 1_000_000_000
            var attributes = random.chance(80) ? ["\"c\":\(random.pick(["1", "2", "1.0"]))"] : []
            if random.chance(70) { attributes.append("\"d\":\(random.pick(["1", "2.5", "null", "\"2\"", "[1]"]))") }
            var row = RecordRow(
                uid: "trial-\(trial)-\(index)", time: time, kind: .event, level: random.pick([5, 9, 17]),
                tag: random.pick(random.chance(15) ? own : tags), attributes: "{\(attributes.joined(separator: ","))}")
            row.context = random.chance(85) ? "{\"plan\":\"\(random.chance(95) ? plan : "paid")\"}" : "{}"
            row.installation = random.pick(["i-1", "i-1", "i-2", nil])
            row.session = random.pick(["s-1", "s-2"])
            return row
        }
    }

    @Test("Five ways of judging a checklist give the same verdict", arguments: 1...4 as ClosedRange<UInt64>)
    func verdictsAgree(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var outcomes: [ChecklistResult: Int] = [:]
        let trials = TestLength.trials(30, long: 200)
        for trial in 0..<trials {
            let markdown = Self.checklist(&random)
            // Some draws are no checklist: a `never` item, for example, has no records to test.
            guard let checklist = try? Checklist(markdown: markdown, file: "trial.md") else { continue }
            let persona = random.pick(["free", "paid"])
            let scope = random.chance(40) ? "i-1" : nil
            let rows = Self.rows(&random, plan: persona, trial: trial)
            let bench = AgreementBench(checklist)
            let (run, stranger) = (try await bench.start(persona, scope), try await bench.start("free", "i-2"))
            try await bench.store.append(RecordBatch(rows: rows))
            try await bench.finish(run)
            // Later records and another tester's run make no difference.
            try await bench.store.append(RecordBatch(rows: Self.rows(&random, plan: "free", trial: -1 - trial)))
            try await bench.finish(stranger)

            let own = rows.filter { scope == nil || $0.installation == scope }
            let page = try await bench.page(run)
            let api = try await bench.verdict(run)
            let comment =
                "seed \(seed), trial \(trial), \(persona):\n\(markdown)\n\(own.map(RecordLine.text).joined(separator: "\n"))"
            #expect(page == api, "page and API, \(comment)")
            #expect(try await bench.verify(run) == page, "verify, \(comment)")
            #expect(try Self.expected(checklist, persona, own) == (page.result == .passed), "test product, \(comment)")
            #expect(try await bench.reported(run, page.problems) == page.result, "JUnit and Markdown, \(comment)")
            // A watch skips the records of other personas, and silence is a result; with this persona's records only,
            // it agrees.
            let isSilent = own.allSatisfy { OwnRecords.have($0.tag) }
            if !isSilent, page.problems.allSatisfy({ $0 == nil }) {
                // In a window a column may be rare, so it judges an item that the run does not.
                let unjudged = page.items(of: checklist, "not_judged")
                let watched = try await Self.watched(checklist, persona, own).filter { !unjudged.contains($0) }
                #expect(watched == page.items(of: checklist, "failed"), "watch, \(comment)")
            }
            #expect(try await bench.signed(run, page) == page, "sign-off, \(comment)")
            outcomes[page.result, default: 0] += 1
        }
        // Trials with only one outcome would prove nothing.
        #expect(outcomes.count == 3, "\(outcomes)")
    }

    /// Whether the test product's expectation holds.
    private static func expected(_ checklist: Checklist, _ persona: String, _ rows: [RecordRow]) throws -> Bool {
        let records = RecordedRecords(try rows.map { try Self.record($0) })
        do {
            try records.expect(checklist, persona: persona)
            return true
        } catch is ExpectationFailure {
            return false
        }
    }

    /// The record as an app's own process sees it.
    private static func record(_ row: RecordRow) throws -> Record {
        func members(_ text: String) throws -> Attributes {
            guard case .object(let members) = try JSONReader.value(of: Array(text.utf8)) else { return [:] }
            return members
        }
        var record = Record(
            time: row.time, kind: .event, level: try #require(Level(rawValue: UInt8(row.level))), tag: row.tag,
            attributes: try members(row.attributes))
        record.context = try members(row.context)
        if let session = row.session { record.context["session.id"] = .string(session) }
        if let installation = row.installation { record.context["app.installation.id"] = .string(installation) }
        return record
    }

    /// The items that a watch finds unfulfilled in a window with all records.
    private static func watched(_ checklist: Checklist, _ persona: String, _ rows: [RecordRow]) async throws -> [String]
    {
        let store = MemoryStore()
        try await store.append(RecordBatch(rows: rows))
        let text = "# A\n- checklist trial.md\n- persona \(persona)\n- every 10m\n- over 10m\n"
        let parsed = AlertParser.parse(text, file: "a.md") { ($0, checklist.source) }
        // A checklist of manual steps watches nothing.
        guard let rule = parsed.rules.first else { return [] }
        let end = (rows.last?.time ?? 1_795_166_531_000_000_000) + 1_000_000_000
        return await AlertTrial.run(rule, in: store, at: max(end, 1_795_166_531_000_000_000 + 600_000_000_000))
            .filter(\.isTrouble).compactMap { trial in
                guard case .string(let label)? = trial.members["label"] else { return nil }
                return label
            }.sorted()
    }
}

/// One way's result for a run: each item's state, why scenarios failed as a whole, and the overall verdict.
private struct Answer: Equatable, CustomStringConvertible {
    var states: [[String]]
    var problems: [String?]
    var result: ChecklistResult
    var judged: Int

    var description: String { "\(result) \(judged) \(states) \(problems.compactMap(\.self))" }

    /// The items in a state, named as a watch names them.
    func items(of checklist: Checklist, _ wanted: String) -> [String] {
        let judged = checklist.scenarios.filter { $0.items.contains { $0.content != .manual } }
        var labels: Set<String> = []
        for (scenario, states) in zip(checklist.scenarios, states) {
            for (item, state) in zip(scenario.items, states) where state == wanted {
                labels.insert(judged.count == 1 ? item.text : "\(scenario.name) / \(item.text)")
            }
        }
        return labels.sorted()
    }
}

/// A store with an inspector over it, and its export.
private struct AgreementBench {
    let store = MemoryStore()
    private let checklist: Checklist
    private let handler: InspectorHandler
    private let token = AccessToken()

    init(_ checklist: Checklist) {
        self.checklist = checklist
        handler = InspectorHandler(
            store: store, definitions: Definitions(), checklists: [checklist], token: token, notices: LiveNotices())
    }

    private func ask(
        _ method: String, _ path: String, _ query: [(name: String, value: String)] = [], body: String = ""
    ) async throws -> Value {
        let head = HTTPRequest.Head(
            method: method, path: "/api/v1/" + path, query: query,
            headers: ["authorization": "Bearer \(token.text)"])
        let answer = await handler.respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
        guard case .bytes(let bytes) = answer.body else { return [:] }
        let object = try JSONReader.value(of: bytes)
        return try #require(object["data"] ?? object["error"], "\(object)")
    }

    func start(_ persona: String, _ installation: String?) async throws -> Int {
        let device = installation.map { ", \"installation\": \"\($0)\"" } ?? ""
        let body = "{\"checklist\": \"trial\", \"persona\": \"\(persona)\"\(device)}"
        return try #require(try await ask("POST", "runs/start", body: body)["id"].int)
    }

    func finish(_ run: Int) async throws { _ = try await ask("POST", "runs/\(run)/finish") }

    func page(_ run: Int) async throws -> Answer {
        let data = try await ask("GET", "checklists", [("run", "\(run)")])
        return try answer(#require(data["checklists"][0]))
    }

    func verdict(_ run: Int) async throws -> Answer { try answer(await ask("GET", "runs/\(run)/verdict")) }

    private func answer(_ data: Value) throws -> Answer {
        let scenarios = try #require(data["scenarios"].list)
        return Answer(
            states: scenarios.map { ($0["items"].list ?? []).compactMap { $0["state"].text } },
            problems: scenarios.map { $0["problem"].text },
            result: try #require(data["result"].text.flatMap(ChecklistResult.init)),
            judged: try #require(data["judged"].int))
    }

    /// The result in the reports that the page saves; both include what fails a scenario as a whole.
    func reported(_ run: Int, _ problems: [String?]) async throws -> ChecklistResult {
        let (junit, markdown) = try await reports(run)
        #expect(junit.contains("<error ") == markdown.contains("**Nothing judged.**"))
        expect(problems, in: junit, markdown, as: "")
        if junit.contains("<error ") { return .nothingJudged }
        return junit.contains("<failure ") ? .failed : .passed
    }

    private func reports(_ run: Int) async throws -> (junit: String, markdown: String) {
        func report(_ format: String) async throws -> String {
            let data = try await ask("GET", "checklists/trial/report", [("format", format), ("run", "\(run)")])
            return try #require(data[format].text)
        }
        return (try await report("junit"), try await report("markdown"))
    }

    private func expect(_ problems: [String?], in junit: String, _ markdown: String, as start: String) {
        for problem in problems.compactMap(\.self) {
            let message = (start + problem).replacing("\"", with: "&quot;")
            #expect(junit.contains("message=\"\(message)\""), "\(junit)")
            // Said once for all scenarios.
            if problem != "nothing judged" { #expect(markdown.contains(" / \(problem)`"), "\(markdown)") }
        }
    }

    /// Signs a run off with a reason for every open item and returns the frozen result. Without reasons for unjudged
    /// items it is refused.
    func signed(_ run: Int, _ page: Answer) async throws -> Answer {
        func sign(_ items: [String]) async throws -> Value {
            let waivers = items.map { #"{"item": "\#($0)", "reason": "known"}"# }.joined(separator: ",")
            let body = #"{"tester": "Aki", "run": \#(run), "waivers": [\#(waivers)]}"#
            return try await ask("POST", "checklists/trial/signoff", body: body)
        }
        let scenarios = checklist.scenarios.map(\.name)
        let items = zip(scenarios, page.states).flatMap { name, states in
            states.indices.filter { !["ok", "not_applicable"].contains(states[$0]) }.map { "\(name)/\($0 + 1)" }
        }
        let whole = zip(scenarios, page.problems).filter { $0.1 != nil }.map { "\($0.0)/0" }
        if page.result == .nothingJudged {
            #expect(try await sign(items)["message"].text?.contains("/0 (") == true)
        }
        let signed = try await sign(items + whole)
        #expect(signed["id"].int != nil, "\(signed)")
        let (junit, markdown) = try await reports(run)
        expect(page.problems, in: junit, markdown, as: "waived: known; ")
        return try await self.page(run)
    }

    /// Exports everything and judges it as `daybook verify` does.
    func verify(_ run: Int) async throws -> Answer {
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = 1_000
        let records = try await store.page(query)
        // Reasons name a record by its number in the store, so the export includes it.
        let lines = records.map { RecordLine.text($0) }.joined(separator: "\n") + "\n"
        let folder = TemporaryDirectory.current.url
        let (events, file) = (folder.appending(path: "all.ndjson"), folder.appending(path: "trial.md"))
        try Data(lines.utf8).write(to: events)
        try Data(checklist.source.utf8).write(to: file)
        let arguments = try ArgumentParser(command: .verify).parse([
            "--checklist", file.path, "--events", events.path,
        ])
        let all = try await VerifyRequest(arguments, checklist: file.path, isOneOf: 1, masking: MaskingPolicy())
            .verdicts(empty: { _ in })
        // Runs are ordered by their finish: this one's is first.
        let verdicts = Array(all.prefix(checklist.scenarios.count)).sayingWhatIsNotJudged
        return Answer(
            states: verdicts.map { $0.items.map(\.status.rawValue) },
            problems: verdicts.map { $0.problem?.reason }, result: verdicts.result, judged: verdicts.judged)
    }
}

extension SeededGenerator {
    fileprivate mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    fileprivate mutating func pick<T>(_ options: [T]) -> T { options[Int.random(in: options.indices, using: &self)] }
}
