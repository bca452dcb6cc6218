import DaybookStore
import Testing

@testable import DaybookInspector

@Suite struct DictionaryTests {
    @Test func definitionsAreWrittenAsDocumented() async {
        let response = await Bench(definitions: .sample).send("GET", "/api/v1/definitions")
        #expect(
            response.text == #"""
                {"ok":true,"data":{"common":[{"name":"user_id","type":"!integer","optional":true,"obsolete":false,\#
                "classification":"plain","notes":[],"values":[]}],"categories":[{"name":"feed",\#
                "description":"ホームのフィード","columns":[],"events":[{"name":"show_article",\#
                "tag":"feed.show_article","view":"feed__show_article","description":"記事が表示されたとき","columns":[{"name":"article_id",\#
                "type":"!bigint","optional":false,"obsolete":false,"classification":"plain","notes":["記事 ID"],\#
                "values":[]},{"name":"order","type":"Order","optional":true,"obsolete":false,\#
                "classification":"plain","notes":[],"values":[{"value":"latest","description":"新着順"}]}],\#
                "obsolete":false,"location":"feed.md:3:1"},{"name":"tap_article","tag":"feed.tap_article",\#
                "view":"feed__tap_article","description":"","columns":[{"name":"mail","type":"!string 64","optional":false,"obsolete":false,\#
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

    @Test func theNearestNameIsCloseOrNone() {
        let names = NearestNames(.sample)
        #expect(names.nearest(to: "feed.tap_artcle") == "feed.tap_article")
        #expect(names.nearest(to: "fed.show_articel") == "feed.show_article")
        #expect(names.nearest(to: "payment.purchase_done") == nil)
        #expect(names.nearest(to: String(repeating: "feed.", count: 1_000)) == nil)
        #expect(NearestNames(.init()).nearest(to: "a.b") == nil)
    }
}
