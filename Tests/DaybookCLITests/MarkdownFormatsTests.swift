import DaybookAPI
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookInspector
import DaybookTestTraits
import Foundation
import Testing

/// Formats written in Markdown: each reads a document the same, whatever editor wrote it.
enum MarkdownFormat: String, CaseIterable {
    case definitions, checklist, alerts, board

    /// A document with everything in the format, and accents that can be decomposed.
    var document: String {
        switch self {
        case .definitions:
            """
            # recipe_search

            Chercher un café.

            ## tap_result

            Opened from the results.

            ```
            ## no_event <!-- code -->
            ```

            - recipe_id: !bigint
                - The récipe
            - sort_order: SortOrder? [private]
                - `new_est`: newest
                - `best`: best
            - [obsolete] page_no: !string? 256

            ## close_it

            - reason: !string 16
            """
        case .checklist:
            """
            # Café release

            | persona | plan_name |
            |---------|-----------|
            | new #1  | free_one  |

            ## first_visit

            ```
            - [ ] no.item <!-- code -->
            ```

            - [ ] recipe_search.tap_result exactly 2 per recipe_id
                - sort_order in ("new_est", "a\\_b")
                - Only once, see #7
            - [x] never recipe_search.crash
            - [ ] recipe_search.show_it where query matches /^a\\.b_c$/

            ## last_visit

            1. [ ] recipe_search.open_it
            2. [ ] Look at the café
            """
        case .alerts:
            """
            # Café_payments fail

            Users cannot pay.

            ```sql
            SELECT count(*) FROM records -- <!-- code -->
            WHERE tag = 'a_b.c'
            ```

            - every 5m
            - when value > 10
            - for 15m
            - notify ${WEBHOOK_URL}

            # Second_alert

            ```checklist
            - [ ] recipe_search.tap_result
            ```

            - every 1m
            - over 1h
            """
        case .board:
            """
            # Café_board

            How people find.

            ## Searches_a day

            ```sql chart=line x=day_of
            SELECT day_of, n_of FROM t -- <!-- code -->
            ```

            ```filter
            tag=recipe_search.tap_result
            ```
            """
        }
    }

    /// What was read, without locations, and every problem.
    func reading(_ text: String) -> String {
        switch self {
        case .definitions:
            let (definitions, diagnostics) = Definitions.load([("recipe_search.md", Array(text.utf8))])
            let words = definitions.categories.map { category in
                category.events.map { event in
                    let columns = event.columns.map {
                        "\($0.name) \($0.type) \($0.isOptional) \($0.isObsolete) \($0.classification) \($0.notes) \($0.values)"
                    }
                    // A description includes its code with the fences.
                    let prose = event.description.split(separator: "\n").filter {
                        !$0.contains("```") && !$0.contains("~~~")
                    }
                    let text = prose.filter { !$0.contains("no_event") }.joined()
                    return "\(event.name) \(text) \(columns)"
                }.joined() + category.description
            }
            return words.joined() + diagnostics.map { "\($0)" }.joined()
        case .checklist:
            do throws(ChecklistError) {
                let checklist = try Checklist(markdown: text, file: "a.md")
                let items = checklist.scenarios.map { scenario in
                    scenario.items.map { item in
                        "\(item.text) \(item.tests.count) \(item.notes) \(item.isTicked) \(item.content == .manual) "
                            + "\(item.numberedList ?? -1)"
                    }
                }
                let personas = checklist.personas?.personas.map { "\($0.name) \($0.values)" } ?? []
                return "\(checklist.title) \(checklist.scenarios.map(\.name)) \(items) \(personas)"
            } catch {
                return error.description
            }
        case .alerts:
            let result = AlertParser.parse(text, file: "a.md")
            return result.rules.map { rule in
                switch rule.question {
                case .sql(let sql):
                    "\(rule.name) \(rule.prose) \(sql) \(rule.conditionText) \(rule.targets) \(rule.every)"
                case .watch(let watch): "\(rule.name) \(watch.checklist.scenarios[0].items.map(\.text)) \(rule.every)"
                }
            }.joined() + result.problems.map { "\($0)" }.joined()
        case .board:
            var (board, problems) = BoardParser.parse(text, file: "a.md")
            for index in board.blocks.indices { (board.blocks[index].line, board.blocks[index].place) = (0, nil) }
            return "\(board)" + problems.map { "\($0)" }.joined()
        }
    }

