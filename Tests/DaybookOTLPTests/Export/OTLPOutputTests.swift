import Daybook
import DaybookBase
import DaybookRequests
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector
@testable import DaybookOTLP

/// What the output sends, decoded by the receiving codec.
@Suite(.temporaryDirectory) struct OTLPOutputTests {
    private let directory = TemporaryDirectory.current

    /// Keeps requests and gives scripted answers.
    private final class RecordingTransport: HTTPTransport {
        let requests = Mutex<[TransportRequest]>([])
        let status: Int

        init(status: Int = 200) { self.status = status }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            requests.withLock { $0.append(request) }
            return TransportResponse(
                status: status, headers: ["content-type": "application/x-protobuf"], body: [])
        }
    }

    private struct UserContext: LogContext {
        var userID: Int64?
        func encode(into fields: inout FieldEncoder) { fields.add("user_id", userID) }
    }

    @Test("Logs and spans go to their own addresses with context and identity") func sendsLogsAndSpans() async throws {
        let transport = RecordingTransport()
        let endpoint = try #require(URL(string: "http://127.0.0.1:4318"))
        let output = OTLPOutput(endpoint: endpoint, key: "secret", transport: transport)
        let pipeline = try Pipeline(directory: directory.url, context: UserContext(userID: 42)) {
            Route("**", to: output)
        }
        let log = pipeline.log("app.test")
        log.info("Hello", ["n": 1])
        log.post("recipe.show", ["recipe_id": 7])
        log.start("upload").end()
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))

        let requests = transport.requests.withLock { $0 }
        #expect(requests.map(\.url.path) == ["/v1/logs", "/v1/traces"])
        for request in requests {
            #expect(request.headers["content-type"] == "application/x-protobuf")
            #expect(request.headers["authorization"] == "Bearer secret")
        }

        let logs = try ExportLogsRequest(protobuf: inflated(requests[0]))
        let resource = try #require(logs.resources.first)
        #expect(logs.resources.count == 1)
        #expect(resource.resource["telemetry.sdk.language"] == "swift")
        #expect(resource.resource["app.installation.id"] != nil)
        let scope = try #require(resource.scopes.first)
        #expect(scope.scope.name == "daybook")
        #expect(scope.scope.attributes["daybook.output"] == "otlp")
        #expect(scope.scope.attributes["daybook.context.keys"] == ["session.id", "user_id"])
        #expect(scope.scope.attributes["daybook.interval.after"] == 0)
        let (message, event) = (scope.records[0], scope.records[1])
        #expect(scope.records.count == 2)
        #expect(message.body == "Hello")
        #expect(message.severityNumber == 9)
        #expect(message.severityText == "INFO")
        #expect(message.attributes["n"] == 1)
        #expect(message.attributes["daybook.tag"] == "app.test")
        #expect(message.attributes["code.file.path"] == "DaybookOTLPTests/OTLPOutputTests.swift")
        #expect(event.eventName == "recipe.show")
        #expect(event.attributes["recipe_id"] == 7)
        for record in scope.records { #expect(record.attributes["user_id"] == 42) }
        guard case .string(let stream)? = scope.scope.attributes["daybook.stream"] else {
            Issue.record("the scope names no stream")
            return
        }
        #expect(stream.count == 48)
        #expect(message.attributes["log.record.uid"] == .string("\(stream)-1"))
        #expect(event.attributes["log.record.uid"] == .string("\(stream)-2"))

        let traces = try ExportTraceRequest(protobuf: inflated(requests[1]))
        let span = try #require(traces.resources.first?.scopes.first?.spans.first)
        #expect(span.name == "upload")
        #expect(span.attributes["user_id"] == 42)
        #expect(span.attributes["log.record.uid"] == .string("\(stream)-4"))
        #expect(span.end >= span.start)
    }

    @Test("An output's proof is the same at each launch and unique to it") func proofIsStableAndUnique() async throws {
        let directories = ["one", "two"].map(directory.subdirectory)
        let endpoint = try #require(URL(string: "http://127.0.0.1:4318"))
        var proofs: [[String]] = []
        for directory in directories + directories {
            let transports = (0..<2).map { _ in RecordingTransport() }
            let pipeline = try Pipeline(directory: directory.url) {
                Route("**", to: OTLPOutput(endpoint: endpoint, id: "team", transport: transports[0]))
                Route("**", to: OTLPOutput(endpoint: endpoint, id: "vendor", transport: transports[1]))
            }
            pipeline.log("a.b").info("Hello")
            pipeline.log("a.b").start("upload").end()
            try await pipeline.flush(deadline: .seconds(60))
            await pipeline.shutdown(deadline: .seconds(60))
            let secret = try String(contentsOf: directory.url.appending(path: "installation"), encoding: .utf8)
            for transport in transports {
                let shown = try transport.requests.withLock { $0 }.map { request -> String in
                    let scope =
                        request.url.path == "/v1/logs"
                        ? try ExportLogsRequest(protobuf: inflated(request)).resources[0].scopes[0].scope
                        : try ExportTraceRequest(protobuf: inflated(request)).resources[0].scopes[0].scope
                    guard case .string(let proof)? = scope.attributes["daybook.proof"] else { return "" }
                    return proof
                }
                #expect(Set(shown).count == 1 && shown.count == 2 && shown[0].utf8.count == 32)
                #expect(!secret.contains(shown[0]))
                proofs.append(shown)
            }
        }
        #expect(proofs[0..<4] == proofs[4..<8])
        #expect(Set(proofs[0..<4]).count == 4)
    }

    @Test("A proof differs from the hash of any text") func proofIsNotTextHash() {
        let key = HashKey(1, 2)
        for name in ["", "otlp", "\u{FF}otlp", "ÿotlp"] { #expect(key.hash(name) != key.proof(of: "otlp")) }
        #expect(key.proof(of: "otlp") != HashKey(1, 3).proof(of: "otlp"))
    }

    @Test("Losses travel with the output's next batch") func reportsLossesInBatch() async throws {
        final class RejectingOnce: HTTPTransport {
            let requests = Mutex<[TransportRequest]>([])
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                let count = requests.withLock { requests in
                    requests.append(request)
                    return requests.count
                }
                return TransportResponse(
                    status: 200, headers: ["content-type": "application/x-protobuf"],
                    body: ExportResponse(rejected: count == 1 ? 1 : 0).protobuf())
            }
        }
        let transport = RejectingOnce()
        let endpoint = try #require(URL(string: "http://127.0.0.1:4318"))
        var options = PipelineOptions()
        options.report = { _ in }
        let pipeline = try Pipeline(directory: directory.url, options: options) {
            Route("**", to: OTLPOutput(endpoint: endpoint, transport: transport))
        }
        for number in 0..<2 {
            pipeline.log().info("m", ["n": .int(Int64(number))])
            try await pipeline.flush(deadline: .seconds(60))
        }
        await pipeline.shutdown(deadline: .seconds(60))
        let scopes = try transport.requests.withLock { $0 }.map { request in
            try #require(try ExportLogsRequest(protobuf: inflated(request)).resources.first?.scopes.first)
        }
        #expect(scopes.map { $0.scope.attributes["daybook.dropped.rejected"] } == [nil, 1])
    }

    @Test("Batches of any size decode record for record") func anySizeIsWellFormed() async throws {
        let transport = RecordingTransport()
        let endpoint = try #require(URL(string: "http://127.0.0.1:4318"))
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: OTLPOutput(endpoint: endpoint, transport: transport))
        }
        for length in 0..<400 {
            pipeline.log().info(String(repeating: "あ", count: length), ["length": .int(Int64(length))])
        }
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
        let records = try transport.requests.withLock { $0 }.flatMap { request in
            try ExportLogsRequest(protobuf: inflated(request)).resources.flatMap { $0.scopes.flatMap(\.records) }
        }
        #expect(records.map { $0.attributes["length"] } == (0..<400).map { Value.int(Int64($0)) })
        #expect(records.map(\.body) == (0..<400).map { Value.string(String(repeating: "あ", count: $0)) })
    }

    private func inflated(_ request: TransportRequest) throws -> [UInt8] {
        guard request.headers["content-encoding"] == "gzip" else { return request.body }
        return try Inflate.bytes(request.body, limit: 16 << 20)
    }
}
