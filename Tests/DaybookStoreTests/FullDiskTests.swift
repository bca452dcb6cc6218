import DaybookCollector
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Erasing without a free byte, and the reserve file that makes it possible.
@Suite(.temporaryDirectory) struct FullDiskTests {
    private let directory = TemporaryDirectory.current
    private static let installations = 4

    /// Records of four people in turn, each with their own secret.
    private static func rows(_ numbers: ClosedRange<Int>, bytes: Int) -> [RecordRow] {
        numbers.map { number in
            RecordRow.sample(number, message: String(repeating: "secret\(number % installations).", count: bytes / 8))
                .with { $0.installation = "i\(number % installations)" }
        }
    }

    private func filter(_ person: Int) -> RecordFilter {
        var filter = RecordFilter()
        filter.narrow(by: .field(.installation, "i\(person)"))
        return filter
    }

    @Test(
        "Erases a person's records on a full disk",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"), arguments: [200, 24_000])
    func erasesOnFullDisk(bytesOfARecord: Int) async throws {
        let disk = try #require(TinyDisk(kibibytes: 64 << 10))
        let store = try SQLiteStore(path: disk.path + "/store.sqlite", reserve: 20 << 20)
        // The latest records are only in the log: the file has yet to grow by them.
        try await store.append(RecordBatch(rows: Self.rows(1...600, bytes: bytesOfARecord)))
        disk.fill()
        #expect(await store.diskUse()?.free == 0)
        for person in 0..<2 {
            #expect(try await store.erase(filter(person)) == 150)
            #expect(try TemporaryDirectory.files(of: disk.path, holding: "secret\(person).") == [])
        }
        let left = try await store.query("SELECT count(*) FROM records", limits: .init())
        #expect(left.rows == [[.integer(300)]])
        // Space freed by the erasure takes new records, though the disk is still full.
        #expect(try await store.append(RecordBatch(rows: Self.rows(601...650, bytes: 200))).stored == 50)
        disk.free()
        #expect(try await store.erase(filter(2)) > 150)
        #expect(FileManager.default.fileExists(atPath: disk.path + "/store.sqlite-reserve"))
    }

    /// A starting collector creates its views first and runs retention afterwards.
    @Test(
        "Creates views on a full disk and can still erase",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func createsViewsOnFullDisk() async throws {
        let disk = try #require(TinyDisk(kibibytes: 64 << 10))
        let store = try SQLiteStore(path: disk.path + "/store.sqlite", reserve: 20 << 20)
        try await store.append(RecordBatch(rows: Self.rows(1...600, bytes: 2_000)))
        disk.fill()
        let view = StoreView(name: "seen", statement: "CREATE VIEW seen AS SELECT id AS \"_id\", tag FROM records")
        try await store.createViews([view])
        #expect(try await store.query("SELECT count(*) FROM seen", limits: .init()).rows == [[.integer(600)]])
        #expect(try await store.erase(filter(0)) == 150)
        #expect(try await store.tagSummaries(after: nil).summaries.map(\.count) == [450])
    }

    @Test(
        "Erases in pieces when the reserve is too small for one transaction",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func erasesInPieces() async throws {
        let disk = try #require(TinyDisk(kibibytes: 40 << 10))
        // An eighth of what one transaction over all records would write.
        let store = try SQLiteStore(path: disk.path + "/store.sqlite", reserve: 1 << 20)
        try await store.append(RecordBatch(rows: Self.rows(1...400, bytes: 20_000)))
        // The file has grown, and the log is empty.
        #expect(try await store.erase(filter(0)) == 100)
        disk.fill()
        var rest = RecordFilter()
        rest.narrow(by: .tag("recipe.**"))
        #expect(try await store.erase(rest) == 300)
        #expect(try TemporaryDirectory.files(of: disk.path, holding: "secret") == [])
    }

    @Test(
        "Opens a stopped store on a full disk and erases from it",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func reopensOnFullDisk() async throws {
        let disk = try #require(TinyDisk(kibibytes: 24 << 10))
        let path = disk.path + "/store.sqlite"
        do {
            let store = try SQLiteStore(path: path, reserve: 4 << 20)
            try await store.append(RecordBatch(rows: Self.rows(1...400, bytes: 200)))
            await store.close()
        }
        // As after a reboot.
        for suffix in ["-wal", "-shm", "-index-wal", "-index-shm"] { unlink(path + suffix) }
        disk.fill()
        #expect(try await SQLiteStore(path: path, access: .readOnly, reserve: 4 << 20).head() == 400)
        disk.fill()
        // Kept open until its files are read: closing removes some of them.
        let store = try SQLiteStore(path: path, reserve: 4 << 20)
        #expect(try await store.erase(filter(1)) == 100)
        #expect(try TemporaryDirectory.files(of: disk.path, holding: "secret1.") == [])
        await store.close()
    }

    @Test(
        "Without a reserve, erasing on a full disk fails and changes nothing",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func reportsFullDisk() async throws {
        let disk = try #require(TinyDisk(kibibytes: 16 << 10))
        let store = try SQLiteStore(path: disk.path + "/store.sqlite", reserve: 0)
        try await store.append(RecordBatch(rows: Self.rows(1...400, bytes: 200)))
        disk.fill()
        let error = await #expect(throws: StoreError.self) { try await store.erase(filter(0)) }
        #expect(error?.message.contains("The disk is full") == true)
        let left = try await store.query("SELECT count(*) FROM records", limits: .init())
        #expect(left.rows == [[.integer(400)]])
        disk.free()
        #expect(try await store.erase(filter(0)) == 100)
    }

    @Test(
        "Creates no reserve that would use up the disk",
        .enabled(if: FullDiskTrials.isPossible, "making a small disk needs root"))
    func skipsCostlyReserve() throws {
        let disk = try #require(TinyDisk(kibibytes: 4 << 10))
        let path = disk.path + "/store.sqlite"
        _ = try SQLiteStore(path: path, reserve: 3 << 20)
        #expect(!FileManager.default.fileExists(atPath: path + "-reserve"))
        _ = try SQLiteStore(path: path, reserve: 1 << 20)
        #expect(FileManager.default.fileExists(atPath: path + "-reserve"))
    }

    @Test("Only a store opened with a reserve has a reserve file") func createsReserveOnRequest() async throws {
        let (path, reserve) = (directory.file("store.sqlite"), directory.file("store.sqlite-reserve"))
        try await SQLiteStore(path: path).append(RecordBatch(rows: Self.rows(1...4, bytes: 200)))
        #expect(!FileManager.default.fileExists(atPath: reserve))
        _ = try SQLiteStore(path: path, access: .readOnly)
        #expect(!FileManager.default.fileExists(atPath: reserve))
        let store = try SQLiteStore(path: path, reserve: SQLiteStore.defaultReserve)
        let attributes = try FileManager.default.attributesOfItem(atPath: reserve)
        #expect(attributes[.size] as? Int == SQLiteStore.defaultReserve)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try await store.erase(filter(1)) == 1)
        #expect(FileManager.default.fileExists(atPath: reserve))
    }

    @Test("Reports the disk space that a store uses") func measuresDiskUse() async throws {
        let store = try SQLiteStore(path: directory.file("store.sqlite"), reserve: 1 << 20)
        let before = try #require(await store.diskUse())
        #expect(before.files > 1 << 20 && before.free > 0)
        try await store.append(RecordBatch(rows: Self.rows(1...400, bytes: 2_000)))
        #expect(try #require(await store.diskUse()).files >= before.files + 800_000)
        var text = PrometheusText()
        await StreamMetrics(of: ObservedStore(store) { _ in }, reasons: ["disk_limit"]).write(to: &text)
        #expect(text.text.contains("\n# TYPE daybook_store_bytes gauge\ndaybook_store_bytes "))
        #expect(text.text.contains("\ndaybook_store_disk_free_bytes "))
        #expect(text.text.contains("\ndaybook_stream_lost_records_total{reason=\"disk_limit\",proven=\"true\"} 0\n"))
        var memory = PrometheusText()
        await StreamMetrics(of: MemoryStore()).write(to: &memory)
        #expect(!memory.text.contains("_bytes") && !memory.text.contains("_timestamp_"))
    }

    @Test("Metrics report the times of the oldest and newest record") func measuresRecordAge() async throws {
        let store = MemoryStore()
        let times: [Int64] = [1_800_000_000_500_000_000, 1_795_168_931_999_999_999, 1_797_000_000_000_000_000]
        try await store.append(
            RecordBatch(rows: times.enumerated().map { place, time in RecordRow.sample(place).with { $0.time = time } })
        )
        var text = PrometheusText()
        await StreamMetrics(of: store, now: times[0]).write(to: &text)
        #expect(text.text.contains("\ndaybook_store_oldest_record_timestamp_seconds 1795168931\n"))
        #expect(text.text.contains("\ndaybook_store_newest_record_timestamp_seconds 1800000000\n"))
        // Times years ahead or never set do not count; times hours ahead count as now.
        for time: Int64 in [.min, 0, .max, times[0] + 3_600_000_000_000] {
            try await store.append(RecordBatch(rows: [RecordRow.sample(9).with { $0.time = time }]))
        }
        var later = PrometheusText()
        await StreamMetrics(of: store, now: times[0]).write(to: &later)
        #expect(later.text.contains("\ndaybook_store_oldest_record_timestamp_seconds 1795168931\n"))
        #expect(later.text.contains("\ndaybook_store_newest_record_timestamp_seconds 1800000000\n"))
    }

    /// A record dated ahead counts as of its arrival, even after its own time has come and nothing more arrives.
    @Test(
        "Records dated ahead do not move the newest time past arrival",
        arguments: [1, 59, 3_600, 72_000, 86_399] as [Int64])
    func ignoresFutureTimes(ahead: Int64) async throws {
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        let arrived: Int64 = 1_900_000_000
        let rows = [arrived - 259_200, arrived + ahead].enumerated().map { place, time in
            RecordRow.sample(place).with { $0.time = time * 1_000_000_000 }
        }
        var batch = RecordBatch(rows: rows)
        batch.arrived = arrived * 1_000_000_000
        try await store.append(batch)
        for later: Int64 in [0, 6, 600, 72_000, 172_800] {
            var text = PrometheusText()
            await StreamMetrics(of: store, now: (arrived + later) * 1_000_000_000).write(to: &text)
            let name = "daybook_store_newest_record_timestamp_seconds"
            let line = text.text.split(separator: "\n").first { $0.hasPrefix(name) }
            let seconds = try #require(line.flatMap { Int64($0.dropFirst(name.count + 1)) })
            #expect(seconds >= arrived - 60 && seconds <= arrived + 60, "\(ahead) ahead, \(later) later: \(seconds)")
        }
    }
}
