import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Collectors that are killed in the middle of their commits (promise C1 and C2).
public enum CollectorKillTrials {
    /// Kills a collector so often, on one store for twenty kills, and compares what the store then has with what was
    /// acknowledged: all of that, once, and nothing that was never sent.
    ///
    /// Senders behave as the client does: what was not acknowledged they send again, cut anew, until it is.
    /// - Parameters:
    ///   - daybook: the program.
    ///   - senders: how many send at once, each a stream of its own.
    /// - Throws: when the program cannot be started.
    public static func run(_ daybook: URL, trials: Int, senders: Int = 4) async throws -> TrialTally {
        var tally = TrialTally()
        while tally.trials < trials {
            let directory = TestDirectory()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let streams = (0..<senders).map { _ in SendingStream() }
            let store = "sqlite:\(directory.path)/store.sqlite"
            for _ in 0..<min(20, trials - tally.trials) {
                try await killOnce(daybook, store, streams)
                tally.trials += 1
            }
            let uids = try await uids(daybook, store)
            let required = streams.flatMap { stream in (1...max(1, stream.acknowledged)).map { stream.uid($0) } }
            let written = streams.flatMap { stream in (1...max(1, stream.attempted)).map { stream.uid($0) } }
            tally.expect(streams.contains { $0.acknowledged > 0 }, "nothing was ever acknowledged")
            tally.compare(
                uids, required: streams.contains { $0.acknowledged > 0 } ? required : [], written: Set(written), store)
        }
        return tally
    }

    /// One life of a collector: it ends after some acknowledgements and a moment, in the middle of whatever it does.
    private static func killOnce(_ daybook: URL, _ store: String, _ streams: [SendingStream]) async throws {
        let process = Process()
        process.executableURL = daybook
        process.arguments = ["serve", "--port", "0", "--store", store]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = try await offPool { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }
        let address = line.dropFirst("Inspector: ".count).prefix { $0 != "#" }
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let url = URL(string: address + "v1/logs")
        let countdown = Countdown(from: Int.random(in: 1...40))
        let number = process.processIdentifier
        let moment = UInt32.random(in: 0...3_000)
        await withTaskGroup { group in
            for stream in streams {
                group.addTask {
                    guard let url else { return }
                    while await stream.sendOnce(to: url, session) {
                        guard countdown.step() else { continue }
                        usleep(moment)
                        kill(number, SIGKILL)
                    }
                }
            }
        }
        // A collector that never came up, or one that senders could not reach, ends here.
        kill(number, SIGKILL)
        try await offPool { process.waitUntilExit() }
    }

    private static func uids(_ daybook: URL, _ store: String) async throws -> [String] {
        let process = Process()
        process.executableURL = daybook
        process.arguments = [
            "query", "--store", store, "--format", "csv", "--limit", "1000000", "SELECT uid FROM records",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = try await offPool {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\r\n").dropFirst().map(String.init)
    }
}

/// Tells one of many that it is the last.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) { left = Atomic(count) }

    /// Whether this step is the one that reaches zero.
    func step() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).newValue == 0 }
}

/// One sender's numbered records.
private final class SendingStream: Sendable {
    private struct State {
        var acknowledged = 0
        var attempted = 0
    }

    private let name = (0..<3).map { _ in
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    private let state = Mutex(State())

    var acknowledged: Int { state.withLock { $0.acknowledged } }
    var attempted: Int { state.withLock { $0.attempted } }

    func uid(_ number: Int) -> String { "\(name)-\(number)" }

    /// Sends the records after the last acknowledged one; how many is new each time.
    /// - Returns: whether there was an answer.
    func sendOnce(to url: URL, _ session: URLSession) async -> Bool {
        let after = acknowledged
        let through = after + Int.random(in: 1...40)
        state.withLock { $0.attempted = max($0.attempted, through) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.timeoutInterval = 10
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        guard let (_, response) = try? await session.upload(for: request, from: body(after: after, through: through)),
            let status = (response as? HTTPURLResponse)?.statusCode
        else { return false }
        if status == 200 { state.withLock { $0.acknowledged = through } }
        return true
    }

    private func body(after: Int, through: Int) -> Data {
        func text(_ key: String, _ value: String) -> String {
            #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
        }
        func number(_ key: String, _ value: Int) -> String { #"{"key":"\#(key)","value":{"intValue":"\#(value)"}}"# }
        let records = (after + 1...through).map { sequence in
            #"{"timeUnixNano":"\#(sequence)","severityNumber":9,"body":{"stringValue":"kill"},"attributes":["#
                + text("log.record.uid", uid(sequence)) + "]}"
        }
        let scope = [
            text("daybook.stream", name), text("daybook.output", "otlp"), number("daybook.interval.after", after),
            number("daybook.interval.through", through),
        ]
        return Data(
            (#"{"resourceLogs":[{"scopeLogs":[{"scope":{"name":"daybook","attributes":["# + scope.joined(separator: ",")
                + #"]},"logRecords":["# + records.joined(separator: ",") + "]}]}]}").utf8)
    }
}
