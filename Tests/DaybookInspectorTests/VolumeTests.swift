import DaybookBase
import DaybookStore
import DaybookTrials
import Testing

@testable import DaybookAPI
@testable import DaybookInspector

@Suite struct VolumeTests {
    private static let rows: [RecordRow] = (0..<10).map { number in
        var row = RecordRow.event("a.b", time: Int64(number) * 100)
        row.uid = "uid-\(number)"
        row.session = number < 4 ? "one" : "two"
        return row
    }

    @Test("The histogram spans the first to the last record") func histogramSpansRecords() async throws {
        let data = try await Bench(rows: Self.rows).send("GET", "/api/v1/histogram", query: [("buckets", "2")]).data()
        #expect(data["start"] == "0")
        #expect(data["width"] == "500")
        #expect(data["buckets"] == 2)
        #expect(data["counts"] == ["event": [5, 5]])
        #expect(data["next"].int == nil)
    }

    /// Bounds anywhere in 64 bits, from record times or parameters.
    @Test("The histogram copes with extreme times and counts those outside") func histogramSurvivesExtremes()
        async throws
    {
        let rows = [Int64.min, -1, 0, 1_700_000_000_000_000_000, .max].enumerated().map { place, time in
            var row = RecordRow.event("a.b", time: time)
            row.uid = "far-\(place)"
            return row
        }
        for count in 1...rows.count {
            for part in [rows.prefix(count), rows.suffix(count)] {
                let bench = Bench(rows: Array(part))
                for buckets in ["1", "2", "96", "1000"] {
                    let data = try await bench.send("GET", "/api/v1/histogram", query: [("buckets", buckets)]).data()
                    let counted = data["counts"]["event"].list?.compactMap(\.int).reduce(0, +) ?? 0
                    let outside = data["outside"].int ?? 0
                    #expect(counted > 0 && counted + outside == part.count, "\(part.map(\.time)) \(buckets)")
                }
                for start in [Int64.min, -1, 0, .max] {
                    for width in [Int64(1), 60_000_000_000, .max] {
                        let query = [("start", "\(start)"), ("width", "\(width)"), ("buckets", "1000")]
                        #expect(await bench.send("GET", "/api/v1/histogram", query: query).status == 200)
                    }
                }
            }
        }
    }

    /// A record with an impossible time among those of the last minutes.
    @Test(
        "One implausible time does not widen the histogram",
        arguments: [Int64.min, -1, 0, 1_795_000_000, 1_795_000_000_000, 4_102_444_800_000_000_000, .max])
    func ignoresImplausibleTime(time: Int64) async throws {
        let now = PipelineClock.system.wall()
        let minute: Int64 = 60_000_000_000
        let rows = ([time] + (0..<20).map { now - $0 * minute }).enumerated().map { place, time in
            var row = RecordRow.event("a.b", time: time)
            row.uid = "uid-\(place)"
            return row
        }
        let bench = Bench(rows: rows)
        func histogram(_ query: [(String, String)]) async throws -> (seconds: Int, buckets: Int, in: Int, out: Int) {
            let data = try await bench.send("GET", "/api/v1/histogram", query: query).data()
            let width = Int(data["width"].text ?? "") ?? 0
            let counts = data["counts"]["event"].list?.compactMap(\.int) ?? []
            return (
                width / 1_000_000_000, data["buckets"].int ?? 0, counts.reduce(0, +), data["outside"].int ?? -1
            )
        }
        let all = try await histogram([])
        #expect(all.seconds * all.buckets < 30 * 60 && all.in == 20 && all.out == 1)
        let last = try await histogram([("filter", "last:30m")])
        #expect(last.seconds * last.buckets < 30 * 60 && last.in == 20 && last.out == 0)
        let since = try await histogram([("since", "\(now - 10 * minute)")])
        #expect(since.seconds * since.buckets < 15 * 60 && since.in == 11 && since.out == (time > now ? 1 : 0))
        let found = try await bench.send("GET", "/api/v1/records", query: [("filter", "time:implausible")]).data()
        let records = found["records"].list ?? []
        #expect(records.map { $0["implausible"] } == [true])
        let usual = try await bench.send("GET", "/api/v1/records", query: [("filter", "last:1h")]).data()
        let marks = (usual["records"].list ?? []).map { $0["implausible"] }
        #expect(marks == Array(repeating: false, count: 20))
    }

    /// A phone's clock may be a little fast, and its records must still appear live.
    @Test("A live query includes records slightly ahead of the clock") func liveIncludesFuture() async throws {
        var row = RecordRow.event("a.b", time: PipelineClock.system.wall() + 20_000_000_000)
        row.uid = "ahead"
        let bench = Bench(rows: [row])
        for (query, count) in [([], 0), ([("live", "1")], 1)] {
            let data = try await bench.send(
                "GET", "/api/v1/records/count", query: [("filter", "last:15m"), ("after", "0")] + query
            ).data()
            #expect(data["count"].int == count)
        }
        #expect(await bench.send("GET", "/api/v1/records", query: [("live", "yes")]).status == 400)
    }

