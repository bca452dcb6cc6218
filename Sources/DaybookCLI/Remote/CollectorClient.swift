import Daybook
import DaybookAPI
import DaybookBase
import DaybookInspector
import DaybookStore
import Foundation

/// A client of a collector's documented API (docs/json-api.md). Idempotent requests are retried a limited number of
/// times when the connection breaks or the collector is busy, but not where a retry cannot succeed. Thread-safe.
struct CollectorClient: APIClient {
    /// The most bytes of a response; a page of records has 4 MiB plus one record.
    private static let answerLimit = 64 << 20

    let address: CollectorAddress
    var transport: any HTTPTransport = DefaultTransport(answerLimit: answerLimit)
    /// Whether to be treated as a reader, whatever the key permits. Default: `false`.
    var onlyReads = false
    /// The most attempts per request.
    var attempts = 6
    /// Waits between attempts; replaced in tests.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Receives notes about retries.
    var console = Console.standard
    /// A random number in 0..<1.
    var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

    func data<Answer>(_ endpoint: Endpoint<Answer>, _ call: APICall) async throws -> Attributes {
        let backoff = Backoff(initial: .seconds(1), maximum: .seconds(10))
        var attempt = 1
        while true {
            let error: StoreError
            do {
                return try await dataOnce(endpoint, call)
            } catch let failure as ConnectionFailure {
                error = self.error(of: failure, call)
                if failure.reach == .never { throw error }
            } catch let failure as StoreError where failure.code == .unavailable {
                error = failure
            }
            guard call.isRepeatable, attempt < attempts else { throw error }
            if attempt == 1 { console.errors("retrying: \("\(error)".printable)\n") }
            try await pause(backoff.delay(attempt: attempt, requested: nil, jitter: jitter()))
            attempt += 1
        }
    }

    private func error(of failure: ConnectionFailure, _ call: APICall) -> StoreError {
        let place = "The collector at \(address.shown) cannot be reached"
        if call.isRepeatable { return StoreError(.unavailable, "\(place): \(failure.reason)") }
        return StoreError(
            .unavailable,
            failure.reach == .perhaps
                ? "The connection to \(address.shown) was lost; the request may have been carried out: \(failure.reason)"
                : "\(place), and nothing was sent: \(failure.reason)")
    }

    private func dataOnce<Answer>(_ endpoint: Endpoint<Answer>, _ call: APICall) async throws -> Attributes {
        let response = try await response(endpoint.method, endpoint.path(of: Self.encoded(call.id)), call)
        do throws(Envelope.Failure) {
            if let data = try Envelope.data(of: response.body) { return data }
        } catch {
            guard response.status != 401 else {
                throw StoreError(.badStatement, "The collector at \(address.shown) does not know this key.")
            }
            throw StoreError(status: response.status, error)
        }
        throw StoreError(
            [502, 503, 504].contains(response.status) ? .unavailable : .storage,
            "The server at \(address.shown) is not a collector: HTTP status \(response.status).")
    }

    private func response(_ method: String, _ path: String, _ call: APICall) async throws -> TransportResponse {
        let query = call.parameters.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        guard let url = URL(string: "\(address.base)\(path)\(query.isEmpty ? "" : "?" + query)") else {
            throw StoreError(.unavailable, "\(address.shown) is not a URL.")
        }
        var headers = ["Authorization": "Bearer \(address.key)"]
        if method == "POST" { headers["Content-Type"] = call.type }
        if onlyReads { headers[Credentials.readingField] = "only" }
        do {
            return try await transport.send(
                TransportRequest(
                    method: method, url: url, headers: headers, body: call.body, timeout: call.patience))
        } catch {
            try Task.checkCancellation()
            throw ConnectionFailure(error)
        }
    }

    /// Escapes all but the unreserved characters of RFC 3986.
    static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