    func problems(_ text: String) -> [String] {
        switch self {
        case .definitions:
            return Definitions.load([("recipe_search.md", Array(text.utf8))]).1.map(\.description)
        case .checklist:
            do throws(ChecklistError) {
                _ = try Checklist(markdown: text, file: "a.md")
                return []
            } catch {
                return error.problems.map(\.description)
            }
        case .alerts: return AlertParser.parse(text, file: "a.md").problems.map(\.description)
        case .board: return BoardParser.parse(text, file: "a.md").problems.map(\.description)
        }
    }
}

/// A way in which editors and people write the same document.
struct Dress: CustomStringConvertible, Sendable {
    let description: String
    let put: @Sendable (String) -> String

    private static func whole(_ name: String, _ put: @escaping @Sendable (String) -> String) -> Dress {
        Dress(description: name, put: put)
    }

    /// Changes each line outside code blocks.
    private static func lines(_ name: String, _ put: @escaping @Sendable (String) -> String) -> Dress {
        Dress(description: name) { text in
            var isCode = false
            return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                if line.hasPrefix("```") {
                    isCode.toggle()
                    return String(line)
                }
                return isCode ? String(line) : put(String(line))
            }.joined(separator: "\n")
        }
    }

    private static func isItem(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("- ") || line.first?.isNumber == true
    }

    private static func headings(_ name: String, _ put: @escaping @Sendable (_ level: Int, _ text: String) -> String)
        -> Dress
    {
        lines(name) { line in
            let level = line.prefix { $0 == "#" }.count
            return level == 0 ? line : put(level, String(line.dropFirst(level + 1)))
        }
    }

    /// Puts a backslash before the marks of headings, items and rows, except in code, texts and expressions.
    private static func escaped(_ marks: String) -> Dress {
        lines("escaped \(marks)") { line in
            guard line.first == "#" || line.first == "|" || isItem(line), !line.contains("|--") else { return line }
            let behind = line.drop { $0 == " " }.drop { "#-|0123456789.".contains($0) }
            // An escaped box is no box, and an error of its own.
            let isTask = behind.hasPrefix(" [ ] ") || behind.hasPrefix(" [x] ")
            let content = isTask ? behind.dropFirst(5) : behind
            var result = String(line.dropLast(content.count))
            var literal: Character?
            for character in content {
                if let open = literal {
                    if character == open { literal = nil }
                } else if "`\"/".contains(character) {
                    literal = character
                } else if marks.contains(character) {
                    result.append("\\")
                }
                result.append(character)
            }
            return result
        }
    }

    static let all: [Dress] =
        [
            whole("byte order mark") { "\u{FEFF}" + $0 },
            whole("CRLF") { $0.replacing("\n", with: "\r\n") },
            whole("CR") { $0.replacing("\n", with: "\r") },
            whole("U+2028") { $0.replacing("\n", with: "\u{2028}") },
            whole("mark, CRLF and front matter") {
                ("\u{FEFF}---\ntitle: x\n---\n\n" + $0).replacing("\n", with: "\r\n")
            },
            whole("decomposed") { $0.decomposedStringWithCanonicalMapping },
            whole("empty lines at both ends") { "\n\n" + $0 + "\n\n\n" },
            whole("YAML") {
                "---\n# by the wiki\ntitle: \"A: b\"\ntags:\n- one\n- two\nnested:\n  - [ ] a.b\nempty:\n\nat: 2026-11-25\n---\n"
                    + $0
            },
            whole("YAML with dots") { "---\nauthor: 山田\n...\n" + $0 },
            whole("TOML") { "+++\ntitle = \"x\"\n\n[extra]\nlist = [\n  1,\n]\n+++\n" + $0 },
            whole("comments around") { "<!-- # a\n## b\n- [ ] c.d\n- every x -->\n" + $0 + "\n<!-- - [ ] z.z -->" },
            lines("a comment above each line") { $0.isEmpty || $0.hasPrefix("|") ? $0 : "<!-- - [ ] x.y -->\n\($0)" },
            lines("comments of two lines above items") { isItem($0) ? "<!-- # a\n- [ ] x.y\n-->\n\($0)" : $0 },
            lines("a comment in each line") { line in
                line.isEmpty || line.hasPrefix("|") ? line : "\(line) <!-- TODO: `x` -->"
            },
            lines("a comment behind each marker") { line in
                guard isItem(line) || line.first == "#", let space = line.drop(while: { $0 == " " }).firstIndex(of: " ")
                else { return line }
                return line[...space] + "<!-- id: 7 --> " + line[space...].dropFirst()
            },
            headings("Setext") { level, text in "\(text)\n" + (level == 1 ? "=====" : "---") },
            headings("Setext of one character") { level, text in "\(text)\n" + (level == 1 ? "=" : "-   ") },
            headings("closed") { level, text in
                let marks = String(repeating: "#", count: level)
                return "\(marks) \(text) \(marks)##  "
            },
            headings("indented") { level, text in "  " + String(repeating: "#", count: level) + "   \(text)" },
            lines("white space at the ends") { $0 + " \t" },
            lines("asterisks") { line in isItem(line) ? line.replacing("- ", with: "* ", maxReplacements: 1) : line },
            lines("pluses") { line in isItem(line) ? line.replacing("- ", with: "+ ", maxReplacements: 1) : line },
            lines("tabs") { line in
                line.hasPrefix("    ") ? "\t" + line.dropFirst(4) : line.first == "-" ? "-\t" + line.dropFirst(2) : line
            },
            whole("tildes") { $0.replacing("```", with: "~~~~") },
            whole("longer fences") { $0.replacing("```", with: "`````") },
        ]
        + ["\u{A0}", "\u{3000}", "\t", "\u{2003}"].map { space in
            lines("U+\(String(space.unicodeScalars.first!.value, radix: 16)) behind marks") { line in
                guard line.first == "#" || isItem(line), let place = line.drop(while: { $0 == " " }).firstIndex(of: " ")
                else { return line }
                return line[..<place] + space + line[place...].dropFirst()
            }
        }
        + [1, 2, 3].map { count in
            Dress(description: "blocks of code indented by \(count)") { text in
                var isCode = false
                return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                    let isFence = line.hasPrefix("```")
                    defer { if isFence { isCode.toggle() } }
                    return isFence || isCode ? String(repeating: " ", count: count) + line : String(line)
                }.joined(separator: "\n")
            }
        }
        + ["_", "[]", "*", "#", ".", "_[]*#.!", "()>?:$={}<"].map(escaped)
}

