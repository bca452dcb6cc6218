import DaybookProcesses
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A team's own log requests, sent to the collector by an app and imported from a proxy's files.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct TeamRequestsCommandTests {
    private let tool = Tool()
    private static let definitions = """
        # feed

        The feed.

        ## show_article

        An article came on the screen.

        - article_id: !bigint
        - mail: !string 64? [private]

        ## tap

        A tap.

        - article_id: !bigint
        """

    private static let rules = #"""
        {"rules": [
          {"method": "GET", "path": "/logs/*", "event": "feed.{path.last}", "attributes": ["query"]},
          {"method": "POST", "host": "log.example", "path": "/track", "each": "body.events", "event": "feed.{item.name}",
           "time": "item.at", "attributes": ["item.params"]}
        ]}
        """#

    private func withTool(_ body: (Tool) async throws -> Void) async throws {
        try tool.write(Self.definitions, to: "definitions/feed.md")
        try tool.write(Self.rules, to: "rules.json")
        try await body(tool)
    }

    @Test("An app's requests are masked, judged and queryable with SQL") func servesTeamRequests() async throws {
        try await withTool { tool in
            let key = try await tool.run("keys", "add", "--keys", "keys", "app").output
                .split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("dbk_") }
            let serve = try tool.start(
                "serve", "--port", "0", "--store", "r.sqlite", "--definitions", "definitions", "--keys", "keys",
                "--request-rules", "rules.json")
            defer { serve.end() }
            let address = try await serve.line(beginning: "Inspector: ").prefix { $0 != "#" }
            func send(_ target: String, _ body: String? = nil, key: Substring? = nil) async throws -> (Int?, String) {
                var request = URLRequest(url: try #require(URL(string: address + "v1/requests" + target)))
                if let body {
                    request.httpMethod = "POST"
                    request.httpBody = Data(body.utf8)
                }
                if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "authorization") }
                let (data, response) = try await URLSession.shared.data(for: request)
                return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
            }
            let target = "/logs/show_article?article_id=7&mail=ann%40private.example"
            #expect(try await send(target).0 == 401)
            #expect(try await send(target, key: key) == (200, #"{"stored":1,"duplicates":0}"#))
            let events = #"{"events": [{"name": "tap", "params": {"article_id": 8}}, {"name": "tap", "params": {}}]}"#
            #expect(try await send("/track", events, key: key) == (200, #"{"stored":2,"duplicates":0}"#))
            let wrong = try await send("/track", #"{"events": 5}"#, key: key)
            #expect(wrong.0 == 400 && wrong.1.contains("POST /track: `body.events` is not a list"))
            let answer = try await tool.run(
                "query", "--store", "r.sqlite", "--format", "csv", "SELECT article_id FROM feed__show_article")
            #expect(answer.output == "article_id\n7\n", "\(answer)")
            let exported = try await tool.run(
                "export", "--store", "r.sqlite", "--definitions", "definitions", "--tag", "feed.show_article")
            #expect(exported.output.contains(#""mail":"[private]""#), "\(exported)")
            let violations = try await tool.run(
                "query", "--store", "r.sqlite", "--format", "csv",
                #"SELECT event, violation, "column" FROM violations"#)
            #expect(violations.output.contains("feed.tap,missing_column,article_id"), "\(violations)")
            try tool.write("- [ ] feed.show_article exactly 1\n- [ ] feed.tap exactly 2\n", to: "list.md")
            let verdict = try await tool.run("verify", "--checklist", "list.md", "--store", "r.sqlite")
            #expect(verdict.status == 0, "\(verdict)")
        }
    }

    @Test("`serve` does not start with invalid request rules") func refusesBadRules() async throws {
        try await withTool { tool in
            try tool.write(#"{"rules": [{"path": "/logs/*"}]}"#, to: "rules.json")
            try tool.write("request-rules = rules.json\n", to: "d.conf")
            let result = try await tool.run("serve", "--port", "0", "--config", "d.conf")
            #expect(result.status == 2)
            let message = "error: d.conf:1: --request-rules: rules.json: rule 1: `event` is missing"
            #expect(result.errors.hasPrefix(message), "\(result)")
        }
    }

    private static let archive = #"""
        {"log": {"version": "1.2", "entries": [
          {"request": {"method": "GET", "url": "https://log.example/logs/show_article?article_id=7"}},
          {"request": {"method": "GET", "url": "https://api.example/articles/7?token=s"}},
          {"request": {
            "method": "POST", "url": "https://log.example/track",
            "postData": {"text": "{\"events\": [{\"name\": \"tap\", \"params\": {\"article_id\": 8}}]}"}}},
          {"request": {"method": "GET", "url": "https://log.example/logs/shwo_article?article_id=7"}},
          {"request": {"method": "POST", "url": "https://log.example/track"}}
        ]}}
        """#

    /// Convertible requests are written; the rest are named with file and line.
    @Test("Converts a folder of fixtures and reports what is left out") func importsFixtureFolder() async throws {
        try await withTool { tool in
            try tool.write(
                """
                {
                  "show_article": [
                    {"article_id": "1"},
                    {"article_id": "one"},
                    {"artcle_id": "1"}
                  ]
                }
                """, to: "in/ios/feed.json")
            try tool.write(
                "{\"tag\":\"feed.tap\",\"attributes\":{\"article_id\":\"@int\"}}\n\n{\"tap\":1}\n",
                to: "in/broken.ndjson")
            try tool.write(Self.archive, to: "in/session.har")
            try tool.write("What the folder is for", to: "in/notes.txt")
            try tool.write("", to: "in/.DS_Store")
            let words = ["fixtures", "import", "--definitions", "definitions", "--request-rules", "rules.json"]
            let result = try await tool.run(words + ["--output", "out", "in"])
            #expect(result.status == 1)
            #expect(
                result.errors == """
                    note: in/session.har:3: no rule matches GET api.example/articles/7
                    note: in/session.har:8: no rule takes an entry of it: body.events is absent (1)
                    error: in/broken.ndjson:3: a record is an object with a tag: {"tag": "category.event"}
                    error: in/ios/feed.json:4: `one` is not a value of `article_id` of feed.show_article, which is !bigint
                    error: in/ios/feed.json:5: `feed.show_article` has no column `artcle_id`; did you mean `article_id`?
                    error: in/notes.txt: is not one of .json, .ndjson, .jsonl, .har, also with .gz
                    error: in/session.har:7: no event `feed.shwo_article` is defined; did you mean `feed.show_article`?
                    3 records from 4 files; not converted: 5

                    """, "\(result.errors)")
            #expect(
                try tool.contents(of: "out/ios/feed.ndjson")
                    == #"{"tag":"feed.show_article","attributes":{"article_id":1}}"# + "\n")
            #expect(
                try tool.contents(of: "out/session.ndjson") == """
                    {"tag":"feed.show_article","attributes":{"article_id":7}}
                    {"tag":"feed.tap","attributes":{"article_id":8}}

                    """)
            #expect(!FileManager.default.fileExists(atPath: tool.directory.appending(path: "out/broken.ndjson").path))
            let compared = try await tool.run(
                "verify", "--fixture", "out/session.ndjson", "--events", "out/session.ndjson")
            #expect(compared.status == 0, "\(compared)")
        }
    }

    @Test("`fixtures import` refuses outputs that would collide") func refusesOverwriting() async throws {
        try await withTool { tool in
            let line = #"{"tag":"feed.tap","attributes":{"article_id":1}}"#
            for name in ["in/a.ndjson", "in/a.json"] { try tool.write(line, to: name) }
            let words = ["fixtures", "import", "--definitions", "definitions", "in"]
            let many = try await tool.run(words)
            #expect(many.status == 2 && many.errors.contains("2 files need a folder for the output"), "\(many)")
            let twice = try await tool.run(words + ["--output", "out"])
            #expect(twice.status == 2)
            #expect(twice.errors.contains("in/a.ndjson: would overwrite the result of in/a.json"), "\(twice)")
            let same = try await tool.run(words.dropLast() + ["in/a.ndjson", "--output", "in"])
            #expect(same.status == 2 && same.errors.contains("in/a.ndjson: would be overwritten;"), "\(same)")
            #expect(try tool.contents(of: "in/a.ndjson") == line)
            let none = try await tool.run(words.dropLast() + ["nowhere"])
            #expect(none.status == 1 && none.errors.hasPrefix("error: nowhere: cannot be read: "), "\(none)")
            let har = try await tool.run(words.dropLast() + ["in/none.har"])
            #expect(har.status == 1)
            #expect(
                har.errors == "error: in/none.har: contains requests; --request-rules FILE turns them into records\n",
                "\(har)")
        }
    }
}
