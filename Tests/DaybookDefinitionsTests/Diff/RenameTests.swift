import Testing

@testable import DaybookDefinitions

struct RenameTests {
    /// The reported renames: subject and column, and the other name.
    private func hints(_ old: [String: String], _ new: [String: String]) -> [String] {
        DefinitionsDiff(from: load(old).definitions, to: load(new).definitions).changes.compactMap { change in
            change.renamed.map { "\(change.subject) \(change.column ?? "") \(change.kind.rawValue): \($0)" }
        }
    }

    private func columnHints(_ old: String, _ new: String) -> [String] {
        hints(["a.md": "# a\n\n## e\n\n" + old], ["a.md": "# a\n\n## e\n\n" + new])
    }

    @Test("Columns of one type are recognised as a rename") func findsRenamedColumn() {
        let both = ["a.e recipe_id column added: recipeid", "a.e recipeid column removed: recipe_id"]
        #expect(columnHints("- x: !date\n- recipeid: !bigint", "- recipe_id: !bigint\n- x: !date") == both)
        // At the same position, and with the same description.
        #expect(columnHints("- id_: !bigint", "- recipe: !bigint").count == 2)
        let words = "!string\n    - Words"
        #expect(columnHints("- y: !date\n- t: \(words)", "- n: \(words)\n- y: !date").count == 2)
    }

    @Test("Columns that differ are not a rename") func differentColumnsStay() {
        #expect(columnHints("- recipe_id: !bigint", "- recipe_ids: !string") == [])
        #expect(columnHints("- a: !date\n- keyword: !string", "- place: !string\n- a: !date") == [])
    }

    @Test("A column is used in only one rename") func renameUsedOnce() {
        let hints = columnHints("- name: !string", "- names: !string\n- name_: !string")
        #expect(hints.count == 2)
    }

    @Test("Events with the same columns are recognised as a rename") func findsRenamedEvent() {
        let columns = "\n\n- a: !bigint\n- b: !bigint\n- c: !bigint\n- d: !bigint\n"
        let fewer = "\n\n- a: !bigint\n- b: !bigint\n- c: !bigint\n"
        #expect(
            hints(["a.md": "# a\n\n## open" + columns], ["a.md": "# a\n\n## present" + fewer]) == [
                "a.present  event added: a.open", "a.open  event removed: a.present",
            ])
        #expect(
            hints(["a.md": "# a\n\n## open" + columns], ["b.md": "# b\n\n## open" + columns]) == [
                "a.open  event removed: b.open", "b.open  event added: a.open",
            ])
        #expect(hints(["a.md": "# a\n\n## open" + columns], ["a.md": "# a\n\n## present\n\n- a: !bigint\n"]) == [])
    }

    @Test("Events without columns are matched by name") func bareEventsByName() {
        #expect(hints(["a.md": "# a\n\n## launch\n"], ["a.md": "# a\n\n## launched\n"]).count == 2)
        #expect(hints(["a.md": "# a\n\n## launch\n"], ["a.md": "# a\n\n## quit\n"]) == [])
    }

    @Test("A rename breaks whatever a removal breaks") func renameBreaksLikeRemoval() {
        let diff = DefinitionsDiff(
            from: load(["a.md": "# a\n\n## launch\n"]).definitions,
            to: load(["a.md": "# a\n\n## launched\n"]).definitions)
        let report = DiffReport(diff: diff, old: ("old", ""), new: ("new", ""))
        #expect(
            report.written(as: .text) == """
                2 changes to the log definitions: 1 breaks callers, 1 breaks consumers
                a.launched: event added (renamed from `a.launch`?)
                a.launch: event removed (renamed to `a.launched`?) [breaks callers, consumers]

                """)
    }
}
