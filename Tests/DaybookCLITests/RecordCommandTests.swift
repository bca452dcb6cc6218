import DaybookBase
import DaybookProcesses
import DaybookStore
import DaybookTestTraits
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RecordCommandTests {
    private let tool = Tool()
    private let stream = String(repeating: "0a", count: 24)

    private func line(_ number: Int, tag: String = "feed.show", installation: String = "i1", day: Int = 1) -> String {
        """
        {"uid":"\(stream)-\(number)","time":"2026-11-0\(day)T00:00:00Z","tag":"\(tag)",\
        "installation":"\(installation)","attributes":{"n":\(number)}}

        """
    }

    private func count(_ tool: Tool, _ store: String = "s.sqlite") async throws -> String {
        try await tool.run("query", "--store", store, "--format", "csv", "SELECT count(*) FROM records").output
    }

    @Test("An export can be imported, and a second import changes nothing") func importIsIdempotent() async throws {
        try tool.write((1...3).map { line($0) }.joined(), to: "a.ndjson")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 3, already known 0\n")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 0, already known 3\n")
        // An overlapping part: the records in between are still missing and must not count as known.
        try tool.write(line(3) + line(7), to: "b.ndjson")
        #expect(try await tool.run("import", "b.ndjson", "--store", "s.sqlite").output == "stored 1, already known 1\n")
        try tool.write(line(5), to: "c.ndjson")
        #expect(try await tool.run("import", "c.ndjson", "--store", "s.sqlite").output == "stored 1, already known 0\n")
        let exported = try await tool.run("export", "--store", "s.sqlite").output
        let imported = try await tool.run("import", "-", "--store", "t.sqlite", input: exported)
        #expect(imported.output == "stored 5, already known 0\n")
        #expect(try await tool.run("export", "--store", "t.sqlite").output == exported)
    }

    @Test("Importing an export into its own store changes nothing") func reimportChangesNothing() async throws {
        let stream = String(repeating: "a", count: 48)
        // Delivered by a device with a number that its route left out, by another sender, and by one without records.
        var delivered = RecordBatch(origin: .init(stream: "\(stream)/otlp/logs", after: 0, through: 5), rows: [])
        delivered.origin?.importStream = RecordBatch.Origin.importName(of: stream, by: "proof:1")
        for number in [1, 2, 4, 5] as [UInt64] {
            var row = RecordRow(
                uid: "\(stream)-\(number)", time: Int64(number) + 1_700_000_000_000_000_000, kind: .event, level: 9,
                tag: "a.b")
            row.sequence = number
            row.context = #"{"daybook.owner":"proof:1"}"#
            delivered.rows.append(row)
        }
        let others = ["u1", "0f3c", "u1"].enumerated().map { place, uid in
            RecordRow(uid: uid, time: Int64(place) + 1_600_000_000_000_000_000, kind: .message, level: 9, tag: "c")
        }
        do {
            let store = try SQLiteStore(path: tool.directory.appending(path: "s.sqlite").path)
            try await store.append(delivered)
            try await store.append(RecordBatch(rows: others))
            await store.close()
        }
        let exported = try await tool.run("export", "--store", "s.sqlite").output
        try tool.write(exported, to: "a.ndjson")
        for _ in 0..<2 {
            let file = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
            #expect(file.output == "stored 0, already known 7\n" && file.errors.isEmpty, "\(file)")
            let piped = try await tool.run("import", "-", "--store", "s.sqlite", input: exported)
            #expect(piped.output == "stored 0, already known 7\n", "\(piped)")
        }
        // The number left out must not count as known.
        try tool.write(#"{"uid":"\#(stream)-3","tag":"a.b","time":3}"# + "\n", to: "b.ndjson")
        #expect(try await tool.run("import", "b.ndjson", "--store", "s.sqlite").output == "stored 1, already known 0\n")
        // Imported elsewhere, and then delivered there.
        #expect(try await tool.run("import", "a.ndjson", "--store", "t.sqlite").output == "stored 7, already known 0\n")
        let elsewhere = try SQLiteStore(path: tool.directory.appending(path: "t.sqlite").path)
        #expect(try await elsewhere.append(delivered) == AppendResult(stored: 0, duplicates: 4))
        #expect(try await elsewhere.head() == 7)
    }

    @Test("`import` warns of records without a UID") func warnsOfMissingUIDs() async throws {
        try tool.write(line(1) + #"{"tag":"a"}"# + "\n" + #"{"tag":"b"}"#, to: "a.ndjson")
        let first = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        #expect(first.errors.hasPrefix("warning: 2 records have no uid"), "\(first)")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").errors.isEmpty)
    }

    @Test("Records with foreign UIDs are recognised by file and line") func knowsForeignUIDsByLine() async throws {
        let lines = [#"{"tag":"a","uid":"u1"}"#, #"{"tag":"a"}"#, #"{"tag":"a","uid":"u2"}"#]
        try tool.write(lines.joined(separator: "\n"), to: "a.ndjson")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 3, already known 0\n")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 0, already known 3\n")
        let uids = try await tool.run(
            "query", "--store", "s.sqlite", "--format", "csv", "SELECT uid FROM records WHERE uid LIKE 'u_' ORDER BY 1")
        #expect(uids.output == "uid\nu1\nu2\n")
    }

    @Test("A bad line aborts a file import but keeps what a pipe sent before") func fileImportIsAtomic() async throws {
        let text = line(1) + "{}\n" + line(2)
        try tool.write(text, to: "a.ndjson")
        let file = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        #expect(file.status == 2)
        #expect(file.errors.contains("a.ndjson:2: "))
        let stream = try await tool.run("import", "-", "--store", "s.sqlite", input: text)
        #expect(stream.status == 2)
        #expect(stream.errors.contains("stored 1, already known 0"))
        #expect(try await count(tool) == "count(*)\n1\n")
    }

    @Test("Reads a pipe once, whatever its name") func readsPipeOnce() async throws {
        try tool.write(line(1) + #"{"tag":"a"}"#, to: "a.ndjson")
        let program = BuiltProduct.daybook.path
        let piped = try await tool.runOther(
            "sh", "-c", "cat a.ndjson | '\(program)' import /dev/stdin --store s.sqlite")
        #expect(piped.output == "stored 2, already known 0\n")
    }

    @Test("Lines without a UID are recognised by file and line") func knowsLinesByPosition() async throws {
        let lines = #"{"tag":"a.b"}"# + "\n" + #"{"tag":"a.b"}"# + "\n"
        try tool.write(lines, to: "a.ndjson")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 2, already known 0\n")
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 0, already known 2\n")
        // A file with the same beginning is still another file.
        try tool.write(lines + line(1), to: "b.ndjson")
        #expect(try await tool.run("import", "b.ndjson", "--store", "s.sqlite").output == "stored 3, already known 0\n")
        #expect(try await tool.run("import", "b.ndjson", "--store", "s.sqlite").output == "stored 0, already known 3\n")
    }

    @Test("The collector's own records are printed only on request") func ownRecordsNeedOption() async throws {
        try tool.write(line(1) + line(2, tag: "daybook.violation"), to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        for words in [["export", "--format", "line"], ["tail", "--no-follow"]] {
            let own = try await tool.run(words + ["--store", "s.sqlite"])
            #expect(own.output.hasPrefix("#1  "), "\(own)")
            #expect(!own.output.contains("daybook.violation"))
            let all = try await tool.run(words + ["--store", "s.sqlite", "--own-records"])
            #expect(all.output.contains("#2  ") && all.output.contains("daybook.violation"))
            let asked = try await tool.run(words + ["--store", "s.sqlite", "--tag", "daybook.**"])
            #expect(asked.output.hasPrefix("#2  "))
        }
    }

    @Test("Erases the records of a person by filter") func erasesPerson() async throws {
        try tool.write(
            #"{"tag":"a.b","attributes":{"user_id":42}}"# + "\n" + #"{"tag":"a.b","context":{"user_id":"42"}}"# + "\n"
                + #"{"tag":"a.b","context":{"user_id":43}}"# + "\n", to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let erased = try await tool.run("erase", "--store", "s.sqlite", "--filter", "user_id=42")
        #expect(erased.output == "erased 2\n")
        #expect(try await count(tool) == "count(*)\n1\n")
        #expect(try await tool.run("erase", "--store", "s.sqlite", "--filter", "user_id=").status == 2)
    }

    @Test("`export` and `tail` take the same conditions") func exportAndTailAgree() async throws {
        try tool.write(
            line(1) + line(2, tag: "feed.item.open") + line(3, tag: "other", installation: "i2", day: 2), to: "a.ndjson"
        )
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        func printed(_ words: String...) async throws -> [String] {
            let result = try await tool.run(["export", "--store", "s.sqlite", "--format", "line"] + words)
            return result.output.split(separator: "\n").map { $0.split(separator: " ")[3] }.map(String.init)
        }
        #expect(try await printed() == ["feed.show", "feed.item.open", "other"])
        #expect(try await printed("--tag", "feed.**") == ["feed.show", "feed.item.open"])
        #expect(try await printed("--tag", "feed.*") == ["feed.show"])
        #expect(try await printed("--installation", "i2") == ["other"])
        #expect(try await printed("--since", "2026-11-02T00:00:00Z") == ["other"])
        #expect(try await printed("--until", "2026-11-02T00:00:00Z", "--filter", "open") == ["feed.item.open"])
        #expect(try await printed("--level", "error") == [])
        let tail = try await tool.run("tail", "--store", "s.sqlite", "--no-follow", "--lines", "2")
        #expect(tail.output.split(separator: "\n").map { $0.contains("other") } == [false, true])
        #expect(try await tool.run("tail", "--store", "s.sqlite", "--level", "loud").status == 2)
    }

    @Test("The line format ends with the source file and line") func lineEndsWithSource() async throws {
        try tool.write(
            #"{"tag":"a.b","message":"hi","attributes":{"n":1},"file":"App/Feed.swift","line":12}"# + "\n"
                + #"{"tag":"a.b","file":"App/Menu.swift"}"# + "\n" + #"{"tag":"a.b"}"# + "\n", to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        for words in [["tail", "--no-follow"], ["export", "--format", "line"]] {
            let lines = try await tool.run(words + ["--store", "s.sqlite"]).output.split(separator: "\n")
            #expect(lines.first?.hasSuffix(#"a.b  hi  {"n":1}  App/Feed.swift:12"#) == true, "\(lines)")
            #expect(lines.dropFirst().first?.hasSuffix("a.b  App/Menu.swift") == true, "\(lines)")
            #expect(lines.last?.hasSuffix("a.b") == true, "\(lines)")
        }
    }

    @Test("`tail` prints matching records as they arrive") func tailPrintsArrivals() async throws {
        try tool.write(line(1), to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let tail = try tool.start("tail", "--store", "s.sqlite", "--format", "ndjson", "--tag", "feed.**")
        defer { tail.end() }
        #expect(try await tail.line(beginning: "{\"id\": 1").contains("feed.show"))
        try tool.write(line(2, tag: "other") + line(3, tag: "feed.new"), to: "b.ndjson")
        _ = try await tool.run("import", "b.ndjson", "--store", "s.sqlite")
        #expect(try await tail.line(beginning: "{\"id\": 3").contains("feed.new"))
    }

    @Test("`erase` rejects a missing store without creating it") func eraseCreatesNoStore() async throws {
        let result = try await tool.run("erase", "--store", "sqlite:typo.sqlite", "--installation", "i")
        #expect(result.status == 2)
        #expect(result.errors.contains("typo.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: tool.directory.appending(path: "typo.sqlite").path))
    }

    /// Conditions that nearly every record meets, that only say what to keep, or that are reversed.
    @Test(
        "`erase` rejects conditions that would match nearly everything",
        arguments: [
            ["--since", "1990-01-01T00:00:00Z"], ["--until", "2200-01-01T00:00:00Z"], ["--tag", "**"],
            ["--level", "0"],
            ["--filter", "x!=y"], ["--filter", "-tag=debug.** -egg"], ["--filter", "price:200..100"],
            ["--since", "2026-11-02T00:00:00Z", "--until", "2026-11-01T00:00:00Z"],
            ["--filter", "after:2026-11-02 before:2026-11-01"],
        ])
    func eraseNeedsCondition(_ options: [String]) async throws {
        try tool.write(line(1) + line(2), to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let refused = try await tool.run(["erase", "--store", "s.sqlite"] + options)
        #expect(refused.status != 0 && refused.errors.contains("rror"), "\(refused)")
        #expect(try await count(tool) == "count(*)\n2\n")
    }

    @Test("`erase` removes only matching records, which do not come back") func erasesOnlyMatches() async throws {
        try tool.write(
            line(1) + line(2, installation: "i2") + line(3, tag: "debug.x") + line(4, day: 3), to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let nothing = try await tool.run("erase", "--store", "s.sqlite")
        #expect(nothing.status == 2)
        #expect(nothing.errors.contains("erasing needs a condition"))
        #expect(try await tool.run("erase", "--store", "s.sqlite", "--installation", "i2").output == "erased 1\n")
        #expect(try await tool.run("erase", "--store", "s.sqlite", "--keep", "1000d").output == "erased 0\n")
        // It is weeks old but has just arrived.
        #expect(try await tool.run("erase", "--store", "s.sqlite", "--keep", "1m debug.**").output == "erased 0\n")
        let until = ["--tag", "debug.**", "--until", "2026-11-02T00:00:00Z"]
        #expect(try await tool.run(["erase", "--store", "s.sqlite"] + until).output == "erased 1\n")
        #expect(try await count(tool) == "count(*)\n2\n")
        // Importing a file that still has erased records does not restore them: their sender settled them.
        #expect(try await tool.run("import", "a.ndjson", "--store", "s.sqlite").output == "stored 0, already known 4\n")
    }

    @Test("Records with implausible times are reported and not treated as recent") func handlesImplausibleTimes()
        async throws
    {
        let now = Int64(Date().timeIntervalSince1970)
        let claims: [(name: String, seconds: Int64)] = [
            ("zero", 0), ("unset", 315_532_800), ("slow", now - 100 * 86_400), ("now", now - 60),
            ("hour", now + 3_600), ("days", now + 2 * 86_400), ("far", 4_102_444_800), ("end", 9_223_372_036),
        ]
        let lines = claims.map { name, seconds in "{\"tag\":\"claim.\(name)\",\"time\":\(seconds * 1_000_000_000)}\n" }
        try tool.write(lines.joined(), to: "a.ndjson")
        let imported = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        #expect(imported.output == "stored 8, already known 0\n")
        #expect(imported.errors.contains("5 records have a time before 2010 or more than a day ahead"))
        for keep in ["90d", "1m claim.**"] {
            #expect(try await tool.run("erase", "--store", "s.sqlite", "--keep", keep).output == "erased 0\n")
        }
        func tags(_ filter: String) async throws -> [String] {
            let printed = try await tool.run("tail", "--no-follow", "--store", "s.sqlite", "--filter", filter).output
            return claims.map(\.name).filter { printed.contains("claim.\($0)") }
        }
        #expect(try await tags("last:2h") == ["now"])
        #expect(try await tags("last:200d") == ["slow", "now"])
        #expect(try await tags("time:implausible") == ["zero", "unset", "days", "far", "end"])
    }

    @Test("A backup of a running collector is a usable store") func backupIsUsableStore() async throws {
        let serve = try tool.start("serve", "--port", "0", "--store", "s.sqlite", "--keep", "1000d")
        defer { serve.end() }
        _ = try await serve.line(beginning: "Inspector: ")
        try tool.write((1...100).map { line($0) }.joined(), to: "a.ndjson")
        _ = try await tool.run("import", "a.ndjson", "--store", "s.sqlite")
        let backup = try await tool.run("backup", "--store", "s.sqlite", "b.sqlite")
        #expect(backup.output == "b.sqlite: records up to 100\n")
        #expect(try await count(tool, "b.sqlite") == "count(*)\n100\n")
        #expect(try await tool.run("backup", "--store", "s.sqlite", "b.sqlite").status == 2)
        let timed = try await tool.run("backup", "--store", "s.sqlite", "b-12:00.sqlite")
        #expect(timed.output == "b-12:00.sqlite: records up to 100\n")
        let check = try await tool.run("store", "check", "--store", "b.sqlite")
        #expect(check.output == "nothing is damaged\n" && check.errors == "" && check.status == 0)
        let handle = try FileHandle(forUpdating: tool.directory.appending(path: "b-12:00.sqlite"))
        try handle.seek(toOffset: 8_192)
        try handle.write(contentsOf: [UInt8](repeating: 0xFF, count: 2_000))
        try handle.close()
        let damaged = try await tool.run("store", "check", "--store", "b-12:00.sqlite")
        #expect(damaged.status != 0 && !damaged.errors.isEmpty)
        // A restored store continues its numbers and recognises what it knew.
        let restored = try await tool.run("import", "a.ndjson", "--store", "b.sqlite")
        #expect(restored.output == "stored 0, already known 100\n")
    }
}
