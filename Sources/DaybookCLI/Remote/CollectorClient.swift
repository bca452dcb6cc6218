import Daybook
import DaybookAPI
import DaybookBase
import DaybookInspector
import DaybookStore
import Foundation

/// Asks a collector by its documented API (docs/json-api.md). What only reads, and what may come twice, is sent again when
/// the connection breaks or the collector is busy, a bounded number of times; where no attempt can succeed, it is not. Safe to
/// share between threads.
struct CollectorClient: Sendable {
    /// Bytes of an answer at most: a page of records is 4 MiB and one record.
    private static let answerLimit = 64 << 20

    let address: CollectorAddress
    var transport: any HTTPTransport = DefaultTransport(answerLimit: answerLimit)
    /// Whether it is answered as who only reads, whatever its key opens. Default: `false`.
    var onlyReads = false
    /// How often a request is sent at most.
    var attempts = 6
    /// Waits between two attempts; tests replace it.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Where it says that it tries again.
    var console = Console.standard
    /// A random number in 0..<1.
    var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

    /// What a request is, besides its path.
    struct Call: Sendable {
        var method = "GET"
        var parameters: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var type = "application/json"
        /// Whether it may come twice.
        var isRepeatable = true
        /// How long the request and its answer may take.
        var patience: Duration = .seconds(120)
    }

    /// The answer, read in its form.
    /// - Throws: ``StoreError``, in the collector's words; `unavailable` where there is no answer.
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

    /// The `data` of the answer.
    /// - Throws: ``StoreError``, in the collector's words; `unavailable` where there is no answer.
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

    /// An answer has more values than a document of somebody else's may.
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
        // Whoever answers may be anybody: no text of theirs drives a terminal.
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

    /// RFC 3986: everything but unreserved characters is escaped.
    static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