@Suite(.temporaryDirectory) struct MarkdownFormatsTests {
    private let tool = Tool()

    @Test("A document means the same in every Markdown style", arguments: MarkdownFormat.allCases, Dress.all)
    func ignoresMarkdownStyle(format: MarkdownFormat, dress: Dress) {
        let plain = format.reading(format.document)
        #expect(!plain.contains("error"), "\(plain)")
        let dressed = dress.put(format.document)
        #expect(format.reading(dressed) == plain, "\(dressed)")
    }

    @Test("Locates unclosed comments, code fences and front matter", arguments: MarkdownFormat.allCases)
    func locatesUnclosedParts(format: MarkdownFormat) {
        let text = format.document
        for (mistake, place) in [
            (text + "\n\nx <!-- y\nz", "<!--"), (text + "\n\n<!-- y\n-- >", "<!--"),
            (text + "\n\n~~~~\nx\n~~~", "~~~~"),
            (text + "\n\n```x\n```sql\n", "```x"), (text + "\n\nLost: \u{FFFD}", "\u{FFFD}"),
        ] {
            let before = mistake.components(separatedBy: place)[0]
            let lines = before.components(separatedBy: "\n")
            // Code in the documents has comments that are none.
            let isComment = place == "<!--"
            let expected = isComment ? mistake.components(separatedBy: "\n").count - 1 : lines.count
            let column = isComment ? (mistake.contains("x <!-- y") ? 3 : 1) : (lines.last?.count ?? 0) + 1
            let found = format.problems(mistake)
            #expect(found.contains { $0.contains("md:\(expected):\(column): error: ") }, "\(found)")
        }
        for opening in ["---\ntitle: x\n", "+++\ntitle = 1\n", "---\ntags:\n- a\n\n"] {
            #expect(format.problems(opening + text).contains { $0.contains("md:1:1: error: the front matter") })
        }
        // A rule far below does not turn everything before it into front matter.
        let swallowed = "---\nowner: x\n" + text + "\n\n---\n"
        #expect(!format.problems(swallowed).isEmpty)
    }

