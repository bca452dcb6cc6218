import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// An import's cost is linear in its records, however many share a time.
@Suite(.temporaryDirectory) struct ImportCostTests {
    private let directory = TemporaryDirectory.current

    /// Thousands of SQLite virtual machine steps to import `count` records.
    private func steps(_ count: Int, time: (Int) -> Int64) throws -> Int {
        let path = directory.file("\(count).sqlite")
        _ = try SQLiteStore(path: path)
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        var steps = 0
        connection.watch {
            steps += 1
            return false
        }
        var stored = 0
        var names = NameBound()
        for start in stride(from: 0, to: count, by: 500) {
            let rows = (start..<start + 500).map { number in RecordRow.sample(number).with { $0.time = time(number) } }
            stored += try SQLiteInsertion.commit([.file(nil, rows)], into: connection, &names)
                .reduce(0) { $0 + $1.stored }
        }
        #expect(stored == count)
        return steps
    }

    @Test("The cost of an import grows linearly with its records", arguments: [1, 2, 100, 1_000_000])
    func importCostIsLinear(times: Int) throws {
        let (few, many) = (
            try steps(2_000) { Int64($0 % times) * 1_000 }, try steps(16_000) { Int64($0 % times) * 1_000 }
        )
        #expect(many < 16 * few, "\(few) thousand steps for 2,000 records, \(many) for 16,000")
    }

    /// Numbers of rolled-back rows are reused for other records.
    @Test("Records of a rolled-back import do not count as stored") func ignoresRolledBackRows() throws {
        _ = try SQLiteStore(path: directory.file("store.sqlite"))
        let connection = try SQLiteConnection(path: directory.file("store.sqlite"), access: .readWrite)
        func rows(_ numbers: Range<Int>) -> [RecordRow] {
            numbers.map { number in .sample(number).with { $0.time = 1 } }
        }
        var names = NameBound()
        func append(_ batches: RecordBatch...) throws -> [Int] {
            try SQLiteInsertion.commit(batches, into: connection, &names).map(\.stored)
        }
        #expect(try append(.file(nil, rows(0..<200))) == [200])
        try SQLiteFile(directory.file("store.sqlite")).execute(
            """
            CREATE TRIGGER fault BEFORE INSERT ON stored_records WHEN NEW.uid = 'uid-999'
            BEGIN SELECT RAISE(ABORT, 'boom'); END
            """)
        // The second batch reads rows of the first, and all are rolled back.
        #expect(throws: CommitFailure.self) {
            try append(.file(nil, rows(200..<400)), .file(nil, rows(300..<450)), .file(nil, rows(999..<1_000)))
        }
        #expect(try append(.file(nil, rows(500..<800))) == [300])
        #expect(try append(.file(nil, rows(0..<900))) == [400])
        #expect(try append(.file(nil, rows(0..<900))) == [0])
    }
}
