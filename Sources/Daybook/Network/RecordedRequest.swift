import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What can be recorded of a request, from any HTTP client. Value semantics.
public struct RecordedRequest: Sendable, Hashable {
    /// The method: `GET`.
    public var method: String
    public var url: URL?
    public var headers: [String: String]
    /// The body, if available; recorded as ``RequestRecording/bodies`` says.
    public var body: Data?
    /// The body's size in bytes, if known.
    public var bodyBytes: Int?

    /// Creates a request.
    ///
    /// ```swift
    /// let request = log.start(RecordedRequest(method: "GET", url: collector))
    /// request.end(RecordedResponse(status: 200))
    /// ```
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

    /// Creates a request from `URLSession`'s. The size of a body stream is unknown.
    ///
    /// ```swift
    /// let request = log.start(RecordedRequest(URLRequest(url: collector)))
    /// request.end(RecordedResponse(status: 200))
    /// ```
    public init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url, headers: request.allHTTPHeaderFields ?? [:],
            body: request.httpBody)
    }
}

/// What can be recorded of a response. Value semantics.
public struct RecordedResponse: Sendable, Hashable {
    /// The status code; `nil` if the protocol has none (`file:`, `data:`).
    public var status: Int?
    public var headers: [String: String]
    /// The body, if available; recorded as ``RequestRecording/bodies`` says.
    public var body: Data?
    /// The body's size in bytes after decompression, if known.
    public var bodyBytes: Int?
    /// How long the parts of the exchange took, if known.
    public var timing: RequestTiming?

    /// Creates a response.
    ///
    /// ```swift
    /// log.start(RecordedRequest(url: collector)).end(RecordedResponse(status: 404, body: Data("not found".utf8)))
    /// ```
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

    /// Creates a response from `URLSession`'s.
    ///
    /// ```swift
    /// let (data, response) = try await URLSession.shared.data(from: collector)
    /// log.start(RecordedRequest(method: "GET", url: collector)).end(RecordedResponse(response, body: data))
    /// ```
    public init(_ response: URLResponse, body: Data? = nil, bodyBytes: Int? = nil, timing: RequestTiming? = nil) {
        let response = response as? HTTPURLResponse
        var headers: [String: String] = [:]
        for (name, value) in response?.allHeaderFields ?? [:] { headers["\(name)"] = "\(value)" }
        self.init(
            status: response?.statusCode, headers: headers, body: body, bodyBytes: bodyBytes, timing: timing)
    }
}

/// What is recorded of requests. Safe to share between threads.
///
/// By default: the method, the URL without query values, status, sizes, duration, a few harmless headers, and the name
/// of a GraphQL operation. Credentials are never recorded: they are replaced before the record reaches the journal.
public struct RequestRecording: Sendable {
    /// How bodies are handled. Only text is kept, without credentials, and cut to a size.
    public enum Bodies: Sendable {
        /// Only their sizes are recorded.
        case sizes
        /// The latest stay in memory, for a screen of the app; they are neither stored nor sent.
        case inMemory(RecentBodies)
        /// Part of the record: stored, and sent wherever its routes lead. Most bytes of each body, from 1 to 16,384.
        case recorded(maximumBytes: Int)
    }

    /// Header fields that are recorded, in lower case. Those that may carry a credential are recorded as `[redacted]`.
    public var headers: Set<String> = [
        "accept", "accept-language", "age", "cache-control", "content-encoding", "content-language", "content-length",
        "content-type", "date", "etag", "expires", "last-modified", "retry-after", "server", "user-agent", "vary",
        "via",
        "x-request-id",
    ]
    /// Query parameters whose values are recorded. Others become `REDACTED`, because queries often contain tokens and
    /// names. Default: none.
    public var queryParameters: Set<String> = []
    /// Default: only sizes.
    public var bodies = Bodies.sizes
    /// Whether requests carry a `traceparent` header (W3C Trace Context), so that the server's spans join theirs. An
    /// existing one stays. Default: yes.
    public var sendsTraceParent = true
    /// Which requests are recorded. Default: all.
    public var isRecorded: @Sendable (RecordedRequest) -> Bool = { _ in true }

    /// Creates the default settings: sizes only, no bodies, harmless headers.
    ///
    /// ```swift
    /// var recording = RequestRecording()
    /// recording.queryParameters = ["page"]
    /// let session = log.recording(.shared, recording)
    /// ```
    public init() {}
}

/// How long the parts of an exchange took; `nil` if one did not happen (a reused connection) or is unknown. Recorded as
/// `daybook.http.timing.*`, in nanoseconds. Value semantics.
public struct RequestTiming: Sendable, Hashable {
    /// Resolving the host's address.
    public var lookup: Duration?
    /// Connecting, including TLS.
    public var connect: Duration?
    /// The TLS handshake.
    public var secure: Duration?
    public var send: Duration?
    /// From the end of the request to the first byte of the response.
    public var wait: Duration?
    public var receive: Duration?

    /// Creates a timing without any parts.
    ///
    /// ```swift
    /// var timing = RequestTiming()
    /// timing.connect = .milliseconds(12)
    /// ```
    public init() {}

    /// In order of time.
    var attributes: Attributes {
        let parts = [
            ("lookup", lookup), ("connect", connect), ("secure", secure), ("send", send), ("wait", wait),
            ("receive", receive),
        ]
        return Attributes(
            parts.compactMap { name, part in
                part.map { ("daybook.http.timing.\(name)", .int(Int64(clamping: $0.nanoseconds))) }
            })
    }
}

extension RequestTiming {
    /// The timing of the last transaction, which got the response; `nil` if none was measured.
    init?(_ metrics: URLSessionTaskMetrics) {
        guard let last = metrics.transactionMetrics.last else { return nil }
        self.init()
        lookup = Self.between(last.domainLookupStartDate, last.domainLookupEndDate)
        connect = Self.between(last.connectStartDate, last.connectEndDate)
        secure = Self.between(last.secureConnectionStartDate, last.secureConnectionEndDate)
        send = Self.between(last.requestStartDate, last.requestEndDate)
        wait = Self.between(last.requestEndDate, last.responseStartDate)
        receive = Self.between(last.responseStartDate, last.responseEndDate)
    }

    static func between(_ start: Date?, _ end: Date?) -> Duration? {
        guard let start, let end, end >= start else { return nil }
        return .seconds(end.timeIntervalSince(start))
    }
}

/// Collects a task's timing. Safe to share between threads.
final class TimingCollector: NSObject, URLSessionTaskDelegate {
    private let collected = Mutex<RequestTiming?>(nil)

    var timing: RequestTiming? { collected.withLock { $0 } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let timing = RequestTiming(metrics)
        collected.withLock { $0 = timing }
    }
}
