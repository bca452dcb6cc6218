import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookCollector

/// A team's own log requests, read by rules.
@Suite(.timeLimit(.minutes(5))) struct TeamRequestsTests {
    private static let rules = #"""
        {"rules": [
          {"method": "GET", "host": "log.example", "path": "/logs/*", "event": "feed.{path.last}", "attributes": ["query"]},
          {"path": "/logs", "event": "{body.name}", "attributes": ["body.params"]},
          {"method": "POST", "path": "/form", "event": "{body.name}", "attributes": ["body"]},
          {"path": "/track", "each": "body.events", "event": "{item.name}", "time": "item.at",
           "attributes": ["body.common", "item.params"]}
        ]}
        """#
    private let collector: Collector

    init() throws { collector = try Collector(requests: TeamRequests(RequestRules(json: Self.rules))) }

    private func send(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], _ body: String = "",
        headers: HTTPHeaders = [:], to ingest: IngestHandler? = nil
    ) async -> HTTPResponse {
        let ingest = ingest ?? collector.ingest
        let head = HTTPRequest.Head(method: method, path: "/v1/requests" + path, query: query, headers: headers)
        if case .refuse(let response) = ingest.admit(head) { return response }
        return await ingest.respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
    }

    @Test("Rejects a body in another character encoding") func refusesOtherCharsets() async {
        for type in ["application/json; charset=utf-16", "application/x-www-form-urlencoded; charset=Shift_JIS"] {
            let answer = await send("POST", "/form", "name=tap.menu", headers: ["content-type": type])
            #expect(answer.status == 415 && answer.text.contains("UTF-8"), "\(answer.text)")
        }
    }

    /// The later of two places wins, and a severity wins over an attribute of its name.
    @Test("Reports attributes that are overridden") func reportsOverriddenValues() async throws {
        let rules = #"""
            {"rules": [{"path": "/t", "event": "a.b", "level": "body.l", "attributes": ["body.common", "body.own"]}]}
            """#
        let requests = try TeamRequests(RequestRules(json: rules))
        let ingest = IngestHandler(store: collector.store) {
            $0.requests = requests
        }
        let body = #"{"l":"loud","common":{"x":1,"otel.severity_text":"y"},"own":{"x":2,"z":3}}"#
        let answer = await send("POST", "/t", body, to: ingest)
        for words in ["x given twice (1)", "otel.severity_text given twice (1)", "body.l (1)"] {
            #expect(answer.text.contains(words), "\(answer.text)")
        }
        #expect(
            try await collector.rows().map(\.attributes) == [#"{"x":2,"otel.severity_text":"loud","z":3}"#])
    }

    @Test("Queries, forms and JSON become records with their types") func readsQueriesFormsAndJSON() async throws {
        let query = [(name: "article_id", value: "7"), (name: "title", value: "a+b 100% & 卵/=?")]
        let answer = await send("GET", "/logs/show_article", query: query)
        #expect(answer.status == 200 && answer.text == #"{"stored":1,"duplicates":0}"#)
        #expect(answer.headers["content-type"] == "application/json")
        let json: HTTPHeaders = ["content-type": "application/json"]
        _ = await send("POST", "/logs", #"{"name": "feed.tap", "params": {"id": 7, "is": true}}"#, headers: json)
        _ = await send(
            "POST", "/form", "name=feed.tap&id=8", headers: ["content-type": "application/x-www-form-urlencoded"])
        let rows = try await collector.rows()
        #expect(rows.map(\.tag) == ["feed.show_article", "feed.tap", "feed.tap"])
        #expect(
            rows.map(\.attributes) == [
                #"{"article_id":"7","title":"a+b 100% & 卵/=?"}"#, #"{"id":7,"is":true}"#,
                #"{"name":"feed.tap","id":"8"}"#,
            ])
        #expect(rows.allSatisfy { $0.kind == .event && $0.level == 9 && $0.time == 4_200 && !$0.uid.isEmpty })
    }

    @Test("Each entry of a list is stored or refused separately") func judgesEntriesSeparately() async throws {
        let events = #"{"name": "a", "at": 1795168931, "params": {"n": 1}}, {"name": "b"}"#
        let whole = await send("POST", "/track", #"{"common": {"user": 5}, "events": [\#(events)]}"#)
        #expect(whole.text == #"{"stored":2,"duplicates":0}"#)
        let rows = try await collector.rows()
        #expect(rows.map(\.attributes) == [#"{"user":5,"n":1}"#, #"{"user":5}"#])
        #expect(rows.map(\.time) == [1_795_168_931_000_000_000, 4_200])
        let broken = await send("POST", "/track", #"{"events": [{"name": "a"}, {}, {"name": "b", "at": "noon"}]}"#)
        #expect(
            broken.text
                == #"{"stored":1,"duplicates":0,"rejected":2,"#
                + #""message":"POST /track: entry 2: no event: it has no text at `item.name`; POST /track: entry 3: "#
                + #"`item.at` is not a time: RFC 3339, or a number of seconds, ms, µs or ns since 1970; not \"noon\""}"#
        )
        #expect(try await collector.rows().count == 3)
        let nothing = await send("POST", "/track", #"{"events": [{}, {}]}"#)
        #expect(nothing.status == 400)
        #expect(
            nothing.text
                == #"{"code":3,"message":"POST /track: entry 1: no event: it has no text at `item.name` (2 entries)"}"#)
    }

    @Test("Reports each reason for refused entries with its count") func countsRefusalReasons() async throws {
        let entries = (0..<30).map { $0 % 3 == 0 ? "{}" : #"{"name":"a","at":"day \#($0 % 3 == 1 ? 0 : $0)"}"# }
        let answer = await send("POST", "/track", #"{"events": [\#(entries.joined(separator: ","))]}"#).text
        #expect(answer.contains("entry 1: no event: it has no text at `item.name` (10 entries)"), "\(answer)")
        #expect(
            answer.contains(#"entry 2: `item.at` is not a time: "#) && answer.contains("(10 entries); "), "\(answer)")
        #expect(answer.hasSuffix(#"; 4 more"}"#), "\(answer)")
    }

    /// Formats that the rules do not know.
    @Test(
        "Rejects a request in which nothing is recognised",
        arguments: [
            #"[{"name":"a"}]"#, #"{"events":null}"#, #"{"sentAt":"x"}"#, "{}", "[]", "a=b",
            #"{"Events":[{"name":"a"}]}"#,
        ])
    func refusesUnrecognisedBody(body: String) async throws {
        let answer = await send("POST", "/track", body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.text.contains("nothing stands where the rules look: body.events is absent"), "\(answer.text)")
        #expect(try await collector.rows().isEmpty)
        #expect(await send("POST", "/track", #"{"events":[]}"#).status == 200)
    }

    @Test("Rules read levels from the common table") func readsLevelsByTable() async throws {
        let rules = #"""
            {"rules": [
              {"path": "/j", "event": "{body.name}", "level": "body.p.level", "attributes": ["body.p"]},
              {"method": "GET", "path": "/t/*", "event": "t.{path.last}"},
              {"path": "/k", "event": "{body.name}", "level": "body.level", "attributes": []}
            ]}
            """#
        let requests = TeamRequests(try RequestRules(json: rules))
        let ingest = IngestHandler(store: collector.store) {
            $0.requests = requests
        }
        for (value, level) in [
            (#""error""#, 17), (#""Warning""#, 13), ("17", 17), (#""<3>""#, 17), (#""SEVERE""#, 17), ("null", 9),
            ("0", 9),
        ] {
            let answer = await send("POST", "/j", #"{"name":"x","p":{"level":\#(value)}}"#, to: ingest)
            #expect(answer.text == #"{"stored":1,"duplicates":0}"#)
            #expect(try await collector.rows().last?.level == level, "\(value)")
        }
        for (name, level) in [("crash", 21), ("app_exception", 17), ("show", 9)] {
            _ = await send("GET", "/t/\(name)", to: ingest)
            #expect(try await collector.rows().last?.level == level, "\(name)")
        }
        let unknown = await send("POST", "/k", #"{"name":"x","level":"loud"}"#, to: ingest)
        #expect(unknown.text.contains("not read: body.level (1)"), "\(unknown.text)")
        let row = try await collector.rows().last
        #expect(row?.level == 9 && row?.attributes == #"{"otel.severity_text":"loud"}"#)
    }

    @Test("Entries that match no rule are counted and reported") func countsSkippedEntries() async throws {
        let rules = #"""
            {"rules": [
              {"path": "/batch", "each": "body.batch", "where": {"item.type": "track"}, "event": "{item.event}"},
              {"path": "/batch", "each": "body.batch", "where": {"item.type": "screen"}, "event": "screen.{item.name}"}
            ]}
            """#
        let metrics = IngestMetrics()
        let requests = TeamRequests(try RequestRules(json: rules))
        let ingest = IngestHandler(store: collector.store, metrics: metrics) {
            $0.requests = requests
        }
        let entries = [
            #"{"type": "identify"}"#, #"{"type": "track", "event": "a.b"}"#, #"{"type": "identify"}"#, "{}",
            #"{"type": "screen", "name": "home"}"#, #"{"type": "track"}"#,
        ]
        let answer = await send("POST", "/batch", #"{"batch": [\#(entries.joined(separator: ","))]}"#, to: ingest)
        #expect(
            answer.text
                == #"{"stored":2,"duplicates":0,"rejected":1,"skipped":3,"message":"POST /batch: entry 6: no event: "#
                + #"it has no text at `item.event`; no rule takes: item.type is identify (2), item.type is absent (1)"}"#
        )
        #expect(try await collector.rows().map(\.tag) == ["a.b", "screen.home"])
        let none = await send("POST", "/batch", #"{"batch": [{"type": "alias"}]}"#, to: ingest)
        #expect(none.status == 200 && none.text.contains(#""skipped":1"#))
        var text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        for line in ["daybook_ingest_skipped_total 4", "daybook_ingest_rejected_total 1"] {
            #expect(text.text.contains("\n\(line)\n"), "\(line)")
        }
    }

    @Test("The same request twice is two records") func repeatedRequestIsStored() async throws {
        for _ in 1...2 { #expect(await send("GET", "/logs/show", query: [("id", "1")]).status == 200) }
        #expect(try await collector.rows().count == 2)
    }

    @Test("Rules match the host that a proxy forwards") func readsForwardedHost() async throws {
        #expect(await send("GET", "/logs/show", headers: ["x-forwarded-host": "LOG.example"]).status == 200)
        #expect(await send("GET", "/logs/show", headers: ["x-forwarded-host": "api.example"]).status == 404)
    }

    @Test("A path that matches no rule is answered with 404") func unmatchedPathIs404() async throws {
        let unknown = await send("GET", "/other")
        #expect(unknown.status == 404)
        #expect(unknown.text.contains("No rule of the collector matches GET /v1/requests/other."))
        let none = await send("GET", "/logs/show", to: IngestHandler(store: collector.store))
        #expect(none.status == 404 && none.text.contains("--request-rules"))
        #expect(try await collector.rows().isEmpty)
    }

    @Test("Rule requests share keys, quotas and counters") func rulesShareQuotas() async throws {
        let (key, stored) = makeKey("ios", quota: .init(requestsPerMinute: 1))
        let (scraper, scraperStored) = makeKey("prometheus", purpose: .metrics)
        let metrics = IngestMetrics()
        let requests = TeamRequests(try RequestRules(json: Self.rules))
        let ingest = IngestHandler(
            store: collector.store, keys: KeyRing([stored, scraperStored]), metrics: metrics,
            clock: .init(wall: { 0 }, monotonic: { 0 })
        ) {
            $0.requests = requests
            $0.retryDelay = { 3 }
        }
        func status(_ key: String?, _ path: String = "/logs/show") async -> Int {
            var headers: HTTPHeaders = [:]
            headers["authorization"] = key.map { "Bearer \($0)" }
            return await send("GET", path, headers: headers, to: ingest).status
        }
        // Without a key, nobody learns which requests the rules accept.
        #expect(await [status(nil), status(nil, "/other"), status(scraper.text)] == [401, 401, 403])
        #expect(await [status(key.text, "/other"), status(key.text), status(key.text)] == [404, 200, 429])
        var text = PrometheusText()
        metrics.write(to: &text, load: IngestLoad())
        for line in [
            #"daybook_ingest_requests_total{route="/v1/requests",status="200",reason="ok"} 1"#,
            #"daybook_key_records_total{key="ios"} 1"#, #"daybook_key_refused_total{key="ios"} 1"#,
        ] { #expect(text.text.contains("\n\(line)\n"), "\(line)") }
    }

    @Test("Rule requests have the usual body limits") func rulesShareBodyLimits() async throws {
        let compressed = try #require(Gzip.compress(Array(#"{"name": "feed.tap"}"#.utf8)))
        let answer = await collector.post(
            "/v1/requests/logs", compressed, type: "application/json", encoding: "gzip")
        #expect(answer.status == 200)
        for path in ["/v1/requests/logs", "/v1/events"] {
            let unsaid = await collector.post(path, compressed, type: "application/json")
            #expect(unsaid.status == 400 && unsaid.text.contains("needs Content-Encoding: gzip"))
        }
        let bomb = try #require(Gzip.compress([UInt8](repeating: 0x20, count: 64 << 20)))
        let refused = await collector.post("/v1/requests/logs", bomb, type: "application/json", encoding: "gzip")
        #expect(refused.status == 413)
        // Shared values are repeated in each entry's row.
        let shared = String(repeating: "x", count: 16 << 10)
        let items = repeatElement(#"{"name": "a"}"#, count: 2_000).joined(separator: ",")
        let large = await send("POST", "/track", #"{"common": {"a": "\#(shared)"}, "events": [\#(items)]}"#)
        #expect(large.status == 413)
        #expect(try await collector.rows().count == 1)
    }

    @Test("Refuses requests from pages of other sites") func refusesCrossSiteRequests() async throws {
        for site in ["cross-site", "same-site"] {
            #expect(await send("GET", "/logs/show", headers: ["sec-fetch-site": site]).status == 403)
        }
        #expect(await send("GET", "/logs/show", headers: ["sec-fetch-site": "none"]).status == 200)
        #expect(try await collector.rows().count == 1)
    }

    /// Queries contain only text: defined columns get their types, and invalid values are reported.
    @Test("Definitions give query texts their types and judge the rest") func definitionsTypeQueries() async throws {
        let definitions = Definitions.load([
            (path: "feed.md", bytes: Array("# feed\n\n## show\n\n- id: !bigint\n- first: !boolean?\n".utf8))
        ]).0
        let requests = TeamRequests(try RequestRules(json: Self.rules), definitions: definitions)
        let judging = try Collector(violationsOf: definitions, requests: requests)
        for query in [[("id", "7"), ("first", "true")], [("id", "seven")]] {
            #expect(await send("GET", "/logs/show", query: query, to: judging.ingest).status == 200)
        }
        // JSON has its own types.
        _ = await send("POST", "/logs", #"{"name": "feed.show", "params": {"id": "7"}}"#, to: judging.ingest)
        let rows = try await judging.rows()
        #expect(
            rows.map(\.attributes).filter { $0.hasPrefix(#"{"id""#) }
                == [#"{"id":7,"first":true}"#, #"{"id":"seven"}"#, #"{"id":"7"}"#])
        #expect(rows.count { $0.tag == "daybook.violation" && $0.attributes.contains("wrong_type") } == 2)
    }
}
