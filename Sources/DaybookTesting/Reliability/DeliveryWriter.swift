import Daybook
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The process that ``DeliveryKillTrials`` kills: it logs, and delivers through what is between it and the collector.
public enum DeliveryWriter {
    /// What stands in the way of a run.
    public struct Misuse: Error, CustomStringConvertible {
        public let description = "DIRECTORY URL and the first number, or settle"
    }

    /// The accounts at the end, as the last process prints them.
    struct Account: Codable {
        var accepted: UInt64
        var delivered: UInt64
        var dropped: [String: UInt64]
        var quarantined: UInt64
        var pending: UInt64
        /// The numbers that stand in quarantine.
        var refused: [Int64]
    }

    static let tag = "delivery"

    /// Every one of these the receiver refuses.
    static func isRefused(_ number: Int64) -> Bool { number % 499 == 13 }
    /// Every one of these is dropped on its way.
    static func isDropped(_ number: Int64) -> Bool { number % 89 == 7 }

    /// Logs numbered records from two threads until it is killed, and tells each number in eight bytes to standard output
    /// once its call has returned; or delivers what is left, and prints its accounts.
    /// - Parameters:
    ///   - arguments: Directory, the receiver's address, and the first number or `settle`.
    ///   - output: Makes what sends: uncompressed, so that the network between can read it.
    /// - Throws: ``Misuse``, or what a pipeline throws.
    public static func run(
        _ arguments: [String], output: @Sendable (URL) -> some BatchOutput
    ) async throws {
        guard arguments.count == 3, let url = URL(string: arguments[1]) else { throw Misuse() }
        var options = PipelineOptions()
        // Small segments, so that kills also fall into rotations.
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
            // Long: a store with slow commits on a busy machine has all that was logged meanwhile still before it.
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
                // The pipe's other end is gone when the one who counts is.
                if systemWrite(1, bytes.baseAddress, 8) != 8 { exit(1) }
            }
            number += 2
            // A burst with pauses, so that batches end by their delay too; then slowly, so that a slow machine keeps up.
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

/// `write(2)`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
