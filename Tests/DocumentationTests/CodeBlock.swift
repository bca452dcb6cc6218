import Foundation
import Testing

/// A fenced block of Swift in a document.
struct CodeBlock: Sendable, CustomTestStringConvertible {
    /// Relative to the repository.
    let file: String
    /// Line of the opening fence, from 1.
    let line: Int
    let code: String
    /// Whether a comment before it says that it uses the sample app's generated events.
    let usesSample: Bool
    /// The Markdown definitions above it, if a comment says that it uses their events.
    let definitions: String?
    /// The file with the same lines, if a comment names one: for code that needs what this package lacks and is
    /// compiled elsewhere.
    let original: String?

    var isManifest: Bool { code.hasPrefix("// swift-tools-version") }
    var testDescription: String { "\(file):\(line)" }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every block of the README, the guides and the libraries' landing pages.
    static func all() throws -> [CodeBlock] {
        let guides = try files(in: "docs/guides").map { "docs/guides/\($0)" }
        let pages = try files(in: "Sources").map { "Sources/\($0)/\($0).docc/\($0).md" }
            .filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
        return try (["README.md"] + guides + pages).flatMap { file in
            blocks(of: try String(contentsOf: root.appending(path: file), encoding: .utf8), file: file)
        }
    }

    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
    }

    static func blocks(of text: String, file: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (line: Int, code: [Substring])?
        var usesSample = false
        var usesDefinitions = false
        var original: String?
        var markdown: (isOpen: Bool, lines: [Substring]) = (false, [])
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let (start, code) = open {
                if line.hasPrefix("```") {
                    blocks.append(
                        CodeBlock(
                            file: file, line: start, code: code.joined(separator: "\n") + "\n", usesSample: usesSample,
                            definitions: usesDefinitions ? markdown.lines.joined(separator: "\n") + "\n" : nil,
                            original: original))
                    open = nil
                    usesSample = false
                    usesDefinitions = false
                    original = nil
                } else {
                    open = (start, code + [line])
                }
            } else if markdown.isOpen {
                if line == "```" { markdown.isOpen = false } else { markdown.lines.append(line) }
            } else if line == "```markdown" {
                markdown = (true, [])
            } else if line == "```swift" {
                open = (index + 1, [])
            } else if line.contains("compiled with the sample app's definitions") {
                usesSample = true
            } else if line.contains("compiled with the definitions above") {
                usesDefinitions = true
            } else if let match = line.firstMatch(of: /<!-- as in (\S+) -->/) {
                original = String(match.1)
            }
        }
        return blocks
    }
}
