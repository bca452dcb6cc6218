import Testing

@testable import DaybookDefinitions

/// The expectations for `category1` are those of daifuku's own tests.
struct StrdefTests {
    private static let sample = """
        # Category Name

        - common_column0: !integer
            - example of the common column

        ## event1

        description of event 1

        - column0: !integer
        - column1: !string
            - Description
            - 複数コメントもほしい
        - column2: !integer
        - column_with_str_length: !string 1024
        - column_with_custom_type: MyClass

        ## event2

        - column3: !integer
        """

    @Test("Strdef output equals that of daifuku") func strdefMatchesDaifuku() {
        let definitions = load(["category1.md": Self.sample]).definitions
        #expect(
            StrdefGenerator.generate(definitions) == """
                columns:
                  - common_column0: !integer
                  - column0: !integer
                  - column1: !string
                  - column2: !integer
                  - column_with_str_length: !string 1024
                  - column_with_custom_type: !MyClass
                  - column3: !integer

                """)
    }

    @Test("The strdef difference equals that of daifuku") func strdefDiffMatches() {
        let current = """
            columns:
              - common_column0: !integer
              - column0: !integer
              - column2: !integer
              - column3: !integer

            """
        let made = StrdefGenerator.difference(of: load(["category1.md": Self.sample]).definitions, from: current)
        #expect(
            made.text == """
                - column1: !string
                - column_with_str_length: !string 1024
                - column_with_custom_type: !MyClass

                """)
        #expect(made.notes.isEmpty)
    }

    @Test("Columns no longer defined are noted, except the log's own") func strdefNotesRemoved() {
        let current = "columns:\n  - log_id: !bigint\n  - c: !integer\n  -   old: !domain user_id\n\tnoise: x\n"
        let made = StrdefGenerator.difference(
            of: load(["a.md": "# a\n\n## e\n\n- c: !integer\n"]).definitions, from: current)
        #expect(made.text.isEmpty)
        #expect(made.notes == ["no new column", "the column old is no longer defined"])
    }

    @Test("Common columns come first and every name appears once") func strdefNamesOnce() {
        let definitions = load([
            "common.md": "# common\n\n- z: !bigint?\n",
            "a.md": "# a\n\n## e\n\n- c: !string? 8\n- [obsolete] d: Kind\n",
            "b.md": "# b\n\n## e\n\n- c: !string 8\n- s: !bigint [sensitive]\n",
        ]).definitions
        #expect(
            StrdefGenerator.generate(definitions)
                == "columns:\n  - z: !bigint\n  - c: !string 8\n  - d: !Kind\n  - s: !string 32\n")
    }
}
