import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// Copies of a store that diverge, and the index of one beside the records of another: searches match the records,
/// whichever is ahead, and erasing leaves nothing.
@Suite(.temporaryDirectory) struct IndexHistoryTests {
    private let directory = TemporaryDirectory.current
    private static let words = ["wombat", "giraffe", "zebra"]

    private func path(_ name: String) -> String { directory.file(name + ".sqlite") }

    /// Appends, erases and completes extents in random order; every message contains the word.
    private func goOn(_ name: String, _ word: String, _ random: inout SeededGenerator) async throws {
        let store = try SQLiteStore(path: path(name))
        let file = try SQLiteFile(path(name))
        for step in 0..<Int.random(in: 2...6, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                // The next record arrives after the current extent.
                try file.execute("UPDATE arrivals SET last = (max(last, 1) / 32768 + 1) * 32768")
            case 1:
                await store.settleIndex()
                var filter = RecordFilter()
                filter.narrow(by: .field(.session, "s\(Int.random(in: 0..<8, using: &random))"))
                try await store.erase(filter)
            default: break
            }
            let number = Int.random(in: 0..<1_000_000, using: &random)
            let rows = (0..<Int.random(in: 1...40, using: &random)).map { place in
                RecordRow.sample(number + place, message: "\(word) \(step)", session: "s\(place % 8)")
            }
            try await store.append(RecordBatch(rows: rows))
        }
        await store.settleIndex()
        await store.close()
    }

    private func count(_ path: String, _ access: StoreAccess) async throws -> [Int] {
        let store = try SQLiteStore(path: path, access: access)
        var counts: [Int] = []
        for settles in access == .readOnly ? [false] : [false, true] {
            if settles { await store.settleIndex() }
            for word in Self.words {
                let found = try await store.uids { query in
                    query.narrow(by: .text(word))
                    query.limit = 1_000
                }
                counts.append(found.count)
            }
        }
        return counts
    }

    /// A store's file beside another store's index.
    private func put(_ store: String, indexOf other: String?) throws -> String {
        let path = path("put-\(store)-\(other ?? "none")")
        for suffix in ["", "-wal", "-shm", "-index", "-index-wal", "-index-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try SQLiteFile(self.path(store)).execute("VACUUM INTO '\(path)'")
        if let other { try SQLiteFile(self.path(other) + "-index").execute("VACUUM INTO '\(path)-index'") }
        return path
    }

    @Test("Does not trust an index that belongs to another copy", arguments: TestLength.isLong ? 1...60 : 1...8)
    func distrustsForeignIndex(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        try await goOn("a", "wombat", &random)
        try await SQLiteStore(path: path("a"), access: .readOnly).backUp(to: path("b"))
        try await SQLiteStore(path: path("a"), access: .readOnly).backUp(to: path("old"))
        if Bool.random(using: &random) {
            try FileManager.default.copyItem(atPath: path("a") + "-index", toPath: path("b") + "-index")
        }
        try await goOn("a", "giraffe", &random)
        try await goOn("b", "zebra", &random)
        for (store, index) in [("a", "b"), ("b", "a"), ("old", "a"), ("a", "a")] {
            let truth = try await count(put(store, indexOf: nil), .readOnly)
            let put = try put(store, indexOf: index)
            #expect(try await count(put, .readOnly) == truth, "\(store) with the index of \(index)")
            let damages = try await Self.damages(put)
            #expect(!damages.contains { $0.contains("not what was") }, "\(damages)")
            if store == index { #expect(damages == []) }
            #expect(try await count(put, .readWrite) == truth + truth, "\(store) with the index of \(index)")
            let opened = try SQLiteStore(path: put)
            for word in Self.words {
                var filter = RecordFilter()
                filter.narrow(by: .text(word))
                try await opened.erase(filter)
            }
            let left = try await opened.query("SELECT count(*) FROM records", limits: .init())
            #expect(left.rows == [[.integer(0)]])
            await opened.settleIndex()
            await opened.close()
            #expect(try await Self.damages(put) == [])
            // Nor does any file hold what the other copy's records say.
            #expect(try SQLiteFile(put + "-index").text("SELECT count(*) FROM facets") == "0")
        }
    }

    private static func damages(_ path: String) async throws -> [String] {
        let found = Mutex<[String]>([])
        try await SQLiteStore(path: path, access: .readOnly).check { damage in found.withLock { $0.append(damage) } }
        return found.withLock { $0 }
    }

    @Test("Both the check and opening the store report a foreign index") func reportsForeignIndex() async throws {
        var stores: [String] = []
        for word in ["base", "left", "right"] {
            if word != "base" { try await SQLiteStore(path: path("base"), access: .readOnly).backUp(to: path(word)) }
            let store = try SQLiteStore(path: path(word))
            try await store.append(RecordBatch(rows: (1...50).map { .sample($0, message: word) }))
            if word != "base" {
                try SQLiteFile(path(word)).completeExtent()
                try await store.append(RecordBatch(rows: [.sample(99)]))
            }
            await store.settleIndex()
            await store.close()
            stores.append(word)
        }
        let put = try put("left", indexOf: "right")
        let damages = try await Self.damages(put)
        #expect(damages.count == 1 && damages[0].contains("is not of this store as it is: 1 of 1 extents"))
        let store = try SQLiteStore(path: put)
        #expect(await store.notices().contains { $0.contains("1 of 1 extents are not of the records") })
        #expect(await store.notices() == [])
        await store.settleIndex()
        #expect(try await Self.damages(put) == [])
    }

    @Test("Removes foreign extents first, then rebuilds the oldest") func ordersIndexDuties() {
        let (a, b) = (ExtentSeals.State(seal: 1, version: 0), ExtentSeals.State(seal: 1, version: 7))
        #expect(IndexDuty.next(sealed: [:], indexed: [:]) == nil)
        #expect(IndexDuty.next(sealed: [0: a, 2: a], indexed: [0: a, 2: a]) == nil)
        #expect(IndexDuty.next(sealed: [0: a, 2: b], indexed: [0: a, 2: a]) == .gather(2, b))
        #expect(IndexDuty.next(sealed: [3: a, 1: b], indexed: [:]) == .gather(1, b))
        #expect(IndexDuty.next(sealed: [0: b], indexed: [0: a, -4: a, .max: a]) == .remove(-4))
    }

    /// Two processes build the same extent of an index, their steps interleaved.
    @Test("Two concurrent index writers leave one complete extent", arguments: TestLength.isLong ? 1...40 : 1...4)
    func indexWritersDoNotClash(seed: Int) async throws {
        let path = path("two")
        do {
            let store = try SQLiteStore(path: path)
            let rows = (1...400).map {
                RecordRow.sample($0, message: "word\($0 * 7_919) of \($0)", session: "s\($0 % 9)")
            }
            try await store.append(RecordBatch(rows: rows))
            try SQLiteFile(path).completeExtent()
            try await store.append(RecordBatch(rows: [.sample(99)]))
            await store.settleIndex()
            await store.close()
        }
        let expected = try SQLiteFile(path + "-index").text("SELECT content FROM segments")
        try SQLiteFile(path + "-index").execute("DELETE FROM segments; DELETE FROM facets")
        let records = try SQLiteConnection(path: path, access: .readOnly)
        let seal = try #require(try ExtentSeals("seals", records).states[0])
        let identity = try #require(try SQLiteFile(path).text("SELECT store FROM identity"))
        var extent = ExtentReader(extent: 0, seal: seal, StoreKey(identity: identity).ofColumns)
        while try !extent.step(records) {}
        let connections = try (0..<2).map { _ in try IndexSchema.open(ofStore: path, identity: identity) { _ in } }
        for connection in connections { try connection.execute("PRAGMA busy_timeout = 0") }
        var writers = [extent.writer, extent.writer]
        var isDone = [false, false]
        var random = SeededGenerator(seed: UInt64(seed))
        var locked = 0
        while isDone.contains(false) {
            let writer = Int.random(in: 0...1, using: &random)
            if isDone[writer] { continue }
            do throws(StoreError) {
                isDone[writer] = try writers[writer].step(connections[writer])
            } catch {
                #expect(error.isLocked)
                locked += 1
                connections[writer].rollBack()
                writers[writer] = extent.writer
            }
            // A concurrent reader sees the whole extent or none of it.
            let reader = try SQLiteConnection(path: path + "-index", access: .readOnly)
            let marks = try reader.integer("SELECT count(*) FROM segments JOIN facets USING (segment)") ?? 0
            #expect(marks == 0 || isDone.contains(true))
        }
        #expect(try SQLiteFile(path + "-index").text("SELECT content FROM segments") == expected)
        #expect(try ExtentContent.checksum(of: 0, connections[0]).description == expected)
    }
}
