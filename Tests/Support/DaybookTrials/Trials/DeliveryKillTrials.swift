import Daybook
import DaybookBase
import DaybookProcesses
import DaybookTesting
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Kills a logging process, its collector or both at any moment, with a ``LossyProxy`` between them.
public enum DeliveryKillTrials {
    /// Kills `trials` times, with a new journal and store every twenty kills. Then the last process delivers the rest,
    /// and the accounts are compared.
    ///
    /// Every record whose call had returned is stored once, quarantined if the receiver refuses it, or dropped if the
    /// route drops it; nothing else is anywhere. In the process's ledger *accepted = delivered + dropped +
    /// quarantined*, nothing is pending, and the collector's ledger counts the rows that are there.
    /// - Parameters:
    ///   - daybook: The program.
    ///   - writer: A program that passes its last three arguments to ``DeliveryWriter/run(_:output:)``.
    ///   - arguments: What comes before these.
    /// - Throws: When a program cannot be started, or a store cannot be made.
    public static func run(
        _ daybook: URL, _ writer: URL, _ arguments: [String], trials: Int,
        on makeStore: @escaping CollectorKillTrials.StoreMaker = CollectorKillTrials.sqlite
    ) async throws -> TrialTally {
        var tally = TrialTally()
        while tally.trials < trials {
            let directory = TemporaryDirectory.inMemory()
            defer { directory.remove() }
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let store = try await offPool { try makeStore(directory.path) }
            let proxy = try LossyProxy()
            let words = arguments + ["\(directory.path)/journal", "http://127.0.0.1:\(proxy.port)"]
            var collector = try await DoomedCollector(daybook, store)
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
                    collector = try await DoomedCollector(daybook, store)
                    proxy.lead(to: collector.port)
                }
            }
            numbers += try await process.end()
            let account = try await RunningWriter.settle(writer, words)
            try await collector.end()
            let stored = try await DoomedCollector.query(
                daybook, store, "SELECT message FROM records WHERE tag = '\(DeliveryWriter.tag)'"
            ).compactMap { Int64($0) }
            let counted = try await DoomedCollector.query(daybook, store, "SELECT sum(stored) FROM ledger")
            compare(numbers, lives, stored, counted, account, store, &tally)
        }
        return tally
    }

    private static func compare(
        _ returned: [Int64], _ lives: Int, _ stored: [Int64], _ counted: [String], _ account: DeliveryWriter.Account,
        _ store: String, _ tally: inout TrialTally
    ) {
        // A kill may hit between the append and the report: at most one extra record per thread and launch.
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

private final class RunningWriter: Sendable {
    private let process: ChildProcess
    private let bytes = Mutex(Data())
    private let isRead = DispatchSemaphore(value: 0)

    init(_ program: URL, _ arguments: [String], first: Int64) throws {
        let pipe = Pipe()
        process = try ChildProcess(program, arguments + ["\(first)"], output: .pipe(pipe))
        Thread.detachNewThread { [self] in
            while case let chunk = pipe.fileHandleForReading.availableData, !chunk.isEmpty {
                bytes.withLock { $0 += chunk }
            }
            isRead.signal()
        }
    }

    /// Kills it.
    /// - Returns: The numbers it has reported.
    func end() async throws -> [Int64] {
        try await offPool { [self] in
            process.send(SIGKILL)
            process.wait()
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

    /// Has a last process deliver the rest.
    static func settle(_ program: URL, _ arguments: [String]) async throws -> DeliveryWriter.Account {
        let pipe = Pipe()
        let process = try ChildProcess(program, arguments + ["settle"], output: .pipe(pipe))
        let data = try await offPool {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.wait()
            return data
        }
        return try JSONDecoder().decode(DeliveryWriter.Account.self, from: data)
    }
}

/// The process that ``DeliveryKillTrials`` kills: it logs, and delivers through the proxy.
public enum DeliveryWriter {
    /// Arguments that are not understood.
    public struct Misuse: Error, CustomStringConvertible {
        public let description = "DIRECTORY URL and the first number, or settle"
    }

    /// The final accounts, as the last process prints them.
    struct Account: Codable {
        var accepted: UInt64
        var delivered: UInt64
        var dropped: [String: UInt64]
        var quarantined: UInt64
        var pending: UInt64
        /// The numbers in quarantine.
        var refused: [Int64]
    }

    static let tag = "delivery"

    /// The receiver refuses these.
    static func isRefused(_ number: Int64) -> Bool { number % 499 == 13 }
    /// These are dropped on their way.
    static func isDropped(_ number: Int64) -> Bool { number % 89 == 7 }

    /// Logs numbered records from two threads until it is killed, and writes each number in eight bytes to standard
    /// output once its call has returned. Or delivers the rest and prints its accounts.
    /// - Parameters:
    ///   - arguments: Directory, the receiver's address, and the first number or `settle`.
    ///   - output: Makes the output, uncompressed so that the proxy can read it.
    /// - Throws: ``Misuse``, or what a pipeline throws.
    public static func run(
        _ arguments: [String], output: @Sendable (URL) -> some BatchOutput
    ) async throws {
        guard arguments.count == 3, let url = URL(string: arguments[1]) else { throw Misuse() }
        var options = PipelineOptions()
        // Small segments, so that some kills hit a rotation.
        options.journal.segmentBytes = 64 << 10
        options.journal.maximumFrameBytes = 4 << 10
        options.report = { _ in }
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(20))
        let output = output(url)
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: arguments[0]), options: options) {
            Route(
                "**", to: output, batch: .init(count: 50, bytes: 1 << 16, delay: .milliseconds(5)),
                transform: Dropping())
        }
        guard let first = Int64(arguments[2]) else {
            // Long: with slow commits on a busy machine, everything logged meanwhile is still ahead.
            try? await pipeline.flush(deadline: .seconds(1_800))
            return try await tell(pipeline, output.id)
        }
        let log = pipeline.log(tag)
        for parity in Int64(0)..<2 { Thread.detachNewThread { write(log, from: first + parity) } }
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    private static func write(_ log: Log, from first: Int64) -> Never {
        var number = first
        while true {
            var attributes: Attributes = ["text": .string(String(repeating: "x", count: Int(number % 300)))]
            if isRefused(number) { attributes["word"] = .string(LossyProxy.poison) }
            log.info("\(number)", attributes)
            withUnsafeBytes(of: number.littleEndian) { bytes in
                // If the pipe is closed, the counting process is gone.
                if systemWrite(1, bytes.baseAddress, 8) != 8 { exit(1) }
            }
            number += 2
            // A burst with pauses, so that the delay ends batches too; then slowly, so that a slow machine keeps up.
            if number - first > 600 || number % 16 < 2 { usleep(.random(in: 0..<10_000)) }
        }
    }

    private static func tell(_ pipeline: Pipeline<EmptyContext>, _ output: String) async throws {
        let refused = try await pipeline.quarantinedRecords(output: output, limit: 100_000)
        let ledger = await pipeline.ledgers()[output] ?? Ledger()
        let account = Account(
            accepted: ledger.accepted, delivered: ledger.delivered,
            dropped: Dictionary(uniqueKeysWithValues: ledger.dropped.map { ($0.key.rawValue, $0.value) }),
            quarantined: ledger.quarantined, pending: ledger.pending,
            refused: refused.compactMap { $0.message.flatMap { Int64($0) } })
        FileHandle.standardOutput.write(try JSONEncoder().encode(account))
        await pipeline.shutdown(deadline: .zero)
    }

    private struct Dropping: Filter {
        func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
            if let number = record.message.flatMap({ Int64($0) }), isDropped(number) { return }
            emit(record)
        }
    }
}
