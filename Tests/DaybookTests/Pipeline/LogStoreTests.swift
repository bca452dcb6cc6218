import DaybookBase
import DaybookJournal
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

struct LogStoreTests {
    @Test func memoryDeliversEverythingAndTouchesNoDisk() async throws {
        let said = Mutex<[String]>([])
        let output = CollectingOutput()
        let options = quietOptions { $0.report = { text in said.withLock { $0.append(text) } } }
        let pipeline = try Pipeline(store: .memory(), options: options) { Route("**", to: output) }
        pipeline.log().number(0..<1000)
        try await pipeline.flush(deadline: .seconds(10))
        await pipeline.shutdown(deadline: .seconds(1))
        #expect(output.records.numbers == Array(0..<1000))
        let ledger = try #require(await pipeline.ledgers()["collecting"])
        #expect(ledger.delivered == 1000 && ledger.pending == 0 && ledger.lost == 0)
        #expect(!FileManager.default.fileExists(atPath: "memory"))
        // Chosen memory is no trouble.
        #expect(said.withLock { $0 }.isEmpty)
    }

    @Test func memoryIsBoundedAndCountsWhatItDrops() async throws {
        let output = GatedOutput()
        let pipeline = try Pipeline(store: .memory(bytes: 256 << 10), options: quietOptions()) {
            Route("**", to: output, batch: neverByItself)
        }
        pipeline.log().number(0..<2000, padding: 1000)
        await pipeline.shutdown(deadline: .zero)
        let ledger = try #require(await pipeline.ledgers()["gated"])
        #expect(ledger.accepted == 2000)
        #expect(ledger.dropped[.memoryFull, default: 0] > 1000)
        #expect(ledger.accepted == ledger.delivered + ledger.lost + ledger.pending)
        output.open()
    }

    @Test func eachLaunchInMemoryIsAnInstallationOfItsOwn() {
        #expect(Installation.load(.memory()).text != Installation.load(.memory()).text)
    }

    /// A store of one's own: the system's files, counted.
    private final class CountingFiles: JournalFileSystem {
        let base = JournalSystem.live.files
        let opened = Mutex<[String]>([])

        func createDirectory(_ path: String) throws(JournalFileError) { try base.createDirectory(path) }
        func names(in directory: String) throws(JournalFileError) -> [String] { try base.names(in: directory) }
        func open(_ path: String, _ mode: FileMode) throws(JournalFileError) -> JournalFile {
            opened.withLock { $0.append(path) }
            return try base.open(path, mode)
        }
        func close(_ file: JournalFile) { base.close(file) }
        func size(_ file: JournalFile) throws(JournalFileError) -> Int { try base.size(file) }
        func allocate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
            try base.allocate(file, bytes: bytes)
        }
        func truncate(_ file: JournalFile, bytes: Int) throws(JournalFileError) {
            try base.truncate(file, bytes: bytes)
        }
        func read(
            _ file: JournalFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
        ) throws(JournalFileError) -> Int { try base.read(file, into: buffer, at: offset) }
        func write(
            _ file: JournalFile, _ buffer: UnsafeRawBufferPointer, at offset: Int
        ) throws(JournalFileError) -> Int { try base.write(file, buffer, at: offset) }
        func sync(_ file: JournalFile, _ strength: SyncStrength) throws(JournalFileError) {
            try base.sync(file, strength)
        }
        func syncDirectory(_ path: String) throws(JournalFileError) { try base.syncDirectory(path) }
        func rename(_ from: String, to: String) throws(JournalFileError) { try base.rename(from, to: to) }
        func remove(_ path: String) throws(JournalFileError) { try base.remove(path) }
        func map(_ file: JournalFile, bytes: Int) throws(JournalFileError) -> UnsafeMutableRawPointer {
            try base.map(file, bytes: bytes)
        }
        func unmap(_ address: UnsafeMutableRawPointer, bytes: Int) { base.unmap(address, bytes: bytes) }
        func lock(_ file: JournalFile) throws(JournalFileError) -> Bool { try base.lock(file) }
    }

    @Test func aStoreOfOnesOwnIsAFileSystem() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let files = CountingFiles()
        for launch in 0..<2 {
            let output = CollectingOutput(answers: launch == 0 ? [.pause(reason: "no")] : [])
            let pipeline = try Pipeline(store: .directory(directory.url, files: files), options: quietOptions()) {
                Route("**", to: output)
            }
            if launch == 0 { pipeline.log().number(0..<10) }
            await pipeline.shutdown(deadline: .seconds(10))
            #expect(output.records.numbers == (launch == 0 ? [] : Array(0..<10)))
        }
        #expect(files.opened.withLock { $0.contains { $0.hasPrefix(directory.path) } })
    }

    @Test func processesThatShareAFolderAreOneInstallation() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        func pipeline(_ role: String, shares: Bool) throws -> Pipeline<EmptyContext> {
            try Pipeline(
                store: .directory(
                    directory.url.appending(path: role), installation: shares ? directory.url : nil),
                options: quietOptions()
            ) { Route("**", to: CollectingOutput(id: "out")) }
        }
        let app = try pipeline("app", shares: true)
        let widget = try pipeline("widget", shares: true)
        let other = try pipeline("other", shares: false)
        #expect(app.installation == widget.installation)
        #expect(app.installation != other.installation)
        for pipeline in [app, widget, other] { await pipeline.shutdown(deadline: .zero) }
        #expect(try pipeline("later", shares: true).installation == app.installation)
    }

    @Test func processesThatStartAtOnceAgreeOnTheInstallation() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let store = LogStore.directory(directory.url.appending(path: "a"), installation: directory.url)
        let installations = await withTaskGroup(of: Installation.self) { group in
            for _ in 0..<32 { group.addTask { Installation.load(store) } }
            return await group.reduce(into: Set<String>()) { $0.insert($1.text) }
        }
        #expect(installations.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["installation"])
    }

    @Test func aDamagedInstallationIsReplaced() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.url.appending(path: "installation")
        try Data("broken".utf8).write(to: file)
        let store = LogStore.directory(directory.url)
        let first = Installation.load(store)
        #expect(Installation.load(store).text == first.text)
    }
}
