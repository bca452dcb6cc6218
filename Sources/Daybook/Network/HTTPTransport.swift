import Foundation

/// Sends an output's requests; tests pass their own.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response, whatever its status; redirects are returned, not followed.
    /// - Throws: Any error means that the response is missing or incomplete; the request may have arrived.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

public struct TransportRequest: Sendable {
    /// The method. Default: `POST`.
    public var method: String
    public var url: URL
    public var headers: [String: String]
    /// The body as sent.
    public var body: [UInt8]
    /// The longest time for the whole exchange; with ``URLSessionTransport``, for the next bytes, in whole seconds from
    /// 1.
    public var timeout: Duration

    /// Creates a request.
    ///
    /// ```swift
    /// TransportRequest(url: collector, headers: ["Content-Type": "text/plain"], body: Array("hello".utf8), timeout: .seconds(30))
    /// ```
    public init(
        method: String = "POST", url: URL, headers: [String: String], body: [UInt8], timeout: Duration
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

public struct TransportResponse: Sendable {
    public var status: Int
    /// Header fields, names in lower case.
    public var headers: [String: String]
    /// The body; only the first 64 KiB of an unsuccessful response.
    public var body: [UInt8]

    /// Creates a response, for a transport of your own.
    ///
    /// ```swift
    /// TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
    /// ```
    public init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
