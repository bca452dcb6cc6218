import DaybookBase
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@Suite(.temporaryDirectory) struct VerifyCommandTests {
    private let tool = Tool()
    private static let checklist = """
        # release

        ## feed
        - [ ] feed.show exactly 1 per article_id
            - position >= 0
        - [ ] Look at the feed

        ## register
        - [ ] subscription.show where registered = false and plan = "free"
        """

    private static let events = """
        {"tag":"feed.show","seq":1042,"time":"2026-11-20T10:02:11.204000000Z","kind":"event","attributes":{"article_id":123,"position":3}}

        {"tag":"subscription.show","level":"info","attributes":{"registered":false},"context":{"plan":"free"},"session":"s"}
        """

    private func withTool(
        checklist: String = checklist, events: String = events, _ body: (Tool) async throws -> Void
    ) async throws {
        try tool.write(checklist, to: "feed.md")
        try tool.write(events, to: "events.ndjson")
        try await body(tool)
    }

    @Test("A fulfilled checklist exits with 0") func fulfilledChecklistPasses() async throws {
        try await withTool { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events=events.ndjson")
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
            #expect(
                result.output == """
                    ✓ feed / feed.show exactly 1 per article_id [1 test]
                    ☐ feed / Look at the feed (manual)
                    ✓ register / subscription.show where registered = false and plan = "free"
                    2 ok, 0 failed, 1 manual

                    """)
        }
    }

    @Test("A violated checklist exits with 1 and lists the records") func violationListsRecords() async throws {
        let again =
            #"{"tag":"feed.show","seq":1055,"time":"2026-11-20T19:02:14.88+09:00","attributes":{"article_id":123,"position":3}}"#
        try await withTool(events: Self.events + "\n" + again) { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "events.ndjson", "--scenario", "feed")
            #expect(result.status == 1)
            #expect(
                result.output == """
                    ✗ feed / feed.show exactly 1 per article_id [1 test]; got 2 (article_id = 123)
                      #1042 10:02:11.204 feed.show {article_id: 123, position: 3}
                      #1055 10:02:14.880 feed.show {article_id: 123, position: 3}   one too many, +3.676 s after the first
                    ☐ feed / Look at the feed (manual)
                    0 ok, 1 failed, 1 manual

                    """)
        }
    }

    @Test("`verify` reads a recording from standard input") func readsStandardInput() async throws {
        try await withTool { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events", "-", input: Self.events)
            #expect(result.status == 0)
        }
    }

    @Test("The Markdown report is the checklist with ticked items") func markdownTicksItems() async throws {
        try await withTool { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "events.ndjson", "--markdown", "--scenario", "feed")
            #expect(result.status == 0)
            #expect(
                result.output == Self.checklist.replacing("[ ] feed.show", with: "[x] feed.show"))
        }
    }

    @Test("The JSON and JUnit reports are well formed") func writesJSONAndJUnit() async throws {
        try await withTool { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "events.ndjson", "--json", "--junit", "out.xml")
            #expect(result.status == 0)
            let object = try Value(json: result.output)
            #expect(object["passed"] == true)
            #expect(
                try tool.contents(of: "out.xml").hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"))
        }
    }

    @Test("A checklist that does not parse exits with 2 and a location") func locatesChecklistError() async throws {
        try await withTool(checklist: "- [ ] feed.show exactly\n") { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events", "events.ndjson")
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors == "feed.md:1:24: error: expected a whole number; the item ends here\n")
        }
    }

    @Test("`when` without a persona never passes") func verifyNeedsPersona() async throws {
        try await withTool(checklist: "- [ ] feed.show when plan = \"free\"\n") { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events", "events.ndjson")
            #expect(result.status == 2)
            #expect(result.errors == "feed.md:1:22: error: `when` needs a persona (say plan=VALUE)\n")
        }
    }

    @Test(
        "A line that is not a record exits with 2 and its number",
        arguments: [
            ("{\"tag\":\"a.b\"}\n\n{oops\n", "3: Not valid JSON: a key in double quotes is expected, at byte 1."),
            ("7", "1: A record is a JSON object: {\"tag\": …}."),
            (
                "[]",
                "1: A record is a JSON object: {\"tag\": …}. `jq -c '.[]'` writes the elements of an array so."
            ),
            (
                "{\"message\":\"x\"}",
                "1: \"tag\" is missing. Give every record a tag: {\"tag\": \"category.event\"}."
            ),
            ("{\"tag\":\"a.b\",\"attributes\":3}", "1: \"attributes\" must be an object."),
            (
                "{\"tag\":\"a.b\",\"level\":\"loud\"}",
                "1: \"level\" must be one of trace, debug, info, warning, error, fatal, another logger's name for one "
                    + "(notice, err, SEVERE, INFO2), or a severity number from 0 to 24."
            ),
            (
                "{\"tag\":\"a.b\",\"time\":\"yesterday\"}",
                "1: \"time\" must be a time: RFC 3339, or a number of seconds, ms, µs or ns since 1970; not \"yesterday\"."
            ),
            (
                "{\"tag\":\"a.b\",\"kind\":\"run\"}",
                "1: #1: a record of kind run is tagged `run.start` or `run.finish`, not `a.b`"
            ),
        ])
    func verifyLocatesBadLine(events: String, message: String) async throws {
        try await withTool(events: events) { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events", "events.ndjson")
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors == "error: events.ndjson:\(message)\n")
        }
    }

    @Test("A record without a sequence number is named by its line") func namesRecordByLine() async throws {
        let events = """
            {"tag":"feed.show","attributes":{"article_id":1,"position":0}}

            {"tag":"feed.show","attributes":{"article_id":1,"position":0}}
            """
        try await withTool(events: events) { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "events.ndjson", "--scenario", "feed")
            #expect(result.status == 1)
            #expect(result.output.contains("\n  #1 00:00:00.000 feed.show "))
            #expect(result.output.contains("\n  #3 00:00:00.000 feed.show "))
        }
    }

    @Test("Columns come from the record, then the context, then the envelope") func resolvesColumns() async throws {
        let events = """
            {"tag":"a.own","attributes":{"plan":"pro","none":null},"context":{"plan":"free","none":1}}
            {"tag":"a.common","context":{"plan":"free"},"session":"s","installation":"i","level":"warning"}
            """
        let checklist = """
            - [ ] a.own where plan = "pro" and none absent
            - [ ] a.common where plan = "free" and _session = "s" and _installation = "i" and _level = 13
            """
        try await withTool(checklist: checklist, events: events) { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events", "events.ndjson")
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test("Missing files and unknown scenarios exit with 2") func refusesMissingInput() async throws {
        try await withTool { tool in
            let none = try await tool.run("verify", "--checklist", "none.md", "--events", "events.ndjson")
            #expect(none.status == 2)
            #expect(none.errors.hasPrefix("error: none.md: cannot be read: "))
            let noEvents = try await tool.run("verify", "--checklist", "feed.md", "--events", "none.ndjson")
            #expect(noEvents.status == 2)
            #expect(noEvents.errors.hasPrefix("error: none.ndjson: cannot be read: "))
            let scenario = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "events.ndjson", "--scenario", "fed")
            #expect(scenario.status == 2)
            #expect(scenario.errors == "feed.md:1:1: error: no scenario is called `fed` (did you mean `feed`?)\n")
        }
    }

    @Test("`--json` and `--markdown` exclude each other") func refusesTwoFormats() async throws {
        try await withTool { tool in
            let result = try await tool.run(
                "verify", "--checklist", "feed.md", "--events", "events.ndjson", "--json", "--markdown")
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("error: --json and --markdown exclude each other\nUsage: daybook verify "))
        }
    }

    @Test("Lines across read boundaries stay whole") func joinsSplitLines() async throws {
        let padding = String(repeating: "あ", count: 1_000)
        let line = #"{"tag":"feed.open","message":"\#(padding)"}"#
        let events = String(repeating: line + "\n", count: 500)
        try await withTool(checklist: "- [ ] feed.open exactly 500", events: events) { tool in
            let result = try await tool.run("verify", "--checklist", "feed.md", "--events", "events.ndjson")
            #expect(result.status == 0)
        }
    }

    @Test("Records are named by arrival, and an empty recording is reported") func numbersByArrival() async throws {
        try tool.write("- [ ] a.b exactly 2\n", to: "list.md")
        try tool.write(#"{"id":22,"seq":32,"tag":"a.b"}"# + "\n", to: "a.ndjson")
        let verdict = try await tool.run("verify", "--checklist", "list.md", "--events", "a.ndjson")
        #expect(verdict.output.contains("#22 "), "\(verdict)")
        try tool.write("", to: "empty.ndjson")
        let empty = try await tool.run("verify", "--checklist", "list.md", "--events", "empty.ndjson")
        #expect(empty.errors.hasPrefix("warning: empty.ndjson has no record\n"))
        #expect(
            empty.output
                == "? list / nothing judged\n? list / a.b exactly 2; there is no record (list.md:1:7)\n0 ok, 0 failed, 1 not judged; nothing judged\n"
        )
        #expect(empty.status == 2)
    }
}