    @Test(
        "Rejects full-width marks and invisible characters before a mark", arguments: MarkdownFormat.allCases,
        ["＃＃ tap", "＃ tap", "#＃ tap", "\u{FEFF}## tap", "\u{200B}# tap", "\u{FEFF}- x"])
    func refusesInvisibleMarks(format: MarkdownFormat, line: String) {
        let text = format.document + "\n\n\(line)\n"
        let number = format.document.components(separatedBy: "\n").count + 2
        let found = format.problems(text)
        #expect(found.contains { $0.contains("md:\(number):") && $0.contains("error:") }, "\(found)")
    }

    @Test("Prose that resembles markup causes no problems", arguments: MarkdownFormat.allCases)
    func ignoresLookalikeMarks(format: MarkdownFormat) {
        let plain = format.problems(format.document)
        #expect(plain.isEmpty)
        for prose in [
            "\\<!-- not hidden", "A `<!--` in code", "\\# no heading", "\\- no item", "\\```", "a ```b``` c",
            "***", "- - -", "* * *", "Some five\\_six", "C:\\temp\\new", "a\\\\b", "<!-->", "<!--->",
            "<!-- a --> <!-- b -->",
        ] {
            // After the first paragraph, in the first heading's section.
            let lines = format.document.components(separatedBy: "\n\n")
            let text = ([lines[0], prose] + lines.dropFirst()).joined(separator: "\n\n")
            #expect(format.problems(text).isEmpty, "\(prose): \(format.problems(text))")
        }
        let first = format.document.components(separatedBy: "\n")
        let named = (["---", ""] + first).joined(separator: "\n")
        #expect(format.problems(named).allSatisfy { !$0.contains("front matter") })
    }

    @Test(
        "Locations refer to the file as saved",
        arguments: [
            (
                MarkdownFormat.definitions, "\u{FEFF}---\na: b\n---\n# recipe\\_search\n\n## a\\_b <!-- x --> c\n",
                "6:8: error"
            ),
            (.definitions, "# recipe_search\n\n## a\n\n- <!-- x --> pa\\_ge: !nope\n", "5:22: error"),
            (.checklist, "# A\n\n- [ ] a\\_b.c where x\\_y ~ 1\n", "3:25: error"),
            (.checklist, "# A\r\r- [ ] <!-- x --> a.b within\r", "3:28: error"),
            (.checklist, "# A\n\n- [ ] a.b\n\t- x\\_y => 0\n", "4:9: error"),
            (.alerts, "# A\n\n- every <!-- x --> 5x\n", "3:20: error"),
            (.alerts, "# A\n\n- \\*every\\* 5m\n", "3:4: error"),
            (.alerts, "A\n=\n\n```checklist\n- [ ] a.b ~ 1\n```\n\n- every 1m\n- over 1h", "5:11: error"),
            (.board, "# A\n\n  ```sql chart=line x\\_y=1\nSELECT 1\n```\n", "3:21: error"),
        ])
    func locatesInOriginalFile(format: MarkdownFormat, text: String, expected: String) {
        let found = format.problems(text)
        #expect(found.contains { $0.contains("md:\(expected)") }, "\(found)")
    }

    @Test(
        "Reads an event name despite Markdown decoration",
        arguments: [
            "## `show_it`", "## **show_it**", "## *show_it*", "## **`show_it`**", "## \\[obsolete\\] **show\\_it**",
            "## [obsolete] `show_it`", "`show_it`\n---", "##show_it", "##\u{3000}show_it ##",
        ])
    func readsDecoratedEvent(heading: String) {
        let text = "# **cat**\n\n\(heading)\n\n- **a\\_b**: !date\n"
        let (definitions, diagnostics) = Definitions.load([("cat.md", Array(text.utf8))])
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        #expect(definitions.categories[0].events.map(\.name) == ["show_it"])
        #expect(definitions.categories[0].events[0].columns.map(\.name) == ["a_b"])
    }

