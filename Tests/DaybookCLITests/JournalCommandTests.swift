import Daybook
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@Suite(.temporaryDirectory) struct JournalCommandTests {
    private let tool = Tool()

    @Test("`journal check` rejects a folder without a journal") func refusesNonJournal() async throws {
        try tool.write("", to: "folder/notes.txt")
        let result = try await tool.run("journal", "check", "folder")
        #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        #expect(result.errors == "error: folder: there is no journal here\n")
    }

    @Test("`journal check` finds damage and `journal dump` prints records") func checksJournal() async throws {
        let journal = tool.directory.appending(path: "journal")
        let output = CollectingOutput(
            id: "collector", answers: Array(repeating: .retry(after: .seconds(3600), reason: "down"), count: 9))
        var options = PipelineOptions()
        options.report = { _ in }
        let pipeline = try Pipeline(directory: journal, options: options) { Route("**", to: output) }
        for number in 0..<20 { pipeline.log("a.b").info("hello", ["n": .int(Int64(number))]) }
        await pipeline.shutdown(deadline: .milliseconds(10))

        let check = try await tool.run("journal", "check", journal.path)
        #expect(check.status == 0)
        #expect(check.output.hasSuffix("intact: 1 segments, 20 records\n"))
        let dump = try await tool.run("journal", "dump", journal.path)
        #expect(dump.output.split(separator: "\n").filter { $0.contains("\"tag\":\"a.b\"") }.count == 20)

        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: journal.path).first { $0.hasSuffix(".segment") })
        let file = journal.appending(path: name)
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("hello".utf8)))
        bytes[place.lowerBound] = 0x48
        try bytes.write(to: file)
        let damaged = try await tool.run("journal", "check", journal.path)
        #expect(damaged.status == 1)
        #expect(damaged.errors.contains(name))
    }

    @Test("`journal check` rejects a missing folder") func refusesMissingJournal() async throws {
        #expect(try await tool.run("journal", "check", "nowhere").status == 2)
    }
}
