import DaybookChecklist
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Edits of people's files by the API: after a 200 the edit is in the file, after anything else the file is unchanged.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct FileEditsTests {
    private let directory = TemporaryDirectory.current

    private struct Answer: Sendable {
        var status: Int
        var mark: String
    }

    /// Sixty requests at once, each with its own mark in the body.
    private func rush(_ bench: Bench, _ path: String, _ body: @escaping @Sendable (String) -> String) async -> [Answer]
    {
        await withTaskGroup(of: Answer.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let mark = "mark\(number)x"
                    return Answer(status: await bench.send("POST", path, body: body(mark)).status, mark: mark)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try OwnedFile.read(path) ?? [], as: UTF8.self)
    }

    /// - Parameter isLinked: Whether the folder has a link to a file elsewhere.
    private func checklist(isLinked: Bool, _ body: (Bench, _ file: String, _ target: String) async throws -> Void)
        async throws
    {
        let (file, target) = (directory.path + "/release.md", directory.path + (isLinked ? "/real.txt" : "/release.md"))
        let text = "# release\n\n## feed\n- [ ] feed.show\n"
        try OwnedFile.replace(target, with: text)
        chmod(target, 0o640)
        if isLinked { try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "real.txt") }
        try await body(
            Bench(checklists: [try Checklist(markdown: text, file: file)], writesChecklists: true), file, target)
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: file)) == (isLinked ? "real.txt" : nil))
    }

    @Test("Every item accepted from concurrent clients is in the file", arguments: [false, true])
    func concurrentItemsAreKept(isLinked: Bool) async throws {
        try await checklist(isLinked: isLinked) { bench, _, target in
            let answers = await rush(bench, "/api/v1/checklists/release/items") {
                #"{"scenario":"feed","item":"feed.\#($0)"}"#
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            let text = try text(target)
            for answer in answers { #expect(text.contains("- [ ] feed.\(answer.mark)\n")) }
        }
    }

    @Test("Of clients with the same version, only one writes", arguments: [false, true]) func oneWriterPerVersion(
        isLinked: Bool
    ) async throws {
        try await checklist(isLinked: isLinked) { bench, _, target in
            let shown = try await bench.send("GET", "/api/v1/checklists").data()["checklists"].list
            let version = try #require(shown?.first?["version"].text)
            #expect(version == OwnedFile.version(of: try OwnedFile.read(target) ?? []))
            for (path, body) in [
                (
                    "items",
                    { @Sendable (mark: String) in #"{"scenario":"feed","item":"feed.\#(mark)","version":"\#(version)"}"#
                    }
                ),
                (
                    "source",
                    { @Sendable (mark: String) in ##"{"markdown":"# r\n- [ ] x.\##(mark)\n","version":"\##(version)"}"##
                    }
                ),
            ] {
                let before = try text(target)
                let isFirst = OwnedFile.version(of: Array(before.utf8)) == version
                let answers = await rush(bench, "/api/v1/checklists/release/\(path)", body)
                let written = answers.filter { $0.status == 200 }
                #expect(written.count == (isFirst ? 1 : 0))
                #expect(answers.allSatisfy { $0.status == 200 || $0.status == 409 })
                let after = try text(target)
                // The second round's marks are those of the first.
                guard isFirst else {
                    #expect(after == before)
                    continue
                }
                for answer in answers { #expect(after.contains(answer.mark) == (answer.status == 200)) }
            }
        }
    }

    /// An edit based on an outdated version is refused with the change.
    @Test("A conflict shows the current content of the file") func conflictShowsCurrentFile() async throws {
        try await checklist(isLinked: false) { bench, _, target in
            let version = OwnedFile.version(of: try OwnedFile.read(target) ?? [])
            try OwnedFile.replace(target, with: "# release\n\n## feed\n- [ ] feed.show\n- [ ] feed.theirs\n")
            let body = #"{"scenario":"feed","item":"feed.mine","version":"\#(version)"}"#
            let refused = await bench.send("POST", "/api/v1/checklists/release/items", body: body)
            #expect(try refused.code() == "conflict")
            #expect(refused.text.contains("was changed by somebody else meanwhile"))
            let shown = await bench.send("GET", "/api/v1/checklists")
            #expect(shown.text.contains("feed.theirs"))
            let now = try shown.data()["checklists"][0]["version"].text
            let again = body.replacing(version, with: try #require(now))
            let added = await bench.send("POST", "/api/v1/checklists/release/items", body: again)
            #expect(added.status == 200)
            let own = try #require(try added.data()["version"].text)
            // An undo does not remove someone else's addition.
            let theirs = await bench.send(
                "POST", "/api/v1/checklists/release/items", body: #"{"scenario":"feed","item":"feed.more"}"#)
            #expect(theirs.status == 200)
            let undo = await bench.send(
                "POST", "/api/v1/checklists/release/items/undo", body: #"{"version":"\#(own)"}"#)
            #expect(undo.status == 409)
            #expect(try text(target).contains("feed.more"))
        }
    }

    @Test("Every block accepted from concurrent clients is in the board", arguments: [false, true])
    func concurrentBlocksAreKept(isThere: Bool) async throws {
        let file = directory.path + "/team.md"
        if isThere { try OwnedFile.replace(file, with: "# team\n") }
        let bench = Bench(boards: BoardFolder(directory.path))
        // Boards have at most fifty statements; the rest are refused.
        let answers = await rush(bench, "/api/v1/boards/team/blocks") { #"{"title":"\#($0)","sql":"SELECT 1"}"# }
        let text = try text(file)
        for answer in answers {
            #expect(text.contains("## \(answer.mark)\n") == (answer.status == 200), "\(answer)")
        }
        #expect(answers.count { $0.status == 200 } == 50)
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 })
        let boards = try await bench.send("GET", "/api/v1/boards").data()["boards"].list
        #expect(boards?.first?["version"].text == OwnedFile.version(of: Array(text.utf8)))
    }

    @Test("Of clients with the same board version, only one writes") func oneWriterPerBoard() async throws {
        try OwnedFile.replace(directory.path + "/team.md", with: "# team\n")
        let bench = Bench(boards: BoardFolder(directory.path))
        let version = OwnedFile.version(of: Array("# team\n".utf8))
        let answers = await rush(bench, "/api/v1/boards/team/blocks") {
            #"{"title":"\#($0)","sql":"SELECT 1","version":"\#(version)"}"#
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.count { $0.status == 409 } == 59)
    }

    @Test("Does not write to a file with conflict markers", arguments: ["<<<<<<< HEAD", "=======", ">>>>>>> theirs"])
    func leavesConflictMarkers(
        marker: String
    ) async throws {
        try await checklist(isLinked: false) { bench, _, target in
            let text = "# release\n\n## feed\n- [ ] feed.show\n\(marker)\n- [ ] feed.tap\n"
            let body = try JSONSerialization.data(withJSONObject: [
                "markdown": text, "version": OwnedFile.version(of: try OwnedFile.read(target) ?? []),
            ])
            let refused = await bench.send(
                "POST", "/api/v1/checklists/release/source", body: String(decoding: body, as: UTF8.self))
            #expect(refused.status == 400 && refused.text.contains("release.md:5:1"), "\(refused.text)")
            try OwnedFile.replace(target, with: text)
            let added = await bench.send(
                "POST", "/api/v1/checklists/release/items", body: #"{"scenario":"feed","item":"feed.more"}"#)
            #expect(added.status == 400 && added.text.contains("conflict marker"), "\(added.text)")
            #expect(try self.text(target) == text)
        }
        let board = "# team\n\n```sql\nSELECT 1\n\(marker)\n```\n"
        try OwnedFile.replace(directory.path + "/team.md", with: board)
        let added = await Bench(boards: BoardFolder(directory.path)).send(
            "POST", "/api/v1/boards/team/blocks", body: #"{"title":"A","sql":"SELECT 1"}"#)
        #expect(added.status == 400 && added.text.contains("team.md:5"), "\(added.text)")
        #expect(try self.text(directory.path + "/team.md") == board)
    }
}
