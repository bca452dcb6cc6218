import DaybookStore
import DaybookTestTraits
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// With large records and many names, the collector's answers and memory stay small.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AnswerMemoryTests {
    private let tool = Tool()

    /// The process's peak memory in bytes, as the system counts it.
    private static func peak(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }) * 1_024
    }

    @Test(
        "The collector's memory does not grow with the size of answers",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "the peak is read from /proc"))
    func answersUseBoundedMemory() async throws {
        let store = try SQLiteStore(path: tool.directory.appending(path: "records.sqlite").path)
        let text = String(repeating: "z", count: 1_000_000)
        for part in 0..<12 {
            let rows = (0..<10).map { number in
                RecordRow(
                    uid: "l\(part)-\(number)", time: 1, kind: .event, level: 9, tag: "large",
                    attributes: #"{"a":"\#(text)"}"#)
            }
            try await store.append(RecordBatch(rows: rows))
        }
        let long = String(repeating: "t", count: 500)
        for part in 0..<12 {
            let rows = (0..<2_000).map { number in
                var row = RecordRow(
                    uid: "t\(part)-\(number)", time: 2, kind: .event, level: 9, tag: "\(part).\(number).\(long)")
                row.session = "s\(row.tag)"
                return row
            }
            try await store.append(RecordBatch(rows: rows))
        }
        await store.close()
        let daybook = try tool.start("serve", "--port", "0", "--store", "sqlite:records.sqlite")
        defer { daybook.end() }
        let address = try await daybook.line(beginning: "Inspector: ")
        let page = try #require(URL(string: address))
        let token: Substring = try #require(page.fragment?.split(separator: "=").last)
        func get(_ path: String) async throws -> Int {
            var request = URLRequest(url: try #require(URL(string: "/api/v1/\(path)", relativeTo: page)))
            request.setValue("Bearer \(token)", forHTTPHeaderField: "authorization")
            // Masks a hundred megabytes in a debug build, possibly beside other tests.
            request.timeoutInterval = 280
            let (data, response) = try await URLSession.shared.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(path)")
            return data.count
        }
        _ = try await get("status")
        let before = try Self.peak(of: daybook.identifier)
        for path in [
            "records?limit=1000&order=oldest", "records?limit=1000&order=oldest&private=show",
            "records?limit=1000&tag=large",
            "records/count?after=0", "violations?order=oldest&before=25", "tags",
            "facets?limit=1000&fields=tag,session",
            "sessions?limit=1000", "losses", "checklists",
        ] {
            #expect(try await get(path) < 2 * AnswerBounds.bytes, "\(path)")
        }
        // A record and the pages with it while an answer is built; the allocator keeps what it had.
        let grown = try Self.peak(of: daybook.identifier) - before
        #expect(grown < 160 << 20, "\(grown >> 20) MiB more")
    }
}
