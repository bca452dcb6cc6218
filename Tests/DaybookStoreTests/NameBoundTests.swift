import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookDatabases
@testable import DaybookStore

/// However many names senders invent, the list of tags and versions is bounded on writing, the rest is counted, and
/// every record is stored.
@Suite(.temporaryDirectory) struct NameBoundTests {
    /// How senders invent names.
    enum Shape: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case versions, tags, kinds, both, withoutVersion, long, again

        var testDescription: String { rawValue }

        func row(_ number: Int) -> RecordRow {
            let isTagged = self != .versions && self != .again
            let tag =
                isTagged ? "t\(number)" + (self == .long ? String(repeating: "x", count: 1_500) : "") : "app.started"
            let kind: Kind = self == .kinds ? [.event, .error, .message][number % 3] : .event
            let version = self == .again ? number % 60 : self == .tags ? 1 : number
            return .sample(number, tag: tag, kind: kind).with {
                if self != .withoutVersion { $0.context = #"{"service.version":"9.\#(version)"}"# }
            }
        }
    }

    private static let bound = NameBound(most: 40)
    /// How many records have invented names, and how many a regular one.
    private static let (flood, used) = (400, 30)

    /// The whole list, and its count of the rest.
    private func list(_ store: any EventStore) async throws -> (summaries: [TagSummary], unlisted: UnlistedNames) {
        var page = try await store.tagSummaries(after: nil)
        var summaries = page.summaries
        while let next = page.next {
            page = try await store.tagSummaries(after: next)
            summaries += page.summaries
        }
        return (summaries, page.unlisted)
    }

    private func check(_ store: any EventStore, _ shape: Shape) async throws {
        func isUsed(_ summary: TagSummary) -> Bool { summary.tag == "feed.show" && summary.version == "4.12.0" }
        let used = (0..<Self.used).map { number in
            RecordRow.sample(10_000 + number, tag: "feed.show").with { $0.context = #"{"service.version":"4.12.0"}"# }
        }
        try await store.append(RecordBatch(rows: used))
        for start in stride(from: 0, to: Self.flood, by: 7) {
            try await store.append(RecordBatch(rows: (start..<min(start + 7, Self.flood)).map(shape.row)))
            let (summaries, unlisted) = try await list(store)
            // A tenth more before rows are recounted, one commit, and a row without a version for each fold.
            #expect(summaries.count <= Self.bound.most + Self.bound.most / 10 + 7, "\(shape)")
            let stored = Int64(Self.used + min(start + 7, Self.flood))
            #expect(summaries.reduce(0) { $0 + $1.count } + unlisted.tags == stored, "\(shape)")
            #expect(summaries.first(where: isUsed)?.count == Int64(Self.used), "\(shape)")
        }
        let (summaries, unlisted) = try await list(store)
        #expect(!unlisted.isEmpty && (shape != .versions || unlisted.tags == 0), "\(unlisted)")
        #expect(summaries.allSatisfy { !$0.kind.isEmpty && $0.tag.utf8.count <= AnswerBounds.nameBytes })
        if shape == .versions {
            // Versions that are no longer told apart count for their tag.
            let of = summaries.filter { $0.tag == "app.started" }
            #expect(of.reduce(0) { $0 + $1.count } == Int64(Self.flood))
            #expect(of.first { $0.version == nil }?.count == unlisted.versions)
        }
        var query = RecordQuery()
        query.limit = 1_000
        #expect(try await store.page(query).count == Self.used + Self.flood)
        // Erasing subtracts where the record is counted now.
        query.filter.narrow(by: .tag(shape.row(0).tag))
        let gone = try await store.page(query).count
        try await store.erase(query.filter)
        let rest = try await list(store)
        #expect(rest.summaries.allSatisfy { $0.count >= 0 })
        #expect(rest.summaries.first(where: isUsed)?.count == Int64(Self.used))
        if shape == .versions || shape == .again {
            #expect(gone == Self.flood && rest.summaries.filter { $0.tag != "feed.show" }.allSatisfy { $0.count == 0 })
        }
    }

    @Test("The memory store limits the number of names", arguments: Shape.allCases) func boundsNamesInMemory(
        shape: Shape
    ) async throws {
        try await check(MemoryStore(names: Self.bound), shape)
    }

    @Test("The SQLite store limits the number of names", arguments: Shape.allCases) func boundsNamesInSQLite(
        shape: Shape
    ) async throws {
        let path = TemporaryDirectory.current.file("store.sqlite")
        let store = try SQLiteStore(
            path: path, access: .readWrite, reserve: 0, bounds: WriteAheadLog.Bounds(), names: Self.bound)
        try await check(store, shape)
        let rows = try SQLiteFile(path).text("SELECT count(*) FROM tags").flatMap { Int($0) } ?? .max
        #expect(rows <= Self.bound.most + Self.bound.most / 10 + 9)
    }

    @Test(
        "The PostgreSQL store limits the number of names",
        .enabled(if: PostgreSQLServer.tools != nil, Comment(rawValue: PostgreSQLServer.absence)),
        arguments: Shape.allCases)
    func boundsNamesInPostgreSQL(shape: Shape) async throws {
        let store = try await offPool {
            try PostgreSQLStore(address: PostgreSQLServer.shared.get().makeDatabase(), names: Self.bound)
        }
        try await check(store, shape)
    }

    /// ClickHouse counts in a view: reading is bounded instead.
    @Test(
        "Reading the names from ClickHouse is limited",
        .enabled(if: ClickHouseCluster.program != nil, Comment(rawValue: ClickHouseCluster.absence)))
    func boundsNamesInClickHouse() async throws {
        let store = try await offPool {
            try ClickHouseStore(address: ClickHouseCluster.shared.get().makeDatabase(), names: Self.bound)
        }
        try await store.append(RecordBatch(rows: (0..<100).map { Shape.both.row($0 % 70) }))
        let (summaries, unlisted) = try await list(store)
        // Names of two records come first.
        #expect(summaries.count == 40 && summaries.reduce(0) { $0 + $1.count } == 70)
        #expect(unlisted.tags == 30)
    }

    /// Counting the rows at each commit would be expensive.
    @Test("Counts the stored names only once in many commits") func countsNamesSeldom() {
        var bound = NameBound(most: 1_000)
        let counted = [1] + Array(repeating: 1, count: 100) + [100, 99, 1]
        let looks = counted.map { bound.mustCount(adding: $0) }
        #expect(looks.indices.filter { looks[$0] } == [0, 100, 101, 103])
    }
}
