import Foundation

struct ChildProcess {
    /// Wall time in seconds.
    let wall: Double
    /// User time of the program and its children, in seconds.
    let user: Double

    /// This program, which also acts as `daybook-definitions`.
    static let own = Bundle.main.executablePath ?? CommandLine.arguments[0]

    /// Why a row has no figure.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``Failure`` with its last lines, or why it did not start.
    static func run(_ words: [String], in folder: URL) throws -> ChildProcess {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let before = children()
        let start = ContinuousClock.now
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let wall = ContinuousClock.now - start
        guard process.terminationStatus == 0 else {
            let end = String(decoding: output.suffix(2_000), as: UTF8.self)
            throw Failure(description: "\(words.prefix(3).joined(separator: " ")) failed:\n\(end)")
        }
        return ChildProcess(wall: wall / .seconds(1), user: children() - before)
    }

    /// User time of all ended children, in seconds.
    private static func children() -> Double {
        var usage = rusage()
        // RUSAGE_CHILDREN, whose type differs between Glibc and Darwin.
        getrusage(-1, &usage)
        return Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
    }
}
