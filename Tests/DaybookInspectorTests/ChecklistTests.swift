import DaybookChecklist
import DaybookHTTP
import DaybookStore
import Testing

@testable import DaybookInspector

/// The checklist route, and the board behind it.
@Suite(.timeLimit(.minutes(1))) struct ChecklistTests {
    private static func checklist(_ items: String, file: String = "LogChecklists/release.md") throws -> Checklist {
        try Checklist(markdown: "# 確認\n\n## feed\n\(items)\n", file: file)
    }

    /// The states of all items, in order, with their reasons.
    private func states(_ bench: Bench) async throws -> [String] {
        try await items(bench).map { item in
            let state = try #require(item["state"] as? String)
            return (item["reason"] as? String).map { "\(state): \($0)" } ?? state
        }
    }

    private func items(_ bench: Bench) async throws -> [[String: Any]] {
        let data = try await bench.send("GET", "/api/v1/checklists").data()
        let checklists = try #require(data["checklists"] as? [[String: Any]])
        return try checklists.flatMap { checklist in
            try #require(checklist["scenarios"] as? [[String: Any]])
                .flatMap { try #require($0["items"] as? [[String: Any]]) }
        }
    }

    @Test func verdictsAreWrittenAsDocumented() async throws {
        let checklist = try Self.checklist(
            """
            - [ ] feed.show_article exactly 1 per article_id
                - position >= 0
                - 一度だけ
            - [ ] 目で確認する
            """)
        let bench = Bench(
            rows: [.event("feed.show_article", #"{"article_id":7,"position":0}"#)], checklists: [checklist])
        let before = await bench.send("GET", "/api/v1/checklists")
        #expect(
            before.text == #"""
                {"ok":true,"data":{"judged":1,"head":1,"checklists":[{"id":"release","title":"確認","since":0,\#
                "personas":[],"run":null,"signed_off":null,"board":[],"writable":false,\#
                "scenarios":[{"id":"feed","title":"feed","items":[{"id":"1",\#
                "text":"feed.show_article exactly 1 per article_id","pattern":"feed.show_article",\#
                "tests":["position >= 0"],"notes":["一度だけ"],"state":"ok","provisional":true,"reason":null,\#
                "matches":1,"records":[{"id":1,"time":"1795166531204000000","tag":"feed.show_article",\#
                "values":[{"column":"article_id","value":7},{"column":"position","value":0}],"note":null}]},\#
                {"id":"2","text":"目で確認する","pattern":null,"tests":[],"notes":[],"state":"manual",\#
                "provisional":false,"reason":null,"matches":0,"records":[]}]}]}]}}
                """#)
        _ = try await bench.store.append(
            RecordBatch(rows: [.event("feed.show_article", #"{"article_id":7,"position":3}"#)]))
        let items = try await items(bench)
        #expect(items[0]["state"] as? String == "failed")
        #expect((items[0]["reason"] as? String)?.contains("got 2 (article_id = 7)") == true)
        #expect((items[0]["records"] as? [[String: Any]])?.map { $0["id"] as? Int } == [1, 2])
    }

    @Test func anItemIsJudgedByMoreThanItsTag() async throws {
        let checklist = try Self.checklist(
            """
            - [ ] never ad.**
            - [ ] never ad.** before consent.accept
            - [ ] feed.tap after feed.show joining id
            - [ ] consent.accept where plan = "paid"
            - [ ] feed.show
                - position >= 0
            """)
        let bench = Bench(checklists: [checklist])
        #expect(
            try await states(bench).map { $0.prefix { $0 != ":" } } == ["ok", "ok", "waiting", "waiting", "waiting"])
        _ = try await bench.store.append(
            RecordBatch(rows: [
                .event("consent.accept", #"{"plan":"free"}"#), .event("ad.show"), .event("feed.show", #"{"id":1}"#),
                .event("feed.tap", #"{"id":2}"#),
            ]))
        let states = try await states(bench)
        #expect(states[0] == "failed: #2: seen")
        #expect(states[1] == "ok")
        #expect(states[2].hasPrefix("failed: "))
        #expect(states[3].hasPrefix("waiting: ") && states[3].contains("1 of the event left out by `where`, first #1"))
        #expect(states[4] == "failed: #3: `position >= 0` does not hold: position is absent")
    }

    @Test func columnsComeFromAttributesThenContextThenTheEnvelope() {
        var row = RecordRow.event("a.b", #"{"own":1,"both":null,"list":[1,2],"big":1.5,"yes":true}"#)
        row.context = #"{"both":"common","plan":"paid"}"#
        row.session = "s-1"
        let record = JSONChecklistRecord(StoredRecord(id: 9, row: row))
        #expect(record.number == 9)
        #expect(record.value(of: "own") == .integer(1))
        #expect(record.value(of: "both") == nil)
        #expect(record.value(of: "plan") == .text("paid"))
        #expect(record.value(of: "list") == .structure("[1,2]"))
        #expect(record.value(of: "big") == .number(1.5))
        #expect(record.value(of: "yes") == .boolean(true))
        #expect(record.value(of: "_session") == .text("s-1"))
        #expect(record.value(of: "_level") == .integer(9))
        #expect(record.value(of: "_installation") == nil)
        #expect(record.value(of: "none") == nil)
    }

    @Test func attributesThatAreNoJSONHaveNoColumns() {
        let record = JSONChecklistRecord(StoredRecord(id: 1, row: .event("a.b", "{broken")))
        #expect(record.value(of: "broken") == nil)
        #expect(record.tag == "a.b")
    }

    @Test func whatTheEngineRefusesIsSetAsideWithItsReason() async throws {
        let checklist = try Self.checklist(
            """
            - [ ] a.b when plan = "paid"
            - [ ] a.b
                - x matches /^1$/
            - [ ] a.b
            - [ ] by hand, please
            """)
        let bench = Bench(rows: [.event("a.b")], checklists: [checklist])
        #expect(
            try await states(bench) == [
                "not_judged: `when` needs a persona (say plan=VALUE)",
                "failed: #1: `x matches /^1$/` does not hold: x is absent",
                "ok", "manual",
            ])
    }

    @Test func aLargeStoreIsJudgedInPages() async throws {
        let rows = (1...10_000).map { number in
            RecordRow.event(number == 9_999 ? "ad.show" : "feed.show", #"{"n":\#(number)}"#)
        }
        let checklist = try Self.checklist(
            "- [ ] never ad.**\n- [ ] feed.show exactly 1 per n\n- [ ] feed.show where n = 10000")
        let store = FakeStore(rows)
        let board = ChecklistBoard(store: store, checklists: [checklist])
        let first = try await board.snapshot()
        #expect(first.judged >= Int64(ChecklistBoard.pageSize))
        #expect(first.head == 10_000)
        var last = first
        while last.judged < last.head { last = try await board.snapshot() }
        let states = last.checklists[0].standings()[0].map(\.state)
        #expect(states == [.failed, .ok, .ok])
        #expect(last.checklists[0].standings()[0][1].matches == 9_999)
        #expect(store.queries.allSatisfy { $0.limit == ChecklistBoard.pageSize && $0.order == .oldestFirst })
        // No page was read twice: each starts where an earlier one ended.
        let starts = store.queries.compactMap(\.after)
        #expect(starts.filter { $0 < 10_000 } == stride(from: 0, to: 10_000, by: 500).map { Int64($0) })
    }

    @Test func erasedRecordsAreNotWaitedFor() async throws {
        let store = FakeStore([.event("feed.show")])
        store.erased(through: 40)
        let snapshot = try await ChecklistBoard(
            store: store, checklists: [Self.checklist("- [ ] feed.show")]
        ).snapshot()
        #expect(snapshot.judged == 40)
        #expect(snapshot.head == 40)
    }

    @Test func noticesAloneLetTheBoardFollow() async throws {
        let store = FakeStore((1...1_200).map { _ in .event("feed.show") })
        let board = ChecklistBoard(store: store, checklists: [try Self.checklist("- [ ] feed.show")])
        let notices = LiveNotices()
        let arrivals = notices.subscribe()
        let follower = Task { await board.follow(arrivals) }
        notices.notify(head: 1_200)
        notices.close()
        await follower.value
        #expect(store.queries.compactMap(\.after).contains(1_200))
    }

    @Test func startingOverForgetsWhatCameBefore() async throws {
        let checklist = try Self.checklist("- [ ] never ad.**\n- [ ] feed.show", file: "公開 前.md")
        let bench = Bench(rows: [.event("ad.show"), .event("feed.show")], checklists: [checklist])
        #expect(try await states(bench) == ["failed: #1: seen", "ok"])
        let answer = await bench.send("POST", "/api/v1/checklists/公開 前/restart", body: "{}")
        #expect(answer.text == #"{"ok":true,"data":{"since":3}}"#)
        #expect(try await states(bench).map { $0.prefix { $0 != ":" } } == ["ok", "waiting"])
        _ = try await bench.store.append(RecordBatch(rows: [.event("feed.show")]))
        #expect(try await states(bench) == ["ok", "ok"])
        let data = try await bench.send("GET", "/api/v1/checklists").data()
        #expect((data["checklists"] as? [[String: Any]])?.first?["since"] as? Int == 3)
    }

    @Test func oneChecklistStartsOverAlone() async throws {
        let store = FakeStore([.event("feed.show")])
        let checklists = try ["a/one.md", "b/one.md"].map { try Self.checklist("- [ ] feed.show", file: $0) }
        let board = ChecklistBoard(store: store, checklists: checklists)
        // Before a single record has been judged.
        #expect(try await board.mark(RunNote(.start, of: "確認", id: "one-2", time: 1), uid: "run-1") == 2)
        let snapshot = try await board.snapshot()
        #expect(snapshot.checklists.map(\.id) == ["one", "one-2"])
        #expect(snapshot.checklists.map { $0.standings()[0][0].state } == [.ok, .waiting])
    }

    @Test func aRunOutlivesTheProcess() async throws {
        let store = FakeStore([.event("feed.show")])
        let checklist = try Self.checklist("- [ ] feed.show", file: "one.md")
        _ = try await ChecklistBoard(store: store, checklists: [checklist])
            .mark(RunNote(.start, of: "確認", id: nil, tester: "Aya", build: "4.12", time: 5), uid: "run-1")
        let found = try await ChecklistBoard(store: store, checklists: [checklist]).snapshot().checklists[0]
        #expect(found.standings()[0][0].state == .waiting)
        #expect(found.startsAfter == 2)
        #expect(found.label?.tester == "Aya")
        #expect(found.label?.build == "4.12")
    }

    @Test func aPersonaDecidesWhatApplies() async throws {
        let checklist = try Checklist(
            markdown: """
                # plans

                | persona | plan |
                |---------|------|
                | new     | free |
                | member  | paid |

                ## s
                - [ ] feed.offer when plan = "free"
                """, file: "plans.md")
        let bench = Bench(checklists: [checklist])
        #expect(try await states(bench).first?.hasPrefix("not_judged") == true)
        _ = await bench.send("POST", "/api/v1/checklists/plans/restart", body: #"{"persona":"member"}"#)
        #expect(try await states(bench).first?.hasPrefix("not_applicable") == true)
        _ = await bench.send("POST", "/api/v1/checklists/plans/restart", body: #"{"persona":"new"}"#)
        #expect(try await states(bench).first?.hasPrefix("waiting") == true)
        let wrong = await bench.send("POST", "/api/v1/checklists/plans/restart", body: #"{"persona":"boss"}"#)
        #expect(try wrong.code() == "bad_request")
        #expect(wrong.text.contains("new, member"))
    }

    @Test func aSignOffHasANameAndEndsWithTheNextRun() async throws {
        let bench = Bench(rows: [.event("feed.show")], checklists: [try Self.checklist("- [ ] feed.show")])
        let path = "/api/v1/checklists/release/signoff"
        #expect(try await bench.send("POST", path, body: "{}").code() == "bad_request")
        #expect(try await bench.send("POST", path, body: #"{"tester":"Aya","build":"4.12"}"#).data()["id"] as? Int == 2)
        func signature() async throws -> [String: Any]? {
            let data = try await bench.send("GET", "/api/v1/checklists").data()
            return (data["checklists"] as? [[String: Any]])?.first?["signed_off"] as? [String: Any]
        }
        #expect(try await signature()?["tester"] as? String == "Aya")
        let record = try await bench.send("GET", "/api/v1/records/2").data()["record"] as? [String: Any]
        #expect(record?["tag"] as? String == "run.finish")
        #expect((record?["attributes"] as? [String: Any])?["ok"] as? String == "1")
        _ = await bench.send("POST", "/api/v1/checklists/release/restart")
        #expect(try await signature() == nil)
    }

    @Test func theBoardHasTheLatestRunOfEachTesterAndPersona() async throws {
        let checklist = try Self.checklist("- [ ] feed.show\n- [ ] feed.tap")
        let bench = Bench(rows: [.event("feed.show")], checklists: [checklist])
        let path = "/api/v1/checklists/release"
        func board() async throws -> [String] {
            let data = try await bench.send("GET", "/api/v1/checklists").data()
            let board = try #require((data["checklists"] as? [[String: Any]])?.first?["board"] as? [[String: Any]])
            return board.map { run in
                let counts = RunNote.counted.map { run[$0] as? Int ?? -1 }
                return "\(run["tester"] as? String ?? "") \(run["build"] as? String ?? "") \(counts)"
            }
        }
        _ = await bench.send("POST", "\(path)/signoff", body: #"{"tester":"Aya","build":"1"}"#)
        #expect(try await board() == ["Aya 1 [1, 0, 1]"])
        _ = await bench.send("POST", "\(path)/restart")
        _ = await bench.send("POST", "\(path)/signoff", body: #"{"tester":"Boris","build":"2"}"#)
        #expect(try await board() == ["Aya 1 [1, 0, 1]", "Boris 2 [0, 0, 2]"])
        _ = try await bench.store.append(RecordBatch(rows: [.event("feed.tap")]))
        _ = await bench.send("POST", "\(path)/signoff", body: #"{"tester":"Aya","build":"3"}"#)
        #expect(try await board() == ["Boris 2 [0, 0, 2]", "Aya 3 [1, 0, 1]"])
        // Another process reads the same from the store.
        let other = ChecklistBoard(store: bench.store, checklists: [checklist])
        let runs = try await other.snapshot().checklists[0].signedRuns
        #expect(runs.map(\.tester) == ["Boris", "Aya"])
        #expect(runs.map(\.counts["ok"]) == [0, 1])
    }

    @Test func definitionsTellWhatAnItemMayName() async throws {
        let checklist = try Self.checklist(
            """
            - [ ] feed.show_article each order
            - [ ] feed.show_artcle
            - [ ] feed.tap_article
            """)
        let bench = Bench(definitions: .sample, checklists: [checklist])
        let states = try await states(bench)
        #expect(states[0].hasPrefix("waiting"))
        #expect(states[1] == "not_judged: no event `feed.show_artcle` is defined (did you mean `feed.show_article`?)")
        #expect(states[2].hasPrefix("waiting"))
    }

    @Test func aReportIsTheChecklistTicked() async throws {
        let bench = Bench(
            rows: [.event("feed.show")], checklists: [try Self.checklist("- [ ] feed.show\n- [ ] feed.tap")])
        let text = try await bench.send("GET", "/api/v1/checklists/release/report").data()["markdown"] as? String
        #expect(text?.contains("- [x] feed.show") == true)
        #expect(text?.contains("- [ ] feed.tap") == true)
    }

    @Test func aChecklistThatIsNotThereCannotStartOver() async throws {
        let bench = Bench(checklists: [try Self.checklist("- [ ] feed.show")])
        let answer = await bench.send("POST", "/api/v1/checklists/nothing/restart", body: "{}")
        #expect(answer.status == 404)
        #expect(try answer.code() == "not_found")
        #expect(await bench.send("GET", "/api/v1/checklists/release/restart").status == 405)
    }

    @Test func aStoreThatFailsIsAskedAgain() async throws {
        let bench = Bench(rows: [.event("feed.show")], checklists: [try Self.checklist("- [ ] feed.show")])
        bench.store.fail(with: StoreError(.unavailable, "gone"))
        #expect(try await bench.send("GET", "/api/v1/checklists").code() == "unavailable")
        bench.store.fail(with: nil)
        #expect(try await states(bench) == ["ok"])
    }

    @Test func recordsOfTheKindRunAreNotJudged() async throws {
        var row = RecordRow.event("feed.show")
        row.kind = .run
        let bench = Bench(rows: [row], checklists: [try Self.checklist("- [ ] feed.show")])
        #expect(try await states(bench).first?.hasPrefix("waiting") == true)
    }
}
