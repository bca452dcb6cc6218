import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookDefinitions

@Suite(.temporaryDirectory) struct SwiftDictionaryTests {
    private let folder = TemporaryDirectory.current.url

    private func prepare() throws {
        try folder.write(#"{"checklists": "Lists"}"#, to: "daybook.json")
        try folder.write("# a\r\n\r\n## x\r\n\r\nSays \"#\"\"\" and \\#(x). 検索\r\n", to: "LogDefinitions/a.md")
        try folder.write("# list\n\n- [ ] a.x\n", to: "Lists/list.md")
    }

    private func generate(_ arguments: String...) -> CommandOutcome {
        DefinitionsGenerate.run(
            ["generate-swift-dictionary", "--output", folder.appending(path: "out.swift").path] + arguments)
    }

    @Test("Every file is embedded by its path in the project") func embedsFilesByPath() throws {
        try prepare()
        let outcome = generate("--project", folder.appending(path: "daybook.json").path)
        #expect(outcome == CommandOutcome(exitCode: 0))
        let text = try folder.text(of: "out.swift")
        #expect(text.contains(##"File("daybook.json", #""""##))
        #expect(text.contains(####"File("LogDefinitions/a.md", ###""""####))
        #expect(text.contains(###"File("Lists/list.md", ##""""###))
        #expect(!text.contains(folder.path))
        #expect(!text.contains("\r"))
    }

    @Test("Errors in the definitions write no file") func errorsWriteNothing() throws {
        try prepare()
        try folder.write("# a\n\n## x\n\n- n: !bignit\n", to: "LogDefinitions/a.md")
        let outcome = generate("--project", folder.appending(path: "daybook.json").path)
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.contains("LogDefinitions/a.md:5:6: error: unknown type `!bignit`"))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out.swift").path))
    }

    @Test("Embedding a dictionary needs a project file") func projectFileIsNeeded() throws {
        try prepare()
        #expect(generate().exitCode == 2)
        #expect(generate("--project", "daybook.json", "LogDefinitions").exitCode == 2)
    }

    @Test(
        "An embedded literal compiles to the text of its file",
        .enabled(if: ProcessResult.hasCompiler, "swiftc is not on the PATH"))
    func literalMatchesFile() throws {
        let texts = ["", "x", "\"\"\"#\n\\#(1)\n##", "a\nb\r\nc\rd\n", "  indented\n\t`卵`\n\n"]
        let prints = texts.map { text in
            "print(\(SwiftLiteral.raw(Array(text.utf8))) as StaticString, terminator: \"\\0\")\n"
        }
        try folder.write(prints.joined(), to: "main.swift")
        let built = try ProcessResult.run(["swiftc", "-Onone", "main.swift", "-o", "main"], in: folder)
        try #require(built.status == 0, "\(built.output)")
        let expected = texts.map { $0.replacing("\r\n", with: "\n").replacing("\r", with: "\n") + "\0" }
        #expect(try ProcessResult.run(["./main"], in: folder).output == expected.joined())
    }
}
