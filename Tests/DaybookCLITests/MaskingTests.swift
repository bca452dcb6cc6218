import Daybook
import DaybookCollector
import DaybookDefinitions
import DaybookProcesses
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

/// Plants a secret of each kind and searches every command's output for it.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct MaskingTests {
    private let tool = Tool()

    /// Distinct from everything else that is printed.
    private static let secrets = [
        "ann@private.example", "1442517903", "sender-told-1", "header-9f3a1", "body-9f3a2", "name-9f3a3",
        "nested-9f3a4",
        "query-9f3a5", "user-9f3a6", "message-9f3a7", "context-9f3a8",
    ]

    private static let attributes = """
        {"mail":"ann@private.example","told":"sender-told-1","daybook.private":["told"],\
        "http.request.header.authorization":["Bearer header-9f3a1"],\
        "http.request.body.content":"{\\"user\\":{\\"access_token\\":\\"body-9f3a2\\"},\\"n\\":1}",\
        "api_key":"name-9f3a3","payload":"{\\"inner\\":\\"{\\\\\\"password\\\\\\":\\\\\\"nested-9f3a4\\\\\\"}\\"}",\
        "url.full":"https://me:user-9f3a6@a.example/?q=egg&token=query-9f3a5","title":"soup"}
        """

    private func withTool(_ body: (Tool) async throws -> Void) async throws {
        try tool.write("{}", to: "daybook.json")
        try tool.write("# common\n\n- user_id: !integer? [private]\n", to: "LogDefinitions/common.md")
        try tool.write(
            "# user\n\n## sign_up\n\nSigned up\n\n- mail: !string 64 [private]\n- title: !string 64?\n",
            to: "LogDefinitions/user.md")
        var row = RecordRow(
            uid: "0123456789abcdef0123456789abcdef0123456789abcdef-7", time: 1_795_168_931_000_000_000, kind: .event,
            level: 9, tag: "user.sign_up", attributes: Self.attributes,
            context: #"{"user_id":1442517903,"cookie":"context-9f3a8","plan":"free"}"#)
        row.message = "sent with Bearer message-9f3a7 now"
        row.session = "s"
        let store = try SQLiteStore(path: tool.directory.appending(path: "daybook.sqlite").path)
        try await store.append(RecordBatch(rows: [row]))
        try tool.write(RecordLine.text(StoredRecord(id: 1, row: row)) + "\n", to: "raw.ndjson")
        try tool.write(
            """
            - [ ] user.sign_up exactly 2 per mail
            - [ ] user.sign_up
                - mail = "else@private.invalid"
            - [ ] user.sign_up
                - user_id = 3
            """, to: "list.md")
        try tool.write(
            """
            - [ ] user.sign_up exactly 2 per told
            - [ ] user.sign_up where told = "else"
            - [ ] user.sign_up
                - payload = "else"
            - [ ] user.sign_up
                - api_key = "else"
            """, to: "undefined.md")
        try tool.write(#"{"user.sign_up":[{"mail":"x","api_key":"y","payload":"z","told":"w"}]}"#, to: "fixture.json")
        try tool.write("", to: "other.ndjson")
        try tool.write(
            Self.changed(RecordLine.text(StoredRecord(id: 1, row: row))) + "\n", to: "changed.ndjson")
        try tool.write(
            """
            # Signed up

            ```sql
            SELECT 'mail = ' || json_extract(attributes, '$.mail') AS label, 1 AS value FROM records
            ```

            - every 1m
            - when value > 0
            - notify ${HOOK}
            """, to: "alerts/a.md")
        try await body(tool)
    }

    @Test("Definitions mask values even without a project file") func masksWithoutProjectFile() async throws {
        try await withTool { tool in
            try FileManager.default.removeItem(at: tool.directory.appending(path: "daybook.json"))
            let store = tool.directory.appending(path: "daybook.sqlite").path
            for words in [
                ["query", "SELECT attributes, context FROM records", "--store", store], ["export", "--store", store],
                ["tail", "--no-follow", "--store", store],
            ] {
                let result = try await tool.run(words)
                #expect(result.status == 0 && !result.output.isEmpty, "\(words): \(result)")
                for secret in ["ann@private.example", "1442517903"] {
                    #expect(!result.output.contains(secret), "\(words): \(result.output)")
                }
            }
        }
    }

    @Test("A query shows pseudonyms for private values under any column name") func queryShowsPseudonyms() async throws
    {
        try await withTool { tool in
            for sql in ["attributes ->> 'mail' AS mail", "attributes ->> 'mail' AS m"] {
                let result = try await tool.run("query", "--format", "csv", "SELECT \(sql) FROM records")
                #expect(result.output.contains(/\n\[private [0-9a-f]{12}\]\n/), "\(sql): \(result.output)")
            }
            let number = try await tool.run(
                "query", "--format", "csv", "SELECT context ->> 'user_id' AS user_id FROM records")
            #expect(number.output.contains(/\n-[0-9]+\n/), "\(number.output)")
        }
    }

    @Test("A store served with definitions keeps masking without them") func storeRemembersMasking() async throws {
        try await withTool { tool in
            let folder = tool.directory.appending(path: "LogDefinitions")
            let definitions = try DefinitionsSource(folder.path).soundDefinitions()
            for name in ["LogDefinitions", "daybook.json"] {
                try FileManager.default.removeItem(at: tool.directory.appending(path: name))
            }
            #expect(try await tool.run("export").output.contains("ann@private.example"))
            try await SQLiteStore(path: tool.directory.appending(path: "daybook.sqlite").path)
                .createViews(of: definitions)
            try tool.write(
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_record","arguments":{"id":1}}}"#
                    + "\n", to: "asked")
            let program = BuiltProduct.daybook.path
            var results = [try await tool.runOther("sh", "-c", "'\(program)' mcp --store daybook.sqlite < asked")]
            for words in [
                ["export"], ["tail", "--no-follow"], ["query", "SELECT attributes, context FROM records"],
                ["breakdown", "attributes.mail"], ["verify", "--checklist", "list.md", "--store", "daybook.sqlite"],
                ["alerts", "run", "alerts"],
            ] { results.append(try await tool.run(words)) }
            for result in results {
                #expect(!result.output.isEmpty, "\(result)")
                for secret in ["ann@private.example", "1442517903"] {
                    #expect(!(result.output + result.errors).contains(secret), "\(result)")
                }
            }
            #expect(try await tool.run("export", "--show-private").output.contains("ann@private.example"))
        }
    }

    private static func changed(_ line: String) -> String { line.replacing("soup", with: "stew") }

    private static let commands: [[String]] = [
        ["export"], ["export", "--format", "line"], ["export", "--format", "trace"],
        ["tail", "--no-follow"], ["tail", "--no-follow", "--format", "ndjson"],
        ["query", "SELECT * FROM records"], ["query", "--format", "csv", "SELECT * FROM records"],
        ["query", "--format", "json", "SELECT attributes, context, message FROM records"],
        ["query", "--format", "ndjson", "SELECT attributes->>'mail' AS mail FROM records"],
        ["query", "SELECT substr(json_extract(attributes, '$.mail'), 1, 99) AS x FROM records"],
        [
            "query",
            "SELECT upper(context) || message AS x, 'x' AS y FROM records UNION SELECT attributes, 1 FROM records",
        ],
        ["query", "SELECT count(*) AS n, max(json_extract(context, '$.user_id')) AS x FROM records"],
        ["verify", "--checklist", "list.md", "--events", "raw.ndjson"],
        ["verify", "--checklist", "undefined.md", "--events", "raw.ndjson"],
        ["verify", "--checklist", "list.md", "--events", "raw.ndjson", "--definitions", "LogDefinitions"],
        ["verify", "--checklist", "list.md", "--events", "raw.ndjson", "--json"],
        ["verify", "--checklist", "list.md", "--events", "raw.ndjson", "--markdown", "--junit", "report.xml"],
        ["verify", "--fixture", "fixture.json", "--events", "raw.ndjson"],
        ["compare", "raw.ndjson", "changed.ndjson"], ["compare", "raw.ndjson", "other.ndjson"],
        ["definitions", "validate", "--events", "raw.ndjson", "--json"],
        ["coverage", "--events", "raw.ndjson", "--store", "daybook.sqlite", "--json"],
        ["alerts", "run", "alerts"], ["alerts", "run", "alerts", "--json"],
    ]

    @Test("No command prints private values unless asked") func commandsMaskSecrets() async throws {
        try await withTool { tool in
            for words in Self.commands {
                let result = try await tool.run(words)
                #expect(result.status != 2, "\(words): \(result.errors)")
                #expect(!result.output.isEmpty, "\(words)")
                for secret in Self.secrets {
                    #expect(!(result.output + result.errors).contains(secret), "\(words) tells \(secret)")
                }
            }
            let report = try tool.contents(of: "report.xml")
            for secret in Self.secrets { #expect(!report.contains(secret), "JUnit tells \(secret)") }
            #expect(report.contains("[private]"))
        }
    }

    @Test("A misspelt event masks the values that the event masks") func masksMisspeltEvents() async throws {
        try await withTool { tool in
            let raw = try tool.contents(of: "raw.ndjson").replacing("user.sign_up", with: "user.sing_up")
            try tool.write(raw, to: "misspelt.ndjson")
            #expect(try await tool.run("import", "misspelt.ndjson", "--store", "b.sqlite").status == 0)
            for words in [
                ["export", "--store", "b.sqlite"], ["export", "--store", "b.sqlite", "--format", "line"],
                ["tail", "--no-follow", "--store", "b.sqlite"],
                ["query", "SELECT * FROM records", "--store", "b.sqlite"],
                ["query", "SELECT json_extract(attributes, '$.mail') AS x FROM records", "--store", "b.sqlite"],
                ["compare", "misspelt.ndjson", "other.ndjson"],
                ["verify", "--fixture", "fixture.json", "--events", "misspelt.ndjson"],
                ["breakdown", "attributes.mail", "--store", "b.sqlite"],
            ] {
                let result = try await tool.run(words)
                #expect(!result.output.isEmpty, "\(words): \(result.errors)")
                #expect(!(result.output + result.errors).contains("ann@"), "\(words): \(result.output)")
            }
            let open = try await tool.run("export", "--store", "b.sqlite", "--show-private")
            #expect(open.output.contains("ann@private.example"))
        }
    }

    @Test("`--show-private` prints the values and such an export restores them") func showPrivateRoundTrips()
        async throws
    {
        try await withTool { tool in
            let export = try await tool.run("export", "--show-private")
            for secret in Self.secrets { #expect(export.output.contains(secret), "\(secret)") }
            #expect(export.output == (try tool.contents(of: "raw.ndjson")))
            let query = try await tool.run(
                "query", "--show-private", "--format", "csv",
                "SELECT json_extract(attributes, '$.mail') AS mail FROM records")
            #expect(query.output == "mail\nann@private.example\n")
            let verify = try await tool.run(
                "verify", "--show-private", "--checklist", "list.md", "--events", "raw.ndjson")
            #expect(verify.output.contains("mail is \"ann@private.example\""))
        }
    }

    @Test("A masked export is marked and stays masked after import") func maskedExportStaysMasked() async throws {
        try await withTool { tool in
            try tool.write(try await tool.run("export").output, to: "masked.ndjson")
            #expect(try tool.contents(of: "masked.ndjson").contains(#""mail":"[private]""#))
            #expect(try await tool.run("import", "masked.ndjson", "--store", "b.sqlite").status == 0)
            let again = try await tool.run("export", "--store", "b.sqlite", "--show-private")
            #expect(again.output == (try tool.contents(of: "masked.ndjson")))
            // A mask does not count as a value of the wrong type.
            let validate = try await tool.run("definitions", "validate", "--events", "masked.ndjson")
            #expect(!validate.output.contains("user_id"), "\(validate)")
            // Nor as a value to judge an item by.
            for list in ["list.md", "undefined.md"] {
                let verify = try await tool.run("verify", "--checklist", list, "--events", "masked.ndjson")
                #expect(verify.output.contains("whose values are hidden") && verify.status == 2, "\(verify)")
            }
        }
    }

    @Test("`journal dump` masks private values") func masksJournalDump() async throws {
        let journal = tool.directory.appending(path: "journal")
        var options = PipelineOptions()
        options.report = { _ in }
        let output = CollectingOutput(
            id: "collector", answers: Array(repeating: .retry(after: .seconds(3600), reason: "down"), count: 9))
        let pipeline = try Pipeline(directory: journal, options: options) { Route("**", to: output) }
        pipeline.log("a.b").info("hello", ["api_key": "name-9f3a3"])
        await pipeline.shutdown(deadline: .milliseconds(10))
        let dump = try await tool.run("journal", "dump", journal.path)
        #expect(dump.output.contains("hello"))
        #expect(!dump.output.contains("name-9f3a3"))
        #expect(try await tool.run("journal", "dump", journal.path, "--show-private").output.contains("name-9f3a3"))
    }
}
