import DaybookTestTraits
import Foundation
import Testing

@testable import DaybookCLI

/// Every command's output, over files and records whose every text is hostile.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct HostileTextTests {
    private let tool = Tool()

    /// Clears the screen, sets the title, rings, reorders, hides and forges lines.
    private static let evil =
        "x\u{1B}[2J\u{1B}]0;title\u{7}\u{9B}31m\u{7F}\u{61C}\u{200B}\u{202E}\u{2066}\u{2028}\u{FEFF}\u{E0041}\t\r\n✓ forged\n9 ok, 0 failed"

    /// Invocations of each command. A command without any prints no one else's text: only code or JSON for programs, or
    /// what the user typed.
    private static let reports: [String: [[String]]] = [
        "verify": [
            ["--checklist", "list.md", "--events", "a.ndjson"],
            ["--fixture", "fixture\(evil).json", "--events", "a.ndjson"],
            ["--checklist", "list.md", "--events", "a.ndjson", "--events", "b.ndjson", "--definitions", "defs"],
            ["--checklist", "list.md", "--events", "a.ndjson", "--events", "b.ndjson", "--markdown"],
            ["--checklist", "own.md", "--events", "a.ndjson", "--markdown"],
            ["--checklist", "own.md", "--events", "a.ndjson", "--markdown", "--definitions", "defs"],
            ["--checklist", "list.md", "--events", "a.ndjson", "--events", "b.ndjson", "--json"],
            ["--fixture", "fixture\(evil).json", "--events", "a.ndjson", "--json"],
            ["--fixture", "fixture\(evil).json", "--events", "a.ndjson", "--markdown", "--definitions", "defs"],
            ["--fixture", "fixture\(evil).json", "--events", "a.ndjson", "--junit", "/dev/stdout"],
            ["--checklist", "list.md", "--events", "a.ndjson", "--junit", "/dev/stdout"],
            ["--checklist", "list.md", "--events", "a.ndjson", "--events", "run.ndjson"],
            ["--checklist", "list.md", "--events", "run.ndjson", "--events", "b.ndjson", "--markdown"],
            ["--checklist", "list.md", "--events", "unknown.ndjson"],
            ["--checklist", "broken.md", "--events", "a.ndjson"],
            ["--checklist", "list.md", "--events", "bad\(evil).ndjson"],
            ["--checklist", "list.md", "--events", "a.ndjson", "--scenario", evil],
        ],
        "compare": [
            ["a.ndjson", "b.ndjson"], ["a.ndjson", "b.ndjson", "--show-private"], ["a.ndjson", "bad\(evil).ndjson"],
            ["a.ndjson", "b.ndjson", "--all"], ["a.ndjson", "b.ndjson", "--all", "--show-private"],
        ],
        "fixtures import": [["--definitions", "defs", "--output", "out", "fixture\(evil).json"]],
        "definitions check": [["evil"], [evil]],
        "definitions diff": [["defs", "evil"], ["defs", "changed"], ["defs", "changed", "--format", "markdown"]],
        "definitions validate": [
            ["--events", "a.ndjson", "defs"], ["--events", "a.ndjson", "defs", "--json"],
            ["--events", "a.ndjson", "evil"],
        ],
        "coverage": [
            ["defs", "--sources", ".", "--events", "a.ndjson", "--store", "s.sqlite"],
            ["defs", "--sources", ".", "--events", "a.ndjson", "--store", "s.sqlite", "--markdown"],
            ["defs", "--sources", ".", "--events", "a.ndjson", "--store", "s.sqlite", "--json"],
        ],
        "query": [
            ["SELECT tag, message, session, attributes FROM records", "--store", "s.sqlite"],
            ["SELECT tag, message, session, attributes FROM records", "--store", "s.sqlite", "--format", "json"],
            ["SELECT \(evil)", "--store", "s.sqlite"],
        ],
        "breakdown": [
            ["tag", "--store", "s.sqlite"], ["attributes.title", "--store", "s.sqlite"], [evil, "--store", "s.sqlite"],
        ],
        "tail": [["--no-follow", "--store", "s.sqlite"]],
        "export": [["--store", "s.sqlite", "--format", "line"], ["--store", "s.sqlite", "--filter", "(" + evil]],
        "path": [
            ["feed.open", "--by", "version", "--store", "s.sqlite"],
            ["feed.open", "--by", "version", "--store", "s.sqlite", "--format", "markdown"],
            [evil, "--store", "s.sqlite"],
        ],
        "funnel": [
            ["feed.open -> feed.close", "--by", "version", "--store", "s.sqlite"],
            ["feed.open -> feed.close", "--by", "version", "--store", "s.sqlite", "--format", "markdown"],
        ],
        "retention": [["feed.open", "--store", "s.sqlite"]],
        "count": [
            ["feed.open", "--by", "version, title", "--store", "s.sqlite"],
            ["feed.open", "--by", "title", "--store", "s.sqlite", "--format", "markdown"],
            [evil, "--store", "s.sqlite"],
        ],
        "measure": [
            ["_duration of feed.open", "--by", "title", "--store", "s.sqlite"], [evil, "--store", "s.sqlite"],
        ],
        "differ": [
            ["feed.open from feed.**", "--by", "version, title", "--store", "s.sqlite"],
            ["feed.open from feed.**", "--by", "title", "--store", "s.sqlite", "--format", "markdown"],
            [evil, "--store", "s.sqlite"],
        ],
        "boards check": [["evil"], ["boards", "--store", "s.sqlite"]],
        "boards print": [
            ["boards/board.md", "--store", "s.sqlite"],
            ["boards/board.md", "--store", "s.sqlite", "--format", "markdown"],
            ["boards/board.md", "--store", "s.sqlite", "--format", "json"],
            ["evil/board.md", "--store", "s.sqlite"],
        ],
        "alerts check": [["evil"], ["alerts"]],
        "alerts run": [
            ["alerts", "--store", "s.sqlite", "--json"], ["alerts", "--store", "s.sqlite"],
            ["evil", "--store", "s.sqlite"],
        ],
        "alerts test": [["alerts", evil]],
        "alerts mute": [[evil, "--for", "1h", "--collector", evil]],
        "keys list": [
            ["--keys", "keys.ndjson"], ["--keys", "keys.ndjson", "--json"], ["--keys", "bad\(evil).ndjson"],
        ],
        "keys revoke": [[evil, "--keys", "keys.ndjson"]],
        "import": [["--store", "t.sqlite", "bad\(evil).ndjson"]],
        "journal check": [[evil]],
        "store check": [["--store", "s.sqlite"], ["--store", "no\(evil)/s.sqlite"]],
        "serve": [["--port", evil], ["--store", "no\(evil)/s.sqlite", "--port", "0"]],
    ]

    /// No one else's text, or none for people.
    private static let others: Set<String> = [
        "inspect", "mcp", "keys add", "backup", "erase", "journal dump", "completion", "version", "definitions migrate",
        "definitions dump", "definitions generate swift", "definitions generate swift-dictionary",
        "definitions generate kotlin", "definitions generate sql", "definitions generate strdef",
        "definitions generate json",
    ]

    @Test("The tests for hostile text cover every command") func coversEveryCommand() {
        #expect(Set(Self.reports.keys).union(Self.others) == Set(Command.all.map(\.name)))
    }

    @Test("No command prints control characters or forged lines", arguments: reports.keys.sorted())
    func escapesOutput(command: String) async throws {
        let reports = Self.reports[command] ?? []
        try await prepare(tool, hasStore: reports.contains { $0.contains("s.sqlite") })
        for words in reports {
            let result = try await tool.run(command.split(separator: " ").map(String.init) + words)
            let all = result.output + result.errors
            #expect(!all.isEmpty, "\(words)")
            let alive = all.unicodeScalars.filter {
                $0 != "\n" && Self.evil.unicodeScalars.contains($0) && Self.steers($0)
            }
            #expect(alive.isEmpty, "\(command) \(words): \(all.debugDescription)")
            let forged = all.split(separator: "\n").filter {
                $0.hasPrefix("✓ forged") || $0.hasPrefix("9 ok, 0 failed")
            }
            #expect(forged.isEmpty, "\(command) \(words): \(all)")
        }
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator].contains(scalar.properties.generalCategory)
    }

    /// Files that produce every part of a report.
    private func prepare(_ tool: Tool, hasStore: Bool) async throws {
        let evil = Self.evil
        func json(_ object: Any) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        func record(_ tag: String, _ more: [String: Any] = [:]) throws -> String {
            let context = ["service.version": evil, "app.installation.id": evil, "device.model.identifier": evil]
            let object: [String: Any] = [
                "kind": "event", "tag": tag, "message": evil, "session": evil, "module": evil, "file": evil,
                "function": evil, "attributes": ["title": evil, evil: evil], "context": context,
            ]
            return try json(object.merging(more) { $1 }) + "\n"
        }
        func run(_ scenario: String) throws -> String {
            let attributes = ["run": evil, "checklist": "list", "scenario": scenario, "tester": evil, "build": evil]
            return try record("run.start", ["kind": "run", "attributes": attributes])
        }
        try tool.write(
            record("feed.open") + record("feed.open") + record("feed.close") + record("feed.opem" + evil)
                + record(evil), to: "a.ndjson")
        try tool.write(run("list") + record("feed.open"), to: "run.ndjson")
        try tool.write(run(evil), to: "unknown.ndjson")
        try tool.write(
            record(
                "feed.open",
                ["context": ["service.version": "2" + evil], "attributes": ["title": "b" + evil, "n" + evil: 1]])
                + record("feed." + evil), to: "b.ndjson")
        try tool.write(record("feed.open") + evil + "\n", to: "bad\(evil.replacing("/", with: "")).ndjson")
        try tool.write(
            "# list\n\n## list\n\n- [ ] feed.open exactly 1\n    - title = \"y\"\n- [ ] feed.ope\n- [ ] feed.close before feed.open\n"
                + "- [ ] feed.open exactly 1 per title\n", to: "list.md")
        // A checklist's own text, as far as it is one line.
        let own = String(evil.unicodeScalars.filter { !"\n\r\u{2028}\t".unicodeScalars.contains($0) })
        try tool.write("# own \(own)\n\n\(own) words\n\n## part \(own)\n\n- [ ] feed.open\n", to: "own.md")
        try tool.write(
            "# list \(evil)\n\n- [ ] feed.open exactly \(evil)\n- [ ] feed.open where \(evil)\n", to: "broken.md")
        try tool.write(
            try json(["feed.open": [["title": evil], ["other": evil]], "feed.x" + evil: [["a": 1]]]),
            to: "fixture\(evil).json")
        try tool.write(
            "# feed\n\n## open\n\nIt.\n\n- title: !string 9\n    - It.\n\n## shut\n\nIt.\n", to: "defs/feed.md")
        try tool.write(
            "# feed\n\n## open\n\nIt.\n\n- title: Kind\n    - `a\(evil)|b`: It.\n", to: "changed/feed.md")
        let broken = evil.replacing("\n", with: "")
        try tool.write(
            "# \(broken)\n\n## \(broken)\n\n- \(broken): !strin\n- a: \(broken)\n\n```sql chart=\(broken)\nDELETE \(broken)\n```\n\n"
                + "- when \(broken)\n- notify \(broken)\n", to: "evil/board.md")
        try tool.write(
            "# board\n\n```sql\nSELECT tag, message, session FROM records\n```\n\n```sql\nSELECT \(broken)\n```\n\n"
                + "```filter\ntag=\"\(own)\"\n```\n", to: "boards/board.md")
        try tool.write(
            "# Errors\n\nCall.\n\n```sql\nSELECT message AS label, count(*) AS value FROM records GROUP BY message\n```\n\n"
                + "- every 1s\n- when value > 0\n- notify https://h.example\n", to: "alerts/a.md")
        let key: [String: Any] = ["id": evil, "name": evil, "hash": evil, "purpose": "ingest", "created": 1]
        try tool.write(try json(key) + "\n", to: "keys.ndjson")
        for file in hasStore ? ["a.ndjson", "b.ndjson"] : [] {
            let imported = try await tool.run("import", "--store", "s.sqlite", file)
            #expect(imported.status == 0, "\(imported)")
        }
    }
}
