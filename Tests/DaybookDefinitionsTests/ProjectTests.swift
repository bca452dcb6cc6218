import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookDefinitions

@Suite(.temporaryDirectory) struct ProjectTests {
    private let folder = TemporaryDirectory.current.url

    private func read(_ text: String) -> (project: Project, diagnostics: [String]) {
        let (project, diagnostics) = Project.read(path: "daybook.json", bytes: Array(text.utf8))
        return (project, diagnostics.map(\.description))
    }

    @Test("Every member of a project file is read") func readsProjectMembers() {
        let (project, diagnostics) = read(
            """
            {"definitions": ["*/LogDefinitions"], "checklists": "LogChecklists", "alerts": "LogAlerts", "boards": "LogPages",
             "start": "releases",
             "swift": {"imports": ["AppCore"], "context": "Common", "overflow": "reject"},
             "links": {"event": [{"title": "SQL examples", "url": "https://bi.example/?q={category}+{event}"}],
                       "request": [{"title": "Find in code", "url": "https://code.example/search?q={path*}"}]},
             "rules": {"snake_case_names": "warning", "name_length": {"level": "warning", "limit": 40}}}
            """)
        #expect(diagnostics == [])
        #expect(project.definitions == ["*/LogDefinitions"])
        #expect(project.checklists == "LogChecklists")
        #expect(project.alerts == "LogAlerts")
        #expect(project.boards == "LogPages")
        #expect(project.start == .releases)
        #expect(project.swift == SwiftOptions(imports: ["AppCore"], context: "Common", overflow: .reject))
        #expect(
            project.links.event == [.init(title: "SQL examples", url: "https://bi.example/?q={category}+{event}")])
        #expect(project.links.request.map(\.title) == ["Find in code"])
        #expect(project.rules[.snakeCaseNames] == .warning)
        #expect(project.rules[.nameLength] == .warning)
        #expect(project.rules.greatestNameLength == 40)
        #expect(project.rules[.duplicateNames] == .error)
    }

    @Test("An empty project has the defaults") func emptyProjectDefaults() {
        #expect(read("{}").project == Project())
        #expect(read("\u{FEFF}{}").diagnostics == [])
    }

    @Test(
        "A mistake in a project file is located",
        arguments: [
            ("", "1:1: error: the text ends where a value should be"),
            ("{\n  \"definitions\": [\"a\",]\n}", "2:23: error: an unexpected comma before `]`"),
            ("{} {}", "1:4: error: something follows the end of the value"),
            ("{\"a\" 1}", "1:6: error: `:` is missing after the member's name"),
            ("{\"a", "1:2: error: the string that begins here does not end"),
            (#"{"a": "\q"}"#, "1:8: error: JSON has no such escape"),
            ("{\"a\": 01}", "1:8: error: a comma or `}` is missing"),
            ("{\"a\": -}", "1:8: error: this is not a number"),
            ("[]", "1:1: error: the project file is an object in `{` and `}`, not a list"),
            (String(repeating: "[", count: 33), "1:33: error: values are nested too deeply here"),
            (
                #"{"definitons": []}"#,
                "1:2: error: the project file has no member `definitons` (did you mean `definitions`?)"
            ),
            (#"{"checklists": "a", "checklists": "b"}"#, "1:21: error: `checklists` is given twice"),
            (#"{"definitions": "a"}"#, "1:17: error: `definitions` is a list in `[` and `]`, not a text"),
            (#"{"definitions": []}"#, "1:17: error: `definitions` names no folder"),
            (#"{"alerts": "../a"}"#, "1:12: error: `../a` leads out of the project's folder"),
            (
                #"{"alerts": "/a"}"#,
                "1:12: error: `/a` begins with `/` (folders are relative to the project file)"
            ),
            (#"{"checklists": 3}"#, "1:16: error: `checklists` is a text in double quotes, not a number"),
            (
                #"{"swift": {"overflow": "cut"}}"#,
                "1:24: error: `overflow` cannot be `cut` (it is one of `truncate`, `reject`)"
            ),
            (#"{"swift": {"context": "a b"}}"#, "1:23: error: `a b` cannot be the name of a type in Swift"),
            (#"{"swift": {"imports": ["3D"]}}"#, "1:23: error: `3D` cannot be the name of a module in Swift"),
            (#"{"links": {"event": [{"title": "x"}]}}"#, "1:22: error: a link needs `title` and `url`"),
            (
                #"{"links": {"event": [{"title": "x", "url": "https://x/{tagg}"}]}}"#,
                "1:44: error: `{tagg}` is not a placeholder (there are `{category}`, `{event}`, `{tag}`)"
            ),
            (
                #"{"links": {"event": [{"title": "x", "url": "https://x/{tag"}]}}"#,
                "1:44: error: `{tag` is not a placeholder (there are `{category}`, `{event}`, `{tag}`)"
            ),
            (
                #"{"links": {"request": [{"title": "x", "url": "javascript:alert(1)"}]}}"#,
                "1:46: error: `javascript:alert(1)` is not an address (it begins with `https://`)"
            ),
            (
                #"{"links": {"event": [{"title": "x", "url": "recipebox://{tag}"}]}}"#,
                "1:44: error: `recipebox://{tag}` is not an address (it begins with `https://`)"
            ),
            (
                #"{"rules": {"name_lenght": "off"}}"#,
                "1:12: error: `rules` has no member `name_lenght` (did you mean `name_length`?)"
            ),
            (
                #"{"rules": {"name_length": {"limit": 0}}}"#,
                "1:37: error: `limit` is a whole number from 1 to 1000"
            ),
            (
                #"{"rules": {"column_count": "on"}}"#,
                "1:28: error: `column_count` cannot be `on` (it is one of `off`, `warning`, `error`)"
            ),
        ])
    func locatesProjectMistake(text: String, expected: String) {
        #expect(read(text).diagnostics == ["daybook.json:" + expected])
    }

    @Test("Rules follow the project's settings") func projectSetsRules() {
        let files = [(path: "a.md", bytes: Array("# b\n\n## goOn\n\n- id: !date\n".utf8))]
        func found(_ settings: RuleSettings) -> [String] {
            Definitions.load(files, rules: settings).1.map(\.description)
        }
        #expect(
            found(RuleSettings()) == [
                "a.md:1:3: warning: the heading `b` differs from the file's name `a` (write `# a` or rename the file to `b.md`)",
                "a.md:5:3: error: `id` is a reserved column name (say whose it is, as in `recipe_id`)",
            ])
        #expect(
            found(
                RuleSettings(levels: [
                    .categoryHeading: .off, .reservedColumnNames: .warning, .snakeCaseNames: .error,
                    .describedEvents: .warning,
                ])) == [
                    "a.md:3:4: warning: the event `goOn` has no description (say below the heading when it is sent)",
                    "a.md:3:4: error: the event's name `goOn` has capitals (write `go_on`)",
                    "a.md:5:3: warning: `id` is a reserved column name (say whose it is, as in `recipe_id`)",
                ])
        #expect(found(RuleSettings(levels: [.nameLength: .error], greatestNameLength: 3)).count == 3)
    }

    @Test(
        "A folder pattern matches the names it describes",
        arguments: [
            ("Log*", "LogDefinitions", true), ("*", "", true), ("a*b*c", "aXbYc", true), ("a*b*c", "acb", false),
            ("a*a", "a", false), ("*Logs", "FeedLogs", true), ("plain", "plain", true), ("plain", "plainer", false),
        ])
    func globMatchesNames(pattern: String, name: String, matches: Bool) {
        #expect(Glob.matches(name, pattern[...]) == matches)
    }

    @Test("Rules cover all modules, and each generates its own code") func modulesShareRules() throws {
        try folder.write(#"{"definitions": ["Features/*/LogDefinitions"]}"#, to: "daybook.json")
        try folder.write("# a\n\n## x\n\n- n: Kind\n  - `u`\n", to: "Features/A/LogDefinitions/a.md")
        try folder.write("# b\n\n## y\n\n- n: Kind\n", to: "Features/B/LogDefinitions/b.md")
        try folder.write("# c\n", to: "Features/.hidden/LogDefinitions/a.md")
        let source = try DefinitionsSource(nil, in: folder.appending(path: "Features/A").path)
        #expect(source.diagnostics == [])
        #expect(source.definitions.categories.map(\.name) == ["a", "b"])

        let output = folder.appending(path: "out.swift").path
        let arguments = [
            "generate-swift", "--output", output, "--project", folder.appending(path: "daybook.json").path,
            folder.appending(path: "Features/B/LogDefinitions").path,
        ]
        #expect(DefinitionsGenerate.run(arguments) == CommandOutcome(exitCode: 0))
        let text = try folder.text(of: "out.swift")
        #expect(text.contains("public enum B: LogEvent {"))
        #expect(text.contains("case y(n: Kind)"))
        #expect(!text.contains("enum A") && !text.contains("enum Kind"))

        try folder.write("# b\n\n## y\n\n- n: !bigint\n", to: "Features/B/LogDefinitions/b.md")
        let broken = DefinitionsGenerate.run(arguments)
        #expect(broken.exitCode == 1)
        #expect(broken.errors.contains("b.md:5:3: error: `n` is `!bigint` here and `Kind` in "))
    }

    @Test("A project without its folders is an error") func projectNeedsFolders() throws {
        try folder.write("{}", to: "daybook.json")
        #expect(throws: DefinitionsFolder.ReadError.self) { try DefinitionsSource(nil, in: folder.path) }
        try folder.write(#"{"definitions": 1}"#, to: "daybook.json")
        #expect(throws: ProjectFolder.InvalidError.self) { try DefinitionsSource(nil, in: folder.path) }
    }

    @Test("Checked-in Swift is compared with the generated code") func comparesCheckedIn() throws {
        try folder.write("{\"rules\": {\"generated_names\": \"off\"}}", to: "daybook.json")
        try folder.write("# a\n\n## x\n\nProse.\n", to: "LogDefinitions/a.md")
        let output = folder.appending(path: "Generated").path
        func run(isCheck: Bool) throws -> CommandOutcome {
            DefinitionsGenerateSwift.run(
                try DefinitionsSource(nil, in: folder.path), folder: output, isCheck: isCheck)
        }
        #expect(try run(isCheck: true).errors.hasSuffix("error: the file is missing; generate it\n"))
        #expect(try run(isCheck: false) == CommandOutcome(exitCode: 0))
        #expect(try run(isCheck: true) == CommandOutcome(exitCode: 0))
        try folder.write("# a\n\n## x\n\nOther prose.\n", to: "LogDefinitions/a.md")
        let stale = try run(isCheck: true)
        #expect(stale.exitCode == 1)
        #expect(
            stale.errors
                == "\(output)/LogDefinitions.swift:2:1: error: the file differs from the definitions; generate it again\n"
        )
        try folder.write("# a\n\n## go_on\n\n## goOn\n", to: "LogDefinitions/a.md")
        #expect(try run(isCheck: false).exitCode == 1)
    }
}
