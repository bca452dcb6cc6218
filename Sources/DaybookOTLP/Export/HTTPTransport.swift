import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends one request; tests give their own.
public protocol HTTPTransport: Sendable {
    /// Posts a body and returns the answer.
    /// - Throws: Any error means that no answer came; the request may have arrived.
    func post(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request to send.
public struct TransportRequest: Sendable {
    /// Where to.
    public var url: URL
    /// Header fields.
    public var headers: [String: String]
    /// The body as it goes over the wire.
    public var body: [UInt8]
    /// The longest to wait for an answer.
    public var timeout: Duration
}

/// An answer.
public struct TransportResponse: Sendable {
    /// The status code.
    public var status: Int
    /// Header fields, names in lower case.
    public var headers: [String: String]
    /// The body, at most 64 KiB of it.
    public var body: [UInt8]

    /// An answer.
    public init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Sends with `URLSession`: its own session without cache, cookies or stored credentials, which follows no redirects.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// A transport.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 1
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func post(_ request: TransportRequest) async throws -> TransportResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = "POST"
        urlRequest.timeoutInterval = TimeInterval(request.timeout.components.seconds)
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.upload(for: urlRequest, from: Data(request.body))
        guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var headers: [String: String] = [:]
        for (name, value) in http.allHeaderFields {
            headers["\(name)".lowercased()] = "\(value)"
        }
        return TransportResponse(status: http.statusCode, headers: headers, body: Array(data.prefix(64 << 10)))
    }
}

/// Answers every redirect with "no": a body of records must not follow one to another host.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
