import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTrials

/// A collector's ingest gets damaged requests of every format, with honest ones in between. None may be answered with
/// 5xx, and every honest one must be stored.
package enum HostileRequestTrials {
    private struct Format: Sendable {
        var path: String
        var type: String
        var corpus: [[UInt8]]
    }

    private static let formats = [
        Format(
            path: "/v1/logs", type: "application/x-protobuf",
            corpus: [RequestSamples.logs.protobuf(), numbered.protobuf()]),
        Format(path: "/v1/logs", type: "application/json", corpus: [RequestSamples.logs.json(), numbered.json()]),
        Format(path: "/v1/traces", type: "application/x-protobuf", corpus: [RequestSamples.traces.protobuf()]),
        Format(path: "/v1/traces", type: "application/json", corpus: [RequestSamples.traces.json()]),
        Format(
            path: "/v1/events", type: "application/x-ndjson",
            corpus: [Array("{\"tag\":\"a.b\",\"attributes\":{\"a\":[1,2.5,null]}}\n{\"tag\":\"c\",\"seq\":7}\n".utf8)]),
        Format(
            path: "/v1/requests/track", type: "application/json",
            corpus: [
                Array(
                    #"{"common":{"u":1},"events":[{"name":"a","at":1795168931,"p":{"n":[1]}},{"name":"b"}]}"#.utf8)
            ]),
        Format(
            path: "/v1/requests/form", type: "application/x-www-form-urlencoded",
            corpus: [Array("name=tap&title=a+%E5%8D%B5%26&at=2026-11-20T10:02:11Z&n=1".utf8)]),
    ]
    private static let rules = #"""
        {"rules": [
          {"path": "/track", "each": "body.events", "event": "{item.name}", "time": "item.at",
           "attributes": ["body.common", "item.p"]},
          {"path": "/form", "event": "feed.{body.name}", "time": "body.at"}
        ]}
        """#
    /// One request in this many is honest.
    private static let honest = 10

    /// A Daybook sender's request, with stream, interval and losses.
    private static var numbered: ExportLogsRequest {
        let stream = String(repeating: "0123456789abcdef", count: 3)
        var record = LogRecord()
        record.eventName = "feed.show"
        record.attributes = ["log.record.uid": .string("\(stream)-1"), "session.id": "s"]
        let scope = InstrumentationScope(
            name: "daybook",
            attributes: [
                "daybook.stream": .string(stream), "daybook.interval.after": 0, "daybook.interval.through": 1,
                "daybook.context.keys": ["plan"],
            ])
        return ExportLogsRequest(resources: [
            ResourceLogs(resource: ["service.version": "1"], scopes: [ScopeLogs(scope: scope, records: [record])])
        ])
    }

    /// - Parameters:
    ///   - mutations: Of each format.
    ///   - store: Must be empty.
    /// - Throws: What the store throws when it is read at the end.
    package static func run(mutations: Int, seed: UInt64, on store: any EventStore) async throws -> TrialTally {
        let requests = TeamRequests(try RequestRules(json: rules))
        let ingest = IngestHandler(store: store) { $0.requests = requests }
        var tally = TrialTally()
        await withTaskGroup(of: TrialTally.self) { group in
            let width = 16
            for lane in 0..<width {
                group.addTask {
                    var tally = TrialTally()
                    for number in stride(from: lane, to: mutations * formats.count, by: width) {
                        await send(number, seed, to: ingest, &tally)
                    }
                    return tally
                }
            }
            for await part in group { tally += part }
        }
        let expected = (mutations * formats.count + honest - 1) / honest
        var query = RecordQuery()
        query.filter.narrow(by: .tag("honest.request"))
        query.limit = 1_000
        var found: Set<String> = []
        var next: Int64?
        repeat {
            let slice = try await store.wholeSlice(next.map { query.resumed(at: $0) } ?? query)
            found.formUnion(slice.records.map(\.row.uid))
            next = slice.next
        } while next != nil
        tally.lost += expected - found.count
        return tally
    }

    private static func send(_ number: Int, _ seed: UInt64, to ingest: IngestHandler, _ tally: inout TrialTally) async {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(number))
        let format = formats[number % formats.count]
        var body = format.corpus.randomElement(using: &random) ?? []
        Mutation.mutate(&body, fragments: [], others: format.corpus, &random)
        var encoding: String?
        if Int.random(in: 0..<10, using: &random) == 0, let compressed = Gzip.compress(body) {
            (body, encoding) = (compressed, "gzip")
            if Bool.random(using: &random) { Mutation.mutate(&body, fragments: [], others: [], &random) }
        }
        tally.trials += 1
        let status = await post(format.path, format.type, encoding, body, to: ingest)
        tally.expect([200, 400, 413].contains(status), "seed \(seed), request \(number) to \(format.path): \(status)")
        guard number % honest == 0 else { return }
        let line = #"{"tag":"honest.request","uid":"h-\#(number)"}"#
        let answer = await post("/v1/events", "application/x-ndjson", nil, Array(line.utf8), to: ingest)
        tally.expect(answer == 200, "seed \(seed), the honest request \(number): \(answer)")
    }

    private static func post(
        _ path: String, _ type: String, _ encoding: String?, _ body: [UInt8], to ingest: IngestHandler
    ) async -> Int {
        var headers: HTTPHeaders = ["content-type": type]
        headers["content-encoding"] = encoding
        let head = HTTPRequest.Head(method: "POST", path: path, headers: headers)
        if case .refuse(let response) = ingest.admit(head) { return response.status }
        return await ingest.respond(to: HTTPRequest(head: head, body: body)).status
    }
}
