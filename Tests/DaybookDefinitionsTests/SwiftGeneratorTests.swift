import Foundation
import Testing

@testable import DaybookDefinitions

struct SwiftGeneratorTests {
    @Test("The generated Swift equals its reference file") func swiftMatchesReference() throws {
        try expect(
            SwiftGenerator(SwiftOptions(imports: ["AppCore"])).generate(try referenceDefinitions()),
            equalsFixture: "Reference/expected.swift.txt")
    }

    @Test("The generated dictionary equals its reference file") func dictionaryMatches() throws {
        try expect(DictionaryGenerator.generate(try referenceDefinitions()), equalsFixture: "Reference/expected.json")
    }

    @Test("The output depends on neither the order nor the place of files") func outputIgnoresOrder() throws {
        let files = [
            (path: "x/b.md", bytes: Array("# b\n\n## y\n\n- o: Kind\n  - `k`\n".utf8)),
            (path: "x/a.md", bytes: Array("# a\n\n## x\n\n- n: !date\n".utf8)),
            (path: "x/common.md", bytes: Array("# common\n\n- c: !date\n".utf8)),
        ]
        let moved = files.reversed().map { (path: "/elsewhere/" + $0.path, bytes: $0.bytes) }
        let (first, second) = (Definitions.load(files).0, Definitions.load(moved).0)
        #expect(SwiftGenerator().generate(first) == SwiftGenerator().generate(second))
        #expect(DumpGenerator.generate(first) == DumpGenerator.generate(second))
        #expect(DictionaryGenerator.hash(of: first) == DictionaryGenerator.hash(of: second))
    }

    @Test("The hash changes with any word") func hashChangesWithWord() {
        let first = load(["a.md": "# a\n\n## x\n\nProse.\n"]).definitions
        let second = load(["a.md": "# a\n\n## x\n\nProse!\n"]).definitions
        #expect(DictionaryGenerator.hash(of: first) != DictionaryGenerator.hash(of: second))
    }

    @Test("Foundation is imported only for dates") func foundationForDates() {
        func swift(_ type: String) -> String {
            SwiftGenerator().generate(load(["a.md": "# a\n\n## x\n\n- n: \(type)\n"]).definitions)
        }
        #expect(swift("!date").contains("import Foundation"))
        #expect(!swift("!string").contains("import Foundation"))
    }

    @Test("Prose cannot end the Swift comment that holds it") func swiftContainsProse() {
        let text =
            "# a\n\nOne\u{2028}two\u{0B}three\u{85}four\u{0}five\n\n## [obsolete] x\n\n\"quoted\" \\(1) \u{1B}end\n"
        let swift = SwiftGenerator().generate(load(["a.md": text]).definitions)
        #expect(swift.contains("/// One\n/// two three\u{85}four five\n"))
        #expect(swift.contains(#"message: "a.x is obsolete: \"quoted\" \\(1) \u{1b}end")"#))
    }
}
