import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A logging process and its collector, either of them or both killed at any moment, with a ``LossyProxy`` between them.
public enum DeliveryKillTrials {
    /// Kills so often, on one journal and one store for twenty kills; then the last process delivers what is left, and
    /// the accounts are compared.
    ///
    /// Every record whose call had returned is stored once, is in quarantine where the receiver refuses it, or was dropped
    /// where the route drops it; nothing else is anywhere. In the process's ledger *accepted = delivered + dropped +
    /// quarantined*, nothing is pending, and the collector's ledger counts the rows that are there.
    /// - Parameters:
    ///   - daybook: The program.
    ///   - writer: A program that gives its last three arguments to ``DeliveryWriter/run(_:output:)``.
    ///   - arguments: What comes before these.
    /// - Throws: When a program cannot be started, or a store cannot be made.
    public static func run(
        _ daybook: URL, _ writer: URL, _ arguments: [String], trials: Int,
        on makeStore: @escaping CollectorKillTrials.StoreMaker = CollectorKillTrials.sqlite
    ) async throws -> TrialTally {
        var tally = TrialTally()
        while tally.trials < trials {
            let directory = TestDirectory()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let store = try await offPool { try makeStore(directory.path) }
            let proxy = try LossyProxy()
            let words = arguments + ["\(directory.path)/journal", "http://127.0.0.1:\(proxy.port)"]
            var collector = try await RunningCollector(daybook, store)
            proxy.lead(to: collector.port)
            var numbers: [Int64] = []
            var lives = 1
            var process = try RunningWriter(writer, words, first: 0)
            for _ in 0..<min(20, trials - tally.trials) {
                tally.trials += 1
                let (requests, moment) = (Int.random(in: 1...20), UInt32.random(in: 0...3_000))
                let isBusy = try await offPool {
                    defer { usleep(moment) }
                    return proxy.wait(forRequests: requests)
                }
                tally.expect(isBusy, "no request came for half a minute")
                let victims = Int.random(in: 1...3)
                if victims & 1 != 0 {
                    proxy.lead(to: nil)
                    try await collector.end()
                }
                if victims & 2 != 0 {
                    numbers += try await process.end()
                    process = try RunningWriter(writer, words, first: (numbers.max() ?? 0) + 10)
                    lives += 1
                }
                if victims & 1 != 0 {
                    collector = try await RunningCollector(daybook, store)
                    proxy.lead(to: collector.port)
                }
            }
            numbers += try await process.end()
            let account = try await RunningWriter.settle(writer, words)
            try await collector.end()
            let stored = try await RunningCollector.query(
                daybook, store, "SELECT message FROM records WHERE tag = '\(DeliveryWriter.tag)'"
            ).compactMap { Int64($0) }
            let counted = try await RunningCollector.query(daybook, store, "SELECT sum(stored) FROM ledger")
            compare(numbers, lives, stored, counted, account, store, &tally)
        }
        return tally
    }

    private static func compare(
        _ returned: [Int64], _ lives: Int, _ stored: [Int64], _ counted: [String], _ account: DeliveryWriter.Account,
        _ store: String, _ tally: inout TrialTally
    ) {
        // A kill may fall between the journal and the report: at most one such record for each thread and launch.
        let returned = Set(returned)
        let extra = Set(stored + account.refused).subtracting(returned)
        tally.expect(extra.count <= 2 * lives, "\(extra.count) records nobody reported")
        let all = returned.union(extra)
        tally.compare(
            stored,
            required: returned.filter { !DeliveryWriter.isRefused($0) && !DeliveryWriter.isDropped($0) },
            written: all.filter { !DeliveryWriter.isRefused($0) && !DeliveryWriter.isDropped($0) }, store)
        tally.compare(
            account.refused,
            required: returned.filter { DeliveryWriter.isRefused($0) && !DeliveryWriter.isDropped($0) },
            written: all.filter { DeliveryWriter.isRefused($0) && !DeliveryWriter.isDropped($0) },
            "quarantine of \(store)")
        tally.expect(account.pending == 0, "\(account.pending) pending at the end")
        tally.expect(account.quarantined == account.refused.count, "\(account.quarantined) counted in quarantine")
        tally.expect(
            account.accepted == account.delivered + account.quarantined + account.dropped.values.reduce(0, +),
            "the ledger: \(account)")
        tally.expect(
            account.dropped.allSatisfy { $0.key == "transformed" || $0.value == 0 }, "dropped: \(account.dropped)")
        tally.expect(counted == ["\(stored.count)"], "\(stored.count) rows, and the collector counts \(counted)")
    }
}

/// A writer that runs.
private final class RunningWriter: Sendable {
    private let process: Process
    private let bytes = Mutex(Data())
    private let isRead = DispatchSemaphore(value: 0)

    /// Starts it.
    init(_ program: URL, _ arguments: [String], first: Int64) throws {
        process = Process()
        process.executableURL = program
        process.arguments = arguments + ["\(first)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        Thread.detachNewThread { [self] in
            while case let chunk = pipe.fileHandleForReading.availableData, !chunk.isEmpty {
                bytes.withLock { $0 += chunk }
            }
            isRead.signal()
        }
    }

    /// Kills it.
    /// - Returns: The numbers it has told.
    func end() async throws -> [Int64] {
        try await offPool { [self] in
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            isRead.wait()
            return bytes.withLock { bytes in
                stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { offset in
                    bytes.withUnsafeBytes {
                        Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self))
                    }
                }
            }
        }
    }

    /// Lets the last one deliver what is left.
    static func settle(_ program: URL, _ arguments: [String]) async throws -> DeliveryWriter.Account {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments + ["settle"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try await offPool {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return data
        }
        return try JSONDecoder().decode(DeliveryWriter.Account.self, from: data)
    }
}
