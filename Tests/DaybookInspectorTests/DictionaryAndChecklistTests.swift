import DaybookStore
import Testing

@testable import DaybookInspector

@Suite struct DictionaryAndChecklistTests {
    @Test func definitionsAreWrittenAsDocumented() async {
        let response = await Bench(definitions: .sample).send("GET", "/api/v1/definitions")
        #expect(
            response.text == #"""
                {"ok":true,"data":{"common":[{"name":"user_id","type":"integer","optional":true,"obsolete":false,\#
                "classification":"plain","notes":[],"values":[]}],"categories":[{"name":"feed",\#
                "description":"ホームのフィード","columns":[],"events":[{"name":"show_article",\#
                "tag":"feed.show_article","description":"記事が表示されたとき","columns":[{"name":"article_id",\#
                "type":"bigint","optional":false,"obsolete":false,"classification":"plain","notes":["記事 ID"],\#
                "values":[]},{"name":"order","type":"Order","optional":true,"obsolete":false,\#
                "classification":"plain","notes":[],"values":[{"value":"latest","description":"新着順"}]}],\#
                "obsolete":false,"location":"feed.md:3:1"},{"name":"tap_article","tag":"feed.tap_article",\#
                "description":"","columns":[{"name":"mail","type":"string 64","optional":false,"obsolete":false,\#
                "classification":"private","notes":[],"values":[]}],"obsolete":true,"location":"feed.md:3:1"}]}]}}
                """#)
    }

    @Test func tagsSayHowOftenAndWhen() async {
        let bench = Bench(rows: [.event("a.b", time: 20), .event("a.b", time: 10)])
        let response = await bench.send("GET", "/api/v1/tags")
        #expect(
            response.text
                == #"{"ok":true,"data":{"tags":[{"tag":"a.b","kind":"event","count":2,"first_time":"10","last_time":"20"}]}}"#
        )
    }

    @Test func anItemWaitsUntilItsTagIsSeen() async throws {
        let checklist = ChecklistView(
            id: "release", title: "確認",
            scenarios: [
                .init(
                    id: "feed", title: "feed",
                    items: [
                        .init(id: "1", text: "feed.show_article", pattern: "feed.show_article"),
                        .init(id: "2", text: "目で確認する", pattern: nil),
                    ])
            ])
        let bench = Bench(checklists: [checklist])
        let before = await bench.send("GET", "/api/v1/checklists")
        #expect(
            before.text == #"""
                {"ok":true,"data":{"checklists":[{"id":"release","title":"確認","scenarios":[{"id":"feed",\#
                "title":"feed","items":[{"id":"1","text":"feed.show_article","pattern":"feed.show_article",\#
                "state":"waiting","count":0,"last_time":null},{"id":"2","text":"目で確認する","pattern":null,\#
                "state":"manual","count":0,"last_time":null}]}]}]}}
                """#)
        _ = try await bench.store.append(RecordBatch(rows: [.event("feed.show_article", time: 5)]))
        let after = await bench.send("GET", "/api/v1/checklists")
        #expect(after.text.contains(#""state":"ok","count":1,"last_time":"5""#))
    }

    @Test(
        arguments: [
            ("a.b", "a.b", true), ("a.b", "a.bc", false), ("a.b", "a.b.c", false), ("a.*", "a.b", true),
            ("a.*", "a.b.c", false), ("a.*", "a", false), ("a.*", "ab.c", false), ("a.**", "a.b.c", true),
            ("a.**", "a", true), ("a.**", "ab.c", false), ("**", "anything.at.all", true), ("*", "one", true),
            ("*", "one.two", false), ("a.*", "a.", false), ("検索.*", "検索.実行", true),
        ])
    func patternsMatchWholeTerms(_ pattern: String, _ tag: String, _ expected: Bool) {
        #expect(SeenPattern(pattern).matches(tag) == expected)
    }

    @Test func countsOfAllMatchingTagsAddUp() {
        let summaries = ["feed.show", "feed.tap", "other.show"].enumerated().map { index, tag in
            TagSummary(tag: tag, kind: "event", count: 2, firstTime: 1, lastTime: Int64(10 - index))
        }
        let verdict = ItemVerdict(.init(id: "1", text: "", pattern: "feed.**"), summaries)
        #expect(verdict.count == 4)
        #expect(verdict.lastTime == 10)
        #expect(verdict.state == .ok)
    }

    @Test func theNearestNameIsCloseOrNone() {
        let names = NearestNames(.sample)
        #expect(names.nearest(to: "feed.tap_artcle") == "feed.tap_article")
        #expect(names.nearest(to: "fed.show_articel") == "feed.show_article")
        #expect(names.nearest(to: "payment.purchase_done") == nil)
        #expect(names.nearest(to: String(repeating: "feed.", count: 1_000)) == nil)
        #expect(NearestNames(.init()).nearest(to: "a.b") == nil)
    }
}