    @Test("A time range narrows the histogram") func rangeNarrowsHistogram() async throws {
        let data = try await Bench(rows: Self.rows).send(
            "GET", "/api/v1/histogram",
            query: [
                ("buckets", "1"), ("since", "1970-01-01T00:00:00.0000002Z"), ("until", "1970-01-01T00:00:00.0000005Z"),
            ]
        ).data()
        #expect(data["counts"] == ["event": [3]])
    }

    @Test("Histogram buckets are round steps of the clock") func bucketsFollowClock() throws {
        let second: Int64 = 1_000_000_000
        let day = 86_400 * second
        /// 12 November 2025, 12:34:56.
        let noon = 1_762_950_896 * second
        for (length, most, width, start, count) in [
            (90 * 60 * second, 96, 60 * second, noon - 56 * second, 91),
            (95 * 60 * second + 10 * second, 96, 2 * 60 * second, noon - 56 * second, 49),
            (7 * day, 96, 2 * 3_600 * second, noon - 34 * 60 * second - 56 * second, 85),
            (0, 1, 1, noon, 1),
        ] {
            let scale = HistogramScale(noon...noon + length, most: most)
            #expect(scale.width == width)
            #expect(scale.start == start)
            #expect(scale.count == count)
        }
    }

    @Test(
        "A histogram's scale covers all its times",
        arguments: [
            0...0, -1...0, -3_600_000_000_001 ... -1, Int64.min...Int64.min + 5, Int64.max - 5...Int64.max,
            0...Int64.max - 1,
            -4_000_000_000_000_000_000...4_000_000_000_000_000_000,
        ])
    func histogramHoldsAllTimes(_ times: ClosedRange<Int64>) {
        for most in [1, 2, 96, 1_000] {
            let scale = HistogramScale(times, most: most)
            let query = HistogramQuery(start: scale.start, width: scale.width, count: scale.count)
            #expect(scale.count <= most)
            #expect(query.bucket(of: times.lowerBound) == 0)
            #expect(query.bucket(of: times.upperBound) != nil)
        }
    }

    @Test(
        "The histogram accepts ranges with extreme times",
        arguments: [("since", Int64.min), ("until", .min), ("since", .max), ("until", .max)])
    func acceptsExtremeRanges(_ name: String, _ time: Int64) async throws {
        let answer = await Bench(rows: Self.rows).send("GET", "/api/v1/histogram", query: [(name, String(time))])
        #expect(answer.status == 200)
    }

    @Test("The histogram can split counts by level") func histogramSplitsLevels() async throws {
        var rows = Self.rows
        rows[3].level = 17
        let data = try await Bench(rows: rows).send(
            "GET", "/api/v1/histogram", query: [("buckets", "2"), ("by", "level")]
        ).data()
        #expect(data["counts"].members == ["9": [4, 5], "17": [1, 0]])
    }

    @Test("An empty store has an empty histogram") func emptyStoreHistogram() async throws {
        let data = try await Bench().send("GET", "/api/v1/histogram").data()
        #expect(data["counts"] == [:])
    }

    /// In another unit, even a current time would match nothing, since the width is in nanoseconds.
    @Test(
        "Rejects a histogram start that is not in nanoseconds",
        arguments: ["1795166531", "1795166531204", "1795166531204000"])
    func histogramNeedsNanoseconds(_ start: String) async throws {
        let response = await Bench().send("GET", "/api/v1/histogram", query: [("start", start), ("width", "60")])
        #expect(response.status == 400 && response.text.contains("start=17951665312040000") == (start.count > 10))
        #expect(response.text.contains("nanoseconds"), "\(response.text)")
    }

    @Test(
        "A wrong histogram parameter is named in the error",
        arguments: [
            ("buckets", "0"), ("buckets", "1001"), ("width", "0"), ("width", "60"), ("start", "0"), ("kind", "evnt"),
            ("colour", "red"), ("by", "tag"),
        ])
    func namesHistogramParameter(_ name: String, _ value: String) async throws {
        let response = await Bench().send("GET", "/api/v1/histogram", query: [(name, value)])
        #expect(response.status == 400)
        #expect(response.text.contains(name))
    }

