import Daybook
import DaybookAPI
import DaybookBase
import DaybookInspector
import DaybookStore
import Foundation

/// A client of a collector's documented API (docs/json-api.md). Idempotent requests are retried a limited number of
/// times when the connection breaks or the collector is busy, but not where a retry cannot succeed. Thread-safe.
struct CollectorClient: Sendable {
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

    /// A request without its path.
    struct Call: Sendable {
        var method = "GET"
        var parameters: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var type = "application/json"
        /// Whether it is idempotent.
        var isRepeatable = true
        /// The timeout of the whole exchange.
        var patience: Duration = .seconds(120)
    }

    /// The answer, read in its form.
    /// - Throws: ``StoreError`` with the collector's message; `unavailable` without a response.
    func ask<Answer>(_ path: String, _ form: Form<Answer>, _ call: Call = Call()) async throws -> Answer {
        let data = try await data(path, call)
        do throws(FormError) {
            return try form.read(.object(data))
        } catch {
            throw StoreError(
                .storage,
                "The collector's response to \(path) has a form that this version does not know: \(error). Use the "
                    + "collector's version.")
        }
    }

    /// The response's `data`.
    /// - Throws: ``StoreError`` with the collector's message; `unavailable` without a response.
    func data(_ path: String, _ call: Call = Call()) async throws -> Attributes {
        let backoff = Backoff(initial: .seconds(1), maximum: .seconds(10))
        var attempt = 1
        while true {
            let error: StoreError
            do {
                return try await ask(path, call)
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

    private func error(of failure: ConnectionFailure, _ call: Call) -> StoreError {
        let place = "The collector at \(address.shown) cannot be reached"
        if call.isRepeatable { return StoreError(.unavailable, "\(place): \(failure.reason)") }
        return StoreError(
            .unavailable,
            failure.reach == .perhaps
                ? "The connection to \(address.shown) was lost; the request may have been carried out: \(failure.reason)"
                : "\(place), and nothing was sent: \(failure.reason)")
    }

    private func ask(_ path: String, _ call: Call) async throws -> Attributes {
        let response = try await response(path, call)
        guard case .object(let answer)? = try? JSONReader.value(of: response.body, limits: Self.limits) else {
            throw StoreError(
                [502, 503, 504].contains(response.status) ? .unavailable : .storage,
                "The server at \(address.shown) is not a collector: HTTP status \(response.status).")
        }
        if response.status == 200, let data = answer.members("data") { return data }
        let error = answer.members("error")
        throw failure(response.status, error?.text("code"), error?.text("message"))
    }

    private static var limits: JSONReader.Limits {
        var limits = JSONReader.Limits()
        limits.values = 20_000_000
        return limits
    }

    private func response(_ path: String, _ call: Call) async throws -> TransportResponse {
        let query = call.parameters.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        guard let url = URL(string: "\(address.base)\(path)\(query.isEmpty ? "" : "?" + query)") else {
            throw StoreError(.unavailable, "\(address.shown) is not a URL.")
        }
        var headers = ["Authorization": "Bearer \(address.key)"]
        if call.method == "POST" { headers["Content-Type"] = call.type }
        if onlyReads { headers[Credentials.readingField] = "only" }
        do {
            return try await transport.send(
                TransportRequest(
                    method: call.method, url: url, headers: headers, body: call.body, timeout: call.patience))
        } catch {
            try Task.checkCancellation()
            throw ConnectionFailure(error)
        }
    }

    private func failure(_ status: Int, _ code: String?, _ message: String?) -> StoreError {
        // Untrusted text must not control the terminal.
        let words = message?.printable ?? "HTTP status \(status)."
        switch (status, code) {
        case (401, _): return StoreError(.badStatement, "The collector at \(address.shown) does not know this key.")
        case (_, "bad_statement"): return StoreError(.badStatement, words)
        case (_, "limit"): return StoreError(.limit, words)
        case (502...504, _), (429, _): return StoreError(.unavailable, words)
        case (400..<500, _): return StoreError(.badStatement, words)
        default: return StoreError(.storage, words)
        }
    }

    /// Escapes all but the unreserved characters of RFC 3986.
    static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
