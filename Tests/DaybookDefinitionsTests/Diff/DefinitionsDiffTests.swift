import Testing

@testable import DaybookDefinitions

struct DefinitionsDiffTests {
    /// The changes between two versions of an event's columns: kind, column, and whom it breaks.
    private func changes(_ old: String, _ new: String, event: String = "e") -> [String] {
        let head = "# a\n\n## \(event)\n\n"
        let diff = DefinitionsDiff(
            from: load(["a.md": head + old]).definitions, to: load(["a.md": head + new]).definitions)
        return diff.changes.map { change in
            ([change.kind.rawValue, change.column].compactMap { $0 } + change.breaks.map(\.rawValue)
                + (change.migrates ? ["migrates"] : [])).joined(separator: " ")
        }
    }

    @Test(
        "Each change of a column states whom it breaks",
        arguments: [
            ("- x: !bigint", "- x: !bigint", []),
            ("", "- x: !bigint", ["column added x callers migrates"]),
            ("", "- x: !bigint?", ["column added x migrates"]),
            ("- x: !bigint", "", ["column removed x callers consumers"]),
            ("- [obsolete] x: !bigint", "", ["column removed x callers"]),
            ("- x: !integer", "- x: !bigint", ["type x callers migrates"]),
            ("- x: !bigint", "- x: !integer", ["type x callers warehouse consumers migrates"]),
            ("- x: !bigint", "- x: !string", ["type x callers warehouse consumers migrates"]),
            ("- x: !string 8", "- x: !string 9", ["limit x migrates"]),
            ("- x: !string 8", "- x: !string", ["limit x migrates"]),
            ("- x: !string 9", "- x: !string 8", ["limit x consumers"]),
            ("- x: !bigint", "- x: !bigint?", ["optionality x consumers"]),
            ("- x: !bigint?", "- x: !bigint", ["optionality x callers"]),
            ("- x: !bigint", "- [obsolete] x: !bigint", ["obsolete x consumers"]),
            ("- [obsolete] x: !bigint", "- x: !bigint", ["obsolete x callers"]),
            ("- x: !string", "- x: !string [private]", ["classification x"]),
            ("- x: !string", "- x: !string [sensitive]", ["classification x consumers migrates"]),
            ("- x: !bigint [sensitive]", "- x: !bigint", ["classification x warehouse consumers migrates"]),
            ("- x: K\n  - `a`", "- x: K\n  - `a`\n  - `b`", ["value added x"]),
            ("- x: K\n  - `a`\n  - `b`", "- x: K\n  - `a`", ["value removed x callers consumers"]),
            ("- x: K", "- x: K\n  - `a`", ["value added x callers"]),
            ("- x: !bigint\n  - old", "- x: !bigint\n  - new", ["description x"]),
            ("- x: K\n  - `a`: old", "- x: K\n  - `a`: new", ["description x"]),
            ("- x: !bigint\n- y: !bigint", "- y: !bigint\n- x: !bigint", ["columns reordered callers"]),
        ])
    func columnChangeAudience(old: String, new: String, expected: [String]) {
        #expect(changes(old, new) == expected)
    }

    @Test("A change of an obsolete event breaks no caller") func obsoleteBreaksNoCaller() {
        #expect(
            changes("- x: !bigint", "- x: !integer", event: "[obsolete] e") == ["type x warehouse consumers migrates"])
    }

    @Test("Events and categories are compared") func comparesEvents() {
        let old = load(["a.md": "# a\n\n## x\n\n## y\n\nwords\n\n## [obsolete] z\n", "b.md": "# b\n\n## e\n"])
            .definitions
        let new = load(["a.md": "# a\n\n## [obsolete] x\n\n## y\n\nother words\n\n## new\n", "c.md": "# c\n\n## e\n"])
            .definitions
        let diff = DefinitionsDiff(from: old, to: new)
        #expect(
            diff.changes.map { "\($0.subject) \($0.kind.rawValue) \($0.breaks.map(\.rawValue).joined(separator: ","))" }
                == [
                    "a.x obsolete callers,consumers", "a.y description ", "a.new event added ", "a.z event removed ",
                    "b category removed ", "b.e event removed callers,consumers", "c category added ",
                    "c.e event added ",
                ])
        #expect(DefinitionsDiff(from: new, to: new).changes.isEmpty)
    }

    private func version(_ label: String, _ text: String) -> DefinitionsVersion {
        let (definitions, diagnostics) = load(["feed.md": text])
        return DefinitionsVersion(label: label, definitions: definitions, diagnostics: diagnostics)
    }

    private var old: DefinitionsVersion {
        version("old", "# feed\n\n## show\n\n- id2: !integer\n- kind: Kind\n    - `a|b`\n- gone: !date\n")
    }
    private var new: DefinitionsVersion {
        version("new", "# feed\n\n## show\n\nSays more.\n\n- id2: !bigint\n- kind: Kind\n    - `a|b`\n    - `c|d`\n")
    }

    @Test("A diff report equals its reference file", arguments: ["text", "markdown", "json"])
    func diffMatchesReference(format: String) throws {
        let outcome = DefinitionsDiffCommand.run(from: old, to: new, format: format, failing: "none")
        #expect(outcome.exitCode == 0)
        try expect(outcome.output, equalsFixture: "Diff/expected.\(format)")
    }

    @Test(
        "The exit code follows the audience that breaks",
        arguments: [
            ("callers", 1), ("warehouse", 0), ("warehouse,consumers", 1), ("none", 0), ("any", 1), ("everyone", 2),
        ])
    func exitCodeByAudience(failing: String, code: Int32) {
        #expect(DefinitionsDiffCommand.run(from: old, to: new, format: "text", failing: failing).exitCode == code)
    }

    @Test("Equal definitions produce no change") func sameMeansNoChange() {
        let outcome = DefinitionsDiffCommand.run(from: old, to: old, format: "text", failing: "any")
        #expect(outcome == CommandOutcome(output: "No changes to the log definitions\n", exitCode: 0))
    }

    @Test("Definitions with errors are not compared") func badDefinitionsNoDiff() {
        let bad = version("bad", "# feed\n\n## show\n\n- x: !bignit\n")
        let outcome = DefinitionsDiffCommand.run(from: old, to: bad, format: "text", failing: "none")
        #expect(outcome.exitCode == 2)
        #expect(outcome.errors.contains("unknown type `!bignit`"))
    }
}
