import DaybookBase
import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import Testing

@testable import Daybook

/// An app group's directory: a suspended process must hold no lock there.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct SharedDirectoryTests {
    private let directory = TemporaryDirectory.current

    private static func isLocked(_ directory: TemporaryDirectory) throws -> Bool {
        let files = PosixFileSystem()
        let lock = try files.open(directory.url.path + "/lock", .readWrite)
        defer { files.close(lock) }
        return try !files.lock(lock)
    }

    private static func pipeline(
        _ directory: TemporaryDirectory, _ output: some BatchOutput,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Pipeline<EmptyContext> {
        var options = quietOptions()
        options.journal.isShared = true
        options.report = report
        return try Pipeline(directory: directory.url, options: options) {
            Route("**", to: output, batch: neverByItself)
        }
    }

    @Test("A suspended process's records wait in memory and arrive after it resumes") func suspendedWaitsInMemory()
        async throws
    {
        let output = CollectingOutput(id: "out")
        let pipeline = try Self.pipeline(directory, output)
        pipeline.log().number(0..<5)
        #expect(try Self.isLocked(directory))
        await pipeline.suspend()
        #expect(try !Self.isLocked(directory))
        pipeline.log().number(5..<8)
        let away = try #require(await pipeline.ledgers()["out"])
        #expect((away.accepted, away.pending) == (8, 8))
        pipeline.resume()
        try await pipeline.flush(deadline: .seconds(60))
        #expect(try Self.isLocked(directory))
        let ledger = try #require(await pipeline.ledgers()["out"])
        #expect(output.records.numbers == Array(0..<8))
        #expect((ledger.accepted, ledger.delivered, ledger.pending, ledger.lost) == (8, 8, 0, 0))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("Shutting down while suspended keeps records for the next launch") func suspendedShutdownKeeps() async throws
    {
        let first = try Self.pipeline(directory, GatedOutput(id: "out"))
        await first.suspend()
        first.log().number(0..<3)
        await first.shutdown(deadline: .zero)
        let output = CollectingOutput(id: "out")
        let second = try Self.pipeline(directory, output)
        try await second.flush(deadline: .seconds(60))
        #expect(output.records.numbers == [0, 1, 2])
        await second.shutdown(deadline: .seconds(60))
    }

    @Test("A process that opens the directory meanwhile delivers its records") func openerTakesOver() async throws {
        let said = Mutex<[String]>([])
        let own = CollectingOutput(id: "out")
        let first = try Self.pipeline(directory, own) { text in said.withLock { $0.append(text) } }
        first.log().number(0..<5)
        await first.suspend()
        let other = CollectingOutput(id: "out")
        let second = try Self.pipeline(directory, other)
        try await second.flush(deadline: .seconds(60))
        #expect(other.records.numbers == Array(0..<5))
        first.resume()
        first.log().number(5..<7)
        try await first.flush(deadline: .seconds(60))
        let ledger = try #require(await first.ledgers()["out"])
        #expect(said.withLock { $0 }.contains { $0.contains("Another process has opened") })
        #expect(ledger.accepted == 7 && ledger.pending == 0)
        #expect(ledger.delivered + (ledger.dropped[.takenOver] ?? 0) == 7)
        #expect(own.records.numbers.suffix(2) == [5, 6])
        await first.shutdown(deadline: .seconds(60))
        await second.shutdown(deadline: .seconds(60))
    }
}
