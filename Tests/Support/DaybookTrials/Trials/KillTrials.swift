import DaybookJournal
import DaybookProcesses
import DaybookTesting
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Kills processes in the middle of logging (promise J1).
public enum KillTrials {
    /// Kills a writer `trials` times, with a new journal every four kills.
    ///
    /// - Parameters:
    ///   - writer: A program that runs ``write(directory:first:)`` with its last two arguments.
    ///   - arguments: What comes before these.
    /// - Throws: When the program cannot be started.
    public static func run(_ writer: URL, _ arguments: [String], trials: Int) throws -> TrialTally {
        var tally = TrialTally()
        var random = SystemRandomNumberGenerator()
        while tally.trials < trials {
            let directory = TemporaryDirectory.inMemory()
            defer { directory.remove() }
            var returned: Set<Int64> = []
            var first: Int64 = 0
            let kills = min(4, trials - tally.trials)
            for _ in 0..<kills {
                let count = Int.random(in: 1...400, using: &random)
                let numbers = try killed(writer, arguments + [directory.path, String(first)], after: count)
                tally.trials += 1
                tally.expect(numbers.count >= count, "a writer ended by itself after \(numbers.count) records")
                returned.formUnion(numbers)
                first = (numbers.max() ?? first) + 10
            }
            let journal = Journal.open(directory: directory.path, outputs: ["a"], options: options)
            var found: [Int64] = []
            journal.read(after: 0) { frame in
                if frame.payload.count >= 8 { found.append(frame.payload.loadUnaligned(as: Int64.self)) }
                return true
            }
            // A kill may hit between the append and the report: at most one extra record per thread and launch.
            let extra = Set(found).subtracting(returned)
            tally.compare(found, required: returned, written: returned.union(extra), directory.path)
            tally.expect(extra.count <= 2 * kills, "\(extra.count) records nobody reported")
            let counters = journal.counters
            tally.expect(
                counters.corruptFrames == 0 && counters.lostFrames <= UInt64(2 * kills),
                "damage is told: \(counters.corruptFrames), \(counters.lostFrames)")
        }
        return tally
    }

    /// Starts a program that writes eight-byte numbers to standard output, kills it after `count` of them, and returns
    /// all.
    /// - Throws: When it cannot be started.
    package static func killed(_ program: URL, _ arguments: [String], after count: Int) throws -> [Int64] {
        try killed(program, arguments) { $0 >= count }
    }

    /// The same, killed when `isEnough` accepts the count so far.
    package static func killed(
        _ program: URL, _ arguments: [String], when isEnough: (Int) -> Bool
    ) throws -> [Int64] {
        let pipe = Pipe()
        let process = try ChildProcess(program, arguments, output: .pipe(pipe))
        var bytes = Data()
        while !isEnough(bytes.count / 8) {
            guard let chunk = try pipe.fileHandleForReading.read(upToCount: 4096), !chunk.isEmpty else { break }
            bytes.append(chunk)
        }
        process.send(SIGKILL)
        bytes.append(try pipe.fileHandleForReading.readToEnd() ?? Data())
        process.wait()
        return stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { offset in
            bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self)) }
        }
    }

    /// Appends numbered frames from two threads until the process is killed, and writes each number to standard output
    /// once its append has returned.
    public static func write(directory: String, first: Int64) -> Never {
        let journal = Journal.open(directory: directory, outputs: ["a"], options: options)
        for parity in Int64(0)..<2 {
            Thread.detachNewThread {
                var number = first + parity
                while true {
                    var payload = withUnsafeBytes(of: number) { Array($0) }
                    payload += [UInt8](repeating: 120, count: Int(number % 700))
                    journal.append(mask: 1, flags: .record, payload: payload)
                    withUnsafeBytes(of: number.littleEndian) { bytes in
                        // If the pipe is closed, the counting process is gone.
                        if systemWrite(1, bytes.baseAddress, 8) != 8 { exit(1) }
                    }
                    number += 2
                }
            }
        }
        while true { journal.housekeep() }
    }

    private static var options: JournalOptions { smallOptions(cap: 64 << 20) }
}
