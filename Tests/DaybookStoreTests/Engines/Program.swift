import Foundation

/// Programs of the machine, for tests.
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// In front of a command that must not run as root.
    static var unprivileged: [String] {
        getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    /// Runs a program to its end.
    ///
    /// Foundation would wait for whoever has its descriptors, a server too that the program leaves behind; Python passes
    /// none on.
    /// - Throws: ``Failure`` with what it printed, where its status is not 0.
    static func run(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "python3", "-c",
                "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL))",
            ]
            + words
        let log = FileManager.default.temporaryDirectory.appending(path: "daybook-program-\(UUID().uuidString)")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        process.currentDirectoryURL = URL(filePath: "/tmp")
        try process.run()
        process.waitUntilExit()
        try output.close()
        guard process.terminationStatus == 0 else {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw Failure(description: "\(words.joined(separator: " ")): \(text)")
        }
    }
}
