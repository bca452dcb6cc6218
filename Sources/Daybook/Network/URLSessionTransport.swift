import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends with its own `URLSession`, without cache, cookies, stored credentials or redirects. A truncated response, or a
/// success of more than 64 KiB, is an error. Cancelling the task cancels the request. Safe to share between threads.
///
/// Not for Linux, where ``DefaultTransport`` is another: Foundation there (6.3) crashes when a response breaks off in
/// its head.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: Exchanges

    /// Creates a transport with its own session, without cookies or caches.
    ///
    /// ```swift
    /// let output = OTLPOutput(endpoint: collector, transport: URLSessionTransport())
    /// ```
    public convenience init() { self.init(answerLimit: 64 << 10) }

    /// - Parameter answerLimit: Most bytes of a body.
    package init(answerLimit: Int) {
        exchanges = Exchanges(answerLimit: answerLimit)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 1
        // A server that trickles bytes must not hold a batch forever.
        configuration.timeoutIntervalForResource = 600
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        // Foundation on Linux truncates to whole seconds.
        urlRequest.timeoutInterval = max(1, (request.timeout / .seconds(1)).rounded(.up))
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        // Foundation refuses a GET with a body, even an empty one.
        let task =
            request.body.isEmpty && request.method == "GET"
            ? session.dataTask(with: urlRequest) : session.uploadTask(with: urlRequest, from: Data(request.body))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.begin(task, continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Collects the responses of the exchanges under way.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private let answerLimit: Int

    init(answerLimit: Int) { self.answerLimit = answerLimit }

    private final class Exchange {
        let continuation: CheckedContinuation<TransportResponse, any Error>
        var body: [UInt8] = []
        /// Whether the body exceeds the limit.
        var isCut = false
        /// The response that asked for credentials.
        var refusal: HTTPURLResponse?

        init(_ continuation: CheckedContinuation<TransportResponse, any Error>) { self.continuation = continuation }
    }

    private let open = Mutex<[Int: Exchange]>([:])

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        open.withLock { $0[task.taskIdentifier] = Exchange(continuation) }
    }

    /// Refuses redirects: records must not follow one to another host.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// A response that asks for credentials is the final one. Challenges of the connection, such as the server's
    /// certificate, get the system's handling.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let refusal = challenge.failureResponse as? HTTPURLResponse else {
            return completionHandler(.performDefaultHandling, nil)
        }
        open.withLock { $0[task.taskIdentifier]?.refusal = refusal }
        // Apple's session then delivers the response; other systems' end the task, which would otherwise wait forever.
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isCut = open.withLock { open in
            guard let exchange = open[dataTask.taskIdentifier] else { return false }
            let room = answerLimit - exchange.body.count
            exchange.isCut = data.count > room
            exchange.body.append(contentsOf: data.prefix(room))
            return exchange.isCut
        }
        // The status is known; the rest would only cost memory.
        if isCut { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let isAnswered = error == nil || exchange.isCut || exchange.refusal != nil
        guard isAnswered, let response = exchange.refusal ?? task.response as? HTTPURLResponse else {
            return exchange.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        // The status of a failure says enough.
        guard !exchange.isCut || !(200...299).contains(response.statusCode) else {
            return exchange.continuation.resume(throwing: URLError(.dataLengthExceedsMaximum))
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        exchange.continuation.resume(
            returning: TransportResponse(status: response.statusCode, headers: headers, body: exchange.body))
    }
}
