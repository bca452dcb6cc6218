import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends with its own `URLSession`, without cache, cookies or stored credentials; it follows no redirects. An answer that is
/// cut short, or a success of more than 64 KiB, is an error. A request is cancelled with its task. Safe to share between
/// threads.
///
/// Not for Linux, where ``DefaultTransport`` is another: Foundation there (6.3) ends the process when an answer breaks off
/// in its head.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: Exchanges

    /// Creates a transport with its own session, without cookies or caches.
    ///
    /// ```swift
    /// let output = OTLPOutput(endpoint: collector, transport: URLSessionTransport())
    /// ```
    public convenience init() { self.init(answerLimit: 64 << 10) }

    /// A transport that reads more of an answer.
    /// - Parameter answerLimit: bytes of a body at most.
    package init(answerLimit: Int) {
        exchanges = Exchanges(answerLimit: answerLimit)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 1
        // A server that sends a byte now and then must not hold a batch for ever.
        configuration.timeoutIntervalForResource = 600
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        // Whole seconds: Foundation on Linux cuts the rest off.
        urlRequest.timeoutInterval = max(1, (request.timeout / .seconds(1)).rounded(.up))
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        // Foundation refuses a GET with a body, also with an empty one.
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

/// The exchanges under way: collects what the session hears.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private let answerLimit: Int

    init(answerLimit: Int) { self.answerLimit = answerLimit }

    private final class Exchange {
        let continuation: CheckedContinuation<TransportResponse, any Error>
        var body: [UInt8] = []
        /// Whether the body is longer than was to be read.
        var isCut = false
        /// The answer that asked for a user's name and password.
        var refusal: HTTPURLResponse?

        init(_ continuation: CheckedContinuation<TransportResponse, any Error>) { self.continuation = continuation }
    }

    private let open = Mutex<[Int: Exchange]>([:])

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<TransportResponse, any Error>) {
        open.withLock { $0[task.taskIdentifier] = Exchange(continuation) }
    }

    /// Answers every redirect with "no": a body of records must not follow one to another host.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// Nobody is asked for a name and a password: the answer that asks is the answer. What concerns the connection itself,
    /// the server's certificate above all, is the system's to decide.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let refusal = challenge.failureResponse as? HTTPURLResponse else {
            return completionHandler(.performDefaultHandling, nil)
        }
        open.withLock { $0[task.taskIdentifier]?.refusal = refusal }
        // Apple's session then delivers the answer; the one of other systems ends the task, which without this call, and
        // with the default handling, would wait for ever.
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
        // The status is known, and the rest of a long page would only cost memory.
        if isCut { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let isAnswered = error == nil || exchange.isCut || exchange.refusal != nil
        guard isAnswered, let response = exchange.refusal ?? task.response as? HTTPURLResponse else {
            return exchange.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        // Of a failure the status says enough.
        guard !exchange.isCut || !(200...299).contains(response.statusCode) else {
            return exchange.continuation.resume(throwing: URLError(.dataLengthExceedsMaximum))
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        exchange.continuation.resume(
            returning: TransportResponse(status: response.statusCode, headers: headers, body: exchange.body))
    }
}
