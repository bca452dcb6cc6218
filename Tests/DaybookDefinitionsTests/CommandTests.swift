import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookDefinitions

@Suite(.temporaryDirectory) struct CommandTests {
    private let folder = TemporaryDirectory.current.url

    private let good = "# a\n\n## x\n\n- n: !date\n"
    private let bad = "# a\n\n## x\n\n- n: !bignit\n"

    @Test("The check command reports what it read") func checkCountsDefinitions() {
        let (definitions, diagnostics) = load(["a.md": good])
        let outcome = DefinitionsCheck.run(definitions, diagnostics, json: false)
        #expect(outcome.exitCode == 0)
        #expect(outcome.output == "1 category, 1 event, 0 common columns, 0 errors, 0 warnings\n")
        #expect(outcome.errors.isEmpty)
    }

    @Test("The check command fails and prints the diagnostics") func checkPrintsErrors() {
        let (definitions, diagnostics) = load(["a.md": bad])
        let outcome = DefinitionsCheck.run(definitions, diagnostics, json: false)
        #expect(outcome.exitCode == 1)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                a.md:5:6: error: unknown type `!bignit` (did you mean `!bigint`?)
                1 category, 1 event, 0 common columns, 1 error, 0 warnings

                """)
    }

    @Test("The check command prints JSON on request") func checkPrintsJSON() throws {
        let (definitions, diagnostics) = load(["a.md": bad])
        let outcome = DefinitionsCheck.run(definitions, diagnostics, json: true)
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.isEmpty)
        let report = try Value(json: outcome.output)
        #expect(report["ok"] == false)
        let diagnostic = try #require(report["diagnostics"][0])
        #expect(diagnostic["line"] == 5)
        #expect(diagnostic["hint"] == "did you mean `!bigint`?")
    }

    @Test("Dumping bad definitions prints only errors") func badDumpPrintsNothing() {
        let (definitions, diagnostics) = load(["a.md": bad])
        let outcome = DefinitionsDump.run(definitions, diagnostics)
        #expect(outcome.exitCode == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("a.md:5:6: error:"))
    }

    @Test("A folder is read without its README and subfolders") func skipsReadmeAndFolders() throws {
        try folder.write(good, to: "a.md")
        try folder.write("hello", to: "README.md")
        try folder.write("hello", to: "notes.txt")
        try folder.write(bad, to: "drafts/a.md")
        let (definitions, diagnostics) = try DefinitionsFolder.load(folder.path)
        #expect(
            diagnostics.map { "\($0.severity) \($0.message) \($0.hint ?? "")" } == [
                "warning this file is not read, because its name does not end in `.md` rename it to `notes.md`"
            ])
        #expect(definitions.categories.map(\.name) == ["a"])
        #expect(try DefinitionsFolder.load(folder.appending(path: "a.md").path).0 == definitions)
    }

    @Test("A folder without definitions is an error") func emptyFolderIsError() throws {
        #expect(throws: DefinitionsFolder.ReadError.self) { try DefinitionsFolder.load(folder.path) }
        #expect(throws: DefinitionsFolder.ReadError.self) { try DefinitionsFolder.load(folder.path + "/none") }
    }

    @Test("Code is generated only from definitions without errors") func generatesIfValid() throws {
        let output = folder.appending(path: "out.swift").path
        try folder.write(bad, to: "defs/a.md")
        let input = folder.appending(path: "defs").path
        let failed = DefinitionsGenerate.run(["generate-swift", "--output", output, input])
        #expect(failed.exitCode == 1)
        #expect(
            failed.errors.hasSuffix("/defs/a.md:5:6: error: unknown type `!bignit` (did you mean `!bigint`?)\n"))
        #expect(!FileManager.default.fileExists(atPath: output))
        try folder.write(good, to: "defs/a.md")
        let arguments = ["generate-swift", "--import", "Core", "--output", output, input]
        #expect(DefinitionsGenerate.run(arguments) == CommandOutcome(exitCode: 0))
        let text = try folder.text(of: "out.swift")
        #expect(text.contains("import Core\n"))
        #expect(text.contains("public enum A: LogEvent {"))
        #expect(DefinitionsGenerate.run(["generate-dictionary", "--output", output, input]).exitCode == 0)
        #expect(try folder.text(of: "out.swift").hasPrefix("{\n  \"version\": 1,"))
    }

    @Test(
        "Wrong arguments are explained with the usage",
        arguments: [
            ([], "the first argument is generate-swift, generate-dictionary or generate-swift-dictionary"),
            (["generate-swift", "a.md"], "--output FILE is missing"),
            (["generate-swift", "--output"], "--output needs a value"),
            (["generate-swift", "--output", "o"], "no input is given"),
            (["generate-swift", "--colour", "a.md"], "unknown option --colour"),
            (["generate-dictionary", "--import", "X"], "unknown option --import"),
        ])
    func badUsageIsExplained(arguments: [String], message: String) {
        let outcome = DefinitionsGenerate.run(arguments)
        #expect(outcome.exitCode == 2)
        #expect(outcome.errors.hasPrefix("error: \(message)\nusage: "))
    }

    @Test("A missing input file is explained") func missingInputIsExplained() {
        let outcome = DefinitionsGenerate.run(["generate-swift", "--output", "/tmp/o", "/no/such/a.md"])
        #expect(outcome.exitCode == 2)
        #expect(outcome.errors == "error: /no/such/a.md: there is no such file or folder\n")
    }
}
