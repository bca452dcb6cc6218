import DaybookBase
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookAPI
@testable import DaybookInspector

@Suite struct ReleasesTests {
    private static func rows() -> [RecordRow] {
        var number = 0
        func row(_ tag: String, _ version: String?, kind: Kind = .event, level: Int = 9, _ attributes: String = "{}")
            -> RecordRow
        {
            number += 1
            var row = RecordRow(
                uid: "s-\(number)", time: 1_795_166_531_000_000_000 + Int64(number), kind: kind, level: level, tag: tag,
                attributes: attributes)
            row.context = version.map { #"{"service.version":"\#($0)"}"# } ?? "{}"
            return row
        }
        return [
            row("feed.show_article", "4.9.0", #"{"article_id":1}"#), row("feed.tap_article", "4.9.0", #"{"mail":"a"}"#),
            row("feed.show_article", "4.12.0", #"{"article_id":1}"#),
            row("feed.show_article", "4.12.0", #"{"article_id":2}"#),
            row("feed.shwo", "4.12.0"), row("app.network", "4.12.0", kind: .error, level: 17),
            row("GET", "4.12.0", kind: .request, level: 17), row("feed.show_article", nil),
            row("feed.show_article", "4.13.0-beta", #"{"article_id":1}"#), row("daybook.alert", "9.9.9"),
        ]
    }

    private func names(_ data: Value) -> [String: [Int]] {
        let names = data["names"].list ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map {
                ($0["tag"].text ?? "", [$0["count"].int ?? -1, $0["before"].int ?? -1])
            })
    }

    @Test("Compares the newest version with the previous one") func comparesReleases() async throws {
        let bench = Bench(rows: Self.rows(), definitions: .sample)
        let data = try await bench.send("GET", "/api/v1/releases").data()
        #expect(data["version"] == "4.13.0-beta")
        #expect(data["against"] == "4.12.0")
        let versions = data["versions"].list
        #expect(versions?.map { $0["version"] } == ["4.13.0-beta", "4.12.0", "4.9.0"])
        let asked = try await bench.send("GET", "/api/v1/releases", query: [("version", "4.12.0")]).data()
        #expect(asked["against"] == "4.9.0")
        #expect(
            names(asked) == [
                "feed.show_article": [2, 1], "feed.shwo": [1, 0], "app.network": [1, 0], "feed.tap_article": [0, 1],
            ])
    }

    /// The page links each number to a list with as many records.
    @Test("Release counts agree with the other routes") func releaseCountsAgree() async throws {
        let bench = Bench(rows: Self.rows(), definitions: .sample)
        for version in ["4.9.0", "4.12.0", "4.13.0-beta"] {
            let data = try await bench.send("GET", "/api/v1/releases", query: [("version", version)]).data()
            for (tag, counts) in names(data) {
                let query = [("tag", tag), ("version", version)].map { (name: $0.0, value: $0.1) }
                let records = try await bench.send("GET", "/api/v1/records", query: query).data()["records"].list
                #expect(records?.count == counts[0], "\(tag) \(version)")
                let facets =
                    try await bench.send(
                        "GET", "/api/v1/facets", query: query + [(name: "fields", value: "level")]
                    ).data()["values"]
                #expect(facets["level"].list?.reduce(0) { $0 + ($1["count"].int ?? 0) } == counts[0])
            }
            let listed = data["versions"].list?.first { $0["version"].text == version }
            #expect(listed?["count"].int == names(data).values.reduce(0) { $0 + $1[0] })
        }
    }

    @Test("A store without versions has no release, and unknown ones are reported") func reportsUnknownRelease()
        async throws
    {
        let empty = try await Bench(rows: [.event("feed.show_article")]).send("GET", "/api/v1/releases").data()
        #expect(empty["version"] == .null)
        #expect(empty["names"] == [])
        let bench = Bench(rows: Self.rows())
        let unknown = await bench.send("GET", "/api/v1/releases", query: [("version", "1.0")])
        #expect(try unknown.code() == "not_found")
        let wrong = await bench.send("GET", "/api/v1/releases", query: [("versoin", "1.0")])
        #expect(try wrong.code() == "bad_request")
    }

    @Test("Versions are ordered by their numbers") func ordersVersions() {
        let ordered = [
            "4", "4.9.0", "4.9.0.1", "4.12.0-beta.2", "4.12.0-beta.10", "4.12.0", "4.12.1", "04.13", "10.0", "dev",
        ]
        for (index, version) in ordered.enumerated() {
            for (other, newer) in ordered.enumerated() {
                #expect((AppVersion(version) < AppVersion(newer)) == (index < other), "\(version) \(newer)")
            }
        }
    }

    /// Senders invent versions: with too many, those that have records stay, and the answer is marked.
    @Test("Bounds the list of versions and says that it is partial") func boundsVersions() async throws {
        var rows = Self.rows()
        for number in 0..<12_000 {
            var row = RecordRow(
                uid: "m-\(number)", time: 1_795_166_532_000_000_000, kind: .event, level: 9, tag: "feed.show_article",
                attributes: "{}")
            row.context = #"{"service.version":"0.0.\#(number)"}"#
            rows.append(row)
        }
        let store = MemoryStore(names: NameBound(most: 500))
        try await store.append(RecordBatch(rows: rows))
        let answer = try await ReleaseQuestion([("version", "4.12.0")]).answer(from: store)
        #expect(answer.isPartial && answer.versions.count == 100)
        #expect((11_000...12_000).contains(answer.unlisted.versions), "\(answer.unlisted)")
        let gone = await #expect(throws: Problem.self) {
            try await ReleaseQuestion([("version", "0.0.9999")]).answer(from: store)
        }
        #expect(gone?.message.contains("too many") == true)
        #expect(answer.names.first { $0.tag == "feed.show_article" }?.count == 2)
        let few = try await Bench(rows: Self.rows(), definitions: .sample).send("GET", "/api/v1/releases").data()
        #expect(few["partial"] == false)
    }
}