    @Test("Facets count the values of record fields") func countsFacets() async throws {
        let response = await Bench(rows: Self.rows).send(
            "GET", "/api/v1/facets", query: [("fields", "session,tag"), ("since", "1970-01-01T00:00:00.0000001Z")])
        #expect(
            response.text.contains(
                #""values":{"session":[{"value":"two","count":6},{"value":"one","count":3}],"tag":[{"value":"a.b","count":9}]}"#
            ), "\(response.text)")
        let wrong = await Bench().send("GET", "/api/v1/facets", query: [("fields", "colour")])
        #expect(wrong.status == 400)
    }

    @Test("Counts records by a parameter's values, with the rest as others") func countsByParameter() async throws {
        let rows = (0..<6).map { number in
            let screen = ["home", "search", "detail"][number % 3]
            var row = RecordRow.event("a.b", #"{"screen":"\#(screen)"}"#, time: Int64(number))
            row.uid = "uid-\(number)"
            return row
        }
        let bench = Bench(rows: rows)
        let facets = await bench.send("GET", "/api/v1/facets", query: [("fields", "attributes.screen")])
        #expect(facets.text.contains(#""attributes.screen":[{"value":"detail","count":2},"#), "\(facets.text)")
        let query = [
            (name: "by", value: "attributes.screen"), ("values", #"["home","search"]"#), ("start", "0"), ("width", "3"),
            ("buckets", "2"),
        ]
        let histogram = try await bench.send("GET", "/api/v1/histogram", query: query).data()
        #expect(histogram["counts"].members == ["home": [1, 1], "search": [1, 1]])
        #expect(histogram["others"] == [1, 1])
        for wrong in [[("by", "colour")], [("by", "attributes.screen")], [("by", "tag"), ("values", "home")]] {
            let response = await bench.send("GET", "/api/v1/histogram", query: wrong.map { (name: $0.0, value: $0.1) })
            #expect(response.status == 400, "\(wrong)")
        }
    }

    @Test("A filter finds sessions by the records in them") func filtersSessions() async throws {
        let bench = Bench(rows: Self.rows)
        func sessions(_ query: [(name: String, value: String)]) async throws -> Value {
            try await bench.send("GET", "/api/v1/sessions", query: query).data()
        }
        let found = try await sessions([("filter", "tag=a.b uid=uid-2")])
        #expect(found["sessions"].list?.map { $0["session"] } == ["one"])
        // A session counts all of its records, whichever matched.
        #expect(found["sessions"][0]["count"] == 4)
        #expect(found["next"].int == nil)
        let first = try await sessions([("filter", "tag=a.b"), ("limit", "1")])
        #expect(first["sessions"][0]["session"] == "two")
        let next = try #require(first["next"].int)
        let rest = try await sessions([("filter", "tag=a.b"), ("before", "\(next)"), ("session", "one")])
        #expect(rest["sessions"].list?.map { $0["session"] } == ["one"])
        let unread = await bench.send("GET", "/api/v1/sessions", query: [("filter", "(a")])
        #expect(unread.status == 400 && unread.text.contains("filter, column"), "\(unread.text)")
    }

    @Test("Lists sessions and deletes one") func listsAndDeletesSessions() async throws {
        let bench = Bench(rows: Self.rows)
        let sessions = try #require(
            try await bench.send("GET", "/api/v1/sessions").data()["sessions"].list)
        #expect(sessions.map { $0["session"] } == ["two", "one"])
        #expect(sessions.map { $0["count"] } == [6, 4])
        #expect(sessions[0]["first_time"] == "400")
        #expect(try await bench.send("DELETE", "/api/v1/sessions/one").data()["erased"] == 4)
        #expect(try await bench.send("DELETE", "/api/v1/sessions/one").code() == "not_found")
    }

    @Test("Imported lines are stored all together or not at all") func importIsAllOrNothing() async throws {
        let bench = Bench()
        let good = try await bench.send(
            "POST", "/api/v1/import", body: "{\"tag\":\"a.b\"}\n\n{\"tag\":\"a.c\",\"kind\":\"message\"}\n"
        ).data()
        #expect(good["stored"] == 2)
        let marked = await bench.send(
            "POST", "/api/v1/import", body: "\u{FEFF}{\"tag\":\"a.d\",\"resource\":{},\"time\":1795168931}\n\u{FEFF}\n")
        #expect(try marked.data()["unread"] == ["resource": 1])
        let bad = await bench.send("POST", "/api/v1/import", body: "{\"tag\":\"a.b\"}\n{\"kind\":\"event\"}\n")
        #expect(try bad.code() == "bad_request")
        #expect(bad.text.contains("Line 2"))
        #expect(try await bench.send("GET", "/api/v1/records/count").data()["count"] == 3)
        #expect(try await bench.send("POST", "/api/v1/import", body: "\n").code() == "bad_request")
    }

    @Test("An explanation shows what is known of a record") func explainsRecord() async throws {
        var row = RecordRow.event("feed.tap_article", #"{"mail":"a@b.c"}"#)
        row.uid = String(repeating: "0a", count: 24) + "-7"
        let bench = Bench(rows: [row, .event("no.definition")], definitions: .sample)
        let known = try await bench.send("GET", "/api/v1/records/1/explanation").data()
        #expect(known["sequence"] == 7)
        #expect(known["defined"] == true)
        #expect(known["view"] == "feed__tap_article")
        #expect(known["private"] == ["mail"])
        let unknown = try await bench.send("GET", "/api/v1/records/2/explanation").data()
        #expect(unknown["sequence"].int == nil)
        #expect(unknown["defined"] == false)
        #expect(try await bench.send("GET", "/api/v1/records/3/explanation").code() == "not_found")
    }
}
