import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookAPI
@testable import DaybookInspector

/// The runs of test tools over HTTP.
@Suite(.timeLimit(.minutes(5))) struct RunsTests {
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
        return try #require(data["id"].int)
    }

    private func reasons(_ id: Int) async throws -> [String] {
        let data = try await bench.send("GET", "/api/v1/runs/\(id)/verdict").data()
        let items = try #require(data["scenarios"].list).flatMap {
            $0["items"].list ?? []
        }
        return items.map { "\($0["state"].text ?? "") \($0["reason"].text ?? "")" }
            + ["passed \(data["passed"] == true)"]
    }

    /// Stores a device's record of a run, as the collector's ingest does.
    private func claim(_ edge: String, _ attributes: String) async throws {
        var row = RecordRow(
            uid: "c\(try await bench.store.head())", time: 1, kind: .run, level: 9, tag: "device.run.\(edge)",
            attributes: attributes)
        row.installation = "i"
        _ = try await bench.store.append(RecordBatch(rows: [row]))
    }

    @Test("A device cannot end or sign off a person's run") func devicesCannotEndRuns() async throws {
        for scope in ["", #", "installation": "i""#] {
            let run = try await start(#"{"checklist":"feed_release","scenario":"reading","tester":"Aya"\#(scope)}"#)
            let record = try #require(try await bench.store.record(id: Int64(run)))
            let name = try #require(record.row.attributes.firstMatch(of: /"run": ?"([^"]+)"/)?.output.1)
            for named in [#", "run": "\#(name)""#, #", "run": "\#(run)""#, ""] {
                for title in ["feed", "feed_release"] {
                    for edge in ["finish", "signoff", "start"] {
                        try await claim(
                            edge,
                            #"{"checklist": "\#(title)", "checklist_id": "feed_release", "tester": "Eve"\#(named)}"#)
                    }
                }
            }
            let opened = try await bench.send("GET", "/api/v1/runs/\(run)/verdict").data()
            let stored = try #require(opened["run"])
            #expect(
                stored["finished"] == .null && stored["signed_off"] == .null && stored["device"] == false)
        }
    }

    @Test("A run started by a device is shown as the device's") func showsDeviceRuns() async throws {
        try await claim("start", #"{"checklist": "feed", "scenario": "reading", "tester": "Eve", "run": "r"}"#)
        let id = try await bench.store.head()
        try await log("feed.show", #"{"id":1}"#, installation: "i")
        var opened = try await bench.send("GET", "/api/v1/runs/\(id)/verdict").data()
        var run = try #require(opened["run"])
        #expect(run["device"] == true && run["tester"] == .null && run["finished"] == .null)
        try await claim("finish", #"{"checklist": "feed", "run": "r"}"#)
        opened = try await bench.send("GET", "/api/v1/runs/\(id)/verdict").data()
        run = try #require(opened["run"])
        #expect(run["finished"].text != nil && run["signed_off"] == .null)
        // A person may end a run that a device began.
        try await claim("start", #"{"checklist": "feed", "scenario": "reading"}"#)
        let next = try await bench.store.head()
        let ended = try await bench.send("POST", "/api/v1/runs/\(next)/finish").data()
        #expect(ended["finished"].text != nil)
    }

    @Test("A run is judged over its own records") func judgesOwnRecords() async throws {
        try await log("feed.show", #"{"id":1}"#)
        let run = try await start(#"{"checklist":"feed_release","scenario":"reading","build":"4.12"}"#)
        #expect(try await reasons(run) == ["waiting got none", "passed false"])
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await reasons(run) == ["ok ", "passed true"])
        let finished = try await bench.send("POST", "/api/v1/runs/\(run)/finish").data()
        #expect(finished["finished"].text != nil)
        // Later records are not part of it.
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await reasons(run) == ["ok ", "passed true"])
        let page = try await bench.send("GET", "/api/v1/records", query: [("run", "\(run)")]).data()
        #expect(page["records"].list?.map { $0["tag"] } == ["feed.show"])
    }

    @Test("The collector's own records are not part of a run") func runSkipsOwnRecords() async throws {
        let run = try await start(#"{"checklist":"feed_release","scenario":"reading"}"#)
        try await log("feed.show", #"{"id":1}"#)
        try await log("daybook.violation", #"{"event":"feed.show"}"#)
        let verdict = try await bench.send("GET", "/api/v1/runs/\(run)/verdict").data()
        #expect(verdict["records"] == 1)
        let page = try await bench.send("GET", "/api/v1/records", query: [("run", "\(run)")]).data()
        #expect(page["records"].list?.map { $0["tag"] } == ["feed.show"])
        let board = try await bench.send("GET", "/api/v1/checklists").data()
        let judged = try #require(board["checklists"][0]["judging"])
        #expect(judged["records"] == 1)
    }

    @Test("A missing event fails when the run ends") func missingEventFailsAtEnd() async throws {
        let run = try await start(#"{"checklist":"feed_release","persona":"free"}"#)
        try await log("feed.show", #"{"id":1}"#)
        _ = await bench.send("POST", "/api/v1/runs/\(run)/finish")
        #expect(try await reasons(run) == ["ok ", "failed got none", "passed false"])
    }

    @Test("Runs of different installations proceed side by side") func runsAreConcurrent() async throws {
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
        let runs = try #require(list["runs"].list)
        #expect(runs.map { $0["id"].int } == [other, one])
        #expect(runs.allSatisfy { $0["finished"].text != nil })
    }

    /// The board of the only checklist: tester, state, and number of items that are ok.
    private func board(_ query: [(name: String, value: String)] = []) async throws -> [String] {
        let data = try await bench.send("GET", "/api/v1/checklists", query: query).data()
        let board = try #require(data["checklists"][0]["board"].list)
        return board.map {
            "\($0["tester"].text ?? "–") \($0["state"].text ?? "") \($0["ok"].map(\.description) ?? "")"
        }
    }

    @Test("Runs of different installations are signed off separately") func signsOffSeparately() async throws {
        func body(_ tester: String, _ installation: String) -> String {
            #"{"checklist":"feed_release","persona":"free","tester":"\#(tester)","installation":"\#(installation)"}"#
        }
        let aya = try await start(body("Aya", "i-1"))
        let boris = try await start(body("Boris", "i-2"))
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        try await log("feed.tap", installation: "i-1")
        #expect(try await board() == ["Aya under_way 2", "Boris under_way 0"])
        // The checklist can be judged over selected records or over one run.
        #expect(try await shown(aya).states == ["ok", "ok"])
        #expect(try await shown(boris).states == ["waiting", "waiting"])
        let signed = await bench.send(
            "POST", "/api/v1/checklists/feed_release/signoff", body: #"{"run":\#(aya),"tester":"Aya"}"#)
        #expect(signed.status == 200, "\(signed.text)")
        #expect(try await board() == ["Boris under_way 0", "Aya signed_off 2"].reversed())
        // A test tool's unnamed run leaves the board when it ends, but can still be opened.
        _ = await bench.send("POST", "/api/v1/runs/\(boris)/finish")
        #expect(try await board() == ["Aya signed_off 2"])
        #expect(try await shown(boris).states == ["not_judged", "not_judged"])
        // A new reader of the store finds the same board.
        let other = Bench(
            rows: try await bench.store.page(RecordQuery()).reversed().map(\.row), checklists: [try Self.checklist()])
        let data = try await other.send("GET", "/api/v1/checklists").data()
        let board = try #require(data["checklists"][0]["board"].list)
        #expect(board.map { $0["tester"] } == ["Aya"])
    }

    /// A run as the page shows it: its items' states, and whether it passed.
    private func shown(_ run: Int, _ bench: Bench? = nil) async throws -> (states: [String], passed: Bool, text: String)
    {
        let answer = await (bench ?? self.bench).send("GET", "/api/v1/checklists", query: [("run", "\(run)")])
        let checklist = try #require(try answer.data()["checklists"][0])
        let scenarios = try #require(checklist["scenarios"].list)
        let items = scenarios.flatMap { $0["items"].list ?? [] }
        return (items.compactMap { $0["state"].text }, checklist["passed"] == true, answer.text)
    }

    @Test("Starting a run ends no other run") func startEndsNoRun() async throws {
        let one = try await start(#"{"checklist":"feed_release","scenario":"reading","tester":"Aya"}"#)
        let other = try await start(#"{"checklist":"feed_release","scenario":"reading","tester":"Boris"}"#)
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await reasons(one) == ["ok ", "passed true"])
        #expect(try await reasons(other) == ["ok ", "passed true"])
        #expect(try await board() == ["Aya under_way 1", "Boris under_way 1"])
    }

    @Test("Runs beyond the followed limit are judged on request") func judgesUnfollowedRuns() async throws {
        let first = try await start(#"{"checklist":"feed_release","scenario":"reading"}"#)
        for _ in 0..<ChecklistBoard.longestRuns {
            _ = try await start(#"{"checklist":"feed_release","scenario":"reading"}"#)
        }
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await shown(first).states == ["ok"])
    }

    @Test("A sign-off needs a reason for every open item") func signOffNeedsWaivers() async throws {
        let run = try await start(#"{"checklist":"feed_release","persona":"free"}"#)
        try await log("feed.show", #"{"id":1}"#)
        func sign(_ rest: String) async -> HTTPResponse {
            await bench.send(
                "POST", "/api/v1/checklists/feed_release/signoff", body: #"{"run":\#(run),"tester":"Aya"\#(rest)}"#)
        }
        let refused = await sign("")
        #expect(refused.status == 409)
        #expect(try refused.code() == "open_items")
        #expect(refused.text.contains("tapping/1 (feed.tap when plan ="))
        // The tester goes on: the run is not over.
        #expect(try await reasons(run).first == "ok ")
        #expect(try await shown(run).states == ["ok", "waiting"])
        let waived = await sign(#","waivers":[{"item":"tapping/1","reason":"known, #812"}]"#)
        #expect(waived.status == 200, "\(waived.text)")
        let after = try await shown(run)
        #expect(after.states == ["ok", "failed"])
        #expect(after.text.contains(#""waiver":"known, #812""#))
        #expect(try await sign("").code() == "bad_request")
    }

    @Test("A sign-off freezes the verdict") func signOffIsFrozen() async throws {
        let run = try await start(
            #"{"checklist":"feed_release","scenario":"reading","build":"4.12","installation":"i-1"}"#)
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        let body = #"{"run":\#(run),"tester":"Aya","device":"iPhone","notes":"slow network"}"#
        _ = try await bench.send("POST", "/api/v1/checklists/feed_release/signoff", body: body).data()
        let before = try await shown(run)
        #expect(before.states == ["ok"] && before.passed)
        // Neither later records nor a changed checklist alter what was signed, even after a restart.
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        let rows = try await bench.store.page(RecordQuery()).reversed().map(\.row)
        let changed = try Checklist(
            markdown: "# feed\n\n## reading\n- [ ] never feed.show\n", file: "LogChecklists/feed_release.md")
        for bench in [bench, Bench(rows: rows, checklists: [changed])] {
            let after = try await shown(run, bench)
            #expect(after.states == ["ok"] && after.passed)
            let report =
                try await bench.send(
                    "GET", "/api/v1/checklists/feed_release/report",
                    query: [("run", "\(run)"), ("link", "http://127.0.0.1/#/check/feed_release?run=\(run)")]
                ).data()["markdown"].text
            let text = try #require(report)
            for word in ["signed off by Aya", "build: `4.12`", "device: `iPhone`", "slow network", "link: <http://127"]
            {
                #expect(text.contains(word), "\(text)")
            }
            #expect(text.contains("- [x] feed.show exactly 1 per id"))
            #expect(throws: Never.self) { try Checklist(markdown: text, file: "report.md") }
            let junit =
                try await bench.send(
                    "GET", "/api/v1/checklists/feed_release/report", query: [("run", "\(run)"), ("format", "junit")]
                ).data()["junit"].text
            #expect(junit?.contains(#"<property name="tester""#) == false)
            #expect(junit?.contains(#"<property name="build" value="4.12"/>"#) == true)
            #expect(junit?.contains(#"tests="1" failures="0""#) == true)
        }
        #expect(try await reasons(run) == ["ok ", "passed true"])
    }

    @Test("Selected records can be signed off without a run") func signsOffWithoutRun() async throws {
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        try await log("feed.tap", installation: "i-1")
        let body = #"{"installation":"i-1","persona":"free","tester":"Aya"}"#
        let answer = try await bench.send("POST", "/api/v1/checklists/feed_release/signoff", body: body).data()
        let run = try #require(answer["run"].int)
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        #expect(try await shown(run).states == ["ok", "ok"])
        #expect(try await board() == ["Aya signed_off 2"])
    }

    @Test("A sign-off contains no private values") func signOffMasksValues() async throws {
        let checklist = try Checklist(
            markdown: "# t\n- [ ] feed.tap_article exactly 1 per mail\n", file: "t.md")
        let bench = Bench(definitions: .sample, checklists: [checklist])
        let rows = (1...2).map { number in
            var row = RecordRow.event("feed.tap_article", #"{"mail":"aya@example.com"}"#)
            row.uid = "\(number)"
            return row
        }
        _ = try await bench.store.append(RecordBatch(rows: rows))
        let body = #"{"tester":"Aya","waivers":[{"item":"t/1","reason":"known"}]}"#
        let answer = await bench.send("POST", "/api/v1/checklists/t/signoff", body: body)
        #expect(answer.status == 200, "\(answer.text)")
        let record = try #require(try await bench.store.record(id: 3))
        #expect(record.row.attributes.contains("mail = \(Record.mask)"))
        #expect(!record.row.attributes.contains("aya@example.com"))
    }

    /// A typo would count as a given reason or a completed step.
    @Test(
        "A sign-off rejects ticks and reasons for unknown items",
        arguments: [
            (#""waivers":[{"item":"taping/1","reason":"known"}]"#, "taping/1 is no item (did you mean tapping/1?)"),
            (#""waivers":[{"item":"tapping/01","reason":"known"}]"#, "tapping/01 is no item"),
            (#""waivers":[{"item":"reading/1","reason":"known"}]"#, "reading/1 is ok, so it needs no reason"),
            (#""waivers":[{"item":"reading/0","reason":"known"}]"#, "reading/0 has no problem as a whole"),
            (#""waivers":[{"item":"tapping/1","reason":"a"},{"item":"tapping/1","reason":"b"}]"#, "has two reasons"),
            (#""waivers":[{"item":"tapping/1","reason":" "}]"#, "“waivers[0].reason” is empty"),
            (#""waivers":[{"item":"tapping/1","Reason":"a"}]"#, "“waivers[0].Reason” (did you mean reason?)"),
            (#""ticked":["reading/1"]"#, "reading/1 is no manual step"), (#""ticked":["look/1"]"#, "look/1 is no item"),
            (#""ticked":"tapping/1""#, "“ticked” is a list of texts"),
            (#""version":"9.9.9""#, "not taken beside “run”"),
            (#""persona":"free""#, "not taken beside “run”"), (#""Version":"9.9.9""#, "did you mean version?"),
        ])
    func signOffChecksItems(_ rest: String, _ message: String) async throws {
        let run = try await start(#"{"checklist":"feed_release","persona":"free"}"#)
        try await log("feed.show", #"{"id":1}"#)
        let body = #"{"run":\#(run),"tester":"Aya",\#(rest)}"#
        let refused = await bench.send("POST", "/api/v1/checklists/feed_release/signoff", body: body)
        #expect(refused.status == 400 && refused.text.contains(message), "\(refused.text)")
        #expect(try await shown(run).states == ["ok", "waiting"])
    }

    /// With a misspelt restriction, a run would be judged over other records.
    @Test(
        "Starting a run rejects unknown members",
        arguments: [
            (#""Version":"5.0""#, "did you mean version?"), (#""appVersion":"5.0""#, "did you mean version?"),
            (#""scenarios":"reading""#, "did you mean scenario?"), (#""session":"""#, "“session” is empty"),
            (#""installation":5"#, "“installation” is a text"), (#""version":["5.0"]"#, "“version” is a text"),
        ])
    func startNamesBadMembers(_ rest: String, _ message: String) async throws {
        let body = #"{"checklist":"feed_release","persona":"free",\#(rest)}"#
        let refused = await bench.send("POST", "/api/v1/runs/start", body: body)
        #expect(refused.status == 400 && refused.text.contains(message), "\(refused.text)")
        #expect(try await bench.store.head() == 0)
    }

    /// A condition beside a run's own would be ignored or leave no records.
    @Test("Rejects conditions that conflict with the run's own") func refusesRunConflicts() async throws {
        let run = try await start(#"{"checklist":"feed_release","scenario":"reading","version":"5.0"}"#)
        for (path, name, value) in [
            ("records", "version", "6.0"), ("records", "after", "x"), ("histogram", "version", "6.0"),
            ("checklists", "version", "5.0"), ("checklists", "persona", "free"),
            ("checklists/feed_release/report", "session", "s"),
            ("checklists/feed_release/report", "link", "javascript:x"),
        ] {
            let answer = await bench.send("GET", "/api/v1/\(path)", query: [("run", "\(run)"), (name, value)])
            #expect(answer.status == 400, "\(path) \(name): \(answer.text)")
        }
        let same = await bench.send("GET", "/api/v1/records", query: [("run", "\(run)"), ("version", "5.0")])
        #expect(same.status == 200)
    }

    /// A selection without records and a run before its first one have not failed.
    @Test("Without records, every report says that nothing was judged") func noRecordsNothingJudged() async throws {
        try await log("feed.show", #"{"id":1}"#)
        let run = try await start(#"{"checklist":"feed_release","persona":"free"}"#)
        for query in [[("version", "9.9.9")], [("session", "none"), ("persona", "free")], [("run", "\(run)")]] {
            let query = query.map { (name: $0.0, value: $0.1) }
            let board = try await bench.send("GET", "/api/v1/checklists", query: query).data()
            let checklist = try #require(board["checklists"][0])
            #expect(checklist["result"] == "nothing_judged" && checklist["judged"] == 0, "\(query)")
            #expect(checklist["passed"] == false)
            let path = "/api/v1/checklists/feed_release/report"
            let markdown = try #require(try await bench.send("GET", path, query: query).data()["markdown"].text)
            #expect(markdown.contains("**Nothing judged.**") && !markdown.contains("`  `"), "\(markdown)")
            let junit = await bench.send("GET", path, query: query + [(name: "format", value: "junit")])
            #expect(try #require(try junit.data()["junit"].text).contains("<error "))
        }
        let verdict = try await bench.send("GET", "/api/v1/runs/\(run)/verdict").data()
        #expect(verdict["result"] == "nothing_judged" && verdict["judged"] == 0)
        #expect(try await board() == ["– under_way 0"])
        try await log("feed.show", #"{"id":1}"#)
        #expect(try await bench.send("GET", "/api/v1/runs/\(run)/verdict").data()["result"] == "failed")
    }

    @Test("A sign-off needs a tester and a known run") func signOffNeedsTester() async throws {
        let path = "/api/v1/checklists/feed_release/signoff"
        #expect(try await bench.send("POST", path, body: "{}").code() == "bad_request")
        #expect(try await bench.send("POST", path, body: #"{"tester":"Aya","run":7}"#).code() == "not_found")
        #expect(await bench.send("POST", "/api/v1/checklists/none/signoff", body: #"{"tester":"A"}"#).status == 404)
    }

    @Test("The board shows only a tester's latest run per persona") func boardShowsLatestRun() async throws {
        for build in ["1", "2"] {
            let run = try await start(#"{"checklist":"feed_release","persona":"free","build":"\#(build)"}"#)
            try await log("feed.show", #"{"id":1}"#)
            try await log("feed.tap")
            _ = try await bench.send(
                "POST", "/api/v1/checklists/feed_release/signoff", body: #"{"run":\#(run),"tester":"Aya"}"#
            ).data()
        }
        let text = await bench.send("GET", "/api/v1/checklists").text
        #expect(try await board() == ["Aya signed_off 2"])
        #expect(text.contains(#""build":"2""#) && !text.contains(#""build":"1""#))
        // The older one is in the list of runs.
        let list = try await bench.send("GET", "/api/v1/runs", query: [("checklist", "feed_release")]).data()
        let runs = try #require(list["runs"].list)
        #expect(runs.map { $0["build"] } == ["2", "1"])
        #expect(runs.allSatisfy { $0["signed_off"]["tester"] == "Aya" })
    }

    /// Unnamed markers come from an app or an older tool, where an installation has one run at a time.
    @Test("An unnamed run ends with the next one of its installation") func unnamedRunEndsWithNext() async throws {
        func marker(_ edge: String, _ attributes: String) -> RecordRow {
            var row = RecordRow.event("run.\(edge)", attributes)
            row.kind = .run
            row.installation = "i-1"
            return row
        }
        let start = marker("start", #"{"checklist":"feed","scenario":"reading"}"#)
        _ = try await bench.store.append(RecordBatch(rows: [start]))
        try await log("feed.show", #"{"id":1}"#, installation: "i-1")
        _ = try await bench.store.append(RecordBatch(rows: [start]))
        #expect(try await reasons(1) == ["ok ", "passed true"])
        #expect(try await reasons(3) == ["waiting got none", "passed false"])
        _ = try await bench.store.append(RecordBatch(rows: [marker("finish", "{}")]))
        #expect(try await reasons(3) == ["not_judged there is no record", "passed false"])
    }

    @Test("Finishing a run is not a sign-off") func finishIsNoSignOff() async throws {
        let run = try await start(#"{"checklist":"feed_release","scenario":"reading","tester":"CI"}"#)
        _ = await bench.send("POST", "/api/v1/runs/\(run)/finish")
        let text = await bench.send("GET", "/api/v1/checklists").text
        #expect(text.contains(#""signed_off":null"#) && text.contains(#""board":[]"#))
    }

    @Test(
        "Rejects a run that cannot be judged",
        arguments: [
            (#"{"checklist":"none"}"#, "not_found", "No checklist is called “none”."),
            (#"{"checklist":"feed_release","scenario":"readin"}"#, "bad_request", "reading"),
            (#"{"checklist":"feed_release","persona":"paid"}"#, "bad_request", "no persona is called `paid`"),
            (#"{"checklist":"feed_release"}"#, "bad_request", "`when` needs a persona (choose one of: free)"),
            ("[]", "bad_request", "only checklist is required"),
        ])
    func refusesUnjudgeableRun(body: String, code: String, text: String) async throws {
        let answer = await bench.send("POST", "/api/v1/runs/start", body: body)
        #expect(try answer.code() == code)
        #expect(answer.text.contains(text), "\(answer.text)")
    }

    @Test("A run that does not exist is not found") func missingRunIs404() async throws {
        try await log("feed.show")
        for path in ["/api/v1/runs/1/verdict", "/api/v1/runs/99/verdict"] {
            #expect(try await bench.send("GET", path).code() == "not_found")
        }
        #expect(try await bench.send("POST", "/api/v1/runs/1/finish").code() == "not_found")
        #expect(try await bench.send("GET", "/api/v1/records", query: [("run", "x")]).code() == "bad_request")
    }
}
