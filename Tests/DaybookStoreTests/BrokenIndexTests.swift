import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// Whatever is in the index's place, readers answer from the records, the check ends and reports it, and the writer
/// rebuilds the index without a restart.
@Suite(.temporaryDirectory) struct BrokenIndexTests {
    enum Damage: String, CaseIterable, Sendable {
        case missing, empty, truncated, garbage, noTables, noExtents, aTableLess, older, another, theStore,
            aLinkToTheStore
        case aHardLinkToTheStore, aLinkToNull, aLinkToNothing, aPipe, aFolder, noLog, aDamagedPage

        /// Whether the writer may delete it.
        var isRemovable: Bool { self != .aFolder }
        /// Damage that may go unnoticed while the pages are still in the log.
        var maySayNothing: Bool { self == .noLog || self == .aDamagedPage }

        func put(_ index: String, ofStore store: String) throws {
            let files = FileManager.default
            // A log left with all pages in it would restore the index.
            func remove() { for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: index + suffix) } }
            func file(_ data: Data) throws {
                remove()
                try data.write(to: URL(fileURLWithPath: index))
            }
            func link(_ target: String) throws {
                remove()
                try files.createSymbolicLink(atPath: index, withDestinationPath: target)
            }
            switch self {
            case .missing: remove()
            case .empty: try file(Data())
            case .truncated:
                try? files.removeItem(atPath: index + "-wal")
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: index))
                try handle.truncate(atOffset: 0)
                try handle.close()
            case .garbage: try file(Data(repeating: 0x41, count: 9_000))
            case .noTables: try swap(index) { $0.filter { $0 != "sqlite_schema" }.map { "DROP TABLE \($0)" } }
            case .noExtents: try swap(index) { _ in ["DROP TABLE segments"] }
            case .aTableLess: try swap(index) { _ in ["DROP TABLE marks"] }
            case .older: try swap(index) { _ in ["PRAGMA user_version = 6"] }
            case .another: try swap(index) { _ in ["UPDATE origin SET store = 'another'"] }
            case .theStore:
                remove()
                try SQLiteFile(store).execute("VACUUM INTO '\(index)'")
            case .aLinkToTheStore: try link(store)
            case .aHardLinkToTheStore:
                remove()
                try files.linkItem(atPath: store, toPath: index)
            case .aLinkToNull: try link("/dev/null")
            case .aLinkToNothing: try link(index + "-nowhere")
            case .aPipe:
                remove()
                #expect(mkfifo(index, 0o600) == 0)
            case .aFolder:
                remove()
                try files.createDirectory(atPath: index + "/inner", withIntermediateDirectories: true)
            case .noLog: try? files.removeItem(atPath: index + "-wal")
            case .aDamagedPage:
                try swap(index) { _ in [] }
                var data = try Data(contentsOf: URL(fileURLWithPath: index))
                for place in 4_096..<data.count { data[place] = 0x5A }
                try data.write(to: URL(fileURLWithPath: index))
            }
        }

        /// Replaces the index with a copy that has run other statements.
        private func swap(_ index: String, _ statements: ([String]) -> [String]) throws {
            let copy = index + "-copy"
            try SQLiteFile(index).execute("VACUUM INTO '\(copy)'")
            let tables = ["segments", "marks", "blocks", "minutes", "hours", "facets", "sessions", "origin"]
            for statement in statements(tables) { try SQLiteFile(copy).execute(statement) }
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: index + suffix) }
            try FileManager.default.moveItem(atPath: copy, toPath: index)
        }
    }

    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    private func append(_ numbers: ClosedRange<Int>, to store: SQLiteStore) async throws {
        try await store.append(
            RecordBatch(
                rows: numbers.map {
                    .sample($0, message: $0 % 100 == 7 && $0 != 307 ? "needle" : "hay", session: "s\($0 % 5)")
                }))
    }

    private func make() async throws -> SQLiteStore {
        let store = try SQLiteStore(path: path)
        try await append(1...300, to: store)
        try SQLiteFile(path).completeExtent()
        try await append(301...310, to: store)
        await store.settleIndex()
        return store
    }

    /// Expects correct answers to everything that uses the index.
    private func expectAnswers(of store: SQLiteStore, needles: Int, _ place: String) async throws {
        #expect(try await store.uids { $0.narrow(by: .text("needle")) }.count == needles, "\(place)")
        #expect(try await store.sessions(SessionQuery()).count == 5, "\(place)")
        let facets = try await store.values(FacetQuery(fields: [.session]))
        #expect(facets[.session]?.count == 5, "\(place)")
        var query = HistogramQuery(start: 0, width: 60_000_000_000, count: 2)
        query.filter.narrow(by: .kinds(["event"]))
        #expect(try await !store.counts(query).isEmpty, "\(place)")
    }

    @Test("Answers correctly with an index damaged before the store opens", arguments: Damage.allCases)
    func survivesBrokenIndex(_ damage: Damage) async throws {
        do {
            let store = try await make()
            await store.close()
        }
        try damage.put(path + "-index", ofStore: path)
        let reading = try SQLiteStore(path: path, access: .readOnly)
        try await expectAnswers(of: reading, needles: 3, "read only")
        let damages = try await damagesFound()
        #expect(!damages.isEmpty || damage.maySayNothing, "\(damage)")
        #expect(damages.allSatisfy { $0.contains("-index") }, "\(damages)")
        if !damage.maySayNothing, damage != .missing {
            #expect(await !reading.notices().isEmpty, "\(damage)")
        }
        let store = try SQLiteStore(path: path)
        try await expectAnswers(of: store, needles: 3, "at once")
        await store.settleIndex()
        try await expectAnswers(of: store, needles: 3, "made anew")
        if damage.isRemovable, damage != .aDamagedPage {
            #expect(try await damagesFound() == [])
            #expect(try SQLiteFile(path + "-index").text("SELECT group_concat(segment) FROM segments") == "0")
        }
        if damage == .aFolder { #expect(FileManager.default.fileExists(atPath: path + "-index/inner")) }
        try await expectAnswers(of: reading, needles: 3, "read only, later")
    }

    @Test("Keeps answering when the index is damaged while the store is open", arguments: Damage.allCases)
    func survivesIndexDamageInUse(_ damage: Damage) async throws {
        let store = try await make()
        try await expectAnswers(of: store, needles: 3, "whole")
        let reading = try SQLiteStore(path: path, access: .readOnly)
        try await expectAnswers(of: reading, needles: 3, "whole")
        try damage.put(path + "-index", ofStore: path)
        for turn in 1...2 {
            try await expectAnswers(of: store, needles: 3, "turn \(turn)")
            try await expectAnswers(of: reading, needles: 3, "read only, turn \(turn)")
        }
        _ = try await damagesFound()
        try await append(401...450, to: store)
        await store.settleIndex()
        try await expectAnswers(of: store, needles: 4, "after more")
        await store.settleIndex()
        if damage.isRemovable, damage != .aDamagedPage {
            #expect(try SQLiteFile(path + "-index").text("SELECT group_concat(segment) FROM segments") == "0")
            #expect(try await damagesFound() == [])
        }
        try await expectAnswers(of: reading, needles: 4, "read only, after more")
        #expect(await !store.notices().isEmpty, "\(damage)")
    }

    private func damagesFound() async throws -> [String] {
        let found = Mutex<[String]>([])
        try await SQLiteStore(path: path, access: .readOnly).check { damage in found.withLock { $0.append(damage) } }
        return found.withLock { $0 }
    }
}
