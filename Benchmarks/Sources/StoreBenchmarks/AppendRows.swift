import DaybookStore
import Foundation

/// Appends batches of 512 numbered rows from four tasks at once, as four clients send them.
///
/// Each store gets less than a segment of rows, so that the index has nothing to do yet: the figure is that of appending
/// alone.
struct AppendRows {
    let folder: String

    func run() async throws {
        var times: [(wall: Double, cpu: Double)] = []
        for round in 0..<7 {
            let path = "\(folder)/append-\(round).sqlite"
            defer { for suffix in ["", "-wal", "-shm"] { remove(path, suffix) } }
            let store = try SQLiteStore(path: path)
            var sample = SampleRows()
            let batches = (0..<60).map { number -> RecordBatch in
                let start = UInt64(number / 4 * 512)
                return RecordBatch(
                    origin: .init(stream: "stream-\(number % 4)", after: start, through: start + 512),
                    rows: (1...512).map { place in
                        var row = sample.row()
                        row.sequence = start + UInt64(place)
                        return row
                    })
            }
            let start = ContinuousClock.now
            let work = ProcessTime.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<4 {
                    group.addTask {
                        for number in stride(from: client, to: batches.count, by: 4) {
                            try await store.append(batches[number])
                        }
                    }
                }
                try await group.waitForAll()
            }
            times.append(((ContinuousClock.now - start).seconds, (ProcessTime.now - work) / 1_000))
        }
        let rows = 60.0 * 512
        let wall = times.map(\.wall).sorted()[3]
        let cpu = times.map(\.cpu).sorted()[3]
        print(
            "append: \(Int(rows / wall)) rows/s, CPU \(Int(cpu / rows * 1e9)) ns a row: \(Int(rows / cpu)) rows/s of one core"
        )
    }

    private func remove(_ path: String, _ suffix: String) {
        for name in [path + suffix, path + "-index" + suffix] { try? FileManager.default.removeItem(atPath: name) }
    }
}
