import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import Foundation

/// What people write: definitions, checklists, and filters with tag patterns.
extension FuzzTarget {
    static let texts: [FuzzTarget] = [definitions, checklists, filters]

    private static func files(in folder: String) -> [[UInt8]] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let url = root.appending(path: folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path))?.sorted() ?? []
        return names.filter { $0.hasSuffix(".md") }.compactMap { try? Array(Data(contentsOf: url.appending(path: $0))) }
    }

    private static let definitions = FuzzTarget(
        "definitions",
        corpus: files(in: "Tests/DaybookDefinitionsTests/Fixtures/Original")
            + files(in: "Examples/RecipeBox/LogDefinitions"),
        fragments: [
            "#", "##", "\n", "\n\n", "- ", "  - ", "* ", "1. ", "a: !string 3", "[obsolete]", "[private]", "`", "**",
            "!",
            "?", "```", "<!--", "-->", "===", "---", "> ", "\t", "\r\n", "\r", "\0", "日本", "：", "[", "]", "(", ")",
            "&amp;",
            "\\", "a: Foo", "`v`: x", "# cat", "## e", "\u{FEFF}", "\u{2028}",
        ], quickCount: 60
    ) { bytes in
        let (definitions, diagnostics) = Definitions.load([(path: "cat.md", bytes: bytes)])
        guard Definitions.load([(path: "cat.md", bytes: bytes)]).1 == diagnostics else {
            return "the same file has other diagnostics the second time"
        }
        guard diagnostics.allSatisfy({ $0.location.line > 0 && $0.location.column > 0 }) else {
            return "a diagnostic has no place"
        }
        _ = DumpGenerator.generate(definitions)
        if !diagnostics.contains(where: { $0.severity == .error }) { _ = SwiftGenerator().generate(definitions) }
        return nil
    }

    private static let checklists = FuzzTarget(
        "checklists",
        corpus: files(in: "Examples/RecipeBox/LogChecklists")
            + [
                """
                # feed

                | persona | plan |
                |---------|------|
                | free    | free |
                | paid    | paid, trial |

                ## reading

                1. [ ] feed.show exactly 1 per article_id until app.background
                    - position >= 0
                    - order in latest, popular
                2. [ ] feed.tap after feed.show within 5s when plan = paid
                - [ ] never feed.** where article_id is absent
                - [ ] feed.show each order
                - [ ] look at it
                """
            ].map { Array($0.utf8) },
        fragments: [
            "# ", "## ", "- [ ] ", "1. [ ] ", "    - ", "\n", "|", "persona", "never ", "exactly 1 ", "at least 2 ",
            "per a, b ",
            "each c ", "until x.y ", "after ", "within 5s ", "when p = q ", "**", ".*", "= 1", ">= -0.5", "in a, b",
            "~ /a(b|c)+$/",
            "matches \"(a*)*b\"", "is absent", "\"", "日本", "\t", "\r\n", "\0",
        ], quickCount: 300
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let checklist = try? Checklist(markdown: text, file: "c.md") else { return nil }
        var run = ChecklistRun(settingAsideIn: checklist, scenarios: [], persona: nil, catalog: nil)
        for (number, tag) in ["feed.show", "feed.tap", "app.background", "x.y", "feed.show"].enumerated() {
            run.observe(
                JSONChecklistRecord(
                    tag: tag, number: Int64(number + 1), time: Int64(number) * 1_000_000_000, level: 9, session: "s",
                    installation: "i", attributes: #"{"article_id":1,"order":"latest","position":0,"plan":"paid"}"#,
                    context: "{}"))
        }
        let verdicts = run.verdicts(finished: true)
        _ = verdicts.markdownReport(of: checklist)
        _ = verdicts.junitReport(of: checklist)
        return nil
    }

    /// The lines of an input are a filter's texts. A store on disk and one in memory must find the same.
    private static let filters = FuzzTarget(
        "filters",
        corpus: [
            "feed.*\nshow\nkind=event\nfeed.tap", "**\n日本語\na=1\nx.**", "a.b.*\nÅÄ\na=1.5\n*.b", "\n\"\\\nb=true\n**.c",
            "\n\na>=1 OR -has:b\n", "\n\n(a=1,\"1\" OR text=ﾊ*) -show level>=info name:tap\n",
        ].map { Array($0.utf8) },
        fragments: [
            "*", "**", ".", "\n", "=", "a", "é", "e\u{301}", "ﾊ", "％", "\"", "'", "\\", "%", "_", "\0", "1e0", "true",
            " ", "(", ")", "-", " OR ", "NOT ", ">=", "..", ",", "has:", "level", "name:", "last:2h", "\u{301}",
        ],
        quickCount: 60
    ) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let disk = try SQLiteStore(path: folder.appending(path: "records.sqlite").path)
        let memory = MemoryStore()
        for store in [disk, memory] as [any EventStore] { try await store.append(RecordBatch(rows: rows)) }
        return Subject { input in
            let filter = filter(String(decoding: input, as: UTF8.self))
            let answers = await [ids(filter, in: disk), ids(filter, in: memory)]
            return answers[0] == answers[1] ? nil : "on disk \(answers[0]), in memory \(answers[1])"
        } close: {
            await disk.close()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    private static let rows: [RecordRow] = {
        let tags = ["feed.show", "feed.tap", "a.b.c", "日本.語", "x", "", "a*b", "É.e", "e\u{301}.é"]
        let values = [#"{"a":1}"#, #"{"a":"1","b":true}"#, #"{"a":1.5}"#, #"{"text":"ハ\"\\%_"}"#, "{}"]
        return (0..<60).map { number in
            var row = RecordRow(
                uid: "u\(number)", time: Int64(number), kind: number % 2 == 0 ? .event : .message, level: number % 24,
                tag: tags[number % tags.count], attributes: values[number % values.count])
            row.message = number % 3 == 0 ? "ＳＨＯＷ \(number) ÅÄ" : nil
            row.session = number % 4 == 0 ? "s\(number % 8)" : nil
            return row
        }
    }()

    private static func filter(_ text: String) -> RecordFilter {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func line(_ number: Int) -> String? { number < lines.count && !lines[number].isEmpty ? lines[number] : nil }
        var filter = RecordFilter()
        if let tag = line(0) { filter.narrow(by: .tag(tag)) }
        if let text = line(1) { filter.narrow(by: .text(text)) }
        if let text = line(2), let written = try? FilterParser.parse(text, now: 0).expression {
            filter.narrow(by: written)
        }
        if let tag = line(3) { filter.narrow(by: .not(.tag(tag))) }
        if let session = line(4) { filter.narrow(by: .field(.session, session)) }
        return filter
    }

    private static func ids(_ filter: RecordFilter, in store: any EventStore) async -> String {
        var query = RecordQuery()
        query.filter = filter
        do {
            return try await "\(store.page(query).map(\.id))"
        } catch {
            return "refused"
        }
    }
}
