import DaybookTestTraits
import Foundation
import Testing

/// Recordings and fixtures as editors, exporters and archives write them.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RecordingFormatTests {
    private let tool = Tool()
    private static let lines = [
        #"{"tag":"feed.show","uid":"u1","time":"2026-11-20T10:02:11Z","attributes":{"n":1}}"#,
        #"{"tag":"feed.tap","uid":"u2","time":"2026-11-20T10:02:12Z"}"#,
    ]
    private static let checklist = "# C\n\n## S\n\n- [ ] feed.show where n = 1\n- [ ] feed.tap\n"

    private func values(_ tool: Tool, _ sql: String) async throws -> String {
        let result = try await tool.run("query", "--store", "s.sqlite", "--format", "csv", sql)
        return result.output.split(separator: "\n").dropFirst().joined(separator: "\n")
    }

    @Test("A store created by `import` has the analysts' views") func importCreatesViews() async throws {
        let lines = [
            #"{"tag":"m","kind":"message","level":"severe","message":"low","file":"A.swift","line":7}"#,
            #"{"tag":"e","kind":"error","level":"error","attributes":{"exception.type":"X"}}"#,
            #"{"tag":"r","kind":"request","attributes":{"http.request.method":"GET"}}"#,
        ]
        try tool.write(lines.joined(separator: "\n"), to: "r.ndjson")
        #expect(try await tool.run("import", "--store", "s.sqlite", "r.ndjson").status == 0)
        func rows(_ sql: String) async throws -> String {
            try await tool.run("query", "--store", "s.sqlite", "--format", "csv", sql).output
        }
        #expect(
            try await rows("SELECT level_name, message, source FROM messages")
                == "level_name,message,source\nerror,low,A.swift:7\n")
        #expect(try await rows("SELECT count(*) AS n FROM errors") == "n\n2\n")
        #expect(try await rows("SELECT method FROM requests") == "method\nGET\n")
    }

    /// Windows editors put a mark at the beginning, and `cat a b` moves one to the middle.
    @Test(
        "Skips byte order marks anywhere between lines",
        arguments: ["\u{FEFF}A\nB\n", "\u{FEFF}A\r\n\u{FEFF}B\r\n", "\u{FEFF}\nA\n\u{FEFF}\nB", "A\nB\n\u{FEFF}"])
    func skipsRecordingBOM(form: String) async throws {
        let text = form.replacingOccurrences(of: "A", with: Self.lines[0])
            .replacingOccurrences(of: "B", with: Self.lines[1])
        try tool.write(text, to: "a.ndjson")
        try tool.write(Self.checklist, to: "c.md")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 2, already known 0\n")
        let verified = try await tool.run("verify", "--checklist", "c.md", "--events", "a.ndjson")
        #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified)")
        for fixture in [#"{"feed.show": [{"n": 1}], "feed.tap": [{}]}"#, Self.lines.joined(separator: "\n")] {
            try tool.write("\u{FEFF}" + fixture, to: "f.json")
            let result = try await tool.run("verify", "--fixture", "f.json", "--events", "a.ndjson")
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test("Names an unsupported encoding or format") func namesForeignEncoding() async throws {
        let utf16 = Array(("\u{FEFF}" + Self.lines[0]).utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let forms: [([UInt8], String)] = [
            (utf16, "is UTF-16 text and must be UTF-8"), (Array(utf16.dropFirst(2)), "is UTF-16 text"),
            ([0x28, 0xB5, 0x2F, 0xFD, 0], "is compressed by zstd, which is not read"),
            (Array("PK\u{3}\u{4}".utf8), "is compressed by zip"), (Array("BZh9".utf8), "is compressed by bzip2"),
            (Array("SQLite format 3\0".utf8), "is a SQLite database, not a recording"),
            ([0x1F, 0x8B, 8, 0, 0], "the gzip data is damaged: it ends too early"),
            ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF], "the gzip data is damaged"),
            (Array("[{\"tag\": \"a.b\"}]".utf8), "`jq -c '.[]'` writes the elements of an array so"),
            (Array("{\n\"tag\": \"a.b\"\n".utf8), "a.ndjson:1: Not valid JSON"),
        ]
        for (bytes, words) in forms {
            try Data(bytes).write(to: tool.directory.appending(path: "a.ndjson"))
            let result = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
            #expect(result.status == 2 && result.errors.contains(words), "\(words): \(result.errors)")
        }
    }

    /// Whatever their extensions; an ambiguous folder is reported with its candidates.
    @Test("Finds the recordings in a folder by name") func findsRecordings() async throws {
        try tool.write(Self.checklist, to: "two.md")
        let recording = Self.lines.joined(separator: "\n")
        let names = ["two.ndjson", "two.NDJSON", "two.jsonl", "two.JsonL", "two.json"]
        for (place, name) in names.enumerated() {
            try tool.write(recording, to: "r\(place)/\(name)")
            let result = try await tool.run("verify", "--checklist", "two.md", "--events", "r\(place)")
            #expect(result.status == 0 && result.errors.isEmpty, "\(name): \(result.errors)")
        }
        try tool.write(recording, to: "r0/two.json")
        let both = try await tool.run("verify", "--checklist", "two.md", "--events", "r0")
        #expect(both.status == 0 && both.errors.contains("r0/two.json is not read: the recording is r0/two.ndjson"))
        try tool.write("{}", to: "r9/other.ndjson")
        #expect(try await tool.run("verify", "--checklist", "two.md", "--events", "r9").status == 2)
    }

    /// Records of other signals, or none at all.
    @Test(
        "Importing a file without records is an error",
        arguments: [#"{"resourceMetrics":[{}]}"#, #"{"resourceLogs":[]}"#, "", "\n\n"])
    func refusesEmptyImport(text: String) async throws {
        try tool.write(text, to: "a.json")
        let result = try await tool.run("import", "a.json", "--store", "s.sqlite")
        #expect(result.status == 2 && result.errors.contains("has no record"), "\(result)")
    }

    /// With many lines, each is read only once.
    @Test("Reads a JSON document over 300,000 lines in linear time") func readsLongDocument() async throws {
        let record = #"{"timeUnixNano":"1795168931000000000","body":{"stringValue":"m"}}"#
        let blank = String(repeating: " \n", count: 300_000)
        try tool.write(
            "{\n\(blank)\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[\n\(record)\n]}]}]\n}\n", to: "a.json")
        #expect(try await tool.run("import", "a.json", "--store", "s.sqlite").output == "stored 1, already known 0\n")
    }

    @Test("Reads gzip recordings with any number of members") func readsGzipMembers() async throws {
        try tool.write(Self.checklist, to: "c.md")
        try tool.write(#"{"feed.show": [{"n": 1}], "feed.tap": [{}]}"#, to: "f.json")
        // In each member, more than is inflated at once.
        let many = (0..<8_000).map { #"{"tag":"many.n","attributes":{"n":\#($0)}}"# + "\n" }.joined()
        try tool.write(Self.lines[0] + "\n", to: "a")
        try tool.write(Self.lines[1] + "\n" + many, to: "b")
        let made = try await tool.runOther(
            "sh", "-c",
            """
            gzip -k f.json && mkdir r && gzip -c a > r/c.ndjson.gz && gzip -c b >> r/c.ndjson.gz \
            && head -c 512 /dev/zero > z && cat r/c.ndjson.gz z > plain && head -c 900 r/c.ndjson.gz > cut.gz
            """)
        try #require(made.status == 0, "\(made)")
        for events in ["r", "r/c.ndjson.gz", "plain"] {
            let result = try await tool.run("verify", "--checklist", "c.md", "--events", events)
            #expect(result.status == 0, "\(events): \(result)")
        }
        let fixture = try await tool.run("verify", "--fixture", "f.json.gz", "--events", "plain", "--listed-only")
        #expect(fixture.status == 0, "\(fixture)")
        let stored = try await tool.run("import", "plain", "--store", "s.sqlite")
        #expect(stored.output == "stored 8002, already known 0\n", "\(stored)")
        let compared = try await tool.run("compare", "plain", "r/c.ndjson.gz")
        #expect(compared.status == 0, "\(compared)")
        let cut = try await tool.run("import", "cut.gz", "--store", "t.sqlite")
        #expect(cut.status == 2 && cut.errors.contains("it ends too early"), "\(cut)")
    }

    @Test(
        "Infers the unit of a recorded time from its magnitude",
        arguments: [
            "1795168931", "1795168931204", "1795168931204567", "1795168931204567891", "1795168931.204",
            #""1795168931204567891""#, #""1795168931204""#, #""2026-11-20T10:02:11.204Z""#,
        ]) func infersRecordingTimeUnit(time: String) async throws
    {
        try tool.write(#"{"tag":"a.b","time":\#(time)}"#, to: "a.ndjson")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").status == 0)
        #expect(try await values(tool, "SELECT time / 1000000000 FROM records") == "1795168931")
    }

    /// Shift_JIS, EUC-JP and Latin-1. Reported once, however often the file is read.
    @Test(
        "Rejects text that is not UTF-8 and gives its line",
        arguments: [[0x95, 0x5C, 0x8E, 0xA6], [0xC9, 0xBD, 0xBC, 0xA8], [0x63, 0x61, 0x66, 0xE9]] as [[UInt8]])
    func locatesNonUTF8Text(text: [UInt8]) async throws {
        let foreign = Array(#"{"tag":"feed.tap","attributes":{"t":""#.utf8) + text + Array("\"}}\n".utf8)
        try Data(Array((Self.lines[0] + "\n").utf8) + foreign).write(to: tool.directory.appending(path: "a.ndjson"))
        try tool.write(Self.checklist, to: "c.md")
        try tool.write(Self.lines[0], to: "f.ndjson")
        for command in [
            ["import", "a.ndjson", "--store", "s.sqlite"], ["verify", "--checklist", "c.md", "--events", "a.ndjson"],
            ["compare", "f.ndjson", "a.ndjson"], ["verify", "--fixture", "a.ndjson", "--events", "f.ndjson"],
        ] {
            let result = try await tool.run(command)
            #expect(result.status == 2 && result.errors.contains("a.ndjson:2: "), "\(command[0]): \(result)")
            #expect(result.errors.contains("is not UTF-8 text"), "\(command[0]): \(result)")
        }
    }

    @Test("A fixture with misplaced columns never passes") func misplacedColumnsFail() async throws {
        try tool.write("# feed\n\n## show\n\n- n: !integer\n", to: "defs/feed.md")
        try tool.write(#"{"tag":"feed.show","attributes":{}}"#, to: "a.ndjson")
        let commands = [
            ["verify", "--fixture", "f.ndjson", "--events", "a.ndjson"],
            ["fixtures", "import", "--definitions", "defs", "f.ndjson"],
        ]
        try tool.write(#"{"tag":"feed.show","properties":{"n":1}}"#, to: "f.ndjson")
        for command in commands {
            let result = try await tool.run(command)
            let words = "f.ndjson:1: `properties` is no member of a record: did you mean `attributes`?"
            #expect(result.status != 0 && result.errors.contains(words), "\(result)")
        }
        try tool.write(#"{"tag":"feed.show","level":"error"}"#, to: "f.ndjson")
        for command in commands {
            let result = try await tool.run(command)
            let words = "note: f.ndjson: only `tag` and `attributes` are compared; passed over: level (1)"
            #expect(result.status == 0 && result.errors.contains(words), "\(result)")
        }
        for (text, name, words) in [
            ("{}", "f.ndjson", "has no record"), ("", "f.ndjson", "has no record"),
            (#"{"log":{"entries":[]}}"#, "f.har", "has no request"),
        ] {
            try tool.write(text, to: name)
            try tool.write(#"{"rules":[{"method":"POST","path":"/a","event":"feed.show"}]}"#, to: "rules.json")
            let result = try await tool.run(
                "fixtures", "import", "--definitions", "defs", "--request-rules", "rules.json", name)
            #expect(result.errors.contains("note: \(name): \(words)"), "\(result)")
        }
    }

    /// Twice for one signal, or in both spellings: one is read, the other reported.
    @Test("Reports a request given twice in one document", arguments: ["resourceLogs", "resource_logs"])
    func reportsRepeatedRequest(second: String) async throws {
        try tool.write(String(Self.logs.dropLast()) + #","\#(second)":[]}"#, to: "a.ndjson")
        let result = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        #expect(result.errors.contains("1 members are not read: request.resourceLogs given twice (1)"), "\(result)")
    }

    @Test("Reports unread members once per command") func reportsUnreadOnce() async throws {
        let foreign = #"{"tag":"feed.tap","resource":{"a":1},"timestamp":5,"x\u001b[31m":1,"spanId":"s"}"#
        try tool.write(Self.lines.joined(separator: "\n") + "\n" + foreign + "\n" + foreign, to: "a.ndjson")
        try tool.write(Self.checklist, to: "c.md")
        try tool.write(Self.checklist, to: "d.md")
        try tool.write("# feed\n\n## show\n\n## tap\n", to: "LogDefinitions/feed.md")
        let words =
            "a.ndjson:3: 8 members are not read: resource (2, did you mean context?), "
            + "spanId (2, did you mean span_id?), timestamp (2, did you mean time?), x"
        for command in [
            ["import", "a.ndjson", "--store", "s.sqlite"],
            ["verify", "--checklist", "c.md", "--checklist", "d.md", "--events", "a.ndjson"],
            ["compare", "a.ndjson", "a.ndjson"], ["coverage", "LogDefinitions", "--events", "a.ndjson"],
        ] {
            let errors = try await tool.run(command).errors
            #expect(errors.components(separatedBy: words).count == 2, "\(command[0]): \(errors)")
            #expect(!errors.contains("\u{1B}"))
        }
        try tool.write(#"{"event":"feed.show"}"#, to: "b.ndjson")
        let none = try await tool.run("import", "b.ndjson", "--store", "s.sqlite")
        #expect(none.errors.contains("b.ndjson:1: \"tag\" is missing.") && none.errors.contains("did you mean `tag`?"))
    }

    private static let logs = #"""
        {"resourceLogs":[{"resource":{"attributes":[{"key":"service.version","value":{"stringValue":"1.2"}}]},"scopeLogs":[{"scope":{"name":"app"},"logRecords":[{"timeUnixNano":"1795168931000000000","severityNumber":9,"eventName":"feed.show","attributes":[{"key":"n","value":{"intValue":"1"}}]},{"timeUnixNano":"1795168932000000000","eventName":"feed.tap"}]}]}]}
        """#
    private static let spans = #"""
        {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"GET /a","kind":3,"startTimeUnixNano":"1795168931000000000","endTimeUnixNano":"1795168931500000000"}]}]}]}
        """#

    /// One request a line, as the Collector's file exporter writes them, and over many lines, as people keep a request.
    @Test("OTLP requests in JSON are valid recordings", arguments: [false, true]) func readsOTLPRecordings(
        isPretty: Bool
    ) async throws {
        try tool.write(Self.checklist, to: "c.md")
        if isPretty {
            let value = try JSONSerialization.jsonObject(with: Data(Self.logs.utf8))
            let text = try JSONSerialization.data(withJSONObject: value, options: .prettyPrinted)
            try tool.write("\u{FEFF}" + String(decoding: text, as: UTF8.self) + "\n", to: "a.json")
        } else {
            try tool.write([Self.logs, Self.spans, #"{"resourceMetrics":[]}"#].joined(separator: "\n"), to: "a.json")
        }
        let verified = try await tool.run("verify", "--checklist", "c.md", "--events", "a.json")
        #expect(verified.status == 0, "\(verified)")
        let all = isPretty ? 2 : 3
        for stored in ["stored \(all), already known 0\n", "stored 0, already known \(all)\n"] {
            let result = try await tool.run("import", "a.json", "--store", "s.sqlite")
            #expect(result.output == stored, "\(result)")
            #expect(result.errors.contains("resourceMetrics (1)") == !isPretty)
        }
        let rows = try await values(tool, "SELECT tag, kind, time / 1000000000 FROM records ORDER BY id")
        #expect(
            rows == "feed.show,event,1795168931\nfeed.tap,event,1795168932"
                + (isPretty ? "" : "\nGET /a,span,1795168931"))
    }
}
