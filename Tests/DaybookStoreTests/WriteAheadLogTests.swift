import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

@Suite(.temporaryDirectory) struct WriteAheadLogTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    /// Reads the store for as long as allowed.
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT count(*) FROM records UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
        """
    private static var minute: QueryLimits {
        var limits = QueryLimits()
        limits.time = .seconds(60)
        return limits
    }

    private func open(_ change: (inout WriteAheadLog.Bounds) -> Void) throws -> SQLiteStore {
        var bounds = WriteAheadLog.Bounds()
        change(&bounds)
        return try SQLiteStore(path: path, access: .readWrite, reserve: 0, bounds: bounds, names: NameBound())
    }

    /// SQLite ignores a setting that it does not know.
    @Test("Commits and checkpoints are told to leave the drive's cache") func syncsThroughDriveCache() throws {
        let connection = try SQLiteConnection(path: path, access: .create)
        #expect(try connection.integer("PRAGMA fullfsync") == 0)
        try connection.syncThroughDriveCache()
        #expect(try connection.integer("PRAGMA fullfsync") == 1)
        #expect(try connection.integer("PRAGMA checkpoint_fullfsync") == 1)
    }

    private func rows(_ count: Int, _ message: String) -> RecordBatch {
        RecordBatch(rows: (0..<count).map { .sample($0, message: message + " \($0)", session: message) })
    }

    @Test("Ends a reader only once it holds up the log") func endsBlockingReader() {
        let start = ContinuousClock.now
        var isHeldUp = false
        var looks = 0
        var reader = LogGuard(patience: .seconds(2), from: start) {
            looks += 1
            return isHeldUp
        }
        isHeldUp = true
        #expect([0, 1_999].map { reader.mustEnd(at: start + .milliseconds($0)) } == [false, false])
        #expect(looks == 0)
        isHeldUp = false
        #expect([2_000, 2_001].map { reader.mustEnd(at: start + .milliseconds($0)) } == [false, false])
        #expect(looks == 1)
        isHeldUp = true
        #expect(reader.mustEnd(at: start + .seconds(3)) == true)
        isHeldUp = false
        #expect(reader.mustEnd(at: start + .seconds(4)) == true)
        #expect(reader.hasEnded)
    }

    @Test("Checkpoints run beside commits and end within a commit") func checkpointsBesideCommits() {
        var moving = CheckpointPlan()
        let most = CheckpointPlan.pageCount
        #expect([1, most - 1].map { moving.noteCommit(pages: $0) } == [.nothing, .nothing])
        #expect([most, 3 * most].map { moving.noteCommit(pages: $0) } == [.moveBeside, .nothing])
        // A reader holds the log: the next checkpoint is due when as much again has been written.
        moving.noteMove((pages: 3 * most, moved: most))
        #expect([4 * most - 1, 4 * most].map { moving.noteCommit(pages: $0) } == [.nothing, .moveBeside])
        moving.noteMove(nil)
        #expect([4 * most + 1, 4 * most + 2].map { moving.noteCommit(pages: $0) } == [.moveBeside, .nothing])
        moving.noteMove((pages: 4 * most + 2, moved: 4 * most + 2))
        let pages = [4 * most + 3, 5, most + 4]
        #expect(pages.map { moving.noteCommit(pages: $0) } == [.moveRest, .nothing, .moveBeside])
    }

    @Test("Checkpoints the log only up to the oldest reader") func checkpointsUpToReader() async throws {
        let store = try open { _ in }
        let mover = try LogMover(ofStore: path, WriteAheadLog(ofStore: path), FileWatch(ofStore: path))
        try await store.append(rows(10, "a"))
        // The index is built from the records and reads them briefly.
        try await eventually("all of it is moved") {
            await mover.move().map { $0.pages > 0 && $0.moved == $0.pages } == true
        }
        let other = try SQLiteFile(path)
        try other.execute("BEGIN; SELECT count(*) FROM stored_records")
        try await store.append(rows(100, "b"))
        let held = try #require(await mover.move())
        #expect(held.pages > held.moved)
        try other.execute("COMMIT")
        try await eventually("the rest is moved") {
            await mover.move().map { $0 == (held.pages, held.pages) } == true
        }
    }

    @Test("Restarts the log when nobody is reading") func restartsUnreadLog() async throws {
        let store = try open { _ in }
        let text = String(repeating: "x", count: 5_000)
        let other = try SQLiteConnection(path: path, access: .readWrite)
        // The first query opens the log.
        #expect(try other.head() == 0)
        for part in 0..<4 {
            // More than a checkpoint moves at a time, and commits after it.
            try await store.append(
                RecordBatch(rows: (0..<3_000).map { .sample(part * 10_000 + $0, message: text) }))
            var number = 3_000
            try await eventually("the log begins anew") {
                try await store.append(RecordBatch(rows: [.sample(part * 10_000 + number)]))
                number += 1
                // A checkpoint in progress reports nothing.
                guard let pages = try? other.moveLog().pages else { return false }
                return pages < CheckpointPlan.pageCount / 2
            }
        }
        // A restarted log keeps its file, which shows how far it had grown.
        let bytes = try #require(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
        #expect(bytes > CheckpointPlan.pageCount / 2 * 4_096)
    }

    @Test("Reports erased values another program holds and clears them later") func reportsHeldErasures() async throws {
        let store = try open { ($0.erasing, $0.pause) = (.milliseconds(1), .milliseconds(10)) }
        try await store.append(rows(100, "confidential"))
        let other = try SQLiteFile(path)
        try other.execute("BEGIN; SELECT count(*) FROM stored_records")
        var filter = RecordFilter()
        filter.narrow(by: .field(.session, "confidential"))
        #expect(try await store.erase(filter) == 100)
        #expect(await store.erasureRemains()?.contains("\(path)-wal") == true)
        #expect(try directory.files(holding: "confidential") != [])
        try other.execute("COMMIT")
        try await eventually("nothing remains") { await store.erasureRemains() == nil }
        #expect(try directory.files(holding: "confidential") == [])
        #expect(!FileManager.default.fileExists(atPath: WriteAheadLog.markPath(ofStore: path)))
    }

    /// A command erases beside a collector and ends while another program still holds the erased pages, or is killed
    /// before it has emptied the logs. A process that has the store open, or opens it next, finishes.
    @Test("Finishes an erasure that another process began", arguments: [true, false], [true, false])
    func finishesForeignErasure(isOpen: Bool, isKilled: Bool) async throws {
        let change = { (bounds: inout WriteAheadLog.Bounds) in
            (bounds.erasing, bounds.pause) = (.milliseconds(1), .milliseconds(10))
        }
        let collector = isOpen ? try open(change) : nil
        let other: SQLiteFile
        do {
            let command = try open(change)
            try await command.append(rows(100, "confidential"))
            try SQLiteFile(path).completeExtent()
            try await command.append(rows(1, "ok"))
            await command.settleIndex()
            other = try SQLiteFile(path)
            try other.execute("BEGIN; SELECT count(*) FROM stored_records")
            if isKilled {
                try SQLiteFile(path).execute("PRAGMA secure_delete = ON")
                let connection = try SQLiteConnection(path: path, access: .readWrite)
                try connection.execute("PRAGMA secure_delete = ON")
                _ = try RecordErasure.erase(Array(1...100), on: connection, SpaceReserve(ofStore: path, size: 0))
            } else {
                var filter = RecordFilter()
                filter.narrow(by: .field(.session, "confidential"))
                #expect(try await command.erase(filter) == 100)
            }
            let remains = await command.erasureRemains()
            #expect(remains?.contains("A collector that has the store open tries again") == true)
        }
        #expect(try directory.files(holding: "confidential") != [])
        #expect(try await SQLiteStore(path: path, access: .readOnly).erasureRemains() != nil)
        try other.execute("COMMIT")
        let next = isOpen ? nil : try open(change)
        let store = try #require(collector ?? next)
        try await eventually("nothing remains") { await store.erasureRemains() == nil }
        #expect(try directory.files(holding: "confidential") == [])
        #expect(
            try SQLiteFile(path + "-index").text("SELECT count(*) FROM sessions WHERE session = 'confidential'") == "0")
        await store.close()
    }

    @Test("An erasure ends Daybook's own long readers") func erasureEndsReaders() async throws {
        let store = try open { $0.patience = .milliseconds(1) }
        try await store.append(rows(100, "confidential"))
        // Readers that come back at once are no obstacle: the one with the older snapshot has ended.
        let readers = Task { [store] in
            var messages: [String] = []
            while !Task.isCancelled {
                do {
                    _ = try await store.query(Self.endless, limits: Self.minute)
                } catch {
                    messages.append("\(error)")
                }
            }
            return messages
        }
        var filter = RecordFilter()
        filter.narrow(by: .field(.session, "confidential"))
        #expect(try await store.erase(filter) == 100)
        #expect(await store.erasureRemains() == nil)
        #expect(try directory.files(holding: "confidential") == [])
        readers.cancel()
        for message in await readers.value where !message.contains("cancelled") {
            #expect(message.contains("write-ahead log"))
        }
    }

    @Test("The mark of a dead process does not end readers") func ignoresStaleMark() async throws {
        let store = try open { $0.patience = .milliseconds(1) }
        try await store.append(rows(1, "a"))
        let log = WriteAheadLog(ofStore: path)
        #expect(!log.isHeldUp)
        log.mark(isEmptied: true)
        #expect(log.isHeldUp)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: WriteAheadLog.markPath(ofStore: path))
        #expect(!log.isHeldUp)
        _ = try open { _ in }
        #expect(!FileManager.default.fileExists(atPath: WriteAheadLog.markPath(ofStore: path)))
    }

    private static func readings(_ store: SQLiteStore) -> [@Sendable () async throws -> Void] {
        [
            { _ = try await store.slice(RecordQuery()) },
            { _ = try await store.query("SELECT 1", limits: QueryLimits()) },
        ]
    }

    @Test("Readers wait while the log is emptied") func readersAwaitCheckpoint() async throws {
        let store = try open { $0.patience = .seconds(60) }
        try await store.append(rows(1, "a"))
        let (log, mark) = (WriteAheadLog(ofStore: path), WriteAheadLog.markPath(ofStore: path))
        log.mark(isEmptied: true)
        let waiting = Self.readings(store).map { reading in
            Task {
                try await reading()
                return FileManager.default.fileExists(atPath: mark)
            }
        }
        #expect(try await store.head() == 1)
        try await store.append(rows(1, "b"))
        log.mark(isEmptied: false)
        for reading in waiting { #expect(try await reading.value == false) }
    }

    @Test("Readers stop waiting for a checkpoint after a time limit") func readersStopWaiting() async throws {
        let store = try open { $0.patience = .milliseconds(1) }
        WriteAheadLog(ofStore: path).mark(isEmptied: true)
        for reading in Self.readings(store) { try await reading() }
        // Nobody has ended the wait.
        #expect(FileManager.default.fileExists(atPath: WriteAheadLog.markPath(ofStore: path)))
    }

    @Test("Gives up emptying a log that another program holds") func stopsAwaitingForeignReader() async throws {
        let limit = 256 << 10
        let store = try open { ($0.bytes, $0.patience, $0.pause) = (limit, .milliseconds(1), .milliseconds(10)) }
        try await store.append(rows(1, "a"))
        let log = WriteAheadLog(ofStore: path)
        let other = try SQLiteFile(path)
        try other.execute("BEGIN; SELECT count(*) FROM stored_records")
        let mark = WriteAheadLog.markPath(ofStore: path)
        while log.bytes <= 2 * limit { try await store.append(rows(100, String(repeating: "x", count: 1_000))) }
        try await eventually("it is tried") { FileManager.default.fileExists(atPath: mark) }
        try await eventually("it is given up") { !FileManager.default.fileExists(atPath: mark) }
        for number in 0..<50 {
            try await store.append(rows(1, "b \(number)"))
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
        #expect(log.bytes > 2 * limit)
        try other.execute("COMMIT")
        let mover = try LogMover(ofStore: path, log, FileWatch(ofStore: path))
        try await eventually("the log begins anew") {
            try await store.append(rows(1, "c"))
            return await mover.move().map { $0.pages < 100 } ?? false
        }
        #expect(log.bytes == 2 * limit)
    }

    @Test("Empties the log despite an endless stream of readers") func emptiesBusyLog() async throws {
        let limit = 256 << 10
        let store = try open { ($0.bytes, $0.patience, $0.pause) = (limit, .milliseconds(1), .milliseconds(10)) }
        try await store.append(rows(1, "a"))
        let log = WriteAheadLog(ofStore: path)
        let mover = try LogMover(ofStore: path, log, FileWatch(ofStore: path))
        let readers = (0..<2).map { _ in
            Task { [store] in
                while !Task.isCancelled { _ = try? await store.query(Self.endless, limits: Self.minute) }
            }
        }
        let page = 4_096 + 24
        for _ in 1...3 {
            while await store.diskUse()?.log ?? 0 <= limit {
                try await store.append(rows(100, String(repeating: "x", count: 1_000)))
            }
            try await eventually("the log is empty") {
                try await store.append(rows(1, "a"))
                return await mover.move().map { $0.pages * page < limit } ?? false
            }
        }
        for reader in readers { reader.cancel() }
    }
}
