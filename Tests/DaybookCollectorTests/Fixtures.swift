import Daybook
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookOTLP
import DaybookRequests
import DaybookStore
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// An ingest over a SQLite store in its own folder.
final class Collector: Sendable {
    let store: SQLiteStore
    let ingest: IngestHandler
    let metrics = IngestMetrics()
    /// Store failures as the ingest counts them.
    var failures: Int { metrics.storeFailures.count }
    let path: String
    private let directory: TemporaryDirectory

    init(
        violationsOf definitions: Definitions? = nil, requests: TeamRequests? = nil, keys: KeyRing? = nil
    ) throws {
        directory = try TemporaryDirectory()
        path = directory.file("store.sqlite")
        store = try SQLiteStore(path: path)
        let store = store
        let violations = definitions.map { ViolationLog(definitions: $0, store: store, now: { 4_200 }) }
        ingest = IngestHandler(
            store: store, keys: keys, metrics: metrics, clock: .init(wall: { 4_200 }, monotonic: { 0 })
        ) {
            $0.violations = violations
            $0.requests = requests
            $0.patience = .seconds(60)
        }
    }

    deinit { directory.remove() }

    func post(
        _ path: String, _ body: [UInt8], type: String, encoding: String? = nil, key: APIKey? = nil
    ) async -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": type]
        headers["Authorization"] = key.map { "Bearer \($0.text)" }
        headers["Content-Encoding"] = encoding
        let head = HTTPRequest.Head(method: "POST", path: path, headers: headers)
        if case .refuse(let response) = ingest.admit(head) { return response }
        return await ingest.respond(to: HTTPRequest(head: head, body: body))
    }

    /// Sends logs in Protobuf and expects success.
    func send(_ request: ExportLogsRequest) async {
        #expect(await post("/v1/logs", request.protobuf(), type: "application/x-protobuf").status == 200)
    }

    /// Sends traces in Protobuf and expects success.
    func send(_ request: ExportTraceRequest) async {
        #expect(await post("/v1/traces", request.protobuf(), type: "application/x-protobuf").status == 200)
    }

    func rows() async throws -> [RecordRow] {
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = 1_000
        return try await store.page(query).map(\.row)
    }
}

/// A Daybook sender's stream and requests.
enum Sender {
    static let stream = "0123456789abcdef0123456789abcdef0123456789abcdef"

    /// The proof of its installation.
    static let proof = "00112233445566778899aabbccddeeff"

    /// - Parameter proof: `nil` as in earlier versions. Default: the sender's own.
    static func scope(
        after: Int64, through: Int64, contextKeys: [String] = [], proof: String? = proof
    ) -> InstrumentationScope {
        var attributes: Attributes = [
            "daybook.stream": .string(stream), "daybook.interval.after": .int(after),
            "daybook.interval.through": .int(through),
            "daybook.context.keys": .array(contextKeys.map { .string($0) }),
        ]
        attributes["daybook.proof"] = proof.map { .string($0) }
        return InstrumentationScope(name: "daybook", attributes: attributes)
    }

    static func record(_ sequence: Int64, _ attributes: Attributes = [:]) -> LogRecord {
        var record = LogRecord()
        record.time = UInt64(sequence)
        record.attributes = ["log.record.uid": .string("\(stream)-\(sequence)")]
        record.attributes.elements += attributes.elements
        record.eventName = "recipe.show"
        return record
    }

    static func logs(after: Int64, through: Int64, _ sequences: some Sequence<Int64>) -> ExportLogsRequest {
        ExportLogsRequest(resources: [
            ResourceLogs(scopes: [
                ScopeLogs(scope: scope(after: after, through: through), records: sequences.map { record($0) })
            ])
        ])
    }

    static func traces(after: Int64, through: Int64, _ sequences: some Sequence<Int64>) -> ExportTraceRequest {
        let spans = sequences.map { sequence in
            var span = Span()
            span.name = "span"
            span.attributes = ["log.record.uid": .string("\(stream)-\(sequence)")]
            return span
        }
        return ExportTraceRequest(resources: [
            ResourceSpans(scopes: [ScopeSpans(scope: scope(after: after, through: through), spans: spans)])
        ])
    }
}

extension HTTPResponse {
    var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
