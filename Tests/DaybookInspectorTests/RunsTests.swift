import DaybookChecklist
import DaybookHTTP
import DaybookStore
import Testing

@testable import DaybookInspector

/// The runs of test tools over HTTP.
@Suite(.timeLimit(.minutes(1))) struct RunsTests {
    private let bench: Bench

    init() throws { bench = Bench(checklists: [try Self.checklist()]) }

    private static func checklist() throws -> Checklist {
        let markdown = """
            # feed

            | persona | plan |
            |---------|------|
            | free    | free |

            ## reading
            - [ ] feed.show exactly 1 per id
            ## tapping
            - [ ] feed.tap when plan = "free"
            """
        return try Checklist(markdown: markdown, file: "LogChecklists/feed_release.md")
    }

    private func log(_ tag: String, _ attributes: String = "{}", installation: String? = nil) async throws {
        var row = RecordRow.event(tag, attributes)
        row.uid = "\(tag)-\(try await bench.store.head())"
        row.installation = installation
        _ = try await bench.store.append(RecordBatch(rows: [row]))
    }

    private func start(_ body: String) async throws -> Int {
        let data = try await bench.send("POST", "/api/v1/runs/start", body: body).data()
        return try #require(data["id"] as? Int)
    }

    private func reasons(_ id: Int) async throws -> [String] {
        let data = try await bench.send("GET", "/api/v1/runs/\(id)/verdict").data()
        let items = try #require(data["scenarios"] as? [[String: Any]]).flatMap {
            $0["items"] as? [[String: Any]] ?? []
        }
        return items.map { "\($0["state"] as? String ?? "") \($0["reason"] as? String ?? "")" }
            + ["passed \(data["passed"] as? Bool == true)"]
    }

    @Test func runIsJudgedOverItsOwnRecords() async throws {
        try await log("feed.show", #"{"id":1}"#)
        let run = try await start(#"{"checklist":"feed_release","scenario":"reading","build":"4.12"}"#)
        #expect(try await reasons(run) == ["waiting got none", "passed false"])
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await reasons(run) == ["ok ", "passed true"])
        let finished = try await bench.send("POST", "/api/v1/runs/\(run)/finish").data()
        #expect(finished["finished"] is String)
        // What comes later is none of it.
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await reasons(run) == ["ok ", "passed true"])
        let page = try await bench.send("GET", "/api/v1/records", query: [("run", "\(run)")]).data()
        #expect((page["records"] as? [[String: Any]])?.map { $0["tag"] as? String } == ["feed.show"])
    }

    @Test func missingEventFailsWhenTheRunIsOver() async throws {
        let run = try await start(#"{"checklist":"feed_release","persona":"free"}"#)
        try await log("feed.show", #"{"id":1}"#)
        _ = await bench.send("POST", "/api/v1/runs/\(run)/finish")
        #expect(try await reasons(run) == ["ok ", "failed got none", "passed false"])
    }

    @Test func runsOfInstallationsGoOnSideBySide() async throws {
        func body(_ installation: String) -> String {
            #"{"checklist":"feed_release","scenario":"reading","installation":"\#(installation)"}"#
        }
        let one = try await start(body("i-1"))
        let other = try await start(body("i-2"))
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        try await log("feed.show", #"{"id":1}"#, installation: "i-2")
        try await log("feed.show", #"{"id":1}"#, installation: "i-2")
        for run in [one, other] { _ = await bench.send("POST", "/api/v1/runs/\(run)/finish") }
        #expect(try await reasons(one) == ["ok ", "passed true"])
        #expect(try await reasons(other).first?.hasPrefix("failed got 2 (id = 1)") == true)
        let list = try await bench.send("GET", "/api/v1/runs").data()
        let runs = try #require(list["runs"] as? [[String: Any]])
        #expect(runs.map { $0["id"] as? Int } == [other, one])
        #expect(runs.allSatisfy { $0["finished"] is String })
    }

    /// The board of the only checklist: tester, state, and how many items are ok.
    private func board(_ query: [(name: String, value: String)] = []) async throws -> [String] {
        let data = try await bench.send("GET", "/api/v1/checklists", query: query).data()
        let board = try #require((data["checklists"] as? [[String: Any]])?.first?["board"] as? [[String: Any]])
        return board.map { "\($0["tester"] as? String ?? "–") \($0["state"] ?? "") \($0["ok"] ?? "")" }
    }

    @Test func runsOfInstallationsStandOnTheBoardAndAreSignedOffEach() async throws {
        func body(_ tester: String, _ installation: String) -> String {
            #"{"checklist":"feed_release","persona":"free","tester":"\#(tester)","installation":"\#(installation)"}"#
        }
        let aya = try await start(body("Aya", "i-1"))
        let boris = try await start(body("Boris", "i-2"))
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        #expect(try await board() == ["Aya under_way 1", "Boris under_way 0"])
        // The checklist itself is judged over all records, or over one run.
        let states = { (run: Int) async throws -> [String] in
            let data = try await bench.send("GET", "/api/v1/checklists", query: [("run", "\(run)")]).data()
            let scenarios = (data["checklists"] as? [[String: Any]])?.first?["scenarios"] as? [[String: Any]]
            return (scenarios ?? []).flatMap { $0["items"] as? [[String: Any]] ?? [] }
                .compactMap { $0["state"] as? String }
        }
        #expect(try await states(aya) == ["ok", "waiting"])
        #expect(try await states(boris) == ["waiting", "waiting"])
        let signed = await bench.send(
            "POST", "/api/v1/checklists/feed_release/signoff", body: #"{"run":\#(aya),"tester":"Aya"}"#)
        #expect(signed.status == 200)
        #expect(try await board() == ["Aya signed_off 1", "Boris under_way 0"])
        #expect(await bench.send("GET", "/api/v1/checklists", query: [("run", "\(aya)")]).status == 404)
        // A run of a test tool that ends without a name leaves the board.
        _ = await bench.send("POST", "/api/v1/runs/\(boris)/finish")
        #expect(try await board() == ["Aya signed_off 1"])
        // Whoever reads the store anew finds the same board.
        let other = Bench(
            rows: try await bench.store.page(RecordQuery()).reversed().map(\.row), checklists: [try Self.checklist()])
        let data = try await other.send("GET", "/api/v1/checklists").data()
        let board = try #require((data["checklists"] as? [[String: Any]])?.first?["board"] as? [[String: Any]])
        #expect(board.map { $0["tester"] as? String } == ["Aya"])
    }

    @Test func aRunUnderWayOverAllRecordsStandsOnTheBoardToo() async throws {
        let body = #"{"persona":"free","tester":"Aya"}"#
        _ = await bench.send("POST", "/api/v1/checklists/feed_release/restart", body: body)
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await board() == ["Aya under_way 1"])
    }

    @Test func nextStartOfTheSameChecklistEndsARun() async throws {
        let one = try await start(#"{"checklist":"feed_release","scenario":"reading"}"#)
        _ = try await start(#"{"checklist":"feed_release","scenario":"reading"}"#)
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await reasons(one) == ["failed got none", "passed false"])
    }

    @Test func finishedRunIsNoSignOff() async throws {
        let run = try await start(#"{"checklist":"feed_release","scenario":"reading","tester":"CI"}"#)
        _ = await bench.send("POST", "/api/v1/runs/\(run)/finish")
        let text = await bench.send("GET", "/api/v1/checklists").text
        #expect(text.contains(#""signed_off":null"#))
    }

    @Test(arguments: [
        (#"{"checklist":"none"}"#, "not_found", "No checklist is called “none”."),
        (#"{"checklist":"feed_release","scenario":"readin"}"#, "bad_request", "reading"),
        (#"{"checklist":"feed_release","persona":"paid"}"#, "bad_request", "no persona is called `paid`"),
        (#"{"checklist":"feed_release"}"#, "bad_request", "`when` needs a persona (choose one of: free)"),
        ("[]", "bad_request", "only checklist is required"),
    ])
    func whatCannotBeJudgedIsRefused(body: String, code: String, text: String) async throws {
        let answer = await bench.send("POST", "/api/v1/runs/start", body: body)
        #expect(try answer.code() == code)
        #expect(answer.text.contains(text), "\(answer.text)")
    }

    @Test func runThatDoesNotExistIsNotFound() async throws {
        try await log("feed.show")
        for path in ["/api/v1/runs/1/verdict", "/api/v1/runs/99/verdict"] {
            #expect(try await bench.send("GET", path).code() == "not_found")
        }
        #expect(try await bench.send("POST", "/api/v1/runs/1/finish").code() == "not_found")
        #expect(try await bench.send("GET", "/api/v1/records", query: [("run", "x")]).code() == "bad_request")
    }
}
