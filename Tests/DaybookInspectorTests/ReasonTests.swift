import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Reasons as phrases, which the page translates.
@Suite struct ReasonTests {
    private static func bench(_ items: String) throws -> Bench {
        let rows = (1...2).map { number in
            var row = RecordRow.event("feed.tap_article", #"{"mail":"aya@example.com"}"#)
            row.uid = "\(number)"
            return row
        }
        let checklist = try Checklist(markdown: "# t\n" + items, file: "t.md")
        return Bench(rows: rows, definitions: .sample, checklists: [checklist])
    }

    /// The members of a checklist's first item.
    private func item(_ bench: Bench, run: Int64? = nil) async throws -> Value {
        let query = run.map { [(name: "run", value: String($0))] } ?? []
        let data = try await bench.send("GET", "/api/v1/checklists", query: query).data()
        let scenarios = try #require(data["checklists"][0]["scenarios"].list)
        return try #require(scenarios.first?["items"][0])
    }

    /// `code(name: argument)` for each phrase.
    private func phrases(_ value: Value) throws -> [String] {
        try #require(value["phrases"].list).map { phrase in
            let arguments = try #require(phrase["arguments"].members).sorted { $0.key < $1.key }
            return
                "\(phrase["code"].text ?? "")(\(arguments.map { "\($0): \($1.text ?? "")" }.joined(separator: ", ")))"
        }
    }

    @Test("Reasons have codes and masked arguments") func reasonsHaveCodes() async throws {
        let item = try await item(try Self.bench("- [ ] feed.tap_article exactly 1 per mail\n"))
        #expect(item["reason"] == "got 2 (mail = \(Record.mask))")
        #expect(try phrases(item) == ["count(count: 2)", "group(values: mail = \(Record.mask))"])
        let records = try #require(item["records"].list)
        #expect(records.map { $0["note"].text } == [nil, "one too many, +0.000 s after the first"])
        #expect(try records.map(phrases) == [[], ["surplus()", "since_first(seconds: +0.000)"]])
    }

    @Test("A truncated reason has no phrases") func cutReasonHasNoPhrases() async throws {
        let values = (0..<1_000).map { "\"value \($0)\"" }.joined(separator: ", ")
        let item = try await item(try Self.bench("- [ ] feed.tap_article each mail in (\(values))\n"))
        let reason = try #require(item["reason"].text)
        #expect(reason.hasPrefix("none for mail = ") && reason.utf8.count <= 4_200)
        #expect(try phrases(item) == [])
    }

    @Test("A sign-off keeps a reason's phrases without private values") func signOffKeepsPhrases() async throws {
        let bench = try Self.bench("- [ ] feed.tap_article exactly 1 per mail\n")
        let before = try await item(bench)
        let row = try await signOff(bench)
        #expect(row.attributes.contains(#"{"arguments":{"values":"mail = \#(Record.mask)"},"code":"group"}"#))
        #expect(!row.attributes.contains("aya@example.com"))
        let after = try await item(bench, run: 3)
        #expect(try phrases(after) == phrases(before))
        #expect(after["reason"].text == before["reason"].text)
    }

    /// From an earlier version, from a later one, and with phrases that contradict its text.
    @Test(
        "A sign-off with unknown phrases falls back to its text",
        arguments: [
            "", #""phrases":[{"arguments":{},"code":"of_later"}],"#,
            #""phrases":[{"arguments":{"count":"7"},"code":"count"}],"#,
        ]) func unknownPhrasesFallBack(phrases: String) async throws
    {
        let bench = try Self.bench("- [ ] feed.tap_article exactly 1 per mail\n")
        var row = try await signOff(bench)
        row.attributes = row.attributes.replacing(#/"phrases":\[.*?\],/#, with: phrases)
        row.uid = "other"
        _ = try await bench.store.append(RecordBatch(rows: [row]))
        let item = try await item(bench, run: 4)
        #expect(item["reason"] == "got 2 (mail = \(Record.mask))")
        #expect(try self.phrases(item) == [])
    }

    /// A sign-off's record.
    private func signOff(_ bench: Bench) async throws -> RecordRow {
        let body = #"{"tester":"Aya","waivers":[{"item":"t/1","reason":"known"}]}"#
        _ = try await bench.send("POST", "/api/v1/checklists/t/signoff", body: body).data()
        return try #require(try await bench.store.record(id: 3)).row
    }
}
