import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Plants a secret of each kind and searches every answer of the API for it.
struct DisclosureTests {
    private static let secrets = ["a@b.example", "sender-told-1", "header-9f3a1", "body-9f3a2", "query-9f3a5"]

    private func bench(_ told: TextLog = TextLog(), _ more: [RecordRow] = []) throws -> Bench {
        let row = RecordRow.event(
            "feed.tap_article",
            """
            {"mail":"a@b.example","told":"sender-told-1","daybook.private":["told"],\
            "http.request.header.authorization":["Bearer header-9f3a1"],"body":"{\\"token\\":\\"body-9f3a2\\"}",\
            "url.full":"https://a.example/?token=query-9f3a5"}
            """)
        let checklist = try Checklist(
            markdown: "- [ ] feed.tap_article exactly 2 per mail\n- [ ] feed.tap_article\n    - mail = \"x\"\n",
            file: "list.md")
        return Bench(rows: [row] + more, definitions: .sample, checklists: [checklist], audit: told.add)
    }

    @Test("No answer reveals private values unless asked") func answersMaskSecrets() async throws {
        let misspelt = RecordRow.event("feed.tap_articel", #"{"mail":"a@b.example","other":1}"#)
        let bench = try bench(TextLog(), [misspelt])
        let report = try #require(
            try await bench.send("GET", "/api/v1/checklists/list/report").data()["markdown"].text)
        #expect(report.contains("mail = [private]") || report.contains("mail is [private]"), "\(report)")
        let start = await bench.send("POST", "/api/v1/runs/start", body: #"{"checklist":"list"}"#)
        let run = try #require(try start.data()["id"].int)
        let paths = [
            "/api/v1/records", "/api/v1/records/1", "/api/v1/records/1/explanation", "/api/v1/records/count",
            "/api/v1/records/2", "/api/v1/records/2/explanation",
            "/api/v1/checklists", "/api/v1/checklists/list/report", "/api/v1/runs", "/api/v1/runs/\(run)/verdict",
            "/api/v1/tags", "/api/v1/sessions", "/api/v1/facets", "/api/v1/histogram", "/api/v1/losses",
            "/api/v1/status", "/api/v1/definitions",
        ]
        for path in paths {
            let response = await bench.send("GET", path)
            #expect(response.status == 200, "\(path): \(response.text)")
            for secret in Self.secrets { #expect(!response.text.contains(secret), "\(path) tells \(secret)") }
        }
        for name in ["mail", "told", "http.request.header.authorization", "body", "url.full"] {
            let facets = await bench.send("GET", "/api/v1/facets", query: [("fields", "attributes.\(name)")])
            #expect(facets.status == 200, "\(facets.text)")
            for secret in Self.secrets { #expect(!facets.text.contains(secret), "\(name) tells \(secret)") }
        }
        let record = try await bench.send("GET", "/api/v1/records/1").data()["record"]
        #expect(record?["masked"] == true)
        #expect(record?["attributes"]["mail"] == "[private]")
        let other = try await bench.send("GET", "/api/v1/records/2").data()["record"]
        let attributes = try #require(other?["attributes"])
        #expect(attributes["mail"] == "[private]" && attributes["other"] == 1)
        let explanation = try await bench.send("GET", "/api/v1/records/2/explanation").data()
        #expect(explanation["defined"] == false && explanation["private"] == ["mail"])
    }

    @Test("Showing private values on request is logged") func auditsShownValues() async throws {
        let told = TextLog()
        let bench = try bench(told)
        for (path, line) in [
            ("/api/v1/records/1", "showed private values of the record 1"),
            ("/api/v1/records", "showed private values of records: all"),
        ] {
            let response = await bench.send("GET", path, query: [("private", "show")])
            for secret in Self.secrets { #expect(response.text.contains(secret), "\(path) hides \(secret)") }
            #expect(response.text.contains(#""masked":false"#))
            #expect(told.lines.last == line)
        }
        let mails = await bench.send(
            "GET", "/api/v1/facets", query: [("fields", "attributes.mail"), ("private", "show")])
        #expect(mails.text.contains("a@b.example"))
        #expect(told.lines.last == "showed counts by attributes.mail")
        // The pseudonym from one answer counts in another.
        let hidden = try await bench.send("GET", "/api/v1/facets", query: [("fields", "attributes.mail")]).data()
        let standIn = try #require(hidden["values"]["attributes.mail"][0]["value"].text)
        let counted = try await bench.send(
            "GET", "/api/v1/histogram",
            query: [("by", "attributes.mail"), ("values", "[\"\(standIn)\"]"), ("buckets", "1")]
        ).data()
        #expect(counted["counts"].members == [standIn: [1]])
        #expect(try await bench.send("GET", "/api/v1/records", query: [("private", "yes")]).code() == "bad_request")
        #expect(told.lines.count == 3)
    }

    @Test("The collector's own records are shown only on request") func showsOwnRecords() async throws {
        let bench = Bench(
            rows: [.event("feed.show_article"), .event("daybook.violation"), .event("daybook.alert")],
            definitions: .sample)
        func count(_ query: [(name: String, value: String)]) async throws -> Int? {
            try await bench.send("GET", "/api/v1/records/count", query: query).data()["count"].int
        }
        #expect(try await count([]) == 1)
        #expect(try await count([("own", "1")]) == 3)
        #expect(try await count([("tag", "daybook.**")]) == 2)
        #expect(await bench.send("GET", "/api/v1/tags").text.contains("daybook.") == false)
    }

    @Test("Erases records by a column's value") func erasesByColumn() async throws {
        let told = TextLog()
        var rows = [RecordRow.event("a.b", #"{"user_id":42}"#), .event("a.c", #"{"user_id":421}"#), .event("a.d")]
        rows[2].context = #"{"user_id":"42"}"#
        let bench = Bench(rows: rows, audit: told.add)
        let response = await bench.send("DELETE", "/api/v1/records", query: [("filter", "user_id=42")])
        #expect(try response.data()["erased"] == 2)
        #expect(told.lines == ["erased 2 records by filter"])
        #expect(try await bench.send("DELETE", "/api/v1/records").code() == "bad_request")
        #expect(
            try await bench.send("DELETE", "/api/v1/records", query: [("filter", "user_id=")]).code() == "bad_request")
    }

    @Test("Erasing a session is logged") func auditsErasedSession() async throws {
        let told = TextLog()
        var rows = [RecordRow.event("a.b"), .event("a.c"), .event("a.d")]
        for index in 0..<2 { rows[index].session = "S1" }
        let bench = Bench(rows: rows, audit: told.add)
        #expect(try await bench.send("DELETE", "/api/v1/sessions/S1").data()["erased"] == 2)
        #expect(told.lines == ["erased 2 records of the session S1"])
        #expect(await bench.send("DELETE", "/api/v1/sessions/S1").status == 404)
        #expect(told.lines.count == 1)
    }

    @Test("A filter compares private values only for those who may see them") func filterHidesPrivateValues()
        async throws
    {
        let told = TextLog()
        let bench = Bench(
            rows: [.event("a.b", #"{"mail":"a@b.example","n":1}"#)], definitions: .sample, audit: told.add)
        for path in ["records", "records/count", "histogram", "facets", "violations"] {
            for filter in ["mail=a*", "-(n=2 OR mail>3)", "mail=a@b.example n>0"] {
                let response = await bench.send("GET", "/api/v1/\(path)", query: [("filter", filter)])
                #expect(try response.code() == "bad_request" && response.text.contains("mail"), "\(path) \(filter)")
                let shown = await bench.send(
                    "GET", "/api/v1/\(path)", query: [("filter", filter), ("private", "show")])
                #expect(shown.status == 200, "\(shown.text)")
                #expect(told.lines.contains("compared private values of mail"))
            }
            #expect(await bench.send("GET", "/api/v1/\(path)", query: [("filter", "has:mail n>0")]).status == 200)
        }
    }

    @Test("Parses a filter for the page into parts and errors") func parsesFilterForPage() async throws {
        let bench = Bench()
        let read = await bench.send("GET", "/api/v1/filter", query: [("filter", "卵 -order=a,\"b c\"")])
        #expect(
            read.text.contains(
                #"""
                {"parts":[{"start":0,"end":1,"text":"卵","name":null,"negated":false},\#
                {"start":2,"end":16,"text":"-order=a,\"b c\"","name":"order","negated":true}],"alternatives":false,
                """#.replacingOccurrences(of: "\n", with: "")), "\(read.text)")
        #expect(
            read.text.contains(#""taken":["code.file.path""#) && read.text.contains(#","context.","resource."],"own":"#)
        )
        let wrong = await bench.send("GET", "/api/v1/filter", query: [("filter", "level>=loud")])
        #expect(wrong.text.contains(#""error":{"column":8,"message":"`level` is one of"#), "\(wrong.text)")
    }
}

/// Collects log lines.
final class TextLog: Sendable {
    private let told = Mutex<[String]>([])
    var lines: [String] { told.withLock { $0 } }
    @Sendable func add(_ line: String) { told.withLock { $0.append(line) } }
}
