import DaybookProcesses
import DaybookTesting
import Foundation

@testable import DaybookDefinitions

let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

func load(_ files: [String: String]) -> (definitions: Definitions, diagnostics: [Diagnostic]) {
    let (definitions, diagnostics) = Definitions.load(files.map { (path: $0.key, bytes: Array($0.value.utf8)) })
    return (definitions, diagnostics)
}

func diagnose(_ files: [String: String]) -> [String] { load(files).diagnostics.map(\.description) }

/// The diagnostics of one event's lines, which begin at line 5 of the file `cat.md`.
func diagnose(event lines: String) -> [String] { diagnose(["cat.md": "# cat\n\n## event\n\n" + lines]) }

/// The columns of one event's lines, whatever is wrong with others.
func columns(event lines: String) -> [Column] {
    load(["cat.md": "# cat\n\n## event\n\n" + lines]).definitions.categories[0].events[0].columns
}

struct ProcessResult {
    let status: Int32
    let output: String

    /// Runs a program found in `PATH`; returns standard output and error together.
    ///
    /// - Parameter input: Its standard input.
    static func run(_ arguments: [String], in folder: URL? = nil, input: String? = nil) throws -> ProcessResult {
        // Files, not pipes: writing to a program that has ended early would kill this process.
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let files = directory.url
        try files.write(input ?? "", to: "input")
        try files.write("", to: "output")
        let output = try FileHandle(forWritingTo: files.appending(path: "output"))
        let process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"), arguments, in: folder,
            input: .file(try FileHandle(forReadingFrom: files.appending(path: "input"))), output: .file(output),
            errors: .file(output))
        return ProcessResult(status: process.wait().status, output: try files.text(of: "output"))
    }

    static let hasCompiler = (try? run(["swiftc", "--version"]).status) == 0
}

extension URL {
    /// Writes `text` into a file of this folder, creating the folder if needed.
    func write(_ text: String, to name: String) throws {
        let file = appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: appending(path: name)), as: UTF8.self)
    }
}
