import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookTools

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct OwnedFileTests {
    private let directory = TemporaryDirectory.current

    private struct Failure: Error {}

    private func text(_ path: String) throws -> String? {
        try OwnedFile.read(path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("Files and folders are flushed, and what is not open is told") func flushesDriveCache() throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: directory.path + "/a"))
        for path in [directory.path, directory.path + "/a"] {
            let descriptor = open(path, O_RDONLY)
            #expect(DriveCache.flush(descriptor))
            close(descriptor)
        }
        #expect(!DriveCache.flush(-1) && errno == EBADF)
    }

    @Test("Concurrent edits keep each other's text") func editsKeepEachOther() async throws {
        let path = directory.path + "/list.md"
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    try await offPool {
                        try OwnedFile.edit(path) { $0 = ($0 ?? []) + Array("\(number)\n".utf8) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let lines = TextLines.split(try #require(try text(path))).dropLast().map(String.init)
        #expect(Set(lines) == Set((0..<60).map(String.init)))
        #expect(lines.count == 60)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["list.md"])
    }

    /// Of writers that saw the same text, one may write. Of those that saw no file, one may create it.
    @Test("Of several writes over the same version only one succeeds", arguments: [true, false])
    func oneConcurrentWriteWins(isThere: Bool) async throws {
        let path = directory.path + "/list.md"
        if isThere { try OwnedFile.replace(path, with: "first\n") }
        let seen = isThere ? OwnedFile.version(of: Array("first\n".utf8)) : nil
        let written = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await offPool {
                        do {
                            try OwnedFile.edit(path, over: .version(seen)) { $0 = Array("mine \(number)\n".utf8) }
                            return "mine \(number)\n"
                        } catch {
                            #expect((error as? OwnedFile.Problem)?.kind == .conflict)
                            return nil
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(written.count == 1)
        #expect(try text(path) == written.first)
    }

    /// A path is looked at more than once, and others make and remove files in between.
    @Test("A file that comes and goes is no broken link") func comingFileIsNoLink() async throws {
        let path = directory.path + "/list.md"
        let isDone = Atomic(false)
        async let comingAndGoing: Void = offPool {
            while !isDone.load(ordering: .relaxed) {
                try Data("mine\n".utf8).write(to: URL(fileURLWithPath: path))
                unlink(path)
            }
        }
        for _ in 0..<5_000 {
            do throws(OwnedFile.Problem) {
                _ = try OwnedFile.target(of: path)
            } catch {
                #expect(error.kind == .conflict, "\(error)")
            }
        }
        isDone.store(true, ordering: .relaxed)
        try await comingAndGoing
    }

    @Test("A write keeps symbolic links and file modes") func keepsLinksAndModes() throws {
        try FileManager.default.createDirectory(atPath: directory.path + "/real", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: directory.path + "/team", withIntermediateDirectories: true)
        let (real, middle) = (directory.path + "/real/list.md", directory.path + "/team/middle.md")
        let link = directory.path + "/team/list.md"
        for bits in [0o640, 0o600, 0o664, 0o604, 0o755] {
            try? FileManager.default.removeItem(atPath: real)
            try Data("old\n".utf8).write(to: URL(fileURLWithPath: real))
            chmod(real, mode_t(bits))
            for (path, end) in [(middle, "../real/list.md"), (link, "middle.md")] {
                try? FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: end)
            }
            for path in [real, middle, link] {
                try OwnedFile.replace(path, with: "new by \(path)\n")
                #expect(try text(real) == "new by \(path)\n")
                #expect(try mode(real) == bits)
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "middle.md")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: middle) == "../real/list.md")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/real") == ["list.md"])
        }
    }

    @Test("Refuses files whose links or kind a replacement would lose") func refusesUnsafeReplace() throws {
        let path = directory.path + "/list.md"
        try OwnedFile.replace(path, with: "old\n")
        try FileManager.default.linkItem(atPath: path, toPath: directory.path + "/other.md")
        #expect { try OwnedFile.replace(path, with: "new\n") } throws: { "\($0)".contains("hard links") }
        #expect(try text(path) == "old\n")
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/to", withDestinationPath: "nowhere")
        #expect { try OwnedFile.replace(directory.path + "/to", with: "new\n") } throws: {
            "\($0)".contains("a link to a file")
        }
        mkfifo(directory.path + "/pipe", 0o600)
        #expect { try OwnedFile.read(directory.path + "/pipe") } throws: { "\($0)".contains("not a regular file") }
        #expect { try OwnedFile.replace(directory.path + "/no/list.md", with: "a") } throws: {
            "\($0)".contains("no/list.md cannot be reached: No such file or directory")
        }
        #expect(throws: OwnedFile.Problem.self) { try OwnedFile.read(directory.path) }
    }

    @Test("A write keeps the file's owner and group", .enabled(if: getuid() == 0, "only root gives files away"))
    func keepsFileOwner() throws {
        let path = directory.path + "/list.md"
        try OwnedFile.replace(path, with: "old\n")
        #expect(chown(path, 65_534, 65_533) == 0)
        chmod(path, 0o2640)
        try OwnedFile.replace(path, with: "new\n")
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_uid == 65_534 && status.st_gid == 65_533 && status.st_mode & 0o7777 == 0o2640)
    }

    /// A crash leaves what is on disk at that step, and so does a failure.
    @Test("A crash at any step leaves the old text or the new", arguments: OwnedFile.Step.allCases, [nil, "old\n"])
    func crashLeavesOldOrNew(
        at step: OwnedFile.Step, before: String?
    ) throws {
        let path = directory.path + "/list.md"
        if let before { try OwnedFile.replace(path, with: before) }
        var atStep: String?
        #expect(throws: Failure.self) {
            try OwnedFile.edit(path) { reached in
                guard reached == step else { return }
                atStep = try text(path)
                let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                if let new = names.first(where: { $0.hasPrefix(".daybook-new-") }) {
                    let copy = directory.path + "/.daybook-new-dead"
                    try FileManager.default.copyItem(atPath: "\(directory.path)/\(new)", toPath: copy)
                }
                throw Failure()
            } _: {
                $0 = Array("new\n".utf8)
            }
        }
        #expect(atStep == (step == .renamed ? "new\n" : before))
        #expect(try text(path) == (step == .renamed ? "new\n" : before))
        // The next edit removes the dead one's leftovers.
        try OwnedFile.replace(path, with: "next\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["list.md"])
    }

    enum Saving: CaseIterable { case inPlace, byRename, afterRemoval }

    private func save(_ text: String, as path: String, _ saving: Saving) throws {
        if saving == .afterRemoval { unlink(path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: saving == .byRename ? .atomic : [])
    }

    /// Editors take no lock: they may save while the new text is prepared or renamed into place.
    @Test(
        "An editor's save during a write is not overwritten", arguments: [nil, "old\n"],
        [OwnedFile.Step.written, .synced, .checked])
    func keepsEditorSave(before: String?, at moment: OwnedFile.Step) throws {
        for saving in Saving.allCases {
            let directory = directory.subdirectory("\(saving)")
            try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: false)
            let path = directory.path + "/list.md"
            if let before { try OwnedFile.replace(path, with: before) }
            #expect {
                try OwnedFile.edit(path) { step in
                    if step == moment { try save("theirs\n", as: path, saving) }
                } _: {
                    $0 = Array("mine\n".utf8)
                }
            } throws: { ($0 as? OwnedFile.Problem)?.kind == .conflict }
            #expect(try text(path) == "theirs\n", "\(saving)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["list.md"])
        }
    }

    /// At each step, or while the new text is computed; whether it is changed or removed.
    @Test(
        "A file that an editor removes during a write stays removed",
        arguments: zip(
            [nil, OwnedFile.Step.begun, .written, .synced, .checked, nil, .begun],
            ["mine\n", "mine\n", "mine\n", "mine\n", "mine\n", nil, nil]))
    func keepsEditorRemoval(at moment: OwnedFile.Step?, text: String?) throws {
        let path = directory.path + "/list.md"
        try OwnedFile.replace(path, with: "old\n")
        #expect {
            try OwnedFile.edit(path) {
                if $0 == moment { unlink(path) }
            } _: {
                if moment == nil { unlink(path) }
                $0 = text.map { Array($0.utf8) }
            }
        } throws: {
            let problem = $0 as? OwnedFile.Problem
            return problem?.kind == .conflict && problem?.message == "\(path) is gone. Nothing was written."
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    /// The editor's last save is there, followed by what was added.
    @Test("No editor's save by rename is lost among edits") func renameSaveSurvives() async throws {
        let path = directory.path + "/list.md"
        try OwnedFile.replace(path, with: "0\n")
        for number in 1...300 {
            async let edit: Void = offPool {
                do { try OwnedFile.edit(path) { $0 = ($0 ?? []) + Array("+".utf8) } } catch {
                    #expect((error as? OwnedFile.Problem)?.kind == .conflict, "\(error)")
                }
            }
            async let saved: Void = offPool { try self.save("\(number)\n", as: path, .byRename) }
            _ = try await (edit, saved)
            let found = try #require(try text(path))
            #expect(found == "\(number)\n" || found == "\(number)\n+", "\(found)")
        }
    }

    /// Only where all of the file's lines end alike.
    @Test("Written lines use the file's own line ending", arguments: ["\n", "\r\n", "\r"], ["\n", "\r\n", "\r"])
    func keepsLineEndings(
        own: String, sent: String
    ) throws {
        let path = directory.path + "/list.md"
        let edits = OwnedFileEdits()
        func lines(_ texts: String..., by end: String) -> String { texts.map { $0 + end }.joined() }
        for mark in ["", "\u{FEFF}"] {
            try Data((mark + lines("a", "", "b", by: own)).utf8).write(to: URL(fileURLWithPath: path))
            let edit = try edits.edit(path, over: .anything) { (($0 ?? "") + lines("c", "", "d", by: sent) + "e", ()) }
            #expect(try text(path) == mark + lines("a", "", "b", "c", "", "d", by: own) + "e")
            #expect(edit.version == OwnedFile.version(of: try #require(try OwnedFile.read(path))))
            _ = try edits.undo(path, over: edit.version) { _ in }
            #expect(try text(path) == mark + lines("a", "", "b", by: own))
        }
        // With mixed line endings or none, lines stay as they are.
        for before in ["a\nb\r\n", "a\r\rb\n", "a", ""] {
            try Data(before.utf8).write(to: URL(fileURLWithPath: path))
            _ = try edits.edit(path, over: .anything) { (($0 ?? "") + lines("c", by: sent), ()) }
            #expect(try text(path) == before + lines("c", by: sent))
        }
    }

    @Test("An edit can be undone only while the file is unchanged") func undoNeedsSameVersion() throws {
        let path = directory.path + "/list.md"
        let edits = OwnedFileEdits()
        let mine = try edits.edit(path, over: .version(nil)) { _ in ("mine\n", ()) }.version
        let theirs = try edits.edit(path, over: .version(mine)) { (($0 ?? "") + "theirs\n", ()) }.version
        #expect { try edits.undo(path, over: mine) { _ in } } throws: { ($0 as? OwnedFile.Problem)?.kind == .conflict }
        #expect(try edits.undo(path, over: theirs) { $0 }.answer == "mine\n")
        #expect { try edits.undo(path, over: nil) { _ in } } throws: { ($0 as? OwnedFile.Problem)?.kind == .missing }
    }

    @Test("Lines are split at any line ending") func splitsAnyLineEnding() {
        for end in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{FEFF}"] {
                #expect(
                    TextLines.split("\(mark)a\(end)\(end)b\(end)") == ["a", "", "b", ""], "\(end.debugDescription)")
            }
        }
        #expect(TextLines.split("a\u{2028}b") == ["a\u{2028}b"])
        #expect(TextLines.split("a\u{2028}b\u{2029}c", alsoAtSeparators: true) == ["a", "b", "c"])
        #expect(TextLines.split("a\r\u{301}b\n") == ["a", "\u{301}b", ""])
    }

    @Test("Conflict markers are found anywhere in Markdown") func findsConflictMarkers() {
        let markers = [
            "<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs", "<<<<<<<", ">>>>>>> 1a2b3c (words)",
        ]
        let places = [
            ("# A\n\n", "\n- [ ] a.b\n"), ("```sql\nSELECT 1\n", "\n```\n"), ("<!--\n", "\n-->\n"), ("text\n", ""),
            ("---\na: 1\n", "\n---\n"), ("", "\n"),
        ]
        for marker in markers {
            for (before, after) in places {
                for end in ["\n", "\r\n", "\r"] {
                    let text = (before + marker + after).unicodeScalars.split(
                        separator: "\n", omittingEmptySubsequences: false
                    )
                    .map { String($0) }.joined(separator: end)
                    let found = MarkdownText(text).problems.filter { $0.message == ConflictMarkers.message }.map(
                        \.location.line)
                    #expect(found == [TextLines.split(before).count], "\(text.debugDescription)")
                }
            }
        }
        for line in [
            "<<<<<< a", "======", "========", "======= a", ">>>>>>>> a", ">>>>>>>a", " <<<<<<< a", "a =======",
        ] {
            #expect(!ConflictMarkers.isMarker(line), "\(line)")
        }
    }
}
