import Foundation
import Testing

/// The page that says which test shows what: every test that it names exists.
struct ParityTests {
    /// Each Swift test as `Suite.test`, each Python test by its name.
    private static func tests() throws -> Set<String> {
        var tests: Set<String> = []
        for folder in ["Tests", "Examples", "Integrations", "scripts"] {
            let root = CodeBlock.root.appending(path: folder)
            for case let path as String in FileManager.default.enumerator(atPath: root.path) ?? .init() {
                let file = root.appending(path: path)
                guard !path.contains(".build"), ["swift", "py"].contains(file.pathExtension) else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                let suite = file.deletingPathExtension().lastPathComponent
                let isSwift = file.pathExtension == "swift"
                let pattern = isSwift ? /@Test(?s:(?:(?!@Test).)*?)\bfunc (\w+)\(/ : /def (test_\w+)\(/
                for match in text.matches(of: pattern) {
                    tests.insert(isSwift ? "\(suite).\(match.1)" : String(match.1))
                }
            }
        }
        return tests
    }

    @Test func everyTestThatThePageNamesExists() throws {
        let page = try String(contentsOf: CodeBlock.root.appending(path: "docs/parity.md"), encoding: .utf8)
        let names = page.matches(of: /`(\w+Tests\.\w+|test_\w+)`/).map { String($0.1) }
        #expect(names.count > 80)
        let tests = try Self.tests()
        for name in names { #expect(tests.contains(name), "\(name) is no test of this repository") }
    }
}
