import Daybook
import DaybookTesting
import Foundation
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Promise J1: a record whose log call has returned survives the death of its process.
struct KillTests {
    /// Twenty-five journals, each killed four times in the middle of logging, then delivered by another process (this
    /// one): every record whose call had returned arrives, once, and nothing arrives that was never logged.
    @Test func aHundredKillsLoseNothing() async throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<25 {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            var returned: Set<Int64> = []
            var first: Int64 = 0
            for _ in 0..<4 {
                let (start, count) = (first, Int.random(in: 1...400, using: &random))
                let numbers = try await offPool {
                    try Self.killedWriter(directory: directory.path, first: start, after: count)
                }
                returned.formUnion(numbers)
                first = (numbers.max() ?? first) + 10
            }
            let arrived = try await deliver(directory: directory.path)
            let set = Set(arrived)
            #expect(set.count == arrived.count, "a record arrived twice")
            let lost = returned.subtracting(set)
            #expect(lost.isEmpty, "lost: \(lost.sorted().prefix(10))")
            // A kill may fall between the journal and the report: at most one such record for each thread and launch.
            #expect(set.subtracting(returned).count <= 8)
        }
    }

    /// Starts a writer, kills it when it has reported some records, and returns all the numbers it reported.
    private static func killedWriter(directory: String, first: Int64, after count: Int) throws -> [Int64] {
        let process = Process()
        process.executableURL = BuiltProduct.url("CrashWriter")
        process.arguments = [directory, String(first)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var bytes = Data()
        while bytes.count < count * 8 {
            guard let chunk = try pipe.fileHandleForReading.read(upToCount: 4096), !chunk.isEmpty else { break }
            bytes.append(chunk)
        }
        kill(process.processIdentifier, SIGKILL)
        bytes.append(try pipe.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(bytes.count >= count * 8)
        return stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { offset in
            bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self)) }
        }
    }

    private func deliver(directory: String) async throws -> [Int64] {
        let collector = CollectingOutput(id: "collector")
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: directory)) {
            Route("**", to: collector)
        }
        try await pipeline.flush(deadline: .seconds(30))
        await pipeline.shutdown(deadline: .seconds(5))
        return collector.records.compactMap { record in
            guard case .int(let number)? = record.attributes["number"], record.tag == "crash.record" else { return nil }
            return number
        }
    }
}
