import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One sender's numbered records: what was not acknowledged is sent again, cut anew, as the client does.
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

    /// Sends the records after the last acknowledged one; how many is new each time.
    /// - Returns: whether there was an answer.
    func sendOnce(to collector: URL?, _ session: URLSession) async -> Bool {
        guard let url = collector?.appending(path: "v1/logs") else { return false }
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

    /// Compares what a store has with what was acknowledged: all of that, once, and nothing that was never sent.
    static func compare(_ uids: [String], _ streams: [SendingStream], _ store: String, _ tally: inout TrialTally) {
        let required = streams.flatMap { stream in (1...max(1, stream.acknowledged)).map { stream.uid($0) } }
        let written = streams.flatMap { stream in (1...max(1, stream.attempted)).map { stream.uid($0) } }
        let isAny = streams.contains { $0.acknowledged > 0 }
        tally.expect(isAny, "nothing was ever acknowledged")
        tally.compare(uids, required: isAny ? required : [], written: Set(written), store)
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
