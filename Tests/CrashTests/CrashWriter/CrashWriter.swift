import Daybook
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Logs numbered records from two threads until it is killed. After each log call returns, it writes the number to
/// standard output in eight bytes; what is in the pipe outlives the process. Before that it starts two spans, and
/// starts and ends a third.
///
/// Usage: `CrashWriter DIRECTORY FIRST-NUMBER`
@main
enum CrashWriter {
    /// Accepts nothing, ever: the records must be found on disk.
    private struct Unreachable: BatchOutput {
        let id = "collector"
        func send(_ batch: Batch) async -> Delivery { .retry(after: .seconds(3600), reason: "unreachable on purpose") }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let first = Int64(arguments[2]) else { exit(2) }
        var options = PipelineOptions()
        // Small segments, so that some kills hit a rotation.
        options.journal.segmentBytes = 64 << 10
        options.journal.maximumFrameBytes = 4 << 10
        options.report = { _ in }
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: arguments[1]), options: options) {
            Route("**", to: Unreachable(), batch: BatchLimits(count: 50, bytes: 1 << 16, delay: .milliseconds(5)))
        }
        let log = pipeline.log("crash")
        // Two nested spans that the kill leaves open, and one that has ended.
        let outer = log.start("outer-\(first)")
        let inner = log.start("inner-\(first)", parent: outer)
        log.start("ended-\(first)", parent: inner).end()
        for parity in Int64(0)..<2 {
            let thread = Thread { record(to: log, from: first + parity) }
            thread.start()
        }
        withExtendedLifetime((outer, inner)) { while true { pause() } }
    }

    private static func record(to log: Log, from first: Int64) {
        var number = first
        while true {
            // Texts of many lengths, so that frames end at many offsets of a segment.
            log.post(
                "crash.record",
                ["number": .int(number), "text": .string(String(repeating: "x", count: Int(number % 700)))])
            withUnsafeBytes(of: number.littleEndian) { bytes in
                // If the pipe is closed, the test is gone and nothing is left to do.
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
