import CStoreFile
import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Erased values remain in no page, wherever SQLite moved them before.
@Suite(.temporaryDirectory) struct ErasedValuesTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    private static func mark(_ person: Int) -> String { "mark-of-\(person)-" }

    private static func record(_ number: Int, of person: Int, _ random: inout SeededGenerator) -> RecordRow {
        var row = RecordRow(
            uid: "u-\(number)", time: Int64(number) * 1_000, kind: .event, level: 9, tag: "a.b",
            attributes: #"{"email":"\#(mark(person))\#(number)@example.com"}"#)
        row.message = mark(person) + String(repeating: "x", count: Int.random(in: 0...1_500, using: &random))
        row.installation = mark(person)
        row.session = mark(person) + String(Int.random(in: 0...3, using: &random))
        row.context = #"{"user":"\#(mark(person))\#(Int.random(in: 0...50, using: &random))"}"#
        return row
    }

    /// Erasing people one after another merges pages; what stays is erased later.
    @Test("Erasing people one by one leaves no trace in any file", arguments: 1...6) func erasureLeavesNoTrace(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try SQLiteStore(path: path)
        let people = Int.random(in: 2...6, using: &random)
        var counts = [Int](repeating: 0, count: people)
        for batch in 0..<4 {
            let rows = (0..<500).map { number in
                // Some have most of the records.
                let person = Int.random(in: 0..<people, using: &random) * Int.random(in: 0...1, using: &random)
                counts[person] += 1
                return Self.record(batch * 500 + number, of: person, &random)
            }
            try await store.append(RecordBatch(rows: rows))
        }
        for person in (0..<people).shuffled(using: &random) {
            var filter = RecordFilter()
            filter.narrow(by: .field(.installation, Self.mark(person)))
            #expect(try await store.erase(filter) == counts[person])
            #expect(await store.erasureRemains() == nil)
            #expect(try directory.files(holding: Self.mark(person)) == [])
        }
        await store.close()
        #expect(try SQLiteFile(path).text("PRAGMA integrity_check") == "ok")
    }

    /// Clears each page of a live file, whatever its type, and then checks the file.
    @Test("Clearing free space in every page keeps all live data", arguments: 1...4) func clearingKeepsLiveData(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        do {
            let file = try SQLiteFile(path)
            try file.execute(
                "CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t (b); CREATE TABLE w (k PRIMARY KEY) WITHOUT ROWID"
            )
            for number in 0..<800 {
                let text = "hex(randomblob(\(Int.random(in: 1...3_000, using: &random))))"
                try file.execute(
                    "INSERT INTO t VALUES (\(Int.random(in: 0...1_000_000, using: &random)), \(text)) ON CONFLICT DO NOTHING"
                )
                try file.execute("INSERT INTO w VALUES ('\(number)' || substr(\(text), 1, 900))")
            }
            try file.execute("DELETE FROM t WHERE a % 3 = 0; DELETE FROM w WHERE length(k) % 2 = 0")
        }
        let before = try SQLiteFile(path).text(
            "SELECT hex(sum(length(b))) || count(*) || (SELECT sum(length(k)) FROM w) FROM t")
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let original = bytes
        bytes.withUnsafeMutableBufferPointer { bytes in
            // Within bounds: the file has whole pages.
            for start in stride(from: 0, to: bytes.count, by: 4_096) {
                daybook_store_file_clear_gap(bytes.baseAddress! + start, 4_096, start == 0 ? 1 : 0)
            }
        }
        #expect(bytes != original)
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try SQLiteFile(path).text("PRAGMA integrity_check") == "ok")
        #expect(
            try SQLiteFile(path).text("SELECT hex(sum(length(b))) || count(*) || (SELECT sum(length(k)) FROM w) FROM t")
                == before)
    }

    /// Something that is not a page, or a damaged one, stays as it is or changes within its bounds.
    @Test("Clearing a page of arbitrary bytes stays within bounds") func clearsArbitraryPages() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<20_000 {
            let size = [512, 1_024, 4_096, 65_536].randomElement(using: &random) ?? 512
            var page = [UInt8](repeating: 0, count: size)
            for place in 0..<120 { page[place] = UInt8.random(in: .min ... .max, using: &random) }
            let start = Bool.random(using: &random) ? 100 : 0
            page[start] = [2, 5, 10, 13].randomElement(using: &random) ?? 2
            if Bool.random(using: &random) { page[start + 3] = 0 }
            let head = page[..<(start + 8)]
            // Within bounds: the array has that many bytes.
            page.withUnsafeMutableBufferPointer {
                daybook_store_file_clear_gap($0.baseAddress, Int32(size), start == 0 ? 0 : 1)
            }
            #expect(page[..<(start + 8)] == head)
        }
    }
}
