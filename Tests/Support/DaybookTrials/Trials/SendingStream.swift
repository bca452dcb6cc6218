import DaybookBase
import Foundation

/// One sender's numbered records. Like the client, it resends what was not acknowledged, in new batches.
final class SendingStream: Sendable {
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

    /// Sends the records after the last acknowledged one, with a different number of new ones each time.
    ///
    /// Not with `URLSession`: while it waits on Linux, it keeps a core busy that nodes and collectors need.
    /// - Parameter port: A collector's; `nil` if there is none.
    /// - Returns: Whether there was an answer.
    func sendOnce(to port: UInt16?) async -> Bool {
        guard let port else { return false }
        let after = acknowledged
        let through = after + Int.random(in: 1...40)
        state.withLock { $0.attempted = max($0.attempted, through) }
        let body = body(after: after, through: through)
        let head =
            "POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let answer = try? await offPool { LoopbackClient.exchange(Array(head.utf8) + body, port: port) }
        guard let line = answer?.prefix(while: { $0 != UInt8(ascii: "\r") }), !line.isEmpty else {
            return false
        }
        if line.starts(with: "HTTP/1.1 200".utf8) { state.withLock { $0.acknowledged = through } }
        return true
    }

    /// Compares a store with what was acknowledged: all of it, once, and nothing that was never sent.
    static func compare(_ uids: [String], _ streams: [SendingStream], _ store: String, _ tally: inout TrialTally) {
        let required = streams.flatMap { stream in (1...max(1, stream.acknowledged)).map { stream.uid($0) } }
        let written = streams.flatMap { stream in (1...max(1, stream.attempted)).map { stream.uid($0) } }
        let isAny = streams.contains { $0.acknowledged > 0 }
        tally.expect(isAny, "nothing was ever acknowledged")
        tally.compare(uids, required: isAny ? required : [], written: Set(written), store)
    }

    private func body(after: Int, through: Int) -> [UInt8] {
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
        return Array(
            (#"{"resourceLogs":[{"scopeLogs":[{"scope":{"name":"daybook","attributes":["# + scope.joined(separator: ",")
                + #"]},"logRecords":["# + records.joined(separator: ",") + "]}]}]}").utf8)
    }
}
