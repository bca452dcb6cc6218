import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request as far as it can be recorded: for any HTTP client, not only `URLSession`. Value semantics.
public struct RecordedRequest: Sendable, Hashable {
    /// The method: `GET`.
    public var method: String
    /// The address.
    public var url: URL?
    /// Header fields.
    public var headers: [String: String]
    /// The body, if it is at hand; recorded only where ``RequestRecording/bodies`` asks for it.
    public var body: Data?
    /// The body's size in bytes, if it is known.
    public var bodyBytes: Int?

    /// A request.
    /// - Parameter bodyBytes: Default: the count of `body`.
    public init(
        method: String = "GET", url: URL?, headers: [String: String] = [:], body: Data? = nil, bodyBytes: Int? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.bodyBytes = bodyBytes ?? body?.count
    }

    /// What `URLSession` is given. The bytes of a body stream are not known.
    public init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url, headers: request.allHTTPHeaderFields ?? [:],
            body: request.httpBody)
    }
}

/// An answer as far as it can be recorded. Value semantics.
public struct RecordedResponse: Sendable, Hashable {
    /// The status code; `nil` where the protocol has none (`file:`, `data:`).
    public var status: Int?
    /// Header fields.
    public var headers: [String: String]
    /// The body, if it is at hand; recorded only where ``RequestRecording/bodies`` asks for it.
    public var body: Data?
    /// The body's size in bytes after decompression, if it is known.
    public var bodyBytes: Int?
    /// How long each part of the exchange took, where the client knows.
    public var timing: RequestTiming?

    /// An answer.
    /// - Parameter bodyBytes: Default: the count of `body`.
    public init(
        status: Int?, headers: [String: String] = [:], body: Data? = nil, bodyBytes: Int? = nil,
        timing: RequestTiming? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.bodyBytes = bodyBytes ?? body?.count
        self.timing = timing
    }

    /// What `URLSession` gave.
    public init(_ response: URLResponse, body: Data? = nil, bodyBytes: Int? = nil, timing: RequestTiming? = nil) {
        let response = response as? HTTPURLResponse
        var headers: [String: String] = [:]
        for (name, value) in response?.allHeaderFields ?? [:] { headers["\(name)"] = "\(value)" }
        self.init(
            status: response?.statusCode, headers: headers, body: body, bodyBytes: bodyBytes, timing: timing)
    }
}
