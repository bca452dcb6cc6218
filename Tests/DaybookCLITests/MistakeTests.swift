import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

/// A team's typical mistakes, each with the output of `daybook verify`. People read these texts: change one only for a
/// better one.
@Suite(.temporaryDirectory) struct MistakeTests {
    private let tool = Tool()
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Mistakes")

    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.first?.isNumber ?? false }.sorted()

    @Test("There are twelve example mistakes") func hasTwelveMistakes() { #expect(Self.names.count == 12) }

    @Test("Explains each common mistake as documented", arguments: names)
    func explainsMistakes(name: String) async throws {
        let folder = Self.folder.appending(path: name)
        for file in ["checklist.md", "events.ndjson"] {
            try tool.write(String(contentsOf: folder.appending(path: file), encoding: .utf8), to: file)
        }
        let extra = try? String(contentsOf: folder.appending(path: "arguments.txt"), encoding: .utf8)
        var arguments = ["verify", "--checklist", "checklist.md", "--events", "events.ndjson"]
        arguments += (extra ?? "").split(separator: "\n").map {
            $0 == "../definitions" ? Self.folder.appending(path: "definitions").path : String($0)
        }
        let result = try await tool.run(arguments)
        let expected = try String(contentsOf: folder.appending(path: "expected.txt"), encoding: .utf8)
        #expect(result.output + result.errors == expected)
        #expect(result.status == (result.errors.isEmpty ? 1 : 2))
    }
}
