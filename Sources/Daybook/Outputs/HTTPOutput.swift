import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends records in batches to your own server, in your own format.
///
/// Two closures make the request and the body; the pipeline handles retries, order and storage. The response's status
/// decides. 2xx: delivered. 408, 429, 5xx and no response: sent again, after `Retry-After` if given. 400, 413 and 422:
/// refused; smaller batches follow until the record at fault is found. Anything else, including redirects: the output
/// pauses and keeps its records. Redirects are not followed. Safe to share between threads.
public struct HTTPOutput: BatchOutput {
    public let id: String
    public package(set) var needsNetwork = true
    private let request: @Sendable (Batch) throws -> URLRequest
    private let body: @Sendable ([Record]) throws -> Data
    private let answer: @Sendable (TransportResponse) -> Delivery?
    private let transport: any HTTPTransport

    /// Creates an output that sends batches as HTTP requests.
    ///
    /// ```swift
    /// let output = HTTPOutput(
    ///     request: { batch in
    ///         var request = URLRequest(url: collector)
    ///         request.setValue("\(batch.stream)-\(batch.through)", forHTTPHeaderField: "Idempotency-Key")
    ///         return request
    ///     },
    ///     body: { records in try JSONEncoder().encode(records.map(\.tag)) })
    /// ```
    /// - Parameters:
    ///   - id: The name under which undelivered records are kept: unique in a pipeline, the same at every launch.
    ///     Default: `http`.
    ///   - request: URL, method, headers and timeout for a batch; `GET`, the default of `URLRequest`, becomes `POST`,
    ///     and its body is ignored. It may be called again for the same records: put the batch's `stream` and `through`
    ///     into a header by which the server recognises duplicates. If it throws (no token yet), the batch is retried
    ///     later.
    ///   - body: The body for some records. If it throws, smaller batches follow until the record at fault is found and
    ///     put in quarantine.
    ///   - answer: Interprets a response if the status does not suffice; `nil` leaves it to the status. Use it to
    ///     recognise a server over plain HTTP, because a captive portal answers 200 to everything.
    ///   - transport: Default: ``DefaultTransport``.
    public init(
        id: String = "http", request: @escaping @Sendable (Batch) throws -> URLRequest,
        body: @escaping @Sendable ([Record]) throws -> Data,
        answer: @escaping @Sendable (TransportResponse) -> Delivery? = { _ in nil },
        transport: any HTTPTransport = DefaultTransport()
    ) {
        self.id = id
        self.request = request
        self.body = body
        self.answer = answer
        self.transport = transport
    }

    public func send(_ batch: Batch) async -> Delivery {
        let content: Data
        do {
            content = try body(batch.records)
        } catch {
            return .refused(reason: "its body cannot be made: \(error)")
        }
        let urlRequest: URLRequest
        do {
            urlRequest = try request(batch)
        } catch {
            return .retry(after: nil, reason: "its request cannot be made: \(error)")
        }
        guard let url = urlRequest.url else { return .pause(reason: "the request has no address") }
        let method = urlRequest.httpMethod ?? "GET"
        let transportRequest = TransportRequest(
            method: method == "GET" ? "POST" : method, url: url, headers: urlRequest.allHTTPHeaderFields ?? [:],
            body: Array(content), timeout: .seconds(min(600, max(1, urlRequest.timeoutInterval))))
        do {
            return delivery(of: try await transport.send(transportRequest))
        } catch {
            return HTTPDelivery.noAnswer(from: url, error)
        }
    }

    private func delivery(of response: TransportResponse) -> Delivery {
        if let delivery = answer(response) { return delivery }
        return (200..<300).contains(response.status) ? .delivered : HTTPDelivery(response, now: Date()).failure
    }
}

/// What an unsuccessful HTTP response means for a batch, in any protocol. Pure.
///
/// Source: RFC 9110, *Status Codes* and *Retry-After*; OTLP specification, *OTLP/HTTP Response*.
package struct HTTPDelivery {
    private let response: TransportResponse
    private let now: Date

    /// - Parameter now: Base for a `Retry-After` with a date.
    package init(_ response: TransportResponse, now: Date) {
        self.response = response
        self.now = now
    }

    /// For a response that is not the protocol's success.
    package var failure: Delivery {
        switch response.status {
        case 400, 413, 422:
            .refused(reason: "status \(response.status)\(detail)")
        case 502 where retryAfter == nil, 504 where retryAfter == nil:
            // A gateway's server broke the connection or did not answer.
            .noAnswer(reason: "status \(response.status)\(detail)")
        case 408, 429, 500...599:
            .retry(after: retryAfter, reason: "status \(response.status)\(detail)")
        default:
            // 401, 403, 404, 405, redirects: retrying is useless until the configuration is fixed.
            .pause(reason: "status \(response.status)\(detail): check the address and the key")
        }
    }

    /// The request is sent again. The URL is redacted.
    package static func noAnswer(from url: URL, _ error: any Error) -> Delivery {
        .noAnswer(reason: "\(RequestDescription.redacted(url)) did not answer: \(error.localizedDescription)")
    }

    private var retryAfter: Duration? {
        RetryAfter.wait(response.headers["retry-after"], now: Int64(now.timeIntervalSince1970 * 1e9))
    }

    /// The receiver's message, if it is text.
    private var detail: String {
        // A character cut by the limit leaves U+FFFD in the last bytes, which are cut off.
        let text = String(decoding: response.body.prefix(204), as: UTF8.self).cut(toUTF8Bytes: 200)
        let isText = !text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{FFFD}" }
        return isText ? " (\(text.printable))" : ""
    }
}
