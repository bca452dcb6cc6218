import DaybookAPI
import DaybookBase
import DaybookStore

/// What a question is asked with, besides its endpoint.
struct APICall: Sendable {
    /// What varies in the path. Default: nothing.
    var id = ""
    var parameters: Parameters = []
    var body: [UInt8] = []
    var type = "application/json"
    /// Whether it is idempotent.
    var isRepeatable = true
    /// The timeout of the whole exchange.
    var patience: Duration = .seconds(120)
}

/// Asks questions of the documented API (docs/json-api.md): of a collector, or of an inspector in this process.
protocol APIClient: Sendable {
    /// The answer's `data`, unread.
    /// - Throws: ``StoreError`` with the API's message; `unavailable` without a response.
    func data<Answer>(_ endpoint: Endpoint<Answer>, _ call: APICall) async throws -> Attributes
}

extension APIClient {
    /// The answer, read in its form.
    /// - Throws: As ``data(_:_:)``.
    func ask<Answer>(_ endpoint: Endpoint<Answer>, _ call: APICall = APICall()) async throws -> Answer {
        let data = try await data(endpoint, call)
        do throws(FormError) {
            return try endpoint.form.read(.object(data))
        } catch {
            throw StoreError(
                .storage,
                "The collector's response to \(endpoint.path) has a form that this version does not know: \(error). Use "
                    + "the collector's version.")
        }
    }
}

extension StoreError {
    init(status: Int, _ failure: Envelope.Failure) {
        // Untrusted text must not control the terminal.
        let words = failure.message?.printable ?? "HTTP status \(status)."
        let code: Code =
            switch (status, failure.code) {
            case (_, "bad_statement"): .badStatement
            case (_, "limit"): .limit
            case (502...504, _), (429, _): .unavailable
            case (400..<500, _): .badStatement
            default: .storage
            }
        self.init(code, words)
    }
}
