import Daybook
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Logs numbered records from two threads until it is killed, and tells each number to standard output, in eight bytes,
/// after the call that logged it has returned. What stands in the pipe outlives the process. Before that it starts two
/// spans, and starts and ends a third.
///
/// Usage: `CrashWriter DIRECTORY FIRST-NUMBER`
@main
enum CrashWriter {
    /// Takes nothing, for ever: the records must be found on the disk.
    private struct Unreachable: BatchOutput {
        let id = "collector"
        func send(_ batch: Batch) async -> Delivery { .retry(after: .seconds(3600), reason: "unreachable on purpose") }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let first = Int64(arguments[2]) else { exit(2) }
        var options = PipelineOptions()
        // Small segments, so that kills also fall into rotations.
        options.journal.segmentBytes = 64 << 10
        options.journal.maximumFrameBytes = 4 << 10
        options.report = { _ in }
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: arguments[1]), options: options) {
            Route("**", to: Unreachable(), batch: BatchLimits(count: 50, bytes: 1 << 16, delay: .milliseconds(5)))
        }
        let log = pipeline.log("crash")
        // Two that the kill leaves open, one within the other, and one that it does not.
        let outer = log.start("outer-\(first)")
        let inner = log.start("inner-\(first)", parent: outer)
        log.start("ended-\(first)", parent: inner).end()
        for parity in Int64(0)..<2 {
            let thread = Thread { record(to: log, from: first + parity) }
            thread.start()
        }
        withExtendedLifetime((outer, inner)) { while true { pause() } }
    }

    /// Logs `first`, `first + 2`, … .
    private static func record(to log: Log, from first: Int64) {
        var number = first
        while true {
            // Texts of many lengths, so that frames end at many places of a segment.
            log.post(
                "crash.record",
                ["number": .int(number), "text": .string(String(repeating: "x", count: Int(number % 700)))])
            withUnsafeBytes(of: number.littleEndian) { bytes in
                // The pipe's other end is gone when the test is: nothing is left to do then.
                if systemWrite(1, bytes.baseAddress, 8) != 8 { exit(1) }
            }
            number += 2
        }
    }
}

/// `write(2)`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
