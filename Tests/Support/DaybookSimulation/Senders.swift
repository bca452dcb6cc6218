import Daybook
import DaybookBase
import DaybookCollector
import DaybookHTTP
import DaybookRequests
import DaybookTrials
import Foundation

/// An honest sender of another make: OpenTelemetry in JSON, numbered as in the first versions, without a journal.
final class OlderClient {
    let network: SimulatedNetwork
    private let stream: String
    private var sent = 0
    /// Unacknowledged numbers.
    private var waiting: [Int] = []

    var pending: Int { waiting.count }
    var last: Int { sent }

    init(network: SimulatedNetwork, seed: UInt64) {
        self.network = network
        stream = String(Hex.text(seed) + Hex.text(~seed) + Hex.text(seed ^ 0x5555))
    }

    func send(_ count: Int, _ weather: SimulatedNetwork.Weather, _ key: String) async {
        waiting += (0..<count).map { sent + 1 + $0 }
        sent += count
        guard let first = waiting.first, let last = waiting.last else { return }
        let records = waiting.map { number in
            LogRecord.event("older.event", Marker.record("older", number), uid: "\(stream)-\(number)")
        }
        let scope = InstrumentationScope.numbered(stream, after: first - 1, through: last)
        network.set(weather)
        let answer = try? await network.send(.logs(records, scope, installation: "older", key: key))
        // Unlike a foreign page, the collector answers in JSON.
        if answer?.status == 200, answer?.headers["content-type"]?.hasPrefix("application/json") == true {
            waiting = []
        }
    }
}

extension LogRecord {
    static func event(_ name: String, _ marker: String, uid: String? = nil) -> LogRecord {
        var record = LogRecord()
        record.eventName = name
        record.attributes = [Marker.attribute: .string(marker)]
        record.attributes["log.record.uid"] = uid.map { .string($0) }
        return record
    }
}

extension InstrumentationScope {
    static func numbered(_ stream: String, output: String? = nil, after: Int, through: Int) -> InstrumentationScope {
        var scope = InstrumentationScope(name: "daybook")
        scope.attributes = [
            "daybook.stream": .string(stream), "daybook.interval.after": .int(Int64(after)),
            "daybook.interval.through": .int(Int64(through)),
        ]
        scope.attributes["daybook.output"] = output.map { .string($0) }
        return scope
    }
}

extension TransportRequest {
    static func logs(
        _ records: [LogRecord], _ scope: InstrumentationScope, installation: String, key: String
    ) -> TransportRequest {
        let body = ExportLogsRequest(resources: [
            ResourceLogs(
                resource: ["app.installation.id": .string(installation)],
                scopes: [ScopeLogs(scope: scope, records: records)])
        ])
        return post("v1/logs", "application/json", body.json(), key: key)
    }

    static func post(_ path: String, _ type: String, _ body: [UInt8], key: String) -> TransportRequest {
        TransportRequest(
            url: URL(string: "http://collector.example/\(path)")!,
            headers: ["content-type": type, "authorization": "Bearer \(key)"], body: body, timeout: .seconds(30))
    }
}

/// What someone can try with a sending key and all that a device shows.
enum Attack: CaseIterable {
    case garbage, noKey, wrongKey, oddRecords, ownHugeInterval
    case settleOthers, inventLosses, recordsOfOthers
    case forgeRun, forgeOwnRecords
}

extension World {
    func perform(_ attack: Attack) async throws {
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        let stream = traffic.stream(of: client.name)
        let number = Int.random(in: 1...1_000_000, using: &random)
        let key = collector.keys.text("mallory")
        let marker = Marker.record("mallory", number)
        func lines(_ text: String) -> TransportRequest {
            .post("v1/events", "application/x-ndjson", Array(text.utf8), key: key)
        }
        func inStream(_ scope: InstrumentationScope, _ records: [LogRecord] = []) -> TransportRequest {
            .logs(records, scope, installation: client.installation, key: key)
        }
        let parts = (stream ?? "").split(separator: "/").map(String.init)
        let (name, output) = (parts.first ?? "none", parts.count > 1 ? parts[1] : nil)
        let request: TransportRequest
        switch attack {
        case .garbage:
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let type = Bool.random(using: &random) ? "application/x-protobuf" : "application/json"
            request = .post("v1/logs", type, bytes, key: key)
        case .noKey: request = .post("v1/logs", "application/x-protobuf", [], key: "")
        case .wrongKey: request = .post("v1/logs", "application/x-protobuf", [], key: collector.keys.text("reader"))
        case .oddRecords:
            request = lines(
                #"{"tag":"feed.show_article","time":"9999-12-31T00:00:00Z","#
                    + #""attributes":{"marker":"\#(marker)","a":[[[{}]]],"":0}}"#
            )
        case .ownHugeInterval:
            request = .logs(
                [], .numbered(String(repeating: "ef", count: 24), after: 2, through: 1 << 62), installation: "mallory",
                key: key)
        case .settleOthers: request = inStream(.numbered(name, output: output, after: 2, through: 1 << 62))
        case .inventLosses:
            var scope = InstrumentationScope.numbered(name, output: output, after: 0, through: 0)
            scope.attributes["daybook.dropped.disk_limit"] = 1_000
            request = inStream(scope)
        case .recordsOfOthers:
            let next = client.logged.count + 5
            request = inStream(
                .numbered(name, output: output, after: next - 1, through: next),
                [.event("feed.show_article", marker, uid: "\(name)-\(next)")])
        case .forgeRun:
            let run = try await runName()
            request = lines(
                ["finish", "signoff"].map {
                    #"{"kind":"run","tag":"checklist.\#($0)","attributes":{"run":"\#(run)","checklist":"release","#
                        + #""checklist_id":"release","tester":"mallory"}}"#
                }.joined(separator: "\n"))
        case .forgeOwnRecords:
            request = lines(#"{"tag":"daybook.inspector","message":"forged","attributes":{"marker":"\#(marker)"}}"#)
        }
        let answer = await collector.respond(to: request)
        note("mallory: \(answer.status)")
        let isRefusal = [400, 401, 403, 404, 413, 415, 429].contains(answer.status)
        let isAllowed = answer.status == 200 || isRefusal || answer.status == 503 && collector.isStoreFailing
        try promise(.requestsAreAnswered, isAllowed, "\(attack) was answered with \(answer.status)")
        if [.noKey, .wrongKey].contains(attack) {
            try promise(
                .revokedKeysAreClosed, [401, 403].contains(answer.status), "\(attack) was answered \(answer.status)")
        }
    }

    /// The run's name, which everyone sees who sees its records.
    private func runName() async throws -> String {
        guard let run, let record = try await collector.store.record(id: run),
            case .object(let columns)? = try? JSONReader.value(of: Array(record.row.attributes.utf8))
        else { return "" }
        return columns["run"]?.text ?? ""
    }
}
