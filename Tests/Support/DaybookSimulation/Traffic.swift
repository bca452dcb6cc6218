import Daybook
import DaybookBase
import DaybookCollector
import DaybookRequests
import DaybookStore

struct SentRequest: Sendable {
    private(set) var markers: [String] = []
    /// As stores name it; empty for a request without one.
    private(set) var stream = ""
    private(set) var interval = SequenceInterval(after: 0, through: 0)

    init(_ request: TransportRequest) {
        if request.url.path.hasSuffix("traces") {
            guard let body = try? ExportTraceRequest(protobuf: request.body) else { return }
            for scope in body.resources.flatMap(\.scopes) { read(scope.scope, scope.spans.map(\.attributes), "traces") }
        } else {
            let isJSON = request.headers["content-type"] == "application/json"
            let body =
                isJSON ? try? ExportLogsRequest(json: request.body) : try? ExportLogsRequest(protobuf: request.body)
            for scope in body?.resources.flatMap(\.scopes) ?? [] {
                read(scope.scope, scope.records.map(\.attributes), "logs")
            }
        }
    }

    private mutating func read(_ scope: InstrumentationScope, _ records: [Attributes], _ signal: String) {
        markers += records.compactMap { $0[Marker.attribute]?.text }
        guard let name = scope.attributes[WireName.stream]?.text,
            case .int(let after)? = scope.attributes[WireName.intervalAfter],
            case .int(let through)? = scope.attributes[WireName.intervalThrough]
        else { return }
        stream = "\(name)/\(scope.attributes[WireName.output]?.text ?? "")/\(signal)"
        interval = SequenceInterval(after: UInt64(after), through: UInt64(through))
    }
}

/// What all honest senders have sent, as far as the collector may know. Safe to share.
final class Traffic: Sendable {
    struct Account: Sendable {
        /// Settled by requests answered with 200.
        var certain = IntervalSet()
        /// Settled by requests that arrived, whatever the answer.
        var possible = IntervalSet()
    }

    private struct State {
        var acknowledged: Set<String> = []
        var accounts: [String: Account] = [:]
        var streams: [String: String] = [:]
    }

    private let state = Mutex(State())

    /// Records whose sender was told that they are stored.
    var acknowledged: Set<String> { state.withLock { $0.acknowledged } }
    /// By stream, as stores name them.
    var accounts: [String: Account] { state.withLock { $0.accounts } }

    func acknowledge(_ sent: SentRequest) { state.withLock { $0.acknowledged.formUnion(sent.markers) } }

    /// A stream that a client has sent; `nil` before that.
    func stream(of client: String) -> String? {
        state.withLock { state in
            state.streams.filter { $0.key.hasPrefix(client + "/") }.min { $0.key < $1.key }?.value
        }
    }

    func announce(_ sent: SentRequest, by output: String) {
        guard !sent.stream.isEmpty else { return }
        state.withLock { state in
            state.streams[output] = sent.stream
            state.accounts[sent.stream, default: Account()].possible.insert(sent.interval)
        }
    }

    func settle(_ sent: SentRequest) {
        guard !sent.stream.isEmpty else { return }
        state.withLock { $0.accounts[sent.stream, default: Account()].certain.insert(sent.interval) }
    }
}

/// Distinguishes a record of the simulation, or a private value, from all others.
enum Marker {
    static let attribute = "marker"
    static let privateAttribute = "mail"

    static func record(_ sender: String, _ number: Int) -> String { "\(sender)-\(number)" }

    /// - Parameter word: The world's; two worlds differ in nothing else.
    static func secret(_ word: String, _ record: String) -> String { "secret-\(word)-\(record)" }
}
