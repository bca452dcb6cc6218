import Daybook
import DaybookAPI
import DaybookStore
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct RecordsAPITests {
    /// Extreme numbers from senders or from programs that wrote to the store.
    @Test("Every route answers over records with extreme numbers") func answersExtremeNumbers() async throws {
        let rows = [Int64.min, -1, 0, .max].enumerated().flatMap { place, number in
            [Kind.event, .error, .span, .request, .run].map { kind in
                var row = RecordRow(
                    uid: "far-\(place)-\(kind)", time: number, kind: kind, level: Int(number), tag: "a.b")
                row.duration = number
                row.line = Int(number)
                row.session = "s"
                return row
            }
        }
        let bench = Bench(rows: rows)
        let paths = bench.handler.routes.filter { $0.methods == ["GET"] && $0.path != "/api/v1/live" }
            .map { $0.path.description.replacing(/{[a-z]+…?}/, with: "1") }
        for path in paths + (1...rows.count).map({ "/api/v1/records/\($0)" }) {
            #expect(await bench.send("GET", path).status < 500, "\(path)")
        }
    }

    @Test("A page of records has the documented format") func pageMatchesDocument() async {
        var row = RecordRow(
            uid: "stream-7", time: 1_795_166_531_204_000_000, kind: .request, level: 9, tag: "http.get",
            attributes: #"{ "n": 9007199254740993, "text": "a\"<b>" }"#, context: #"{"user_id":42}"#)
        row.message = "GET \"/v1\"\n\u{1}"
        row.duration = 1_500_000
        row.line = 118
        let response = await Bench(rows: [row]).send("GET", "/api/v1/records")
        #expect(
            response.text == #"""
                {"ok":true,"data":{"head":1,"records":[{"id":1,"uid":"stream-7","time":"1795166531204000000",\#
                "kind":"request","level":9,"tag":"http.get","message":"GET \"/v1\"\n\u0001","module":null,\#
                "attributes":{"n":"9007199254740993","text":"a\"<b>"},"context":{"user_id":42},"session":null,\#
                "installation":null,"trace_id":null,"span_id":null,"parent_span_id":null,"duration":"1500000",\#
                "file":null,"function":null,"line":118,"violations":[],"implausible":false,"masked":false,"cut":false}],"partial":false,"next":null,\#
                "progress":{"done":1,"total":1}}}
                """#)
        #expect(response.headers["cache-control"] == "no-store")
        #expect(response.headers["content-type"] == "application/json; charset=utf-8")
    }

    /// An app's in-memory body of a request is shown with its record, which has none.
    @Test("Finds request bodies kept in memory by their record") func findsBodiesInMemory() async throws {
        let bodies = RecentBodies()
        var recording = RequestRecording()
        recording.bodies = .inMemory(bodies)
        var sent = URLRequest(url: try #require(URL(string: "https://api.example/recipes")))
        sent.httpMethod = "POST"
        sent.httpBody = Data(#"{"q":"egg"}"#.utf8)
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: ClosureOutput(id: "none") { _ in }) }
        let request = pipeline.log("app.network").start(RecordedRequest(sent), recording: recording)
        request.end(RecordedResponse(status: 200, body: Data("[7]".utf8)))
        let spanID = try #require(bodies.exchanges.first?.spanID)

        var row = RecordRow(uid: "a-1", time: 1, kind: .request, level: 9, tag: "app.network")
        row.spanID = spanID
        let other = RecordRow(uid: "a-2", time: 2, kind: .event, level: 9, tag: "a.b")
        let bench = Bench(
            rows: [row, other], bodies: { id in bodies.exchange(spanID: id).map { ($0.request, $0.response) } })
        #expect(
            await bench.send("GET", "/api/v1/records/1/bodies").text
                == #"{"ok":true,"data":{"request":"{\"q\":\"egg\"}","response":"[7]"}}"#)
        let nothing = #"{"ok":true,"data":{"request":null,"response":null}}"#
        #expect(await bench.send("GET", "/api/v1/records/2/bodies").text == nothing)
        #expect(await bench.send("GET", "/api/v1/records/9/bodies").status == 404)
        bodies.removeAll()
        #expect(await bench.send("GET", "/api/v1/records/1/bodies").text == nothing)
        #expect(await Bench(rows: [row]).send("GET", "/api/v1/records/1/bodies").text == nothing)
    }

    @Test("An unknown parameter is answered with the known ones") func listsKnownParameters() async throws {
        let bench = Bench(rows: [.event("a.b")])
        for query in [[("bogus", "1")], [("sort", "time"), ("bogus", "1")]] {
            let response = await bench.send("GET", "/api/v1/records", query: query)
            #expect(response.status == 400)
            for name in ["after", "arrived_after", "arrived_before", "filter", "form", "order", "run", "sort"] {
                #expect(response.text.contains(" \(name),"), "\(name): \(response.text)")
            }
        }
        let count = await bench.send("GET", "/api/v1/records/count", query: [("bogus", "1")])
        #expect(count.text.contains(" run,") && !count.text.contains(" sort,"), "\(count.text)")
        let bound = await bench.send("GET", "/api/v1/records", query: [("arrived_after", "1")])
        #expect(bound.status == 400 && bound.text.contains("sort=time"), "\(bound.text)")
    }

    @Test("Request parameters become the store's query") func mapsParameters() async throws {
        let bench = Bench()
        _ = await bench.send(
            "GET", "/api/v1/records",
            query: [
                ("after", "5"), ("before", "90"), ("limit", "20"), ("order", "oldest"), ("filter", "卵 -tag=\"a,b\""),
                ("kind", "event,error"), ("level", "warning"), ("session", "s1"), ("tag", "a.b"),
                ("installation", "i1"), ("version", "1.2"), ("module", "M"), ("file", "M/F.swift"), ("trace", "t1"),
                ("since", "1795166531"), ("until", "1795166532204"),
            ])
        var expected = RecordQuery()
        expected.after = 5
        expected.before = 90
        expected.limit = 20
        expected.order = .oldestFirst
        expected.narrow(by: .kinds(["event", "error"]))
        expected.narrow(by: .level(atLeast: 13))
        expected.narrow(by: .field(.session, "s1"))
        expected.narrow(by: .tag("a.b"))
        expected.narrow(by: .field(.installation, "i1"))
        expected.narrow(by: .field(.version, "1.2"))
        expected.narrow(by: .field(.module, "M"))
        expected.narrow(by: .field(.file, "M/F.swift"))
        expected.narrow(by: .field(.trace, "t1"))
        expected.narrow(by: .since(1_795_166_531_000_000_000))
        expected.narrow(by: .until(1_795_166_532_204_000_000))
        expected.narrow(by: .all([.text("卵"), .not(.tag("a,b"))]))
        expected.filter = expected.filter.withoutOwn
        // Masked, since full access was not requested.
        let sight = try #require(bench.store.queries.first?.filter.sight)
        #expect(sight != .whole)
        expected.filter.sight = sight
        #expect(bench.store.queries == [expected])
    }

    @Test(
        "A wrong parameter is named in the error",
        arguments: [
            ("after", "-1"), ("before", "x"), ("limit", "0"), ("limit", "1001"), ("order", "up"), ("kind", "evnt"),
            ("level", "loud"), ("filter", String(repeating: "x", count: 4_097)), ("colour", "red"), ("since", "now"),
            ("violations", "yes"),
            ("filter", "price>=cheap"), ("filter", "(a"), ("filter", "kind=evnt"),
        ])
    func namesWrongParameter(_ name: String, _ value: String) async throws {
        let bench = Bench()
        let response = await bench.send("GET", "/api/v1/records", query: [(name, value)])
        #expect(response.status == 400)
        #expect(try response.code() == "bad_request")
        #expect(response.text.contains(name))
        #expect(bench.store.queries.isEmpty)
    }

    /// One of the two values would be silently ignored: in a `DELETE`, perhaps the one that spares records.
    @Test("Every route rejects a parameter given twice") func refusesRepeatedParameter() async throws {
        let bench = Bench(rows: [.event("a.b"), .event("a.c")])
        for route in bench.handler.routes where !route.isOpen && route.path.description.hasPrefix("/api/v1/") {
            let path = route.path.description.replacing(/{[a-z]+…?}/, with: "1")
            for name in route.parameters?.sorted() ?? [] {
                let query = [(name, "tag=a.b"), (name, "tag=a.c")]
                let response = await bench.send(route.methods?.first ?? "GET", path, query: query)
                #expect(response.status == 400, "\(path)")
                #expect(response.text.contains("\(name) is given twice."), "\(path) \(response.text)")
            }
        }
        #expect(try await bench.store.head() == 2)
    }

    @Test("Infers the unit of a time parameter from its magnitude", arguments: ["since", "until", "received_before"])
    func infersParameterTimeUnit(_ name: String) async throws {
        let nanoseconds: Int64 = 1_795_166_531_000_000_000
        for value in [
            "1795166531", "1795166531000", "1795166531000000", "1795166531000000000",
            Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 0),
        ] {
            let bench = Bench()
            _ = await bench.send("GET", "/api/v1/records", query: [(name, value)])
            let filter = try #require(bench.store.queries.first).filter
            let times = filter.expression.times
            let read = [times.since, times.until, filter.receivedBefore].compactMap(\.self)
            #expect(read == [nanoseconds], "\(value)")
        }
        for value in ["yesterday", "1e99", "2026-13-01"] {
            let response = await Bench().send("GET", "/api/v1/records", query: [(name, value)])
            #expect(response.status == 400 && response.text.contains("\(name) is a time"), "\(response.text)")
        }
    }

    @Test(
        "A route rejects parameters of other routes",
        arguments: [
            ("GET", "/api/v1/status", "limit"), ("GET", "/api/v1/records/1", "limit"),
            ("GET", "/api/v1/records/1", "form"),
            ("DELETE", "/api/v1/records", "live"),
        ])
    func refusesForeignParameter(_ method: String, _ path: String, _ name: String) async throws {
        let bench = Bench(rows: [.event("a.b")])
        let response = await bench.send(method, path, query: [(name, "1")])
        #expect(response.status == 400 && response.text.contains(name), "\(response.text)")
        #expect(try await bench.store.head() == 1)
    }

    /// Another collector gets a filter's times as they are, however close to 1970.
    @Test(
        "A remote filter forwards its times unchanged",
        arguments: [Int64.min, -1, 0, 1, 99_999_999_999, 1_795_166_531_000, 1_795_166_531_000_000_007, .max])
    func forwardsFilterTimes(time: Int64) throws {
        var filter = RecordFilter(.since(time), .until(time)).withoutOwn
        filter.receivedBefore = time
        let parameters = try filter.parameters()
        #expect(parameters.map(\.name) == ["filter", "since", "until", "received_before", "own"])
        #expect(parameters[1...3].map { ReadTime.nanoseconds(of: $0.value) } == [time, time, time])
    }

    @Test("The level parameter is a minimum", arguments: [("trace", 1), ("1", 1), ("0", 0), ("none", 0), ("err", 17)])
    func levelIsMinimum(_ value: String, _ number: Int) async throws {
        let bench = Bench()
        _ = await bench.send("GET", "/api/v1/records", query: [("level", value)])
        let expected = FilterExpression.level(atLeast: number)
        #expect(bench.store.queries.map { $0.filter.expression.conjuncts.contains(expected) } == [true])
    }

    @Test(
        "No condition can erase everything",
        arguments: [
            [("level", "0")], [("filter", "level>=0")], [("tag", "**")], [("filter", "a OR -a"), ("level", "none")],
        ] as [[(String, String)]])
    func refusesErasingAll(_ query: [(String, String)]) async throws {
        let bench = Bench(rows: [.event("a.b")])
        let response = await bench.send("DELETE", "/api/v1/records", query: query.map { (name: $0.0, value: $0.1) })
        #expect(response.status == 400 && response.text.contains("needs a condition"), "\(response.text)")
    }

    private static let everyKind = Kind.allCases.map(\.rawValue).joined(separator: ",")

    /// Conditions that nearly every record meets, or that only say what to keep, are probably mistakes.
    @Test(
        "Rejects an erasure whose conditions match nearly everything",
        arguments: [
            [("since", "0")], [("since", "-1")], [("since", "1990-01-01T00:00:00Z")],
            [("until", "2200-01-01T00:00:00Z")],
            [("received_before", "2200-01-01T00:00:00Z")], [("filter", "x!=y")], [("filter", "-a")],
            [("filter", "-tag=a.b -kind=span")], [("filter", "NOT (a b)")], [("filter", "a OR -b")], [("tag", "*.*")],
            [("filter", "session=*")], [("filter", "after:1970-01-01"), ("since", "0")], [("filter", "level>=0 x!=y")],
            [("filter", "-has:x")], [("filter", "-time:implausible")], [("own", "1")], [("private", "show")],
            [("kind", Self.everyKind)],
        ] as [[(String, String)]])
    func refusesVagueErasure(_ query: [(String, String)]) async throws {
        let bench = Bench(rows: [.event("a.b")])
        let response = await bench.send("DELETE", "/api/v1/records", query: query.map { (name: $0.0, value: $0.1) })
        #expect(response.status == 400 && response.text.contains("needs a condition"), "\(response.text)")
        #expect(try await bench.store.page(RecordQuery()).count == 1)
    }

    /// Beside one that selects, the same conditions are allowed.
    @Test(
        "Erases with a condition that selects records",
        arguments: [
            [("tag", "a.b"), ("since", "0")], [("filter", "x=1 -y=1")], [("filter", "-(x!=1)")],
            [("filter", "x=1 OR tag=a.*")],
            [("until", "2026-11-25T00:00:00Z")], [("filter", "-after:2026-11-25")], [("filter", "time:implausible")],
            [("filter", "-level>=warning")], [("filter", "has:x")],
        ] as [[(String, String)]])
    func erasesWithCondition(_ query: [(String, String)]) async throws {
        let bench = Bench(rows: [.event("a.b", #"{"x":1}"#)])
        let response = await bench.send("DELETE", "/api/v1/records", query: query.map { (name: $0.0, value: $0.1) })
        #expect(response.status == 200, "\(response.text)")
    }

    @Test(
        "Rejects ranges whose end precedes their start",
        arguments: ["records", "records/count", "histogram", "facets", "violations"])
    func refusesInvertedRanges(_ path: String) async throws {
        for query in [
            [("since", "2026-02-01T00:00:00Z"), ("until", "2026-01-01T00:00:00Z")],
            [("filter", "after:2026-02-01 before:2026-01-01")], [("filter", "x:200..100")],
        ] {
            let response = await Bench().send("GET", "/api/v1/\(path)", query: query.map { (name: $0.0, value: $0.1) })
            #expect(response.status == 400 && response.text.contains("range"), "\(response.text)")
        }
    }

    @Test("Counts new records up to a thousand") func countsUpToThousand() async throws {
        let bench = Bench(rows: (0..<1_200).map { .event("a.e\($0)") })
        let few = try await bench.send("GET", "/api/v1/records/count", query: [("after", "1190")]).data()
        #expect(few["count"] == 10)
        #expect(few["more"] == false)
        let many = try await bench.send("GET", "/api/v1/records/count").data()
        #expect(many["count"] == 1_000)
        #expect(many["more"] == true)
    }

    @Test("An undefined record comes with the nearest defined name") func suggestsDefinedName() async throws {
        let bench = Bench(
            rows: [.event("feed.show_article"), .event("feed.show_artcle"), .event("zzz.unlike_anything_else")],
            definitions: .sample)
        let defined = try await bench.send("GET", "/api/v1/records/1").data()
        #expect(defined["undefined"] == false)
        let misspelt = try await bench.send("GET", "/api/v1/records/2").data()
        #expect(misspelt["undefined"] == true)
        #expect(misspelt["nearest"] == "feed.show_article")
        let strange = try await bench.send("GET", "/api/v1/records/3").data()
        #expect(strange["undefined"] == true)
        #expect(strange["nearest"].text == nil)
    }

    @Test("Records list their violations and can be filtered by them") func filtersViolations() async throws {
        let bench = Bench(
            rows: [
                .event("feed.show_article", #"{"article_id":1}"#), .event("feed.show_article", #"{"article_id":"x"}"#),
                .event("feed.shw_article"), RecordRow(uid: "m", time: 1, kind: .message, level: 9, tag: "any.thing"),
            ], definitions: .sample)
        let data = try await bench.send("GET", "/api/v1/records", query: [("violations", "1")]).data()
        let records = try #require(data["records"].list)
        #expect(records.map { $0["id"] } == [3, 2])
        let kinds = records.map { $0["violations"].list?.map { $0["kind"].text } }
        #expect(kinds == [["undefined_event"], ["wrong_type"]])
        #expect(
            try await bench.send("GET", "/api/v1/records/count", query: [("violations", "1")]).data()["count"].int
                == 2)
    }

    @Test("Without definitions, nothing is a violation") func noDefinitionsNoViolations() async throws {
        let data = try await Bench(rows: [.event("a.b")])
            .send("GET", "/api/v1/records", query: [("violations", "1")]).data()
        #expect(data["records"] == [])
    }

    @Test(
        "A missing record is answered with 404",
        arguments: ["/api/v1/records/99", "/api/v1/records/0", "/api/v1/records/9223372036854775807"])
    func missingRecordIs404(_ path: String) async throws {
        let response = await Bench(rows: [.event("a.b")]).send("GET", path)
        #expect(response.status == 404)
        #expect(try response.code() == "not_found")
    }

    @Test(
        "A store's error keeps its code and message",
        arguments: [
            (StoreError.Code.badStatement, 400, "bad_statement"), (.limit, 422, "limit"),
            (.unavailable, 503, "unavailable"), (.storage, 500, "storage"),
        ])
    func keepsStoreErrors(_ code: StoreError.Code, _ status: Int, _ name: String) async throws {
        let bench = Bench()
        bench.store.fail(with: StoreError(code, "The disk \"main\" is full."))
        for (method, path) in [
            ("GET", "/api/v1/status"), ("GET", "/api/v1/records"), ("GET", "/api/v1/records/1"),
            ("GET", "/api/v1/tags"), ("GET", "/api/v1/histogram"), ("GET", "/api/v1/facets"),
            ("GET", "/api/v1/sessions"), ("DELETE", "/api/v1/sessions/s1"), ("GET", "/api/v1/records/1/explanation"),
            ("GET", "/api/v1/checklists"), ("GET", "/api/v1/live"), ("POST", "/api/v1/sql"),
        ] {
            let response = await bench.send(method, path, body: "{\"sql\":\"SELECT 1\"}")
            #expect(response.status == status)
            #expect(try response.code() == name)
            #expect(response.text.contains(#"The disk \"main\" is full."#))
        }
    }

    @Test("A wrong method is answered with the allowed ones") func apiNamesAllowedMethod() async throws {
        #expect(await Bench().send("HEAD", "/api/v1/records").status == 200)
        #expect(await Bench().send("HEAD", "/api/v1/live").status == 405)
        let response = await Bench().send("GET", "/api/v1/sql")
        #expect(response.status == 405)
        #expect(try response.code() == "method_not_allowed")
        #expect(response.text.contains("/api/v1/sql takes POST, not GET."))
        #expect(response.headers["allow"] == "POST")
        #expect(await Bench().send("POST", "/api/v1/records").headers["allow"] == "DELETE, GET, HEAD")
        #expect(await Bench().send("POST", "/api/v1/live").headers["allow"] == "GET")
    }
}
