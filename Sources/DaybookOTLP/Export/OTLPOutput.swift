import Daybook
import DaybookBase
import Foundation

/// Sends records to any OpenTelemetry receiver over OTLP/HTTP: protobuf, gzip.
///
/// Messages, errors and events go to `ENDPOINT/v1/logs`, measurements and requests to `ENDPOINT/v1/traces`. The
/// pipeline retries. Thread-safe.
public final class OTLPOutput: BatchOutput {
    /// As `OTEL_EXPORTER_OTLP_COMPRESSION`.
    public enum Compression: Sendable, Hashable {
        case gzip
        /// For a receiver on the same machine, where gzip costs more than it saves.
        case none
    }

    public let id: String
    private let endpoint: URL
    private let headers: [String: String]
    private let timeout: Duration
    private let compression: Compression
    private let transport: any HTTPTransport
    /// Batches by stream whose logs were delivered but whose spans were not.
    private let halfway = Mutex<[String: Halfway]>([:])

    private struct Halfway {
        /// Logs up to this number were delivered.
        var through: UInt64 = 0
        /// Rejected logs that are not reported yet.
        var rejected = 0
    }

    /// Creates an output that sends OpenTelemetry over HTTP.
    ///
    /// ```swift
    /// Route("**", to: OTLPOutput(endpoint: URL(string: "http://127.0.0.1:4318")!))
    /// ```
    /// - Parameters:
    ///   - endpoint: The receiver's address, without a path: `http://127.0.0.1:4318`.
    ///   - key: Sent as `Authorization: Bearer …`, if given.
    ///   - id: The name under which undelivered records are kept. Default: `otlp`.
    ///   - headers: Additional header fields.
    ///   - timeout: For one request. Default 30 s.
    ///   - compression: For request bodies. Default: gzip.
    ///   - transport: Default: `DefaultTransport`.
    public init(
        endpoint: URL, key: String? = nil, id: String = "otlp", headers: [String: String] = [:],
        timeout: Duration = .seconds(30), compression: Compression = .gzip,
        transport: any HTTPTransport = DefaultTransport()
    ) {
        self.endpoint = endpoint
        self.id = id
        self.timeout = timeout
        self.compression = compression
        self.transport = transport
        var all = headers
        all["content-type"] = OTLPAnswer.contentType
        if let key { all["authorization"] = "Bearer \(key)" }
        self.headers = all
    }

    /// A receiver on the same machine needs no network.
    public var needsNetwork: Bool {
        !["localhost", "127.0.0.1", "::1", "[::1]"].contains(endpoint.host?.lowercased() ?? "")
    }

    public func send(_ batch: Batch) async -> Delivery {
        let encoder = OTLPRequestEncoder(batch: batch, version: Release.version)
        var logs = halfway.withLock { $0[batch.stream] } ?? Halfway()
        if let body = encoder.body(.logs, after: logs.through) {
            let answer = await post(body, .logs)
            guard let rejected = answer.rejected else { return answer }
            logs.rejected += rejected
        }
        logs.through = max(logs.through, batch.through)
        var rejected = 0
        if let body = encoder.body(.traces) {
            let answer = await post(body, .traces)
            guard let count = answer.rejected else {
                // The batch will be retried, perhaps split or extended: do not resend these logs.
                halfway.withLock { $0[batch.stream] = logs }
                return answer
            }
            rejected = count
        }
        let told = min(logs.rejected, batch.items.count { !$0.isSpan })
        logs.rejected -= told
        halfway.withLock { $0[batch.stream] = logs.through > batch.through ? logs : nil }
        return rejected + told == 0 ? .delivered : .partly(rejected: rejected + told)
    }

    private func post(_ body: [UInt8], _ signal: OTLPSignal) async -> Delivery {
        var request = TransportRequest(
            url: endpoint.appendingPathComponent("v1/\(signal.rawValue)"), headers: headers, body: body,
            timeout: timeout)
        if compression == .gzip, let compressed = Gzip.compress(body), compressed.count < body.count {
            request.body = compressed
            request.headers["content-encoding"] = "gzip"
        }
        do {
            return OTLPAnswer(try await transport.send(request), now: Date()).delivery
        } catch {
            return HTTPDelivery.noAnswer(from: request.url, error)
        }
    }
}

extension Delivery {
    /// Records rejected from a delivered request; `nil` if it was not delivered.
    fileprivate var rejected: Int? {
        switch self {
        case .delivered: 0
        case .partly(let count): count
        case .reject, .retry, .noAnswer, .refused, .pause: nil
        }
    }
}

/// Interprets a receiver's response. Pure.
///
/// Source: OTLP specification, *OTLP/HTTP Response*.
struct OTLPAnswer {
    static let contentType = "application/x-protobuf"

    private let response: TransportResponse
    private let now: Date

    init(_ response: TransportResponse, now: Date) {
        self.response = response
        self.now = now
    }

    var delivery: Delivery {
        response.status == 200 ? success : HTTPDelivery(response, now: now).failure
    }

    /// A 200 must be an OTLP response: a captive portal answers 200 with a page.
    private var success: Delivery {
        let type = response.headers["content-type"]?.prefix { $0 != ";" } ?? ""
        guard type.lowercased() == Self.contentType, let rejected = try? Self.rejected(response.body) else {
            return .retry(after: nil, reason: "status 200, but not from an OTLP receiver (content type \"\(type)\")")
        }
        return rejected <= 0 ? .delivered : .partly(rejected: Int(clamping: rejected))
    }

    /// Rejected records: field 1 of `partial_success`, which is field 1 of both `ExportLogsServiceResponse` and
    /// `ExportTraceServiceResponse`.
    private static func rejected(_ body: [UInt8]) throws(ProtobufError) -> Int64 {
        // The closure cannot throw a typed error.
        let result = body.withUnsafeBytes { bytes -> Result<Int64, ProtobufError> in
            var rejected: Int64 = 0
            var response = ProtobufReader(bytes)
            do throws(ProtobufError) {
                while let field = try response.nextField() {
                    guard field.number == 1, field.wireType == .lengthDelimited else {
                        try response.skip(field)
                        continue
                    }
                    var partial = try response.message()
                    while let field = try partial.nextField() {
                        switch (field.number, field.wireType) {
                        case (1, .varint): rejected = Int64(bitPattern: try partial.varint())
                        default: try partial.skip(field)
                        }
                    }
                }
                return .success(rejected)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// The last part of a request's path.
package enum OTLPSignal: String, Sendable {
    case logs
    case traces
}
