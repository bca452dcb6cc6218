import DaybookBase
import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct LogStoreTests {
    private let directory = TemporaryDirectory.current

    @Test("A memory store delivers everything and touches no disk") func memoryStoreUsesNoDisk() async throws {
        let said = Mutex<[String]>([])
        let output = CollectingOutput()
        let options = quietOptions { $0.report = { text in said.withLock { $0.append(text) } } }
        let pipeline = try Pipeline(store: .memory(), options: options) { Route("**", to: output) }
        pipeline.log().number(0..<1000)
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        #expect(output.records.numbers == Array(0..<1000))
        let ledger = try #require(await pipeline.ledgers()["collecting"])
        #expect(ledger.delivered == 1000 && ledger.pending == 0 && ledger.lost == 0)
        #expect(!FileManager.default.fileExists(atPath: "memory"))
        // Memory by choice is nothing to report.
        #expect(said.withLock { $0 }.isEmpty)
    }

    @Test("A memory store is bounded and counts what it drops") func memoryStoreIsBounded() async throws {
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

    @Test("Each launch in memory gets a new installation") func memoryInstallationIsFresh() {
        #expect(Installation.load(.memory()).text != Installation.load(.memory()).text)
    }

    @Test("A custom file system is the only place written to") func customStoreIsOnlyPlace() async throws {
        let (given, kept) = (directory.url.appending(path: "given").path, directory.url.appending(path: "kept").path)
        let prepared = Mutex<Set<String>>([])
        let files = RelocatedFiles(from: given, to: kept) { path in prepared.withLock { _ = $0.insert(path) } }
        var installations: Set<String> = []
        for launch in 0..<3 {
            // Everything a pipeline stores: records, cursors, an installation, quarantined records.
            let answers: [Delivery] = [[.pause(reason: "no")], [.reject([0], reason: "bad")], []][launch]
            let output = CollectingOutput(answers: answers)
            let store = LogStore.directory(
                URL(fileURLWithPath: given + "/app"), files: files,
                installation: URL(fileURLWithPath: given + "/group/shared"))
            let pipeline = try Pipeline(store: store, options: quietOptions()) { Route("**", to: output) }
            installations.insert(pipeline.installation)
            if launch == 0 { pipeline.log().number(0..<10) }
            await pipeline.shutdown(deadline: .seconds(60))
        }
        #expect(installations.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["kept"])
        let found = try FileManager.default.subpathsOfDirectory(atPath: kept)
        for name in ["group/shared/installation", "app/cursors", "app/quarantine"] { #expect(found.contains(name)) }
        #expect(!found.contains { $0.hasSuffix(".new") })
        for name in found {
            let path = kept + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        #expect(prepared.withLock { $0.contains(kept + "/group/shared/installation.new") })
    }

    @Test("An earlier version's installation keeps its ID and becomes private") func keepsOldInstallation() throws {
        let text = String(repeating: "0a", count: 16) + "\n" + String(repeating: "5f", count: 16) + "\n"
        let file = directory.url.appending(path: "installation")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        // First in a custom store that keeps the file elsewhere, then in the system's own files.
        let kept = directory.url.appending(path: "kept").path
        let own = RelocatedFiles(from: directory.path, to: kept)
        #expect(Installation.load(.directory(directory.url, files: own)).text == text)
        #expect(try String(contentsOfFile: kept + "/installation", encoding: .utf8) == text)
        #expect(try mode(kept + "/installation") == 0o600)
        let prepared = Mutex<[String]>([])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let system = PosixFileSystem { path in prepared.withLock { $0.append(path) } }
        #expect(Installation.load(.directory(directory.url, files: system)).text == text)
        #expect(try mode(file.path) == 0o600)
        #expect(prepared.withLock { $0 } == [file.path])
    }

    @Test("Without a disk each launch gets a new installation") func noDiskFreshInstallation() {
        let files = FaultyFileSystem()
        files.fillDisk()
        let store = LogStore.directory(directory.url, files: files)
        #expect(Installation.load(store).text != Installation.load(store).text)
    }

    @Test("Processes that share a folder share one installation") func folderSharesInstallation() async throws {
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

    @Test("Processes starting at once agree on the installation") func concurrentStartsAgree() async throws {
        let store = LogStore.directory(directory.url.appending(path: "a"), installation: directory.url)
        let installations = await withTaskGroup(of: Installation.self) { group in
            for _ in 0..<32 { group.addTask { Installation.load(store) } }
            return await group.reduce(into: Set<String>()) { $0.insert($1.text) }
        }
        #expect(installations.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["installation"])
    }

    @Test(
        "Replaces a damaged installation file and reports it once",
        arguments: ["broken", "", String(repeating: "0a", count: 16)])
    func replacesDamagedInstallation(content: String) throws {
        let file = directory.url.appending(path: "installation")
        try Data(content.utf8).write(to: file)
        let store = LogStore.directory(directory.url)
        var reports: [String] = []
        let first = Installation.load(store) { reports.append($0) }
        #expect(reports == ["The installation is damaged, and a new one takes its place: \(file.path)."])
        #expect(Installation.load(store) { reports.append($0) }.text == first.text && reports.count == 1)
    }

    @Test(
        "Keeps an unreadable installation file for later launches", arguments: [FileOperation.open, .read],
        [EACCES, EPERM, EIO, ELOOP])
    func keepsUnreadableInstallation(operation: FileOperation, code: Int32) async throws {
        let files = FaultyFileSystem()
        let store = LogStore.directory(directory.url.appending(path: "a"), files: files, installation: directory.url)
        let first = Installation.load(store)
        files.fail([operation], code: code, times: 1)
        let reports = Mutex<[String]>([])
        var options = quietOptions()
        options.report = { text in reports.withLock { $0.append(text) } }
        let pipeline = try Pipeline(store: store, options: options) { Route("**", to: CollectingOutput()) }
        #expect(pipeline.installation != first.id)
        #expect(reports.withLock { $0.count { $0.hasPrefix("The installation cannot be read") } } == 1)
        await pipeline.shutdown(deadline: .zero)
        #expect(Installation.load(store).text == first.text)
    }

    @Test("Leaves an installation file behind a symbolic link alone") func ignoresLinkedInstallation() throws {
        let (target, link) = (directory.url.appending(path: "target"), directory.url.appending(path: "installation"))
        try Data("another's".utf8).write(to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let store = LogStore.directory(directory.url)
        #expect(Installation.load(store).text != Installation.load(store).text)
        #expect(try String(contentsOf: target, encoding: .utf8) == "another's")
        let mode = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
    }

    @Test("Tightens the file mode only in the system's own file system") func fixesModeOfOwnFiles() throws {
        let files = FaultyFileSystem()
        let first = Installation.load(.directory(directory.url, files: files))
        let path = directory.url.appending(path: "installation").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        func mode() throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        #expect(Installation.load(.directory(directory.url, files: files)).text == first.text)
        #expect(try mode() == 0o644)
        #expect(Installation.load(.directory(directory.url)).text == first.text)
        #expect(try mode() == 0o600)
    }
}
