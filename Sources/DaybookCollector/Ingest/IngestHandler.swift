import Daybook
import DaybookHTTP
import DaybookOTLP
import DaybookStore

/// Takes records over HTTP into a store: `POST /v1/logs` and `/v1/traces` (OTLP in protobuf or JSON), `POST /v1/events`
/// (NDJSON), and `GET /healthz`.
///
/// An answer 200 means that the store has the records durably. What parses is never refused. Anything else is answered
/// with `google.rpc.Status` in the request's own format: 400 what does not parse (sending it again is useless), 405, 413,
/// 415, and 503 with `Retry-After` where the store failed (send it again; what it had is not stored twice when the sender
/// numbers its records). Safe to share between threads.
package struct IngestHandler: HTTPHandler {
    /// The most bytes of a body as sent.
    package static let wireLimit = 4 << 20
    /// The most bytes of a body after inflating.
    package static let inflatedLimit = 16 << 20

    private let store: any EventStore
    private let now: @Sendable () -> Int64
    private let retryDelay: @Sendable () -> Int

    /// - Parameters:
    ///   - store: where the records go.
    ///   - now: nanoseconds since 1970, for records without a time. Default: the system's clock.
    ///   - retryDelay: seconds for `Retry-After`; spread so that clients do not come back all at once. Default: 1–5.
    package init(
        store: any EventStore, now: @escaping @Sendable () -> Int64 = PipelineClock.system.wall,
        retryDelay: @escaping @Sendable () -> Int = { Int.random(in: 1...5) }
    ) {
        self.store = store
        self.now = now
        self.retryDelay = retryDelay
    }

    /// Whether a path is one that this handler answers.
    package static func handles(path: String) -> Bool { Route(rawValue: path) != nil }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        switch IngestRequest.reading(head) {
        case .success(let request): .accept(bodyLimit: request.route == .health ? 0 : Self.wireLimit)
        case .failure(let refusal): .refuse(refusal.response)
        }
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch IngestRequest.reading(request.head) {
        case .failure(let refusal):
            return refusal.response
        case .success(let reading):
            if reading.route == .health { return await health() }
            do throws(IngestRefusal) {
                let body = try reading.body(of: request)
                return try await ingest(body, reading)
            } catch {
                return error.response
            }
        }
    }

    private func ingest(_ body: [UInt8], _ reading: IngestRequest) async throws(IngestRefusal) -> HTTPResponse {
        let batches: [RecordBatch]
        do throws(OTLPError) {
            batches = try self.batches(of: body, reading)
        } catch {
            throw IngestRefusal.notDecoded(error.description, isLimit: error.isLimit, reading.format)
        }
        var result = AppendResult(stored: 0, duplicates: 0)
        do {
            for batch in batches {
                let part = try await store.append(batch)
                result.stored += part.stored
                result.duplicates += part.duplicates
            }
        } catch {
            throw IngestRefusal.storeFailed(error, retryAfter: retryDelay(), reading.format)
        }
        return reading.success(result)
    }

    private func batches(of body: [UInt8], _ reading: IngestRequest) throws(OTLPError) -> [RecordBatch] {
        switch (reading.route, reading.format) {
        case (.traces, .protobuf): TraceMapping.batches(of: try .init(protobuf: body), now: now())
        case (.traces, _): TraceMapping.batches(of: try .init(json: body), now: now())
        case (.events, _): [RecordBatch(rows: try EventLines.rows(of: body, now: now()))]
        case (_, .protobuf): LogMapping.batches(of: try .init(protobuf: body), now: now())
        case (_, _): LogMapping.batches(of: try .init(json: body), now: now())
        }
    }

    private func health() async -> HTTPResponse {
        do {
            _ = try await store.head()
            return HTTPResponse(status: 200, contentType: "text/plain; charset=utf-8", text: "ok\n")
        } catch {
            return HTTPResponse(
                status: 503, contentType: "text/plain; charset=utf-8", text: "The store does not answer: \(error)\n")
        }
    }
}
