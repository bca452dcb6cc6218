import Foundation

/// Programs of the machine, for tests.
public enum Program {
    /// What a program printed that failed.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// In front of a command that must not run as root: runs it as another user of the machine.
    public static func unprivileged(as user: String) -> [String] {
        getuid() == 0 ? ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] : []
    }

    /// Runs a program to its end.
    ///
    /// Foundation would wait for whoever has its descriptors, a server too that the program leaves behind; Python passes
    /// none on.
    /// - Throws: ``Failure`` with what it printed, where its status is not 0.
    public static func run(_ words: [String]) throws {
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
