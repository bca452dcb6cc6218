import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

extension BuiltProduct {
    /// The command `daybook`, under the name that it has until it is installed.
    static var daybook: URL { url("daybook-cli") }
}

/// The built `daybook`, run as a process in the test's directory.
struct Tool {
    struct Result: Sendable {
        var output: String
        var errors: String
        var status: Int32
    }

    /// In seconds; no command may take longer.
    private static let patience = 240.0

    let directory: URL

    init(in directory: TemporaryDirectory = .current) { self.directory = directory.url }

    func write(_ text: String, to name: String) throws {
        let file = directory.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func contents(of name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    }

    func run(_ arguments: String..., input: String? = nil) async throws -> Result {
        try await run(arguments, input: input)
    }

    /// Runs the tool in the directory and waits for it to exit.
    func run(_ arguments: [String], input: String? = nil) async throws -> Result {
        let directory = directory
        return try await offPool {
            try Self.run(BuiltProduct.daybook, arguments, input: input, in: directory)
        }
    }

    func runOther(_ words: String...) async throws -> Result { try await runOther(words) }

    /// Runs another installed program in the directory and waits for it to exit.
    func runOther(_ words: [String]) async throws -> Result {
        let directory = directory
        guard let program = Self.find(words[0]) else { throw CocoaError(.fileNoSuchFile) }
        return try await offPool { try Self.run(program, Array(words.dropFirst()), input: nil, in: directory) }
    }

    /// Serves `s.sqlite` over TLS on 127.0.0.1, with a certificate that openssl makes.
    func serveOverTLS() async throws -> RunningTool {
        let made = try await runOther(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
        try #require(made.status == 0, "\(made)")
        return try start(
            "serve", "--port", "0", "--store", "s.sqlite", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
    }

    /// The path of an installed program; `nil` if not installed.
    static func find(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private static func run(
        _ program: URL, _ arguments: [String], input: String?, in directory: URL
    ) throws -> Result {
        // Files instead of pipes: a full pipe that nobody reads would block the tool.
        let names = ["stdin", "stdout", "stderr"].map { directory.appending(path: ".\($0)-\(UUID().uuidString)") }
        try Data((input ?? "").utf8).write(to: names[0])
        for name in names.dropFirst() { try Data().write(to: name) }
        let process = try ChildProcess(
            program, arguments, in: directory, input: .file(try FileHandle(forReadingFrom: names[0])),
            output: .file(try FileHandle(forWritingTo: names[1])), errors: .file(try FileHandle(forWritingTo: names[2]))
        )
        let end = process.wait(seconds: patience)
        if end == nil {
            Issue.record("\(program.lastPathComponent) \(arguments) did not end within \(patience) s")
            process.send(SIGKILL)
        }
        return Result(
            output: try String(contentsOf: names[1], encoding: .utf8),
            errors: try String(contentsOf: names[2], encoding: .utf8), status: (end ?? process.wait()).status)
    }
}
