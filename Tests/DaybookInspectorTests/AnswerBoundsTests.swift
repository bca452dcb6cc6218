import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Every reading route, over a store with large records, names and streams: no answer is large, and `next` reaches
/// everything.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AnswerBoundsTests {
    /// ``AnswerBounds/bytes``, plus what JSON and the last record add.
    private static let most = 2 * AnswerBounds.bytes
    private static let token = AccessToken()

    /// Paths of every `GET` of the API, with values for names; none for the stream of notices, which sends numbers.
    private static let asked: [String: [String]] = [
        "/api/v1/status": [""], "/api/v1/live": [],
        "/api/v1/records": [
            "limit=1000", "limit=1000&order=oldest", "limit=1000&private=show", "limit=1000&violations=1",
        ],
        "/api/v1/records/count": [""], "/api/v1/records/{id}": [""], "/api/v1/records/{id}/explanation": [""],
        "/api/v1/records/{id}/bodies": [""],
        "/api/v1/histogram": ["buckets=1000"],
        "/api/v1/facets": ["limit=1000&fields=kind,level,tag,module,session,version,installation"],
        "/api/v1/violations": [""], "/api/v1/losses": [""], "/api/v1/sessions": ["limit=1000"],
        "/api/v1/definitions": [""], "/api/v1/tags": [""], "/api/v1/coverage": [""], "/api/v1/checklists": [""],
        "/api/v1/checklists/{id…}/report": ["", "format=junit"], "/api/v1/runs": [""],
        "/api/v1/runs/{id}/verdict": [""], "/api/v1/checklists/{id…}/source": [""], "/api/v1/filter": ["filter=a"],
        "/api/v1/boards": [""], "/api/v1/releases": [""], "/api/v1/sql/schema": [""],
        // A statement's answer, which has its own limits.
        "/api/v1/insights/{id}": [],
    ]

    private static func row(_ number: Int, bytes: Int, name: Int) -> RecordRow {
        let text = String(repeating: "z", count: bytes)
        let long = String(repeating: "n", count: name)
        var row = RecordRow(
            uid: "u-\(number)", time: Int64(number) * 1_000_000, kind: .event, level: 9,
            tag: "feed.show_article\(number % 7)",
            attributes: #"{"article_id":"\#(number)\#(text)","order":"\#(text)"}"#)
        if name > 0 {
            row.tag = "\(number).\(long)"
            row.session = "\(number)s\(long)"
            row.installation = "\(number)i\(long)"
            row.module = "\(number)m\(long)"
            row.message = text
            row.context = #"{"service.version":"\#(number)\#(long)"}"#
        }
        return row
    }

    private static func store(in folder: URL) async throws -> SQLiteStore {
        let store = try SQLiteStore(path: folder.appending(path: "records.sqlite").path)
        var start = RunMarker(.start, of: "release", time: 1)
        start.run = "r"
        try await store.append(RecordBatch(rows: [start.row(uid: "run")]))
        try await store.append(RecordBatch(rows: (1...9).map { row($0, bytes: 500_000, name: 0) }))
        for part in 0..<9 {
            try await store.append(
                RecordBatch(rows: (1...500).map { row(100 + part * 500 + $0, bytes: 10, name: 1_200) }))
        }
        var first = row(1, bytes: 1, name: 0)
        first.sequence = 1
        let numbered = first
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...1_200 {
                group.addTask {
                    let losses = ["disk_limit": Int64(1), String(repeating: "r", count: 3_000): 2]
                    try await store.append(
                        RecordBatch(
                            origin: .init(stream: "j\(number)/o/logs", after: 0, through: 1),
                            losses: LossReport(sender: "j\(number)/o", counts: losses),
                            rows: [numbered]))
                }
            }
            try await group.waitForAll()
        }
        return store
    }

    private func inspector(_ store: SQLiteStore, in folder: URL) throws -> InspectorHandler {
        let report = folder.appending(path: "coverage.json")
        let place = #"{"file":"\#(String(repeating: "f", count: 2_000))","line":1}"#
        let events = (1...2_500).map { #"{"event":"feed.e\#($0)","calls":1,"called":[\#(place)],"fired":1}"# }
        try Data(#"{"events":[\#(events.joined(separator: ","))]}"#.utf8).write(to: report)
        let file = folder.appending(path: "release.md")
        let markdown =
            "# release\n\n## feed\n\n- [ ] feed.** exactly 1 per article_id\n- [ ] never feed.show_article1\n"
        try Data(markdown.utf8).write(to: file)
        let checklist = try Checklist(markdown: markdown, file: file.path)
        let coverage = try CoverageFile(path: report.path)
        return InspectorHandler(
            store: store, definitions: .sample, checklists: [checklist], token: Self.token, notices: LiveNotices()
        ) {
            $0.coverage = coverage
        }
    }

    private func get(_ handler: InspectorHandler, _ path: String, _ query: String) async -> HTTPResponse {
        let parameters = query.split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (name: sides[0], value: sides.count > 1 ? sides[1] : "")
        }
        let head = HTTPRequest.Head(
            method: "GET", path: path, query: parameters, headers: ["authorization": "Bearer \(Self.token.text)"])
        return await handler.respond(to: HTTPRequest(head: head))
    }

    @Test("Every answer is bounded, and lists can be paged to their end") func boundsEveryAnswer() async throws {
        let folder = TemporaryDirectory.current.url
        let store = try await Self.store(in: folder)
        let handler = try inspector(store, in: folder)
        await checkSizes(handler)
        try await checkPages(handler)
        await store.close()
    }

    private func checkSizes(_ handler: InspectorHandler) async {
        let paths = handler.routes.filter {
            $0.methods?.contains("GET") == true && $0.path.description.hasPrefix("/api/")
        }
        .map(\.path.description)
        #expect(Set(paths) == Set(Self.asked.keys), "a route's bound is not tested")
        for (path, queries) in Self.asked {
            let named = path.replacing("{id…}", with: "release").replacing(
                "{id}", with: path.contains("runs") ? "1" : "3")
            for query in queries {
                let answer = await get(handler, named, query)
                #expect(answer.status == 200, "\(path)?\(query): \(answer.text.prefix(300))")
                #expect(answer.bytes.count < Self.most, "\(path)?\(query) answers \(answer.bytes.count) bytes")
            }
        }
    }

    private func checkPages(_ handler: InspectorHandler) async throws {
        for (path, member, expected) in [
            ("/api/v1/tags", "tags", 4_507), ("/api/v1/losses", "losses", 2), ("/api/v1/coverage", "events", 2_500),
        ] {
            var found = 0
            var query = ""
            var pages = 0
            while pages < 100 {
                let data = try await get(handler, path, query).data()
                pages += 1
                found += try #require(data[member].list).count
                guard let next = data["next"], next != .null else { break }
                query = "after=\(next.text ?? "\(next)")"
            }
            #expect(pages > 1, "\(path)")
            // Each page lists the losses of a reason and sender once.
            #expect(path == "/api/v1/losses" ? found == expected * pages : found == expected, "\(path)")
        }
        var ids: Set<Int> = []
        var query = "limit=1000&before=11"
        for _ in 0..<100 {
            let data = try await get(handler, "/api/v1/records", query).data()
            let records = try #require(data["records"].list)
            #expect(records.allSatisfy { $0["kind"] == "run" || $0["cut"] == true })
            ids.formUnion(records.compactMap { $0["id"].int })
            guard let next = data["next"].int else { break }
            #expect(records.count == 1_000 || data["partial"] == true)
            query = "limit=1000&before=\(next)"
        }
        #expect(ids == Set(1...10))
        let whole = try await get(handler, "/api/v1/records/3", "").data()["record"]
        #expect(whole?["cut"] == false)
        #expect(whole?["attributes"]["order"].text?.count == 500_000)
    }
}
