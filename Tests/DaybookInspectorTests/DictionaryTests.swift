import DaybookDefinitions
import DaybookStore
import DaybookTrials
import RegexBuilder
import Testing

@testable import DaybookInspector

@Suite struct DictionaryTests {
    @Test("Definitions have the documented format") func definitionsMatchDocument() async {
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
                "classification":"private","notes":[],"values":[]}],"obsolete":true,"location":"feed.md:3:1"}]}],\#
                "links":{"event":[],"request":[]}}}
                """#)
    }

    @Test("Declared values are shown at every column of their type") func sharesTypeValues() async throws {
        let markdown = "# feed\n\n## show\n\n- order: Order\n\n## sort\n\n- order: Order\n    - `latest`: 新着順\n"
        let definitions = Definitions.load([(path: "feed.md", bytes: Array(markdown.utf8))]).0
        let text = await Bench(definitions: definitions).send("GET", "/api/v1/definitions").text
        let values = #""values":[{"value":"latest","description":"新着順"}]"#
        #expect(text.matches(of: Regex { values }).count == 2, "\(text)")
    }

    @Test("Tags show how often and when they occurred") func tagsShowCounts() async {
        let bench = Bench(rows: [.event("a.b", time: 20), .event("a.b", time: 10)])
        let response = await bench.send("GET", "/api/v1/tags")
        #expect(
            response.text == #"""
                {"ok":true,"data":{"tags":[{"tag":"a.b","kind":"event","count":2,"first_time":"10","last_time":"20",\#
                "versions":[{"version":null,"count":2}]}],"next":null,"unlisted":{"tags":0,"versions":0}}}
                """#)
    }

    @Test("A filter counts the tags of matching records only") func filtersTagCounts() async throws {
        let rows = [
            RecordRow.event("a.b", #"{"n":1}"#, time: 20), .event("a.c", #"{"n":1}"#, time: 10),
            .event("a.d", #"{"n":2}"#, time: 5), .event("daybook.alert", #"{"n":1}"#, time: 30),
        ]
        let bench = Bench(rows: rows, definitions: .sample)
        let data = try await bench.send("GET", "/api/v1/tags", query: [("filter", "n=1")]).data()
        let tags = try #require(data["tags"].list)
        #expect(tags.map { $0["tag"] } == ["a.b", "a.c"])
        #expect(tags.first?["first_time"] == "20")
        #expect(data["progress"].members == ["done": 4, "total": 4])
        let unread = await bench.send("GET", "/api/v1/tags", query: [("filter", "n=1 OR")])
        #expect(unread.status == 400 && unread.text.contains("filter, column"), "\(unread.text)")
        // Comparisons could reveal a private value piece by piece.
        let probe = await bench.send("GET", "/api/v1/tags", query: [("filter", "mail=a*")])
        #expect(probe.status == 400 && probe.text.contains("private"), "\(probe.text)")
        #expect(await bench.send("GET", "/api/v1/tags", query: [("filter", "n=1"), ("after", "1")]).status == 400)
    }

    @Test("Checks a pasted definition like a build does") func checksPastedDefinition() async throws {
        let bench = Bench()
        let good = try await bench.send(
            "POST", "/api/v1/definitions/check",
            body: ##"{"name":"feed.md","markdown":"# feed\n\n## show\n\n- article_id: !bigint\n"}"##
        ).data()
        let findings = try #require(good["diagnostics"].list)
        #expect(!findings.contains { $0["severity"] == "error" })
        let bad = try await bench.send(
            "POST", "/api/v1/definitions/check",
            body: ##"{"name":"feed.md","markdown":"# feed\n\n## show\n\n- article_id: !bigin\n"}"##
        ).data()
        let first = try #require(bad["diagnostics"][0])
        #expect(first["severity"] == "error")
        #expect(first["line"] == 5)
        let none = await bench.send("POST", "/api/v1/definitions/check", body: "{}")
        #expect(try none.code() == "bad_request")
    }

    @Test("The dictionary includes the team's links") func dictionaryHasTeamLinks() async throws {
        let configured = InspectorLinks(event: [.init(title: "SQL", url: "https://bi.example/?q={event}")])
        let data = try await Bench(links: configured).send("GET", "/api/v1/definitions").data()
        let links = try #require(data["links"].members)
        #expect(links.keys.sorted() == ["event", "request"] && links["request"] == [])
        #expect(links["event"].list?.map(\.members) == [["title": "SQL", "url": "https://bi.example/?q={event}"]])
    }
}
