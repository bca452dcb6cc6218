import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTools
import DaybookTrials
import Testing

@testable import DaybookAPI
@testable import DaybookInspector

/// The checklist route and its board.
@Suite(.timeLimit(.minutes(5))) struct ChecklistTests {
    private static func checklist(_ items: String, file: String = "LogChecklists/release.md") throws -> Checklist {
        try Checklist(markdown: "# 確認\n\n## feed\n\(items)\n", file: file)
    }

    /// The states of all items in order, with their reasons.
    private func states(_ bench: Bench) async throws -> [String] {
        try await items(bench).map { item in
            let state = try #require(item["state"].text)
            return item["reason"].text.map { "\(state): \($0)" } ?? state
        }
    }

    /// The same over a run or selected records.
    private func states(_ bench: Bench, _ query: (name: String, value: String)...) async throws -> [String] {
        try await items(bench, query).compactMap { $0["state"].text }
    }

    private func items(_ bench: Bench, _ query: [(name: String, value: String)] = []) async throws -> [Value] {
        let data = try await bench.send("GET", "/api/v1/checklists", query: query).data()
        let checklists = try #require(data["checklists"].list)
        return try checklists.flatMap { checklist in
            try #require(checklist["scenarios"].list)
                .flatMap { try #require($0["items"].list) }
        }
    }

    @Test("DefinedEvents have the documented format") func verdictsMatchDocument() async throws {
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
        let version = OwnedFile.version(of: Array(checklist.source.utf8))
        #expect(
            before.text == #"""
                {"ok":true,"data":{"judged":1,"head":1,"checklists":[{"id":"release","title":"確認","since":0,\#
                "personas":[],"judging":{"installation":null,"session":null,"version":null,"persona":null,\#
                "records":1,"first":1,"last":1,"sessions":[],"installations":[],"versions":[],"devices":[]},\#
                "run":null,"signed_off":null,"definitions":null,"passed":true,"result":"passed","judged":1,\#
                "board":[],"writable":false,"version":"\#(version)",\#
                "scenarios":[{"id":"feed","title":"feed","passed":true,"result":"passed","judged":1,\#
                "problem":null,"phrases":[],"waiver":null,\#
                "items":[{"id":"1",\#
                "text":"feed.show_article exactly 1 per article_id","pattern":"feed.show_article",\#
                "tests":["position >= 0"],"notes":["一度だけ"],"state":"ok","provisional":true,"reason":null,\#
                "phrases":[],"matches":1,"records":[{"id":1,"time":"1795166531204000000","tag":"feed.show_article",\#
                "values":[{"column":"article_id","value":7},{"column":"position","value":0}],"note":null,\#
                "phrases":[]}],"waiver":null,"ticked":false},\#
                {"id":"2","text":"目で確認する","pattern":null,"tests":[],"notes":[],"state":"manual",\#
                "provisional":false,"reason":null,"phrases":[],"matches":0,"records":[],"waiver":null,\#
                "ticked":false}]}]}]}}
                """#)
        _ = try await bench.store.append(
            RecordBatch(rows: [.event("feed.show_article", #"{"article_id":7,"position":3}"#)]))
        let items = try await items(bench)
        #expect(items[0]["state"] == "failed")
        #expect(items[0]["reason"].text?.contains("got 2 (article_id = 7)") == true)
        #expect(items[0]["records"].list?.map { $0["id"] } == [1, 2])
    }

    @Test("Items are judged by order, conditions and assertions as well") func judgesBeyondTags() async throws {
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
            try await states(bench).map { $0.prefix { $0 != ":" } } == Array(repeating: "waiting", count: 5))
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

    @Test("Columns come from attributes, then context, then the envelope") func checklistColumnOrder() {
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

    @Test("Attributes that are not JSON have no columns") func brokenJSONHasNoColumns() {
        let record = JSONChecklistRecord(StoredRecord(id: 1, row: .event("a.b", "{broken")))
        #expect(record.value(of: "broken") == nil)
        #expect(record.tag == "a.b")
    }

    @Test("Items that cannot be judged are set aside with a reason") func explainsUnjudgedItems() async throws {
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

    @Test("Judges a large store in pages without rereading") func judgesInPages() async throws {
        let rows = (1...10_000).map { number in
            RecordRow.event(number == 9_999 ? "ad.show" : "feed.show", #"{"n":\#(number)}"#)
        }
        let checklist = try Self.checklist(
            "- [ ] never ad.**\n- [ ] feed.show exactly 1 per n\n- [ ] feed.show where n = 10000")
        let store = FakeStore(rows)
        let board = ChecklistBoard(store: store, checklists: [checklist])
        let first = try await board.view()
        #expect(first.judged >= Int64(ChecklistBoard.pageSize))
        #expect(first.head == 10_000)
        var last = first
        while last.judged < last.head { last = try await board.view() }
        let items = last.checklists[0].verdicts(finished: false, for: .managers)[0].items
        #expect(items.map(\.status) == [.failed, .ok, .ok])
        #expect(items[1].matches == 9_999)
        #expect(store.queries.allSatisfy { $0.limit == ChecklistBoard.pageSize && $0.order == .oldestFirst })
        // No page is read twice: each starts where an earlier one ended.
        let starts = store.queries.compactMap(\.after).filter { $0 < 10_000 }
        #expect(starts == Array(stride(from: Int64(0), to: 10_000, by: 500)))
    }

    @Test("Judging does not wait for erased records") func skipsErasedRecords() async throws {
        let store = FakeStore([.event("feed.show")])
        store.erased(through: 40)
        let snapshot = try await ChecklistBoard(
            store: store, checklists: [Self.checklist("- [ ] feed.show")]
        ).view()
        #expect(snapshot.judged == 40)
        #expect(snapshot.head == 40)
    }

    @Test("The checklist board follows notices of new records") func boardFollowsNotices() async throws {
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

    @Test("The persona decides which items apply") func personaDecidesItems() async throws {
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
        #expect(try await states(bench, ("persona", "member")) == ["not_applicable"])
        #expect(try await states(bench, ("persona", "new")) == ["waiting"])
    }

    @Test("Rejects a persona that no checklist has") func refusesUnknownPersona() async throws {
        let plans = try Checklist(
            markdown: "# p\n\n| persona | plan |\n|---|---|\n| new | free |\n\n## s\n- [ ] feed.offer\n", file: "p.md")
        let other = try Checklist(markdown: "# o\n\n## s\n- [ ] feed.show\n", file: "o.md")
        let bench = Bench(checklists: [plans, other])
        func refusal(_ path: String, _ persona: String) async -> String {
            let response = await bench.send("GET", path, query: [("persona", persona)])
            return response.status == 400 ? response.text : "\(response.status)"
        }
        let asked: [(path: String, persona: String, words: String)] = [
            ("/api/v1/checklists", "nobody", "no persona is called `nobody` (there are: new)"),
            ("/api/v1/checklists", "nwe", "no persona is called `nwe` (did you mean `new`?)"),
            ("/api/v1/checklists/p/report", "nobody", "no persona is called `nobody` (there are: new)"),
            (
                "/api/v1/checklists/o/report", "new",
                "no persona is called `new` (the checklist has no table of personas)"
            ),
        ]
        for (path, persona, words) in asked {
            #expect(await refusal(path, persona).contains(words), "\(path) \(persona)")
        }
        // Another checklist need not have it.
        #expect(await refusal("/api/v1/checklists", "new") == "200")
        #expect(await refusal("/api/v1/checklists/p/report", "new") == "200")
    }

    @Test("Records of another persona fail the scenario") func boardFailsOtherPersona() async throws {
        let checklist = try Checklist(
            markdown: "# p\n\n| persona | plan |\n|---|---|\n| new | free |\n\n## s\n- [ ] feed.offer\n",
            file: "p.md")
        var row = RecordRow.event("feed.offer")
        row.context = #"{"plan":"paid"}"#
        let bench = Bench(rows: [row], checklists: [checklist])
        let data = try await bench.send("GET", "/api/v1/checklists", query: [("persona", "new")]).data()
        let shown = try #require(data["checklists"][0])
        #expect(shown["passed"] == false)
        let problem = shown["scenarios"][0]["problem"].text
        #expect(problem == #"the records are not of persona "new": plan is "paid" in #1, not "free""#)
    }

    @Test("Selects the judged records by version, installation and session") func selectsJudgedRecords() async throws {
        let rows = [("4.11", "i-1", "s-1"), ("4.12", "i-1", "s-2"), ("4.12", "i-2", "s-3")].map {
            version, installation, session in
            var row = RecordRow.event("feed.show")
            row.uid = session
            (row.installation, row.session) = (installation, session)
            row.context = #"{"service.version":"\#(version)","device.model.name":"Phone"}"#
            return row
        }
        let bench = Bench(rows: rows, checklists: [try Self.checklist("- [ ] feed.show exactly 1")])
        func judging(_ query: (name: String, value: String)...) async throws -> String {
            let data = try await bench.send("GET", "/api/v1/checklists", query: query).data()
            let shown = try #require(data["checklists"][0])
            let judging = try #require(shown["judging"])
            let versions = try #require(judging["versions"].list).compactMap(\.text)
            return "\(judging["records"].int ?? -1) \(versions) \(shown["passed"] == true)"
        }
        #expect(try await judging() == #"3 ["4.11", "4.12"] false"#)
        #expect(try await judging(("version", "4.11")) == #"1 ["4.11"] true"#)
        #expect(try await judging(("version", "4.12")) == #"2 ["4.12"] false"#)
        #expect(try await judging(("version", "4.12"), ("installation", "i-2")) == #"1 ["4.12"] true"#)
        #expect(try await judging(("session", "s-2")) == #"1 ["4.12"] true"#)
        _ = try await bench.store.append(RecordBatch(rows: [rows[0]]))
        #expect(try await judging(("version", "4.11")) == #"2 ["4.11"] false"#)
        let wrong = await bench.send("GET", "/api/v1/checklists", query: [("device", "x")])
        #expect(try wrong.code() == "bad_request")
    }

    @Test("Definitions decide which events and columns an item may name") func definitionsLimitItems() async throws {
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

    @Test("The report is the checklist with ticked items") func reportTicksItems() async throws {
        let bench = Bench(
            rows: [.event("feed.show")], checklists: [try Self.checklist("- [ ] feed.show\n- [ ] feed.tap")])
        let text = try await bench.send("GET", "/api/v1/checklists/release/report").data()["markdown"].text
        #expect(text?.contains("- [x] feed.show") == true)
        #expect(text?.contains("- [ ] feed.tap") == true)
    }

    @Test("Judging works again after a store failure") func retriesFailedStore() async throws {
        let bench = Bench(rows: [.event("feed.show")], checklists: [try Self.checklist("- [ ] feed.show")])
        bench.store.fail(with: StoreError(.unavailable, "gone"))
        #expect(try await bench.send("GET", "/api/v1/checklists").code() == "unavailable")
        bench.store.fail(with: nil)
        #expect(try await states(bench) == ["ok"])
    }

    @Test("Records of kind run are not judged") func skipsRunRecords() async throws {
        var row = RecordRow.event("feed.show")
        row.kind = .run
        let bench = Bench(rows: [row], checklists: [try Self.checklist("- [ ] feed.show")])
        #expect(try await states(bench).first?.hasPrefix("waiting") == true)
    }
}