    @Test(
        "Suggests the plain name for unsupported decoration",
        arguments: [
            ("## ~~show~~", "write `show` alone, or `[obsolete] show` for what is no longer sent"),
            ("## [show](https://x.y)", "write `show` alone"), ("## **show", "write `show` alone"),
            ("## \"show\"", "write `show` alone"),
            ("## `show\\_it`", "in code a backslash is a character: leave it out"),
            ("## _show_", "write `show`, or `\\_` for each `_` that is part of the name"),
            ("## __show__", "write `show`, or"), ("## x\n\n- _page_: !date", "write `page`, or"),
            ("## x\n\n- ~~page~~: !date", "write `page` alone"),
        ])
    func suggestsPlainName(lines: String, hint: String) {
        let (_, diagnostics) = Definitions.load([("cat.md", Array("# cat\n\n\(lines)\n".utf8))])
        #expect(diagnostics.count == 1 && diagnostics[0].hint?.contains(hint) == true, "\(diagnostics)")
    }

    @Test(
        "Reads every Markdown file extension and warns of others",
        arguments: ["md", "MD", "markdown", "Markdown", "mdown", "mkd"])
    func readsMarkdownExtensions(ending: String) async throws {
        for (folder, format) in zip(
            ["LogDefinitions", "LogChecklists", "LogAlerts", "LogBoards"], MarkdownFormat.allCases)
        {
            try tool.write(format.document, to: "\(folder)/recipe_search.\(ending)")
            try tool.write(format.document, to: "\(folder)/second.md.txt")
        }
        try tool.write("{\"checklists\": \"LogChecklists\", \"alerts\": \"LogAlerts\"}", to: "daybook.json")
        try tool.write(#"{"tag":"recipe_search.tap_result"}"# + "\n", to: "r.ndjson")
        let runs = [
            ["definitions", "check", "LogDefinitions"], ["definitions", "check"],
            ["verify", "--checklist", "LogChecklists", "--events", "r.ndjson"],
            ["alerts", "check", "LogAlerts"], ["boards", "check", "LogBoards"],
        ]
        for arguments in runs {
            let run = try await tool.run(arguments)
            #expect(
                run.errors.contains(
                    "second.md.txt:1:1: warning: this file is not read, because its name does not end in `.md`")
                    || run.errors.contains("second.md.txt: warning: this file is not read"), "\(run)")
            let words = ["Café", "recipe_search", "1 category"]
            #expect(words.contains { run.output.contains($0) }, "\(run)")
        }
    }

    @Test(
        "Warns of files that are not read because of their extension",
        arguments: [
            "txt", "text", "mdx", "mdtext", "markdn", "Rmd", "RMD", "qmd", "org", "adoc", "rst", "textile", "md ",
            "md~",
            "markdown.bak", "md.orig", "MD .txt",
        ])
    func warnsOfUnreadFiles(ending: String) async throws {
        try tool.write("# t\n- [ ] a.b\n", to: "LogChecklists/one.md")
        try tool.write("# t\n- [ ] a.c\n", to: "LogChecklists/sub/two.\(ending)")
        try tool.write(#"{"tag":"a.b"}"# + "\n", to: "r.ndjson")
        let run = try await tool.run("verify", "--checklist", "LogChecklists", "--events", "r.ndjson")
        #expect(run.status == 0)
        #expect(
            run.errors.hasPrefix("LogChecklists/sub/two.\(ending): warning: this file is not read"), "\(run.errors)")
    }

    @Test("A README is a checklist only if it has items", arguments: ["README.md", "Readme.markdown", "readme.MD"])
    func readmeNeedsItems(name: String) async throws {
        try tool.write("# t\n- [ ] a.b\n", to: "LogChecklists/one.md")
        try tool.write("# Our checklists\n\nOne file a screen:\n\n- a.b\n", to: "LogChecklists/\(name)")
        try tool.write(#"{"tag":"a.b"}"# + "\n", to: "r.ndjson")
        let words = ["verify", "--events", "r.ndjson", "--checklist"]
        let run = try await tool.run(words + ["LogChecklists"])
        #expect(run.status == 0 && run.output == "✓ t / a.b\n1 ok, 0 failed\n", "\(run)")
        #expect(run.errors == "LogChecklists/\(name): warning: this file is not read, because it has no item\n")
        // A file named explicitly is checked, and one with an item is judged.
        #expect(try await tool.run(words + ["LogChecklists/\(name)"]).status == 2)
        try tool.write("# Our checklists\n- [ ] a.c\n", to: "LogChecklists/\(name)")
        #expect(try await tool.run(words + ["LogChecklists"]).status == 1)
    }
}
