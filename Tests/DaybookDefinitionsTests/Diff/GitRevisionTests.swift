import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookDefinitions

/// Definitions are read from Git revisions. Tests cannot share a current folder, so a child process has it.
@Suite(
    .enabled(if: (try? ProcessResult.run(["git", "--version"]).status) == 0, "git is not installed"),
    .temporaryDirectory)
struct GitRevisionTests {
    private let folder = TemporaryDirectory.current.subdirectory("repository").url

    private func prepare() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try git("init", "-q")
        try folder.write("# a\n\n## x\n\n- n: !integer\n", to: "defs/a.md")
        try folder.write("日本語", to: "defs/README.md")
        try folder.write("# b\n\n## レシピ\n", to: "defs/nested/b.md")
        try folder.write("# common\n\n- 卵: !bigint\n", to: "other/common.md")
        try git("add", "-A")
        try git("commit", "-qm", "one")
        try git("tag", "first")
        try folder.write("# a\n\n## x\n\n- n: !bigint\n", to: "defs/a.md")
        try folder.write("# c\n\n## y\n\n検索\n", to: "defs/c.md")
        try git("add", "-A")
        try git("commit", "-qm", "two")
    }

    private func git(_ arguments: String...) throws {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
        let result = try ProcessResult.run(["git"] + identity + arguments, in: folder)
        try #require(result.status == 0, "\(result.output)")
    }

    @Test("A Git revision is read with its own files") func revisionHasOwnFiles() throws {
        try prepare()
        let first = GitRevision(name: "first", label: "git:first", directory: folder.path)
        let files = try first.files(in: "defs")
        #expect(files.map(\.path) == ["git:first:defs/a.md"])
        #expect(String(decoding: files[0].bytes, as: UTF8.self) == "# a\n\n## x\n\n- n: !integer\n")
        let head = GitRevision(name: "HEAD", label: "git:HEAD", directory: folder.path)
        let now = try head.files(in: "defs/")
        #expect(now.map(\.path) == ["git:HEAD:defs/a.md", "git:HEAD:defs/c.md"])
        #expect(String(decoding: now[1].bytes, as: UTF8.self) == "# c\n\n## y\n\n検索\n")
        #expect(try head.files(in: "defs/c.md").map(\.path) == ["git:HEAD:defs/c.md"])
    }

    @Test("A Git revision follows its own project file") func revisionHasOwnProject() throws {
        try prepare()
        let project = #"{"definitions": ["defs", "**/other"], "rules": {"snake_case_names": "error"}}"#
        try folder.write(project, to: "daybook.json")
        try git("add", "-A")
        try git("commit", "-qm", "three")
        try folder.write("{}", to: "daybook.json")
        for place in ["", "defs/nested"] {
            let head = GitRevision(name: "HEAD", label: "git:HEAD", directory: folder.appending(path: place).path)
            let project = try #require(try head.project())
            #expect(project.folder == "")
            #expect(project.project.rules[.snakeCaseNames] == .error)
            #expect(
                try head.files(of: project.project, in: project.folder).map(\.path) == [
                    "git:HEAD:defs/a.md", "git:HEAD:defs/c.md", "git:HEAD:other/common.md",
                ])
        }
        let first = GitRevision(name: "first", label: "git:first", directory: folder.path)
        #expect(try first.project() == nil)
        var nowhere = Project()
        nowhere.definitions = ["none/*"]
        #expect(throws: DefinitionsFolder.ReadError.self) { try first.files(of: nowhere, in: "") }
    }

    @Test(
        "A pattern names the same folders as on disk",
        arguments: [
            ("LogDefinitions", "LogDefinitions", true), ("a/LogDefinitions", "*/LogDefinitions", true),
            ("a/b/LogDefinitions", "*/LogDefinitions", false), ("a/b/LogDefinitions", "**/LogDefinitions", true),
            ("LogDefinitions", "**/LogDefinitions", true), (".hidden/LogDefinitions", "**/LogDefinitions", false),
            ("node_modules/x/LogDefinitions", "**/LogDefinitions", false),
            ("Modules/feed/Logs", "Modules/f*d/Logs", true),
            ("", "LogDefinitions", false), ("LogDefinitions/nested", "LogDefinitions", false),
        ])
    func globMatchesFolders(folder: String, pattern: String, matches: Bool) {
        #expect(Glob.matches(folder: folder, pattern) == matches)
    }

    @Test("A revision that cannot be read is explained") func unreadableIsExplained() throws {
        try prepare()
        func reason(_ name: String, _ path: String, in place: String) -> String {
            do {
                _ = try GitRevision(name: name, label: "git:\(name)", directory: place).files(in: path)
                return "it was read"
            } catch { return "\(error)" }
        }
        #expect(reason("nowhere", "defs", in: folder.path) == "git:nowhere: git knows no revision `nowhere`")
        #expect(reason("HEAD", "none", in: folder.path) == "git:HEAD: the revision has no definitions in none")
        #expect(reason("--help", "defs", in: folder.path).contains("a revision is missing"))
        let outside = reason("HEAD", "defs", in: TemporaryDirectory.current.path)
        #expect(outside.contains("not a git repository"))
    }
}
