import Daybook
import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@Suite(.serialized, .temporaryDirectory) struct DocumentationTests {
    private let directory = TemporaryDirectory.current

    @Test("The code blocks in the documents compile", arguments: try CodeBlock.all().filter { $0.original == nil })
    func codeCompiles(block: CodeBlock)
        async throws
    {
        if block.isManifest {
            try block.code.write(
                to: directory.url.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
            let result = try await run("swift", "package", "--package-path", directory.path, "dump-package")
            #expect(result.status == 0, "\(result.text)")
            return
        }
        let main = directory.url.appending(path: "main.swift")
        try block.code.write(to: main, atomically: true, encoding: .utf8)
        var files = [main.path]
        if block.usesSample { files += try await sampleSources(in: directory) }
        if let definitions = block.definitions {
            let name = try #require(definitions.firstMatch(of: /# (\w+)/)).1
            let file = directory.url.appending(path: "\(name).md")
            try definitions.write(to: file, atomically: true, encoding: .utf8)
            files.append(try await generated(from: file.path, in: directory))
        }
        let result = try await run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors"] + modules + files)
        #expect(result.status == 0, "\(result.text)")
    }

    @Test(
        "Each excerpt in a document matches its source file",
        arguments: try CodeBlock.all().filter { $0.original != nil }) func excerptsMatchFiles(block: CodeBlock)
        throws
    {
        let file = CodeBlock.root.appending(path: try #require(block.original))
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(Self.plain(text).contains(Self.plain(block.code)), "\(block) is not in \(file.lastPathComponent)")
    }

    private static func plain(_ code: String) -> String {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    /// Those of `DaybookApple` are compiled for a phone by `scripts/check-apple`.
    @Test("The examples of the initialisers compile") func examplesCompile() async throws {
        let called = [
            "DaybookBase", "Daybook", "DaybookOTLP", "DaybookTesting", "DaybookBlackBox", "DaybookProcesses",
            "DaybookDefinitions", "DaybookStore", "DaybookInspector",
        ]
        let script = CodeBlock.root.appending(path: "scripts/testing/examples.py").path
        let extraction = try await run(["python3", script, directory.path] + called)
        try #require(extraction.status == 0, "\(extraction.text)")
        let file = directory.url.appending(path: "Examples.swift")
        #expect(try String(contentsOf: file, encoding: .utf8).matches(of: /\nfunc example/).count >= 90)
        // Examples rarely use what they create.
        let result = try await run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-suppress-warnings"] + modules + [file.path])
        #expect(result.status == 0, "\(result.text)")
    }

    @Test("The README has its three code blocks, and two landing pages have one each") func findsCodeBlocks() throws {
        // Without blocks, the other tests would assert nothing.
        let files = try CodeBlock.all().map(\.file)
        #expect(files.filter { $0 == "README.md" }.count == 3)
        #expect(files.filter { $0.hasPrefix("Sources/") }.count == 2)
    }

    @Test("Code that does not compile is noticed") func noticesBrokenCode() async throws {
        let main = directory.url.appending(path: "main.swift")
        try "import Daybook\nLog.inform(\"no such method\")\n".write(to: main, atomically: true, encoding: .utf8)
        #expect(try await run(["swiftc", "-typecheck", "-swift-version", "6"] + modules + [main.path]).status != 0)
    }

    /// Wherever attributes are taken, the error lists what is accepted.
    @Test(
        "A value that cannot be recorded fails to compile with advice",
        arguments: [
            #"Log.post("a.b", ["id": 1, "of": Own()])"#, #"Log("a").info("b", ["of": Own()])"#,
            #"Log.error("b", ["list": [1, "two"], "id": number])"#, #"Log("a").start("b").end(["of": [Own()]])"#,
        ]) func advisesOnBadValue(call: String) async throws
    {
        let main = directory.url.appending(path: "main.swift")
        try "import Daybook\nstruct Own {}\nlet number = 1\n\(call)\n"
            .write(to: main, atomically: true, encoding: .utf8)
        let result = try await run(["swiftc", "-typecheck", "-swift-version", "6"] + modules + [main.path])
        #expect(result.status != 0)
        #expect(result.text.contains("or a type of your own that is a LogValue"), "\(result.text)")
    }

    @Test("The outputs guide lists every field of a record") func guideListsFields() throws {
        let guide = try String(contentsOf: CodeBlock.root.appending(path: "docs/guides/outputs.md"), encoding: .utf8)
        let rows = guide.matches(of: /(?m)^\| `(\w+)` \| `([^`]+)` \|/)
        let record = Record(time: 0, kind: .event, level: .info, tag: "a")
        #expect(rows.map { String($0.1) } == Mirror(reflecting: record).children.compactMap(\.label))
    }

    @Test("Relative links lead to existing files") func linksResolve() throws {
        let documents =
            try
            (["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
            + FileManager.default.subpathsOfDirectory(atPath: CodeBlock.root.appending(path: "docs").path)
            .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" })
        for document in documents {
            let url = CodeBlock.root.appending(path: document)
            let text = try String(contentsOf: url, encoding: .utf8)
            for match in text.matches(of: /\]\(([^)#:\s]+)(#[^)]*)?\)/) {
                let target = url.deletingLastPathComponent().appending(path: String(match.1))
                #expect(
                    FileManager.default.fileExists(atPath: target.standardizedFileURL.path),
                    "\(document) links to \(match.1)")
            }
        }
    }

    /// Whoever renames or removes a test that backs a promise has to revisit the promise.
    @Test("Every test that a promise names exists") func promisedTestsExist() throws {
        let text = try String(contentsOf: CodeBlock.root.appending(path: "docs/reliability.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter {
            $0.starts(with: #/\|( [JD]\d+)? \|/#) && !$0.hasPrefix("| | Promise")
        }
        #expect(rows.count >= 19)
        let declared = try declaredTests()
        for row in rows {
            let tested = row.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
            // Commands that show the same at length follow the tests.
            let tests = tested.split(separator: "command").first.map { $0.matches(of: /`(\w+)`/).map { String($0.1) } }
            #expect(tests?.isEmpty == false, "no test in: \(row)")
            for name in tests ?? [] { #expect(declared.contains(name), "\(name) is not there: \(row)") }
        }
    }

    @Test("Every test that a defence names exists") func defenceTestsExist() throws {
        let text = try String(contentsOf: CodeBlock.root.appending(path: "docs/threat-model.md"), encoding: .utf8)
        let lines: [[Substring]] = text.split(separator: "\n").map { $0.split(separator: "|") }
        let rows = lines.filter { cells in cells.count == 3 && cells[0].contains(/\([TA]\d/) }
        #expect(rows.count >= 24)
        let declared = try declaredTests()
        for row in rows {
            let names = row[2].matches(of: /`(\w+)`/).map { String($0.1) }
            #expect(!names.isEmpty, "no test in: \(row)")
            for name in names { #expect(declared.contains(name), "\(name) is not there: \(row)") }
        }
    }

    // MARK: Tools

    private func declaredTests() throws -> Set<String> {
        let tests = CodeBlock.root.appending(path: "Tests")
        let sources = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".py") }
            .map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }.joined()
        return Set(sources.matches(of: /(?:func|struct|class|def) (\w+)/).map { String($0.1) })
    }

    /// The modules of this build, and the module maps of the C code they import.
    private var modules: [String] {
        let products = BuiltProduct.url("Modules").deletingLastPathComponent()
        let maps =
            ["CChecksum", "CSpawn", "CStoreFile", "CThreads"].map {
                products.appending(path: "\($0).build/module.modulemap")
            }
            + ["CZlib", "CSQLite", "CCurl"].map { CodeBlock.root.appending(path: "Sources/\($0)/module.modulemap") }
        return [
            "-I", products.appending(path: "Modules").path,
        ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }

    /// The sample app's generated events, and its own type that they use.
    private func sampleSources(in directory: TemporaryDirectory) async throws -> [String] {
        let sample = CodeBlock.root.appending(path: "Examples/RecipeBox")
        return [
            try await generated(from: sample.appending(path: "LogDefinitions").path, in: directory),
            sample.appending(path: "Sources/RecipeBoxEvents/Cuisine.swift").path,
        ]
    }

    private func generated(from definitions: String, in directory: TemporaryDirectory) async throws -> String {
        let file = directory.url.appending(path: "Events.swift").path
        let result = try await run([
            BuiltProduct.url("daybook-definitions").path, "generate-swift", "--output", file, definitions,
        ])
        #expect(result.status == 0, "\(result.text)")
        return file
    }

    private func run(_ words: String...) async throws -> (status: Int32, text: String) { try await run(words) }

    private func run(_ words: [String]) async throws -> (status: Int32, text: String) {
        try await offPool { try Self.run(words) }
    }

    private static func run(_ words: [String]) throws -> (status: Int32, text: String) {
        let pipe = Pipe()
        let process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"), words, output: .pipe(pipe), errors: .pipe(pipe))
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return (process.wait().status, text)
    }
}
