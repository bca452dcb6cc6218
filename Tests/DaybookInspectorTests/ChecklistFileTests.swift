import DaybookBase
import DaybookChecklist
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct ChecklistFileTests {
    private let file = TemporaryDirectory.current.url.appending(path: "release.md")

    /// A checklist in its own file, and an inspector that may write to it.
    private func withBench(writes: Bool = true, _ body: (Bench, URL) async throws -> Void) async throws {
        let text = "# release\n\n## feed\n- [ ] feed.show\n"
        try Data(text.utf8).write(to: file)
        let bench = Bench(
            rows: [.event("feed.show"), .event("feed.tap")],
            checklists: [try Checklist(markdown: text, file: file.path)], writesChecklists: writes)
        try await body(bench, file)
    }

    private func add(_ bench: Bench, _ body: String) async -> (status: Int, text: String) {
        let response = await bench.send("POST", "/api/v1/checklists/release/items", body: body)
        return (response.status, response.text)
    }

    private func states(_ bench: Bench) async throws -> [String] {
        let data = try await bench.send("GET", "/api/v1/checklists").data()
        let scenarios = data["checklists"][0]["scenarios"].list
        return (scenarios ?? []).flatMap { $0["items"].list ?? [] }
            .map { "\($0["text"].text ?? "") \($0["state"].text ?? "")" }
    }

    @Test("Adds an item to the file and judges it over existing records") func addsAndJudgesItem() async throws {
        try await withBench { bench, file in
            #expect(try await states(bench) == ["feed.show ok"])
            // What someone else wrote meanwhile stays.
            try Data("# release\n\nNew prose.\n\n## feed\n- [ ] feed.show\n".utf8).write(to: file)
            let answer = await add(bench, #"{"scenario":"feed","item":"feed.tap"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text == "# release\n\nNew prose.\n\n## feed\n- [ ] feed.show\n- [ ] feed.tap\n")
            #expect(try await states(bench) == ["feed.show ok", "feed.tap ok"])
        }
    }

    @Test(
        "An invalid item leaves the file unchanged",
        arguments: [
            (#"{"scenario":"feed","item":"feed.tap exactly"}"#, 400), (#"{"scenario":"other","item":"feed.tap"}"#, 400),
            (#"{"scenario":"feed","item":"a\n# b"}"#, 400), ("{}", 400),
            (#"{"scenario":"feed","item":"\#(String(repeating: "x", count: 1_001))"}"#, 400),
        ])
    func refusesInvalidItem(body: String, status: Int) async throws {
        try await withBench { bench, file in
            let before = try String(contentsOf: file, encoding: .utf8)
            #expect(await add(bench, body).status == status)
            #expect(try String(contentsOf: file, encoding: .utf8) == before)
        }
    }

    @Test("Reports a checklist that cannot be written") func reportsReadOnlyChecklist() async throws {
        try await withBench(writes: false) { bench, file in
            let before = try String(contentsOf: file, encoding: .utf8)
            #expect(await add(bench, #"{"scenario":"feed","item":"feed.tap"}"#).status == 400)
            #expect(try String(contentsOf: file, encoding: .utf8) == before)
        }
        try await withBench { bench, file in
            try FileManager.default.removeItem(at: file)
            #expect(await add(bench, #"{"scenario":"feed","item":"feed.tap"}"#).status == 500)
            #expect(await bench.send("GET", "/api/v1/checklists").text.contains(#""writable":false"#))
        }
    }

    @Test("Undoing an addition restores the file byte for byte") func undoRestoresBytes() async throws {
        try await withBench { bench, file in
            let before = Data("\u{FEFF}# release\r\n\n## feed\n- [ ] feed.show\r\n\n\u{E9}prose".utf8)
            try before.write(to: file)
            #expect(await bench.send("POST", "/api/v1/checklists/release/items/undo").status == 404)
            let answer = await add(bench, #"{"scenario":"feed","item":"feed.tap"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await states(bench) == ["feed.show ok", "feed.tap ok"])
            #expect(await bench.send("POST", "/api/v1/checklists/release/items/undo").status == 200)
            #expect(try Data(contentsOf: file) == before)
            #expect(try await states(bench) == ["feed.show ok"])
            // What someone has changed since cannot be undone.
            #expect(await add(bench, #"{"scenario":"feed","item":"feed.tap"}"#).status == 200)
            try Data("# release\n\n## feed\n- [ ] feed.show\n".utf8).write(to: file)
            #expect(await bench.send("POST", "/api/v1/checklists/release/items/undo").status == 409)
        }
    }

    @Test("An added item may name only what is defined") func itemsNeedDefinitions() async throws {
        let text = "# release\n- [ ] feed.show_article\n"
        try Data(text.utf8).write(to: file)
        let bench = Bench(
            definitions: .sample, checklists: [try Checklist(markdown: text, file: file.path)], writesChecklists: true)
        for item in [
            "feed.show_artcle", "feed.show_article per artcle_id", #"feed.show_article where order = "newest""#,
            "feed.show_article each article_id",
        ] {
            let body = #"{"scenario":"release","item":"\#(item.replacing("\"", with: "\\\""))"}"#
            #expect(await add(bench, body).status == 400, "\(item)")
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        #expect(await add(bench, #"{"scenario":"release","item":"feed.show_article each order"}"#).status == 200)
    }

    private func source(_ bench: Bench) async throws -> Value {
        try await bench.send("GET", "/api/v1/checklists/release/source").data()
    }

    private func write(_ bench: Bench, _ id: String, _ markdown: String, over version: String?) async -> Int {
        let body = try? JSONSerialization.data(
            withJSONObject: ["markdown": markdown].merging(version.map { ["version": $0] } ?? [:]) { $1 })
        return await bench.send(
            "POST", "/api/v1/checklists/\(id)/source", body: String(decoding: body ?? Data(), as: UTF8.self)
        ).status
    }

    @Test("A text replaces only the version that was read") func writesOverKnownVersion() async throws {
        try await withBench { bench, file in
            let before = try String(contentsOf: file, encoding: .utf8)
            let read = try await source(bench)
            let version = read["version"].text
            #expect(read["markdown"].text == before)
            let mine = before + "- [ ] feed.tap\n"
            #expect(await write(bench, "release", mine + "- [ ] feed.tap exactly\n", over: version) == 400)
            #expect(await write(bench, "release", mine, over: nil) == 409)
            #expect(try String(contentsOf: file, encoding: .utf8) == before)
            #expect(await write(bench, "release", mine, over: version) == 200)
            #expect(try String(contentsOf: file, encoding: .utf8) == mine)
            #expect(try await states(bench) == ["feed.show ok", "feed.tap ok"])
            // Another file is never overwritten.
            #expect(await write(bench, "release", before, over: version) == 409)
            try Data("# other\n- [ ] a.b\n".utf8).write(to: file)
            #expect(await bench.send("POST", "/api/v1/checklists/release/items/undo").status == 409)
            try Data(mine.utf8).write(to: file)
            #expect(await bench.send("POST", "/api/v1/checklists/release/items/undo").status == 200)
            #expect(try String(contentsOf: file, encoding: .utf8) == before)
            try FileManager.default.removeItem(at: file)
            #expect(await write(bench, "release", mine, over: version) == 409)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("A new checklist stays in its folder whatever its name") func newChecklistStaysInFolder() async throws {
        try await withBench { bench, file in
            for name in ["../evil", ".hidden", "a/b", "a\nb", " ", String(repeating: "x", count: 101)] {
                #expect(await write(bench, name, "- [ ] a.b\n", over: nil) == 400, "\(name)")
            }
            #expect(await write(bench, "new list", "# n\n- [ ] feed.tap\n", over: nil) == 200)
            let new = file.deletingLastPathComponent().appending(path: "new list.md")
            let written = try String(contentsOf: new, encoding: .utf8)
            #expect(written == "# n\n- [ ] feed.tap\n")
            #expect(await write(bench, "new list", "- [ ] a.b\n", over: nil) == 409)
            #expect(await bench.send("POST", "/api/v1/checklists/new list/items/undo").status == 200)
            #expect(!FileManager.default.fileExists(atPath: new.path))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: new.deletingLastPathComponent().path) == [
                    "release.md"
                ])
        }
    }

    @Test("Checks a checklist text and locates its items") func checksChecklistText() async throws {
        try await withBench { bench, _ in
            let sound = try await bench.send(
                "POST", "/api/v1/checklists/check",
                body: ##"{"name":"a.md","markdown":"# a\n\n- [ ] x.y\n    - n >= 1\n1. [ ] Look at it\n"}"##
            ).data()
            let items = try #require(sound["scenarios"][0]["items"].list)
            #expect(items.map { $0["line"] } == [3, 5])
            #expect(items.map { $0["end"] } == [4, 5])
            #expect(items.map { $0["manual"] } == [false, true])
            let broken = try await bench.send(
                "POST", "/api/v1/checklists/check", body: #"{"name":"a.md","markdown":"- [ ] x.y exactly\n"}"#
            ).data()
            let problems = try #require(broken["diagnostics"].list)
            #expect(problems.map { $0["severity"] } == ["error"])
            #expect(problems.first?["line"] == 1)
        }
    }
}
