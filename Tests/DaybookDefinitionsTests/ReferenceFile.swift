import Foundation
import Testing

@testable import DaybookDefinitions

/// The definitions of `Fixtures/Reference`.
func referenceDefinitions() throws -> Definitions {
    let folder = fixtures.appending(path: "Reference")
    let files = try ["common.md", "recipe_search.md"].map { (path: $0, bytes: Array(try folder.text(of: $0).utf8)) }
    let (definitions, diagnostics) = Definitions.load(files)
    #expect(diagnostics.isEmpty)
    return definitions
}

/// Compares generator output with a reference file that a person has reviewed.
///
/// To accept a changed output: `DAYBOOK_UPDATE_FIXTURES=1 swift test --filter GeneratorTests`, then read the diff.
func expect(
    _ text: String, equalsFixture name: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws {
    if ProcessInfo.processInfo.environment["DAYBOOK_UPDATE_FIXTURES"] == "1" { try fixtures.write(text, to: name) }
    let expected = try fixtures.text(of: name).split(separator: "\n", omittingEmptySubsequences: false)
    let actual = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(
        line == nil, "\(name), first difference in line \(line.map { $0.offset + 1 } ?? 0)",
        sourceLocation: sourceLocation)
    #expect(actual.count == expected.count, sourceLocation: sourceLocation)
}
