import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

@Suite(.temporaryDirectory) struct StoreCheckTests {
    private static let files = ["store.sqlite", "store.sqlite-index"]
    private static let count = 300

    private let directory = TemporaryDirectory.current

    private final class Found: Sendable {
        let damages = Mutex<[String]>([])
    }

    private static func row(_ number: Int) -> RecordRow {
        var row = RecordRow(
            uid: "u-\(number)", time: Int64(number) * 1_000_000_000, kind: .event, level: 9, tag: "a.b\(number % 5)",
            attributes: #"{"number":\#(number),"text":"needle \#(number % 7)"}"#,
            context: #"{"service.version":"\#(number % 3)","long":"\#(String(repeating: "c", count: 80))"}"#)
        row.session = "s-\(number % 10)"
        (row.file, row.function, row.line, row.duration) = ("File.swift", "f()", number, Int64(number))
        return row
    }

    /// A store whose first extent is complete, so that its records have a checksum.
    private static func make(in directory: String) async throws -> [String: Data] {
        let path = directory + "/store.sqlite"
        let store = try SQLiteStore(path: path)
        try await store.append(RecordBatch(rows: (1...count).map(row)))
        try SQLiteFile(path).completeExtent()
        try await store.append(RecordBatch(rows: [row(count + 1)]))
        await store.settleIndex()
        await store.close()
        return try files.reduce(into: [:]) { whole, name in
            let copy = directory + "/whole-" + name
            try SQLiteFile(directory + "/" + name).execute("VACUUM INTO '\(copy)'")
            whole[name] = try Data(contentsOf: URL(fileURLWithPath: copy))
        }
    }

    /// The report of a check of these files.
    private static func check(_ contents: [String: Data], in directory: String) async -> [String] {
        let found = Found()
        do {
            try? FileManager.default.removeItem(atPath: directory)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            for (name, data) in contents { try data.write(to: URL(fileURLWithPath: directory + "/" + name)) }
            try await SQLiteStore(path: directory + "/store.sqlite", access: .readOnly)
                .check { damage in found.damages.withLock { $0.append(damage) } }
        } catch {
            return ["\(error)"]
        }
        return found.damages.withLock { $0 }
    }

    /// The extent's records for a reader: all of them, and those that a search finds by the index.
    private static func answers(in directory: String) async throws -> [[StoredRecord]] {
        let store = try SQLiteStore(path: directory + "/store.sqlite", access: .readOnly)
        var query = RecordQuery()
        (query.limit, query.before, query.order) = (1_000, IndexExtent.size, .oldestFirst)
        let all = try await store.page(query)
        query.filter.narrow(by: .text("needle 3"))
        let found = try await store.page(query)
        query.filter = RecordFilter()
        query.filter.narrow(by: .field(.session, "s-4"))
        return [all, found, try await store.page(query)]
    }

    @Test("The check finds no damage in an intact store") func intactStorePassesCheck() async throws {
        let whole = try await Self.make(in: directory.path)
        #expect(await Self.check(whole, in: directory.file("copy")) == [])
        let answers = try await Self.answers(in: directory.file("copy"))
        #expect(answers.map(\.count) == [300, 43, 30])
    }

    @Test("The check reports a flipped bit unless it is harmless") func checkFindsFlippedBits() async throws {
        let whole = try await Self.make(in: directory.path)
        let copy = directory.file("copy")
        _ = await Self.check(whole, in: copy)
        let expected = try await Self.answers(in: copy)
        var random = SeededGenerator(seed: 7)
        var said = 0
        for _ in 1...TestLength.trials(120, long: 3_000) {
            let name = Self.files[Int.random(in: 0...2, using: &random) / 2]
            var flipped = whole
            let place = Int.random(in: 0..<(whole[name]?.count ?? 1), using: &random)
            let bit = UInt8(1) << UInt8.random(in: 0...7, using: &random)
            flipped[name]?[place] ^= bit
            if await !Self.check(flipped, in: copy).isEmpty {
                said += 1
                continue
            }
            let answers = try? await Self.answers(in: copy)
            #expect(answers == expected, "\(name), byte \(place), bit \(bit)")
        }
        #expect(said > 20)
    }

    /// Every column, and contexts that records share: the checksum covers all.
    @Test("The check reports a changed cell in any column", arguments: RecordColumn.allCases.dropFirst().map(\.name))
    func checkFindsChangedCells(column: String) async throws {
        _ = try await Self.make(in: directory.path)
        let path = directory.file("store.sqlite")
        let value = ["time", "level", "duration", "line"].contains(column) ? "4711" : "'{}'"
        try SQLiteFile(path).execute("UPDATE stored_records SET \(column) = \(value) WHERE id = 100")
        let found = Found()
        try await SQLiteStore(path: path, access: .readOnly).check { damage in
            found.damages.withLock { $0.append(damage) }
        }
        #expect(found.damages.withLock { $0 }.contains { $0.contains("records 0 to 32767 are not what was stored") })
    }

    @Test("The check finds no damage after an erasure") func erasedStorePassesCheck() async throws {
        _ = try await Self.make(in: directory.path)
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        var filter = RecordFilter()
        filter.narrow(by: .field(.session, "s-4"))
        try await store.erase(filter)
        let found = Found()
        for resting in [0, 1] {
            try await store.check(resting: resting) { damage in found.damages.withLock { $0.append(damage) } }
            await store.settleIndex()
        }
        #expect(found.damages.withLock { $0 } == [])
    }
}
