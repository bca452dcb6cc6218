#if os(Linux)
    import DaybookBase
    import DaybookCurl
    import Foundation

    /// The default transport: libcurl on Linux, `URLSession` elsewhere.
    public typealias DefaultTransport = CurlTransport

    /// Sends through libcurl, bounded in bytes and time, and reuses connections. It follows no redirects, decompresses
    /// nothing and sends no cookies. A truncated response, or a success of more than 64 KiB, is an error. Cancelling
    /// the task cancels the request. Safe to share between threads.
    ///
    /// Not `URLSession`: Foundation on Linux (6.3) crashes when a response breaks off in its head.
    public final class CurlTransport: HTTPTransport {
        /// Most idle sessions kept with their connections.
        private static let mostIdle = 4

        private let answerLimit: Int
        private let idle = Mutex<[CurlSession]>([])

        /// Creates a transport with connections of its own.
        ///
        /// ```swift
        /// let output = OTLPOutput(endpoint: collector, transport: DefaultTransport())
        /// ```
        public convenience init() { self.init(answerLimit: 64 << 10) }

        /// - Parameter answerLimit: Most bytes of a body.
        package init(answerLimit: Int) { self.answerLimit = answerLimit }

        /// - Throws: `CurlFailure`, whose `localizedDescription` says what happened.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var exchange = CurlRequest(
                url: request.url.absoluteString, headers: request.headers.map { ($0.key, $0.value) },
                body: request.body, deadline: request.timeout, answerLimit: answerLimit)
            exchange.method = request.method
            let stopper = CurlStopper()
            let answer = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // A thread of its own: an unresolvable name delays no other request.
                    Thread.detachNewThread { [self, exchange] in
                        continuation.resume(with: Result { try send(exchange, stopper) })
                    }
                }
            } onCancel: {
                stopper.cancel()
            }
            return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
        }

        private func send(_ request: CurlRequest, _ stopper: CurlStopper) throws -> CurlAnswer {
            let session = idle.withLock { $0.popLast() } ?? CurlSession()
            defer { idle.withLock { if $0.count < Self.mostIdle { $0.append(session) } } }
            let answer = try session.send(request, stopper: stopper)
            // The status of a failure says enough.
            guard !answer.isCut || !(200...299).contains(answer.status) else {
                throw CurlFailure(reach: .perhaps, message: "the answer is longer than \(answerLimit) bytes")
            }
            return answer
        }
    }

    extension CurlFailure: LocalizedError {
        public var errorDescription: String? { message }
    }
#else
    /// The default transport: libcurl on Linux, `URLSession` elsewhere.
    public typealias DefaultTransport = URLSessionTransport
#endif
