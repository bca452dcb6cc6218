import Foundation
import Synchronization

/// A network between a client and a collector that loses requests and answers, cuts them, repeats them, repeats them
/// late, and now and then answers itself: busy, or with a captive portal's page. What carries ``poison`` it always
/// refuses. Safe to share between threads.
final class LossyProxy: Sendable {
    /// What becomes of a request.
    private enum Fate {
        case passed
        case lost
        /// The collector gets so much of it.
        case cut(Double)
        /// The collector gets it, and the client so much of the answer's body. Not of its head: there Foundation on Linux
        /// may end the process (swift-corelibs-foundation, issue 5285).
        case answerCut(Double)
        /// The collector gets it, and the client nothing.
        case answerLost
        case doubled
        /// The collector gets it once more after so many microseconds.
        case repeatedLate(UInt32)
        case busy(Int)
        case portal

        static func random() -> Fate {
            switch Int.random(in: 0..<20) {
            case 0: .lost
            case 1: .cut(.random(in: 0..<1))
            case 2: .answerCut(.random(in: 0..<1))
            case 3...4: .answerLost
            case 5...6: .doubled
            case 7...8: .repeatedLate(.random(in: 0..<60_000))
            case 9: .busy([429, 502, 503].randomElement() ?? 503)
            case 10: .portal
            default: .passed
            }
        }
    }

    /// A word that no receiver takes.
    static let poison = "poison"

    private struct State {
        /// Where the collector listens; `nil` while there is none.
        var collector: UInt16?
        var requests = 0
    }

    private let state: AwaitedValue<State>
    private let server: LoopbackServer

    /// Listens on a free port.
    init() throws {
        let state = AwaitedValue(State())
        self.state = state
        server = try LoopbackServer { Self.answer($0, state) }
    }

    deinit { server.stop() }

    var port: UInt16 { server.port }

    /// Takes a collector's port, or that there is none.
    func lead(to collector: UInt16?) { state.change { $0.collector = collector } }

    /// Waits for so many requests more.
    /// - Returns: Whether they came within half a minute.
    func wait(forRequests count: Int) -> Bool {
        let until = state.change { $0.requests } + count
        return state.wait(seconds: 30) { $0.requests >= until }
    }

    private static func answer(
        _ request: LoopbackServer.Request, _ state: AwaitedValue<State>
    ) -> LoopbackServer.Response {
        state.change { $0.requests += 1 }
        let collector = state.change { $0.collector }
        guard request.body.firstRange(of: Array(poison.utf8)) == nil else {
            return Int.random(in: 0..<8) == 0 ? .none : .init(status: 400)
        }
        let bytes = bytes(of: request, for: collector ?? 0)
        func send(_ count: Int? = nil) -> LoopbackServer.Response {
            guard let collector,
                let answer = LoopbackClient.exchange(
                    Array(bytes.prefix(count ?? bytes.count)), port: collector, isCut: count != nil)
            else { return .none }
            return response(answer)
        }
        switch Fate.random() {
        case .passed: return send()
        case .lost: return .none
        case .cut(let part): return send(Int(Double(bytes.count) * part))
        case .answerCut(let part):
            var answer = send()
            answer.cut = Int(Double(answer.body.count) * part)
            return answer
        case .answerLost:
            _ = send()
            return .none
        case .doubled:
            _ = send()
            return send()
        case .repeatedLate(let delay):
            Thread.detachNewThread {
                usleep(delay)
                if let collector = state.change({ $0.collector }) {
                    _ = LoopbackClient.exchange(bytes, port: collector)
                }
            }
            return send()
        case .busy(let status): return .init(status: status)
        case .portal: return .init(status: 200, contentType: "text/html", body: Array("<p>Welcome to the hotel".utf8))
        }
    }

    private static func bytes(of request: LoopbackServer.Request, for port: UInt16) -> [UInt8] {
        let own = ["host", "connection", "expect", "transfer-encoding"]
        let headers = request.headers.filter { !own.contains($0.key) }.map { "\($0.key): \($0.value)\r\n" }
        return Array(
            "\(request.method) \(request.target) HTTP/1.1\r\nhost: 127.0.0.1:\(port)\r\n\(headers.joined())connection: close\r\n\r\n"
                .utf8)
            + request.body
    }

    /// A collector's answer as it came; where it was killed within it, the client gets no more either.
    private static func response(_ answer: [UInt8]) -> LoopbackServer.Response {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return .none }
        let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        let fields = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { colon in
                    (
                        line[..<colon].lowercased(),
                        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    )
                }
            }
        ) { first, _ in first }
        let body = Array(answer[end.upperBound...])
        guard words.count > 1, let status = Int(words[1]), fields["content-length"].flatMap({ Int($0) }) == body.count
        else { return .none }
        return .init(status: status, contentType: fields["content-type"] ?? "", body: body)
    }
}

/// A value that threads change, and wait for.
final class AwaitedValue<Value: Sendable>: Sendable {
    private let condition = NSCondition()
    private let value: Mutex<Value>

    init(_ value: sending Value) { self.value = Mutex(value) }

    @discardableResult
    func change<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        condition.withLock {
            defer { condition.broadcast() }
            return value.withLock(body)
        }
    }

    /// - Returns: Whether it came so within this time.
    func wait(seconds: Double, until isSo: (Value) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while !value.withLock({ isSo($0) }) {
                guard condition.wait(until: end) else { return false }
            }
            return true
        }
    }
}
