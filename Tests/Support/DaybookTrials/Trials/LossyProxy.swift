import DaybookBase
import DaybookTesting
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A network between a client and a collector that loses, cuts, doubles and delays requests and answers. Now and then
/// it answers itself: as busy, or with a captive portal's page. It always refuses what contains ``poison``. Safe to
/// share between threads.
final class LossyProxy: Sendable {
    private enum Fate {
        case passed
        case lost
        /// The collector gets this fraction of it.
        case cut(Double)
        /// The collector gets it, and the client this fraction of the answer's body. Never of its head: there
        /// Foundation on Linux may end the process (swift-corelibs-foundation, issue 5285).
        case answerCut(Double)
        /// The collector gets it, and the client nothing.
        case answerLost
        case doubled
        /// The collector gets it once more after this many microseconds.
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

    /// A word that every receiver refuses.
    static let poison = "poison"

    private struct State {
        /// The collector's port; `nil` while there is none.
        var collector: UInt16?
        var requests = 0
    }

    private let state: AwaitedValue<State>
    private let server: LoopbackServer

    init() throws {
        let state = AwaitedValue(State())
        self.state = state
        server = try LoopbackServer { Self.answer($0, state) }
    }

    deinit { server.stop() }

    var port: UInt16 { server.port }

    /// Sets the collector's port; `nil` for none.
    func lead(to collector: UInt16?) { state.change { $0.collector = collector } }

    /// Waits for `count` more requests.
    /// - Returns: Whether they came within two minutes.
    func wait(forRequests count: Int) -> Bool {
        let until = state.change { $0.requests } + count
        return state.wait(seconds: 120) { $0.requests >= until }
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

    /// A collector's answer as received. If the collector was killed within it, the client gets no more either.
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

    /// - Returns: Whether the condition held within this time.
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

/// Sends plain bytes to a server on 127.0.0.1, each time over a new connection. Blocks its thread.
enum LoopbackClient {
    /// Sends bytes and reads until the server closes.
    /// - Parameters:
    ///   - seconds: How long the server may be silent.
    ///   - isCut: Whether to close after the bytes, without waiting for an answer.
    /// - Returns: The server's answer; `nil` if there is no server, or it accepts nothing.
    static func exchange(_ bytes: [UInt8], port: UInt16, seconds: Int = 120, isCut: Bool = false) -> [UInt8]? {
        #if canImport(Darwin)
            let connection = socket(AF_INET, SOCK_STREAM, 0)
            var isOn: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let flags: Int32 = 0
        #else
            let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            // The C interface takes every kind of address as a `sockaddr`; the memory is bound to it for the call only.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return nil }
            rest = rest.dropFirst(count)
        }
        if isCut { return nil }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return count == 0 ? answer : nil }
            answer += piece[..<count]
        }
    }
}
